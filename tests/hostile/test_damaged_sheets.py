"""Sheets of workbooks that are damaged, or made to take memory and time, are refused."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable

import polars as pl
import pytest
import xlsxwriter

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError, EmptyError
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
        (with_cell("9" * 5000, "A1"), "spread over"),
        (with_cell("30", "Z" * 5000 + "30"), "spread over"),
        (with_cell("x", "A30"), "damaged"),
        (lambda sheet: sheet.replace(b'r="A3"', b'r="\xff"'), "damaged"),
        (lambda sheet: sheet.replace(END, b"x" * 2**23 + END), "damaged"),
    ],
    ids=["far", "row of many digits", "column of many letters", "row", "no text", "no tag"],
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


def test_a_sheet_without_cells_has_no_rows(tmp_path):
    def emptied(sheet: bytes) -> bytes:
        return sheet[: sheet.index(b"<sheetData>")] + b"<sheetData/></worksheet>"

    with pytest.raises((DataError, EmptyError), match=r"d\.xlsx: no-rows"):
        read(tmp_path, emptied)
