"""Tables in Excel workbooks: the one sheet with rows, its cells with their types."""

from __future__ import annotations

import zipfile
from pathlib import Path

import polars as pl

LARGEST = 2**30
"""Bytes that a workbook may unpack to."""


class WorkbookError(pl.exceptions.ComputeError):
    """A workbook cannot be read in one way: why, and what helps."""

    def __init__(self, reason: str, hint: str = "save it as csv or parquet") -> None:
        super().__init__(reason)
        self.reason, self.hint = reason, hint


def read(path: Path) -> pl.DataFrame:
    """Return the rows of a workbook of one sheet; the first row has the names.

    Raises ``WorkbookError`` where it cannot be read in one way.
    """
    try:
        import fastexcel
    except ImportError:
        raise WorkbookError("the library that reads xlsx is not installed", NOT_THERE) from None
    with zipfile.ZipFile(path) if zipfile.is_zipfile(path) else _no_zip() as content:
        if sum(entry.file_size for entry in content.infolist()) > LARGEST:
            raise WorkbookError(f"it unpacks to more than {LARGEST / 1e9:.1f} GB")
    try:
        book = fastexcel.read_excel(path)
        sheets = [sheet for name in book.sheet_names if (sheet := book.load_sheet(name)).width]
    except fastexcel.FastExcelError as fault:
        raise WorkbookError(str(fault).splitlines()[0]) from None
    if not sheets:
        raise pl.exceptions.NoDataError("no sheet has rows")
    if len(sheets) > 1:
        names = ", ".join(repr(sheet.name) for sheet in sheets[:5])
        raise WorkbookError(f"{len(sheets)} sheets have rows: {names}", ONE_SHEET)
    rows: pl.DataFrame = sheets[0].to_polars()
    return rows


NOT_THERE = "pip install 'reportgen-eval[xlsx]'"
ONE_SHEET = "move the rows to read to a separate workbook"


def _no_zip() -> zipfile.ZipFile:
    raise WorkbookError("it is not an xlsx workbook")
