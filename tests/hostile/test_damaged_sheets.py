"""Sheets of workbooks that are damaged, or made to take memory and time, are refused."""

from __future__ import annotations

import io
import random
import time
import zipfile
from collections.abc import Callable

import polars as pl
import pytest
import xlsxwriter

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError, EmptyError
from tests.hostile import sheet_texts, table_files
from tests.hostile.bad_files import GOOD
from tests.hostile.cases import SPEC


def workbook() -> bytes:
    memory = io.BytesIO()
    with xlsxwriter.Workbook(memory, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        rows = pl.read_csv(GOOD["csv"])
        for place, values in enumerate([rows.columns, *rows.iter_rows()]):
            sheet.write_row(place, 0, values)
    return memory.getvalue()


WHOLE = workbook()
SHEET = "xl/worksheets/sheet1.xml"
END = b"</sheetData>"


def read(folder, change: Callable[[bytes], bytes], *more: str):
    """Read a workbook whose sheet was changed; ``more`` are entries that are there again."""
    changed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(WHOLE)) as good,
        zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as bad,
    ):
        for name in (*good.namelist(), *more):
            content = good.read(name)
            bad.writestr(name, change(content) if name == SHEET else content)
    (folder / "d.xlsx").write_bytes(changed.getvalue())
    return predictions.read(specs.from_dict({**SPEC, "data": "d.xlsx"}, folder))


def with_cell(row: str, place: str) -> Callable[[bytes], bytes]:
    cell = f'<row r="{row}"><c r="{place}"><v>1</v></c></row>'.encode()
    return lambda sheet: sheet.replace(END, cell + END)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (with_cell("1048576", "XFD1048576"), "spread over 1,048,576 rows and 16,384 columns"),
        (with_cell("9" * 5000, "A1"), "the cell A1 stands in row 999999999"),
        (with_cell("30", "Z" * 5000 + "30"), "spread over"),
        (with_cell("x", "A30"), "damaged"),
        (lambda sheet: sheet.replace(b'r="A3"', b'r="\xff"'), "damaged"),
        (lambda sheet: sheet.replace(END, b"x" * 2**23 + END), "damaged"),
        (lambda sheet: sheet.replace(b'r="A4"', b'r="A3"'), "the cell A3 stands in row 4"),
        (lambda sheet: sheet.replace(b'r="B4"', b'r="A4"'), "the cell A4 is there twice"),
        (lambda sheet: sheet.replace(b'<row r="4"', b'<row r="3"'), "row 3 is there twice"),
    ],
    ids=[
        *("far", "row of many digits", "column of many letters", "row", "no text", "no tag"),
        *("other row", "cell twice", "row twice"),
    ],
)
def test_a_sheet_that_is_damaged_or_too_wide_is_refused(tmp_path, change, reason):
    with pytest.raises(DataError, match=rf"d\.xlsx: .*{reason}"):
        read(tmp_path, change)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_sheet_that_is_there_twice_is_refused(tmp_path):
    """One of the two would be looked through, and the other one read."""
    assert read(tmp_path, lambda sheet: sheet).frame.height == 20
    with pytest.raises(DataError, match="damaged"):
        read(tmp_path, lambda sheet: sheet, SHEET)


def test_tags_that_are_never_closed_take_no_time(tmp_path):
    began = time.process_time()
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path, lambda sheet: sheet.replace(END, b"<c " * 300_000 + END))
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "long", [b"<!--" + b"x" * 2**24 + b"-->", b'<c note="' + b"x" * 2**24 + b'"/>']
)
def test_tags_without_an_end_in_sight_take_no_time(tmp_path, long):
    """Expat parses a tag that is not complete again from its start with each block."""
    began = time.process_time()
    with pytest.raises(DataError, match="damaged"):
        read(tmp_path, lambda sheet: sheet.replace(END, long + END))
    assert time.process_time() - began < 5


def test_a_sheet_that_defines_texts_is_refused(tmp_path):
    """Ten definitions of ten of the one before would be 10 GB."""
    names = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10 if k else "x"}">' for k in range(10))
    with pytest.raises(DataError, match="damaged"):
        read(
            tmp_path,
            lambda sheet: sheet.replace(
                b"<worksheet", f"<!DOCTYPE w [{names}]>\n<worksheet".encode(), 1
            ),
        )


def test_a_sheet_of_a_chart_and_a_broken_drawing_print_nothing(tmp_path, caplog):
    case = sheet_texts.texts(next(d for d in map(random.Random, range(999)) if _charted(d)))
    assert table_files.outcome(case, tmp_path) == ("accepted", "")
    assert caplog.records == []


def _charted(draw: random.Random) -> bool:
    state = draw.getstate()
    kind = sheet_texts.texts(draw).kind
    draw.setstate(state)
    return kind == "sheet text chart sheet"


def test_a_sheet_without_cells_has_no_rows(tmp_path):
    def emptied(sheet: bytes) -> bytes:
        return sheet[: sheet.index(b"<sheetData>")] + b"<sheetData/></worksheet>"

    with pytest.raises((DataError, EmptyError), match=r"d\.xlsx: no-rows"):
        read(tmp_path, emptied)
