"""Tables in Excel workbooks: the one sheet with rows, its cells with their types."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl

LARGEST = 2**30
"""Bytes that a workbook may unpack to."""


_TAG = re.compile(rb"<(?:\w+:)?((?:c|f|mergeCell)\b[^>]*)>")
_ERROR = re.compile(rb"\st=[\"']e[\"']")
_PLACE = re.compile(rb"\sr(?:ef)?=[\"']([A-Z]+\d+(?::[A-Z]+\d+)?)[\"']")
_COMPUTED_LATER = re.compile(rb"\sfullCalcOnLoad=[\"'](?:1|true)[\"']")
COMPUTE = "open the workbook in a spreadsheet program, and save it"


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
        _refuse_lost_cells(content)
    try:
        book = fastexcel.read_excel(path)
        sheets = [
            sheet
            for name in book.sheet_names  # the type of a column follows from all its cells
            if (sheet := book.load_sheet(name, schema_sample_rows=None)).width
        ]
    except fastexcel.FastExcelError as fault:
        raise WorkbookError(str(fault).splitlines()[0]) from None
    if not sheets:
        raise pl.exceptions.NoDataError("no sheet has rows")
    if len(sheets) > 1:
        names = ", ".join(repr(sheet.name) for sheet in sheets[:5])
        raise WorkbookError(f"{len(sheets)} sheets have rows: {names}", ONE_SHEET)
    head = book.load_sheet(sheets[0].name, header_row=None, n_rows=1).to_polars()
    names_given = Counter(str(name) for name in head.row(0) if name is not None)
    if twice := [name for name, count in names_given.items() if count > 1]:
        raise WorkbookError(f"two columns are named {twice[0]!r}", "give each column its own name")
    rows: pl.DataFrame = sheets[0].to_polars()
    return rows


def _refuse_lost_cells(content: zipfile.ZipFile) -> None:
    """Refuse cells that would be read as empty, or as a number that nobody computed."""
    computed = True
    for entry in content.namelist():
        if entry == "xl/workbook.xml":
            computed = not _COMPUTED_LATER.search(content.read(entry))
    for entry in content.namelist():
        if not entry.startswith("xl/worksheets/") or not entry.endswith(".xml"):
            continue
        for tag in _tags(content, entry):
            where = (_PLACE.search(tag) or [b"", b"?"])[1].decode()
            if tag.startswith(b"<f"):
                if not computed:
                    raise WorkbookError("its formulas were never computed", COMPUTE)
            elif tag.startswith(b"<m"):
                message = f"the cells {where} are merged, so all but the first are empty"
                raise WorkbookError(message, "split them, and fill each cell")
            elif _ERROR.search(tag):
                message = f"the cell {where} holds an error of a formula"
                raise WorkbookError(message, "mend the formula, or empty the cell")


def _tags(content: zipfile.ZipFile, entry: str) -> Iterator[bytes]:
    """The tags of cells, formulas and merged ranges of a sheet, without prefixes."""
    with content.open(entry) as file:
        rest = b""
        while block := file.read(2**20):
            text = rest + block
            end = text.rfind(b">") + 1
            yield from (b"<" + match[1] for match in _TAG.finditer(text, 0, end))
            rest = text[end:]


NOT_THERE = "pip install 'reportgen-eval[xlsx]'"
ONE_SHEET = "move the rows to read to a separate workbook"


def _no_zip() -> zipfile.ZipFile:
    raise WorkbookError("it is not an xlsx workbook")
