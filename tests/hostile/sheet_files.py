"""Sheets of workbooks, tag by tag from ECMA-376: types that a library for them never mixes.

A cell says its type itself, so that a column may hold numbers, truth values, days and text at
once; rows may be hidden, in any order or without their number, and a formula without its value.
"""

from __future__ import annotations

import datetime as dt
import io
import random
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from reportgen import predictions
from tests.hostile.layout_files import SPEC, expected
from tests.hostile.table_files import Table, TableCase

Cell = Callable[[Any, str], str]
"""A cell of a value, with the attribute of its place or without."""

_NAMESPACES = (
    'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_FORMATS = (0, 14, 10, 2)
"""Number formats of the styles: none, a day, per cent, two decimals."""

DAY, PER_CENT, ROUNDED = 1, 2, 3
FIRST_DAY = dt.date(1899, 12, 30)


def number(value: float, place: str) -> str:
    return f"<c{place}><v>{value!r}</v></c>"


def styled(style: int) -> Cell:
    return lambda value, place: f'<c{place} s="{style}"><v>{value!r}</v></c>'


def inline(value: str, place: str) -> str:
    return f'<c{place} t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def rich(value: str, place: str) -> str:
    """Text in two runs, with how it is pronounced."""
    runs = (value[:1], value[1:])
    parts = "".join(f'<r><t xml:space="preserve">{escape(run)}</t></r>' for run in runs)
    sound = '<rPh sb="0" eb="1"><t>zz</t></rPh>'
    return f'<c{place} t="inlineStr"><is>{parts}{sound}</is></c>'


def computed(value: Any, place: str) -> str:
    """A formula with its value."""
    kind = ' t="str"' if isinstance(value, str) else ""
    return f"<c{place}{kind}><f>A1</f><v>{escape(str(value))}</v></c>"


def uncomputed(_: Any, place: str) -> str:
    return f"<c{place}><f>A1&amp;B1</f></c>"


def truth_value(value: bool, place: str) -> str:
    return f'<c{place} t="b"><v>{value:d}</v></c>'


def iso(value: Any, place: str) -> str:
    return f'<c{place} t="d"><v>{value}</v></c>'


def day(value: dt.date, place: str) -> str:
    return f'<c{place} s="{DAY}"><v>{(value - FIRST_DAY).days}</v></c>'


TEXTS: Sequence[Cell] = (inline, inline, rich, computed)
NUMBERS: Sequence[Cell] = (number, number, styled(PER_CENT), styled(ROUNDED), computed)
SITES: Sequence[tuple[Any, Cell, str]] = (
    *((text, inline, text) for text in ("süd", " a ", "01", "1.0", "TRUE", "true ", "")),
    *((1, number, "1"), (2.5, number, "2.5"), (0.1, styled(PER_CENT), "0.1")),
    *((True, truth_value, "true"), (False, truth_value, "false")),
    *((f"{hour:02}:30:00", iso, f"{hour:02}:30:00") for hour in (1, 13)),
    ("2024-05-01", iso, "2024-05-01"),
    (dt.date(2024, 5, 1), day, "2024-05-01 00:00:00"),
)
"""Values of a column, the cell of each, and its spelling where the column has several types."""


def archive(sheets: Mapping[str, str], states: Mapping[str, str] | None = None) -> bytes:
    """A workbook of sheets by their names; the state of some, such as hidden."""
    names = list(enumerate(sheets, 1))
    listed = "".join(
        f'<sheet name="{name}" sheetId="{k}" state="{(states or {}).get(name, "visible")}" '
        f'r:id="rId{k}"/>'
        for k, name in names
    )
    related = "".join(
        f'<Relationship Id="rId{k}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{k}.xml"/>'
        for k, _ in names
    )
    overrides = "".join(
        f'<Override PartName="/xl/{part}.xml" ContentType="{_TYPE}.{kind}+xml"/>'
        for part, kind in (
            ("workbook", "sheet.main"),
            ("styles", "styles"),
            *((f"worksheets/sheet{k}", "worksheet") for k, _ in names),
        )
    )
    formats = "".join(f'<xf numFmtId="{k}" applyNumberFormat="1"/>' for k in _FORMATS)
    relations = f'xmlns="{_PACKAGE}/relationships"'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{overrides}'
        "</Types>",
        "_rels/.rels": f'<Relationships {relations}><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f"<workbook {_NAMESPACES}><sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f"<Relationships {relations}>{related}<Relationship "
        f'Id="rIdS" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f"<styleSheet {_NAMESPACES}><cellXfs>{formats}</cellXfs></styleSheet>",
        **{
            f"xl/worksheets/sheet{k}.xml": f"<worksheet {_NAMESPACES}>{sheets[name]}</worksheet>"
            for k, name in names
        },
    }
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as content:
        for name, text in parts.items():
            content.writestr(name, text)
    return memory.getvalue()


