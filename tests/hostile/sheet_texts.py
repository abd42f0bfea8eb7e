"""Sheets that say the same in other ways: CDATA, comments, prefixes, odd places, other parts.

XML, ECMA-376 and its packages leave a program many ways to write one table. What a reader skips,
or takes for a cell though it is none, is a value that is silently other.
"""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from tests.hostile.layout_files import SPEC, expected, read
from tests.hostile.sheet_files import archive
from tests.hostile.table_files import Table, TableCase

HEAD = ("i", "y", "p", "site")
SITES = (
    "süd",
    "a<b",
    "a&b",
    'say "no"',
    " a ",
    "01",
    "_x0041_",
    "_x41_",
    "<c r='A1'><v>1</v></c>",
    "]]",
)

Parts = dict[str, str]
"""The texts of a package by their names."""

SHEET, BOOK = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
RELATIONS = "xl/_rels/workbook.xml.rels"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _text(value: str, place: str, draw: random.Random) -> str:
    """A cell of text, with its characters escaped in one way or another."""
    form = draw.choice(("escaped", "CDATA", "numbered", "split"))
    inner = escape(value)
    if form == "CDATA" and "]]" not in value:
        inner = f"<![CDATA[{value}]]>"
    elif form == "numbered":
        inner = "".join(f"&#{ord(c)};" for c in value)
    elif form == "split" and "]]" not in value:
        inner = f"{escape(value[:1])}<![CDATA[{value[1:]}]]>"
    return f'<c{place} t="inlineStr"><is><t xml:space="preserve">{inner}</t></is></c>'


def _number(value: float, place: str, draw: random.Random) -> str:
    spelled = draw.choice((repr(value), repr(value), f"{value:.17e}", f"{value:.17E}"))
    kind = draw.choice(("", "", ' t="n"', " t='n'", '\n s="0"'))
    return f"<c{place}{kind}><v>{spelled}</v></c>"


def _cells(rows: Table, draw: random.Random, first: tuple[int, int]) -> list[str]:
    """The rows of a sheet, whose first cell stands in this row and column."""
    lines = []
    for down, row in enumerate([dict(zip(HEAD, HEAD, strict=True)), *rows], first[0]):
        cells = []
        for across, value in enumerate((row[name] for name in HEAD), first[1]):
            place = f' r="{chr(ord("A") + across)}{down}"'
            spell: Callable[..., str] = _text if isinstance(value, str) else _number
            cells.append(spell(value, place, draw))
        lines.append(f'<row r="{down}">{"".join(cells)}</row>')
    return lines


Change = Callable[[Parts, random.Random], None]


def _in_sheet(old: str, new: str, count: int = -1) -> Change:
    def change(parts: Parts, _: random.Random) -> None:
        assert old in parts[SHEET]
        parts[SHEET] = parts[SHEET].replace(old, new, count)

    return change


def _commented(parts: Parts, draw: random.Random) -> None:
    """A comment that holds rows and cells, or errors, as none is there."""
    cell = draw.choice(('<c r="C2"><v>7</v></c>', '<c r="C2" t="e"><v>#N/A</v></c>', "<f>A1</f>"))
    at = draw.choice(("</row>", "<row ", "</sheetData>"))
    parts[SHEET] = parts[SHEET].replace(at, f"<!-- <row r='2'>{cell}</row> -->{at}", 1)


def _prefixed(parts: Parts, _: random.Random) -> None:
    """Every tag of the sheet with a prefix."""
    text = re.sub(r"<(/?)(?=[a-z])(?!!\[)", r"<\1x:", _without_sections(parts[SHEET]))
    parts[SHEET] = text.replace("xmlns=", "xmlns:x=", 1)


def _without_sections(text: str) -> str:
    """The text with escapes for its sections of CDATA."""
    return re.sub(r"<!\[CDATA\[(.*?)\]\]>", lambda m: escape(m[1]), text, flags=re.DOTALL)


