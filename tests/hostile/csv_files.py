"""CSV files byte by byte from RFC 4180, and every way in which programs depart from it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.hostile.cases import Case, Row

COLUMNS = ("case", "y", "p", "q", "part", "site", "note")
WORDS = ("north", "süd", "Ålesund", "好瓜", "a b", " x ", "01", "1", "1.0", "0x1", "NA", "-")
LATIN = ("north", "süd", "Ålesund", "Øst", "ß")
AWKWARD = ('5" disc', 'say "no"', "a,b", "two\nlines", "three\r\nlines, so", '"', ",", "''", "#")

WRITTEN = (
    *('"0,5"', "1_0", "0.5 %", "1 000", "0·5", "1'0", "0x1p-1", "½", "٠", "0.5f", "1e", "NaN"),
    *("inf", "-inf", "1e400", "", "null", "None", "−0.5"),
)
"""What is no finite number here, though some program or country takes it for one."""


def number(random_: random.Random) -> str:
    """A score in any notation that stands for a number from 0 to 1."""
    value = random_.random()
    form = random_.randrange(9)
    return (
        repr(value),
        f"{value:.6f}",
        f"{value:.3e}",
        f"{value:.17g}",
        f"{value:.4E}".replace("E-0", "E-"),
        f"{value:.5f}".lstrip("0") or "0",
        f"+{value:.4f}",
        f"{value:.30f}",
        random_.choice(["0", "1", "1.", "0.0", "1e0", "00.5", "1E-3", "0.7", "1e-400", "5e-324"]),
    )[form]


def rows_of(random_: random.Random, size: int, words: Sequence[str], awkward: bool) -> list[dict]:
    """Rows of text cells, as they are to be written."""
    rows = []
    for index in range(size):
        extra = AWKWARD if awkward and random_.random() < 0.3 else words
        rows.append(
            {
                "case": f"{random_.choice(extra)}{index}",
                "y": "sick" if index % 2 else "well",
                "p": number(random_),
                "q": number(random_),
                "part": str(index % 3),
                "site": random_.choice([*words, ""]),
                "note": random_.choice([*extra, "", "x"]),
            }
        )
    return rows


def read_as(rows: Sequence[dict]) -> list[Row]:
    """The same as values."""
    return [
        Row(r["case"], r["y"], float(r["p"]), float(r["q"]), r["part"], r["site"] or None)
        for r in rows
    ]


class Writer:
    """Writes cells under one dialect."""

    def __init__(self, random_: random.Random, separator: str = ",") -> None:
        self.random = random_
        self.separator = separator
        self.end = random_.choice(["\n", "\r\n"])
        self.quoting = random_.choice(["needed", "all", "some"])
        self.order = random_.sample(COLUMNS, len(COLUMNS))
        self.final = random_.random() < 0.7

    def cell(self, text: str) -> str:
        """A field, in quotes where it must be."""
        needed = any(c in text for c in f'{self.separator}"\r\n')
        chosen = self.quoting == "all" or (self.quoting == "some" and self.random.random() < 0.3)
        # an empty field in quotes is the empty text, one without is a missing value
        return '"' + text.replace('"', '""') + '"' if needed or (chosen and text) else text

    def lines(self, rows: Sequence[dict]) -> list[str]:
        """The header and one record per row, without their ends."""
        result = [self.separator.join(map(self.cell, self.order))]
        return result + [self.separator.join(self.cell(r[c]) for c in self.order) for r in rows]

    def joined(self, lines: Sequence[str]) -> str:
        """The records with their line ends."""
        return self.end.join(lines) + (self.end if self.final else "")


Fault = Callable[[random.Random, Writer, list[dict]], str]


def _line(writer: Writer, row: dict, **fields: str) -> str:
    """A record with some fields written raw."""
    return writer.separator.join(fields.get(c, writer.cell(row[c])) for c in writer.order)


def _at(random_: random.Random, rows: list[dict]) -> int:
    return random_.randrange(len(rows))


def _with(writer: Writer, rows: list[dict], change: dict[int, str]) -> str:
    lines = writer.lines(rows)
    for index, line in change.items():
        lines[index + 1] = line
    return writer.joined(lines)


def surplus(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """Decimal commas without quotes, in a column that is not asked for or in any other."""
    column = random_.choice(["note", "note", *COLUMNS])
    places = random_.sample(range(len(rows)), min(3, len(rows)))
    value = f"1{writer.separator}5"
    return _with(writer, rows, {i: _line(writer, rows[i], **{column: value}) for i in places})


def balanced(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """One row has a field too many and another one too few: the total is right."""
    one, other = random_.sample(range(len(rows)), 2)
    long = writer.lines(rows)[one + 1] + writer.separator
    short = writer.separator.join(writer.cell(rows[other][c]) for c in writer.order[:-1])
    return _with(writer, rows, {one: long, other: short})


def short(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """A row lacks a field; the ones behind it move up."""
    index, gone = _at(random_, rows), random_.choice(COLUMNS)
    line = writer.separator.join(writer.cell(rows[index][c]) for c in writer.order if c != gone)
    return _with(writer, rows, {index: line})


def header_short(_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """Row names without a head, as R writes them."""
    head, *lines = writer.lines(rows)
    return writer.joined([head, *(f"{i}{writer.separator}{x}" for i, x in enumerate(lines))])


def trailing(_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """Every record ends in a separator, the header does not."""
    head, *lines = writer.lines(rows)
    return writer.joined([head, *(line + writer.separator for line in lines)])


def opened(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """A quotation mark opens a field and is never closed, or by the next one."""
    column, index = random_.choice(COLUMNS), _at(random_, rows)
    return _with(writer, rows, {index: _line(writer, rows[index], **{column: '"x'})})


def swallowed(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """Two stray quotes, so that the rows between them are the text of one field."""
    writer.quoting = "needed"
    for row in rows:
        row["note"], row["case"] = "x", f"c{row['case'].encode().hex()}"
    writer.order = [*(c for c in writer.order if c != "note"), "note"]
    one, other = sorted(random_.sample(range(len(rows)), 2))
    changes = {i: _line(writer, rows[i], note='"') for i in (one, other)}
    return _with(writer, rows, changes)


def stray(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """A quotation mark within or behind a field."""
    column, index = random_.choice(COLUMNS), _at(random_, rows)
    value = random_.choice(['5" x', 'x"', '"x" ', ' "x"', '"x"y', '"x"y"', '"a""', '""a"'])
    return _with(writer, rows, {index: _line(writer, rows[index], **{column: value})})


def blank(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """An empty line, or one of spaces, between records or at the end."""
    lines = writer.lines(rows)
    lines.insert(random_.randrange(1, len(lines) + 1), random_.choice(["", " ", "\t", ","]))
    return writer.joined(lines)


def comment(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """A line that another program takes for a comment."""
    lines = writer.lines(rows)
    lines.insert(random_.randrange(len(lines) + 1), random_.choice(["# made by x", "#", "//x,y"]))
    return writer.joined(lines)


def nul(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """A byte 0 in a field, or a stretch of them where a disk lost a block."""
    text = _with(writer, rows, {})
    at = random_.randrange(len(text))
    return text[:at] + "\0" * random_.choice([1, 5, 40]) + text[at + random_.choice([0, 5, 40]) :]


def old_ends(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """Carriage returns alone end some records, or all."""
    lines = writer.lines(rows)
    if random_.random() < 0.5:
        return "\r".join(lines) + "\r"
    at = random_.randrange(len(lines) - 1)
    lines[at : at + 2] = ["\r".join(lines[at : at + 2])]
    return writer.joined(lines)


def grouped(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """A number as other countries, or spreadsheets, write it."""
    index = _at(random_, rows)
    value = random_.choice(WRITTEN)
    return _with(writer, rows, {index: _line(writer, rows[index], p=value)})


def cut(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """The file ends within a record."""
    *before, last = writer.lines(rows)
    text = writer.end.join(before) + writer.end
    return text + last[: random_.randrange(1, last.rfind(writer.separator))]


def repeated(random_: random.Random, writer: Writer, rows: list[dict]) -> str:
    """A column stands twice in the header."""
    head, *lines = writer.lines(rows)
    twice = random_.choice(["p", "q", "case", "y", "part", "site"])
    return writer.joined([f"{head},{twice}", *(f"{line},0.25" for line in lines)])


FAULTS: tuple[Fault, ...] = (
    surplus,
    balanced,
    short,
    header_short,
    trailing,
    opened,
    swallowed,
    stray,
    blank,
    comment,
    nul,
    old_ends,
    grouped,
    cut,
    repeated,
)

HARMLESS = {"blank", "trailing"}
"""Faults that leave one answer, which a reader may also give."""


def valid(random_: random.Random) -> Case:
    """A file that follows RFC 4180, in an encoding that is declared where it is not UTF-8."""
    separator, ending = random_.choice([(",", "csv"), (",", "csv"), ("\t", "tsv")])
    encoding = random_.choice(["utf-8"] * 4 + ["utf-8-sig", "utf-16", "latin-1", "cp1252"])
    words = LATIN if encoding in ("latin-1", "cp1252") else WORDS
    rows = rows_of(random_, random_.randrange(4, 40), words, awkward=True)
    text = (writer := Writer(random_, separator)).joined(writer.lines(rows))
    if random_.random() < 0.1:
        text = random_.choice(["\n", "\r\n", "\n\n"]) + text
    stated = {} if encoding.startswith("utf-8") else {"encoding": encoding}
    content = {f"d.{ending}": text.encode(encoding)}
    return Case(f"valid {encoding}", content, read_as(rows), valid=True, spec=stated)


def faulty(random_: random.Random) -> Case:
    """A file with one fault."""
    fault = random_.choice(FAULTS)
    rows = rows_of(random_, random_.randrange(4, 60), WORDS, awkward=random_.random() < 0.3)
    text = fault(random_, Writer(random_), [*map(dict, rows)])
    known = read_as(rows) if fault.__name__ in HARMLESS else None
    return Case(fault.__name__, {"d.csv": text.encode()}, known, valid=False)


def undeclared(random_: random.Random) -> Case:
    """Text in another encoding than UTF-8, which nothing declares; or a damaged byte."""
    rows = rows_of(random_, 12, LATIN, awkward=False)
    rows[0]["note"] = "Ålesund"
    encoding = random_.choice(["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
    text = (writer := Writer(random_)).joined(writer.lines(rows))
    content = text.encode(encoding)
    if random_.random() < 0.3:
        damaged = random_.choice([b"\xc3", b"\xff", b"\xc0\x80"])
        content = text.encode().replace("Å".encode(), damaged)
    return Case(f"undeclared {encoding}", {"d.csv": content}, None, valid=False)
