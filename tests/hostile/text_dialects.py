"""JSON lines with gaps, several types and values within values; csv of other dialects.

The rows are chosen first. Where a dialect is not one that is read, its right values or a refusal
are both right; other values are not.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.hostile.layout_files import SPEC, expected, read, rows_of
from tests.hostile.table_files import Table, TableCase
from tests.hostile.workbook_files import zstandard

HEAD = ("i", "y", "p", "site")
_SITES: Sequence[tuple[Any, str]] = (
    *((text, text) for text in ("süd", "1", "01", "true", "null", "0.5", "{}", "a\tb")),
    *(
        (1, "1"),
        (2.5, "2.5"),
        (-3, "-3"),
        (10**15 + 1, str(10**15 + 1)),
        (2**53 + 1, str(2**53 + 1)),
    ),
    *((True, "true"), (False, "false")),
)
"""Values of a key, and their spelling as text."""


def _case(kind: str, files: Mapping[str, bytes], rows: Table | None, **spec: Any) -> TableCase:
    refusable = spec.pop("may_refuse", False)
    answer = None if rows is None else expected(rows, "site")
    whole = {**SPEC, "data": list(files), "slices": ["site"], **spec}
    return TableCase(kind, files, whole, answer, read("slice:site"), may_refuse=refusable)


Lines = list[dict[str, Any]]
"""Rows as they are written; those that are to be read stand beside them."""


def _lacks_sites(rows: Table, lines: Lines, draw: random.Random) -> None:
    for k in draw.sample(range(len(rows)), 2):
        rows[k]["site"] = None
        del lines[k]["site"]


def _has_no_site(rows: Table, lines: Lines, _: random.Random) -> None:
    for row, line in zip(rows, lines, strict=True):
        row["site"] = line["site"] = None


def _mixes_sites(rows: Table, lines: Lines, draw: random.Random) -> None:
    for row, line in zip(rows, lines, strict=True):
        line["site"], row["site"] = draw.choice(_SITES)


def _mixes_ids(rows: Table, lines: Lines, draw: random.Random) -> None:
    for k in draw.sample(range(len(rows)), 2):
        lines[k]["i"] = 10**6 + k
        rows[k]["i"] = str(10**6 + k)


def _as_text(key: str) -> Callable[[Table, Lines, random.Random], None]:
    def change(rows: Table, lines: Lines, draw: random.Random) -> None:
        for k in draw.sample(range(len(rows)), 2):
            lines[k][key] = str(rows[k][key])

    return change


GAPS: Mapping[str, Callable[[Table, Lines, random.Random], None]] = {
    "none": lambda _rows, _lines, _draw: None,
    "rows without a site": _lacks_sites,
    "no site": _has_no_site,
    "mixed sites": _mixes_sites,
    "mixed ids": _mixes_ids,
    "number as text": _as_text("p"),
    "label as text": _as_text("y"),
}

WRONG: Mapping[str, tuple[Sequence[str], Sequence[Any]]] = {
    "text": ("p", ("x", "", "nan", "0,5", "1e999", "true")),
    "null": ("py", (None,)),
    "truth value": ("p", (True, False)),
    "object": (HEAD, ({"p": 0.5}, {})),
    "list": (HEAD, ([0.5], [])),
}
"""Keys, and values of which none is right in one row."""


def gaps(draw: random.Random) -> TableCase:
    """Rows that lack keys, or whose keys have values of several types."""
    rows = rows_of(draw, 1100 if draw.random() < 0.05 else None)
    lines = [dict(row) for row in rows]
    fault = draw.choice((*["none"] * 3, *GAPS, "lacks", *WRONG))
    line = draw.choice(lines)
    if fault == "lacks":
        del line[draw.choice("py")]
    elif fault in WRONG:
        keys, values = WRONG[fault]
        line[draw.choice(keys)] = draw.choice(values)
    else:
        GAPS[fault](rows, lines, draw)
    mixed = _beside(lines, draw)
    ends = draw.choices(("\n", "\n", "\r\n", "\n\n"), k=len(lines))
    text = "".join(_spelled(line, draw) + end for line, end in zip(lines, ends, strict=True))
    packing = draw.choice(("", "", ".gz", ".zst"))
    name = f"d.{draw.choice(('ndjson', 'jsonl'))}{packing}"
    return _case(
        f"gaps {fault}",
        {name: _packed(text.encode(), packing, draw)},
        rows if fault in GAPS else None,
        may_refuse=mixed or fault not in ("none", "rows without a site"),
    )


def _beside(lines: Sequence[dict[str, Any]], draw: random.Random) -> bool:
    """Give some rows keys that nobody asked for; whether a key has values of several types."""
    values = ({"p": 1, "y": {"p": 2}}, [{"p": 0.1}], [1, 2], None, 7, "p", {}, [], 1e300, True)
    values = draw.sample(values, draw.choice((1, 1, 3)))
    for name in draw.sample(("note", "P", "p ", "y.p", "s", "é", "e\u0301"), draw.randint(0, 3)):
        for line in lines:
            if draw.random() < 0.7:
                line[name] = draw.choice(values)
    return len(values) > 1


def _spelled(line: Mapping[str, Any], draw: random.Random) -> str:
    """A row with its keys in any order, some of them escaped."""
    keys = draw.sample(list(line), len(line))
    text = json.dumps({key: line[key] for key in keys}, ensure_ascii=draw.random() < 0.5)
    return text.replace('"p":', '"\\u0070":') if draw.random() < 0.05 else text


def _packed(content: bytes, packing: str, draw: random.Random) -> bytes:
    if packing == ".gz":
        cut = draw.randrange(len(content))
        return gzip.compress(content[:cut]) + gzip.compress(content[cut:])
    return zstandard(content) if packing == ".zst" else content


Dialect = Callable[[str, random.Random], bytes]

ENDS: Mapping[str, Dialect] = {
    "separator named": lambda text, _: b"sep=,\n" + text.encode(),
    "two marks": lambda text, _: "\ufeff\ufeff".encode() + text.encode(),
    "control Z": lambda text, _: text.encode() + b"\x1a",
    "spaces at the end": lambda text, _: text.encode() + b"   ",
    "NULs at the end": lambda text, draw: text.encode() + b"\0" * draw.choice((1, 512)),
    "type of columns": lambda text, _: text.replace("\n", "\ntext,int,double,text\n", 1).encode(),
    "lines of commas": lambda text, draw: text.encode() + b",,,\n" * draw.choice((1, 3)),
    "header twice": lambda text, _: (text + text.partition("\n")[0] + "\n").encode(),
    "total": lambda text, _: text.encode() + b'"total",,12.5,""\n',
    "rows counted": lambda text, _: text.encode() + b"(12 rows affected)\n",
    "fence": lambda text, _: b"```csv\n" + text.encode() + b"```\n",
}
"""What programs write before or behind a table, which no rule of csv has."""

READABLE = ("two marks", "control Z", "spaces at the end", "separator named", "lines of commas")
"""Those that leave one answer."""


def around(draw: random.Random) -> TableCase:
    """A table of text with something around it."""
    rows = rows_of(draw)
    name = draw.choice(list(ENDS))
    content = ENDS[name](_text(rows, ",", draw), draw)
    answer = rows if name in READABLE else None
    return _case(f"around {name}", {"d.csv": content}, answer, may_refuse=True)


NUMBERS: Mapping[str, Callable[[float], str]] = {
    "plain": repr,
    "comma": lambda p: repr(p).replace(".", ","),
    "blanks": lambda p: f" {p!r} ",
    "tab": lambda p: f"\t{p!r}",
    "no-break": lambda p: f"\u00a0{p!r}",
    "wide digits": lambda p: repr(p).translate({n: 0xFF10 + n - 48 for n in range(48, 58)}),
    "Arabic digits": lambda p: repr(p).translate({n: 0x660 + n - 48 for n in range(48, 58)}),
    "apostrophe": lambda p: f"'{p!r}",
    "formula": lambda p: f'="{p!r}"',
    "per cent": lambda p: f"{100 * p}%",
    "thousands": lambda p: f"{1000 + p:,}",
    "thousands, apostrophe": lambda p: f"{1000 + p:,}".replace(",", "'"),
    "thousands, points": lambda p: f"{1000 + p:,}".translate({44: ".", 46: ","}),
    "money": lambda p: f"${p!r}",
    "minus in brackets": lambda p: f"({p!r})",
    "minus behind": lambda p: f"{p!r}-",
    "Fortran": lambda p: f"{p:.17E}".replace("E", "D"),
    "many digits": lambda p: f"{p:.60f}",
    "fraction": lambda p: f"{int(p * 100)}/100",
}
"""Spellings of a number; those with thousands are of a thousand more."""


def numbers(draw: random.Random) -> TableCase:
    """One row, or each of them, with its score in another spelling."""
    rows = rows_of(draw)
    name = draw.choice(list(NUMBERS))
    every = draw.random() < 0.5
    comma = draw.random() < 0.4
    chosen = range(len(rows)) if every else [draw.randrange(len(rows))]
    usual = NUMBERS["comma" if comma else "plain"]
    written = [usual(row["p"]) for row in rows]
    for k in chosen:
        written[k] = NUMBERS[name](rows[k]["p"])
    if name.startswith("thousands"):
        for k in chosen:
            rows[k]["p"] = float(f"{1000 + rows[k]['p']:,}".replace(",", ""))
    separator = draw.choice((";", "|", "\t"))
    lines = [HEAD, *((r["i"], r["y"], w, r["site"]) for r, w in zip(rows, written, strict=True))]
    quoted = draw.random() < 0.5
    text = "".join(separator.join(_field(v, quoted) for v in line) + "\n" for line in lines)
    right = name in ("blanks", "tab", "no-break", "many digits", "comma", "plain")
    right |= name.endswith("digits") or name in ("Fortran", "apostrophe")
    sure = name == ("comma" if comma else "plain")
    right |= name.startswith("thousands")
    return _case(
        f"numbers {name}{' comma' * comma}",
        {"d.csv": text.encode()},
        rows if right else None,
        may_refuse=not sure,
        separator=separator,
        decimal="," if comma else ".",
    )


def _field(value: Any, quoted: bool) -> str:
    text = str(value)
    if quoted or text == "" or any(c in text for c in ';|\t"\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _text(rows: Table, separator: str, draw: random.Random) -> str:
    quoted = draw.random() < 0.5
    lines = [HEAD, *([row[name] for name in HEAD] for row in rows)]
    return "".join(separator.join(_field(v, quoted) for v in line) + "\n" for line in lines)


_SEPARATORS = (";", "|", "\t", ":", "^", "~", " ", "\x1f", "\u00a7", "#", "a", ".", "-", "e", "0")


def separators(draw: random.Random) -> TableCase:
    """Any character between the fields, which the spec states."""
    rows = rows_of(draw)
    separator = draw.choice(_SEPARATORS)
    lines = [HEAD, *([row[name] for name in HEAD] for row in rows)]
    text = "".join(
        separator.join('"' + str(v).replace('"', '""') + '"' for v in line) + "\n" for line in lines
    )
    return _case(
        f"separator {separator!r}",
        {"d.csv": text.encode()},
        rows,
        may_refuse=separator not in (";", "|", "\t"),
        separator=separator,
    )


def wide(draw: random.Random) -> TableCase:
    """Thousands of columns, or fields of a hundred thousand characters, packed or not."""
    rows = rows_of(draw, draw.randint(6, 12))
    many = draw.random() < 0.5
    others = [f"n{k}" for k in range(draw.choice((500, 5000)))] if many else ["note"]
    long = draw.choice(("x", 'a "b",', "ü\n")) * draw.choice((1000, 40_000))
    at = draw.randint(0, len(others))
    head = [*others[:at], *HEAD, *others[at:]]
    lines = [head]
    for row in rows:
        beside: list[Any] = [draw.random() if many else long for _ in others]
        lines.append([*beside[:at], *(row[name] for name in HEAD), *beside[at:]])
    text = "".join(",".join(_quoted(v) for v in line) + "\n" for line in lines)
    packing = draw.choice(("", ".gz", ".zst"))
    content = {f"d.csv{packing}": _packed(text.encode(), packing, draw)}
    # long fields with line ends may look like rows that a quotation mark has swallowed
    return _case(f"wide {many}", content, rows, may_refuse=not many)


def _quoted(value: Any) -> str:
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else repr(value)


def padded(draw: random.Random) -> TableCase:
    """Packed text with zeros behind it, as on tapes, or with a frame that is to be skipped."""
    rows = rows_of(draw)
    text = _text(rows, ",", draw).encode()
    kind = draw.choice(("zeros", "skipped before", "skipped behind", "skipped between", "empty"))
    skipped = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"y,p\n"
    cut = draw.randrange(1, len(text))
    if kind == "zeros":
        name, content = "d.csv.gz", gzip.compress(text) + b"\0" * draw.choice((1, 8, 512))
    elif kind == "empty":
        name = draw.choice(("d.csv.gz", "d.csv.zst"))
        pack = gzip.compress if name.endswith("gz") else zstandard
        content = pack(b"") + pack(text) + pack(b"")
    else:
        name = "d.csv.zst"
        parts = {
            "skipped before": [skipped, zstandard(text)],
            "skipped behind": [zstandard(text), skipped],
            "skipped between": [zstandard(text[:cut]), skipped, zstandard(text[cut:])],
        }[kind]
        content = b"".join(parts)
    return _case(f"padded {kind}", {name: content}, rows, may_refuse=True)


DIALECTS = (gaps, gaps, around, numbers, numbers, separators, wide, padded)