def _moved(parts: Parts, draw: random.Random) -> None:
    """The sheet in another part of the package."""
    name = draw.choice(
        ("data.xml", "worksheets/odd/s.xml", "sheets/sheet1.xml", "worksheets/s.bin")
    )
    parts[f"xl/{name}"] = parts.pop(SHEET)
    parts[RELATIONS] = parts[RELATIONS].replace("worksheets/sheet1.xml", name)
    parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace(SHEET, f"xl/{name}")


def _absolute(parts: Parts, _: random.Random) -> None:
    parts[RELATIONS] = parts[RELATIONS].replace('Target="work', 'Target="/xl/work')


def _charted(parts: Parts, _: random.Random) -> None:
    """A sheet that is a chart, before the one with rows."""
    parts[BOOK] = parts[BOOK].replace(
        "<sheets>", '<sheets><sheet name="Chart" sheetId="9" r:id="rId9"/>'
    )
    parts[RELATIONS] = parts[RELATIONS].replace(
        "</Relationships>",
        f'<Relationship Id="rId9" Type="{_KINDS}/chartsheet" Target="chartsheets/sheet1.xml"/>'
        "</Relationships>",
    )
    parts["xl/chartsheets/sheet1.xml"] = "<chartsheet/>"


def _drawn(parts: Parts, _: random.Random) -> None:
    """A drawing that is not there, and one that is no XML."""
    parts[SHEET] = parts[SHEET].replace("</worksheet>", '<drawing r:id="rId1"/></worksheet>')
    parts["xl/worksheets/_rels/sheet1.xml.rels"] = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{_KINDS}/drawing" Target="../drawings/drawing1.xml"/>'
        f'<Relationship Id="rId2" Type="{_KINDS}/drawing" Target="../drawings/none.xml"/>'
        "</Relationships>"
    )
    parts["xl/drawings/drawing1.xml"] = "<broken"


def _shared(parts: Parts, draw: random.Random) -> None:
    """The texts of the sheet in a table of shared strings."""
    texts: list[str] = []

    def index(match: re.Match[str]) -> str:
        texts.append(match[2])
        return f'<c{match[1]} t="s"><v>{len(texts) - 1}</v></c>'

    parts[SHEET] = re.sub(
        r'<c( r="\w+")? t="inlineStr"><is>(.*?)</is></c>', index, parts[SHEET], flags=re.DOTALL
    )
    lost = draw.choice((0, 0, 1))
    parts["xl/sharedStrings.xml"] = (
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        + "".join(f"<si>{text}</si>" for text in texts[: len(texts) - lost])
        + "</sst>"
    )
    parts[RELATIONS] = parts[RELATIONS].replace(
        "</Relationships>",
        f'<Relationship Id="rIdT" Type="{_KINDS}/sharedStrings" Target="sharedStrings.xml"/>'
        "</Relationships>",
    )
    if lost:
        parts["wrong"] = ""


def _error(parts: Parts, draw: random.Random) -> None:
    """One score is an error; it stands in a part that may be anywhere."""
    if draw.random() < 0.5:
        _moved(parts, draw)
    name = next(n for n in parts if "<sheetData>" in parts[n])
    value = draw.choice(("<v>#N/A</v>", "<f>1/0</f><v>#DIV/0!</v>"))
    column = draw.choice("CD")
    parts[name] = re.sub(
        rf'<c r="{column}5".*?</c>', f'<c r="{column}5" t="e">{value}</c>', parts[name], flags=re.S
    )
    parts["wrong"] = ""


def _error_in_section(parts: Parts, _: random.Random) -> None:
    """An error, whose tag is like none that a search for tags sees."""
    parts[SHEET] = re.sub(
        r'<c r="D5".*?</c>',
        '<c r="D5" note=">" t="e"><v><![CDATA[#N/A]]></v></c>',
        parts[SHEET],
        flags=re.S,
    )
    parts["wrong"] = ""


def _twice(parts: Parts, _: random.Random) -> None:
    """A cell is there twice, with two values."""
    parts[SHEET] = parts[SHEET].replace('<c r="C4"', '<c r="C4"><v>0.25</v></c><c r="C4"', 1)
    parts["wrong"] = ""