def _lines(cells: Sequence[Sequence[tuple[Any, Cell]]], first: int, *, places: bool) -> Iterator:
    for at, line in enumerate(cells, first):
        yield (
            f' r="{at}"' if places else "",
            "".join(
                cell(value, f' r="{chr(ord("A") + k)}{at}"' if places else "")
                for k, (value, cell) in enumerate(line)
            ),
        )


HIDDEN = ' hidden="1"'


def sheet(
    cells: Sequence[Sequence[tuple[Any, Cell]]],
    draw: random.Random,
    hidden: Sequence[int] = (),
    *,
    mixed: bool = True,
) -> str:
    """Rows of cells, of which some are hidden; by their numbers in any order, or without."""
    places, first = draw.random() < 0.7, draw.choice((1, 1, 4))
    lines = [
        f"<row{place}{HIDDEN * (k in hidden)}>{text}</row>"
        for k, (place, text) in enumerate(_lines(cells, first, places=places))
    ]
    if places and mixed and draw.random() < 0.3:
        draw.shuffle(lines)
    return f"<sheetData>{''.join(lines)}</sheetData>"


HEAD = ("i", "y", "p", "site")
FAULTS = ("uncomputed", "truth value", "label", "hidden sheet", "second sheet")


def sheets(draw: random.Random) -> TableCase:
    """A sheet with cells of several types in each column, valid or with one fault."""
    fault = draw.choice((*[None] * 6, *FAULTS))
    sites = draw.choices(SITES, k=draw.randint(6, 30))
    several = len({_type(value) for value, *_ in sites}) > 1
    if not several:
        sites = [(value, inline, text) for value, _, text in sites]
    rows: Table = [
        {"i": f"c{n}", "y": n % 2, "p": draw.choice((draw.random(), 0.5, 1e-5)), "site": site}
        for n, (*_, site) in enumerate(sites)
    ]
    cells: list[list[tuple[Any, Cell]]] = [
        [
            (row["i"], draw.choice(TEXTS)),
            (row["y"], number),
            (row["p"], draw.choice(NUMBERS)),
            (value, cell),
        ]
        for row, (value, cell, _) in zip(rows, sites, strict=True)
    ]
    at = draw.randrange(len(cells))
    if fault == "uncomputed":
        cells[at][draw.randrange(4)] = (None, uncomputed)
    elif fault == "truth value":
        cells[at][2] = (True, truth_value)
    elif fault == "label":
        cells[at][1] = (True, truth_value)
    hidden = draw.sample(range(len(cells)), draw.choice((0, 0, 2)))
    head = [(name, inline) for name in HEAD]
    text = sheet([head, *cells], draw, [k + 1 for k in hidden])
    books, states = {"S": text}, {"S": "hidden"} if fault == "hidden sheet" else {}
    if fault == "second sheet":
        books["T"] = (
            f"<sheetData><row>{inline('a', '')}</row><row>{number(1, '')}</row></sheetData>"
        )
        states = {"T": draw.choice(("hidden", "veryHidden", "visible"))}
    return TableCase(
        f"sheet {fault}",
        {"d.xlsx": archive(books, states)},
        {**SPEC, "data": "d.xlsx", "slices": ["site"]},
        None if fault else (expected(rows, "site"), sorted(k + 1 for k in hidden)),
        _read,
    )


def _type(value: Any) -> str:
    return type(value).__name__ if isinstance(value, bool | str | dt.date) else "number"


def _read(spec: Any) -> tuple[list[tuple[Any, ...]], list[int]]:
    """The rows, and those of which a warning says that they are hidden."""
    result = predictions.read(spec)
    names = result.identities["id"].to_list()
    columns = (result.frame[name].to_list() for name in ("truth", "score:0", "slice:site"))
    texts = [check.detail for check in result.checks if check.name == "hidden rows"]
    listed = texts[0].rpartition("row")[2].strip("s ").split(", ") if texts else []
    return list(zip(names, *columns, strict=True)), [int(n) for n in listed]
