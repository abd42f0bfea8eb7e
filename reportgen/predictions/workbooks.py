"""Tables in Excel workbooks: the one sheet with rows, its cells with their types."""

from __future__ import annotations

import zipfile
from pathlib import Path

import polars as pl

LARGEST = 2**30
"""Bytes that a workbook may unpack to."""


def read(path: Path) -> pl.DataFrame:
    """Return the rows of a workbook of one sheet; the first row has the names.

    Raises ``polars.exceptions.ComputeError`` where it cannot be read in one way, with
    a reason that begins with ``REASON``.
    """
    try:
        import fastexcel
    except ImportError:
        raise _unreadable("the library that reads xlsx is not installed", NOT_THERE) from None
    with zipfile.ZipFile(path) if zipfile.is_zipfile(path) else _no_zip() as content:
        if sum(entry.file_size for entry in content.infolist()) > LARGEST:
            raise _unreadable(f"it unpacks to more than {LARGEST / 1e9:.1f} GB")
    try:
        book = fastexcel.read_excel(path)
        sheets = [sheet for name in book.sheet_names if (sheet := book.load_sheet(name)).width]
    except fastexcel.FastExcelError as fault:
        raise _unreadable(str(fault).splitlines()[0]) from None
    if not sheets:
        raise pl.exceptions.NoDataError("no sheet has rows")
    if len(sheets) > 1:
        names = ", ".join(repr(sheet.name) for sheet in sheets[:5])
        raise _unreadable(f"{len(sheets)} sheets have rows: {names}", ONE_SHEET)
    rows: pl.DataFrame = sheets[0].to_polars()
    return rows


REASON = "workbook: "
NOT_THERE = "pip install 'reportgen-eval[xlsx]'"
ONE_SHEET = "move the rows to read to a separate workbook"


def _no_zip() -> zipfile.ZipFile:
    raise _unreadable("it is not an xlsx workbook")


def _unreadable(reason: str, hint: str = "save it as csv or parquet") -> pl.exceptions.ComputeError:
    return pl.exceptions.ComputeError(f"{REASON}{reason}\n{hint}")