def _row_twice(parts: Parts, _: random.Random) -> None:
    """Two rows have one number."""
    parts[SHEET] = parts[SHEET].replace('<row r="4">', '<row r="3">', 1)
    parts["wrong"] = ""


def _uncomputed(parts: Parts, draw: random.Random) -> None:
    formula = draw.choice(("<f>A1*2</f>", "<f>A1*2</f><v/>", "<f>A1*2</f><v></v>", "<f/><!--x-->"))
    parts[SHEET] = re.sub(
        r'<c r="C5".*?</c>', f'<c r="C5">{formula}</c>', parts[SHEET], flags=re.DOTALL
    )
    parts["wrong"] = ""


CHANGES: Mapping[str, Change] = {
    "none": lambda _parts, _draw: None,
    "comment": _commented,
    "prefix": _prefixed,
    "instruction": _in_sheet("<sheetData>", "<sheetData><?x <c r='A1' t='e'/> ?>"),
    "dimension too small": _in_sheet("<sheetData>", '<dimension ref="A1:B2"/><sheetData>'),
    "dimension too large": _in_sheet("<sheetData>", '<dimension ref="A1:ZZ99999"/><sheetData>'),
    "hidden column": _in_sheet(
        "<sheetData>", '<cols><col min="3" max="3" hidden="1"/></cols><sheetData>'
    ),
    "lower case": _in_sheet('r="C', 'r="c'),
    "blanks around equals": _in_sheet(' t="inlineStr"', ' t = "inlineStr"'),
    "blanks in numbers": _in_sheet("<v>", "<v> "),
    "lines within tags": _in_sheet('<c r="', '<c\n\tr="'),
    "filter": _in_sheet("</sheetData>", '</sheetData><autoFilter ref="A1:D9"/>'),
    "dollar": _in_sheet('r="C4"', 'r="$C$4"', 1),
    "moved": _moved,
    "absolute": _absolute,
    "chart sheet": _charted,
    "broken drawing": _drawn,
    "shared": _shared,
    "error": _error,
    "error in a section": _error_in_section,
    "cell twice": _twice,
    "row twice": _row_twice,
    "uncomputed": _uncomputed,
}

SURE = ("none", "hidden column", "filter", "chart sheet", "broken drawing", "dimension too small")
"""Changes that every spreadsheet program writes: they are read."""


def texts(draw: random.Random) -> TableCase:
    """A sheet written in one of these ways."""
    sites: Sequence[str] = draw.choices(SITES, k=draw.randint(6, 20))
    rows: Table = [
        {"i": f"c{n}", "y": n % 2, "p": draw.choice((draw.random(), 0.5, 1e-7)), "site": site}
        for n, site in enumerate(sites)
    ]
    name = draw.choice(list(CHANGES))
    first = (1, 0) if name not in ("none", "comment", "prefix") else draw.choice(((1, 0), (3, 2)))
    data = f"<sheetData>{''.join(_cells(rows, draw, first))}</sheetData>"
    with zipfile.ZipFile(io.BytesIO(archive({"S": data}))) as whole:
        parts = {entry: whole.read(entry).decode() for entry in whole.namelist()}
    CHANGES[name](parts, draw)
    wrong = parts.pop("wrong", None) is not None
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as content:
        for entry, text in parts.items():
            content.writestr(entry, text)
    answer: Any = (
        None if wrong else expected([{**r, "site": _read_as(r["site"])} for r in rows], "site")
    )
    return TableCase(
        f"sheet text {name}",
        {"d.xlsx": memory.getvalue()},
        {**SPEC, "data": "d.xlsx", "slices": ["site"]},
        answer,
        read("slice:site"),
        may_refuse=name not in SURE,
    )


def _read_as(text: str) -> str:
    """ECMA-376, 22.9.2.19: _xHHHH_ stands for a character."""
    return re.sub(r"_x([0-9A-F]{4})_", lambda match: chr(int(match[1], 16)), text)
