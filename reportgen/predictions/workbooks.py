"""Tables in Excel workbooks: the one sheet with rows, its cells with their types."""

from __future__ import annotations

import logging
import re
import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from xml.parsers import expat

import polars as pl

LARGEST = 2**30
"""Bytes that a workbook may unpack to."""

WIDEST = 2**26
"""Cells that the rows and columns of a sheet may span: memory is taken for the empty ones too."""

_LONGEST = 2**22
"""Characters of a text, or bytes of a tag, of a sheet; a cell holds at most 32,767."""

_BLOCK = 2**20
"""Bytes of a sheet that are read at once."""

_COMPUTED_LATER = re.compile(rb"\sfullCalcOnLoad=[\"'](?:1|true)[\"']")
_TYPES: Mapping[str, str] = {"": "number", "n": "number", "b": "boolean", "d": "day or time"}
DAMAGED = "its text is damaged"
COMPUTE = "open the workbook in a spreadsheet program, and save it"
TWICE = "the program that wrote it made an error: write it again, or save it as csv"


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
    columns = _contents(path).texts
    for library in ("fastexcel", "calamine"):  # they warn of empty columns and sheets of charts
        logging.getLogger(library).setLevel(logging.CRITICAL)
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
    name = sheets[0].name
    if sheets[0].visible != "visible":
        raise WorkbookError(f"the sheet with rows, {name!r}, is hidden", "show it, if it is right")
    head = book.load_sheet(name, header_row=None, n_rows=1).to_polars()
    names_given = Counter(str(name) for name in head.row(0) if name is not None)
    if twice := [name for name, count in names_given.items() if count > 1]:
        raise WorkbookError(f"two columns are named {twice[0]!r}", "give each column its own name")
    if columns:
        texts: fastexcel.DTypeMap = dict.fromkeys(columns, "string")
        sheets = [book.load_sheet(name, schema_sample_rows=None, dtypes=texts)]
    rows: pl.DataFrame = sheets[0].to_polars()
    return rows


def hidden(path: Path) -> list[int]:
    """The rows of data that a workbook does not show, from 1 on."""
    return _contents(path).hidden


@dataclass(slots=True)
class _Contents:
    """What the cells of a sheet are, as its text says."""

    texts: list[int] = field(default_factory=list)
    """Columns that are read as text: their cells have types that a column cannot have at once."""

    hidden: list[int] = field(default_factory=list)


def _contents(path: Path) -> _Contents:
    """Read what the cells of a workbook are.

    Raises ``WorkbookError`` on cells that would be read as empty, or as a number that nobody
    computed.
    """
    result = _Contents()
    with zipfile.ZipFile(path) if zipfile.is_zipfile(path) else _no_zip() as content:
        if sum(entry.file_size for entry in content.infolist()) > LARGEST:
            raise WorkbookError(f"it unpacks to more than {LARGEST / 1e9:.1f} GB")
        names = content.namelist()
        if len(set(names)) < len(names):
            raise WorkbookError(DAMAGED)
        book = content.read("xl/workbook.xml") if "xl/workbook.xml" in names else b""
        for entry in names:
            with content.open(entry) as part:
                cells = _Cells(computed=not _COMPUTED_LATER.search(book))
                if cells.read(part):
                    result = cells.contents() or result
    return result


class _NoSheetError(Exception):
    """The root of a part is another one than that of a sheet."""


class _Cells:
    """The cells of a sheet, tag by tag."""

    def __init__(self, *, computed: bool) -> None:
        self.computed = computed
        self.row, self.column, self.kind, self.place = 0, -1, "", "?"
        self.is_sheet = self.numbered = self.is_hidden = self.uncomputed = self.in_value = False
        self.rows: dict[int, bool] = {}
        self.seen: set[int] = set()
        self.across: set[int] = set()
        self.kinds: dict[int, set[str]] = {}
        self.length = 0

    def read(self, part: IO[bytes]) -> bool:
        """Read a part of a workbook; return whether it is a sheet.

        Raises ``WorkbookError`` where a sheet is no XML.
        """
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._stop
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = _no_doctype
        given = 0
        try:
            while block := part.read(_BLOCK):
                parser.Parse(block)
                given += len(block)
                if given - parser.CurrentByteIndex > _LONGEST:  # a tag is parsed from its start
                    raise WorkbookError(DAMAGED)
            parser.Parse(b"", True)
        except _NoSheetError:
            return False
        except (expat.ExpatError, ValueError):  # no XML, or no number of a row
            if self.is_sheet:
                raise WorkbookError(DAMAGED) from None
        return self.is_sheet

    def _start(self, tag: str, given: Mapping[str, str]) -> None:
        name = tag.rpartition(":")[2]
        self.length = 0
        if not self.is_sheet and name != "worksheet":
            raise _NoSheetError
        self.is_sheet = True
        if name == "row":
            self._next_row(given)
        elif name == "c":
            self._begin(given)
        elif name == "mergeCell":
            where = given.get("ref", "?")
            message = f"the cells {where} are merged, so all but the first are empty"
            raise WorkbookError(message, "split them, and fill each cell")
        elif name == "f":
            self._compute()
        elif name in ("v", "is"):
            self.in_value = True
            if name == "is" or self.kind == "text":
                self._fill()

    def _next_row(self, given: Mapping[str, str]) -> None:
        self._end()
        self.numbered = "r" in given
        self.row = int(given.get("r", "")[:9] or self.row + 1)
        self.column, self.across = -1, set()
        self.is_hidden = given.get("hidden") in ("1", "true")
        if self.row in self.seen:
            raise WorkbookError(f"row {self.row} is there twice", TWICE)
        self.seen.add(self.row)

    def _stop(self, tag: str) -> None:
        self.in_value &= tag.rpartition(":")[2] not in ("v", "is")
        self.length = 0

    def _text(self, text: str) -> None:
        self.length += len(text)
        if self.length > _LONGEST:
            raise WorkbookError(DAMAGED)
        if self.in_value:
            self._fill()

    def _begin(self, given: Mapping[str, str]) -> None:
        self._end()
        place = given.get("r", "")
        letters = place.rstrip("0123456789")
        row = int(place[len(letters) :][:9] or 0)
        self.column = _number(letters[:9].upper()) if letters else self.column + 1
        self.place = place or "?"
        if letters and row != self.row:
            if self.numbered:
                raise WorkbookError(f"the cell {place} stands in row {self.row}", TWICE)
            self.row = row
        if self.column in self.across:
            raise WorkbookError(f"the cell {self.place} is there twice", TWICE)
        self.across.add(self.column)
        kind = given.get("t", "")
        if kind == "e":
            message = f"the cell {self.place} holds an error of a formula"
            raise WorkbookError(message, "mend the formula, or empty the cell")
        self.kind = _TYPES.get(kind, "text")

    def _compute(self) -> None:
        if not self.computed:
            raise WorkbookError("its formulas were never computed", COMPUTE)
        self.uncomputed = True

    def _fill(self) -> None:
        self.uncomputed = False
        self.rows[self.row] = self.is_hidden
        self.kinds.setdefault(self.column, set()).add(self.kind)

    def _end(self) -> None:
        if self.uncomputed:
            raise WorkbookError(f"the formula in {self.place} was never computed", COMPUTE)

    def contents(self) -> _Contents | None:
        """What the sheet is; None where it has no cell."""
        self._end()
        if not self.rows:
            return None
        columns = sorted(self.kinds)
        head = min(self.rows)
        across, down = columns[-1] - columns[0] + 1, max(self.rows) - head + 1
        if across * down > WIDEST:
            message = f"its cells are spread over {down:,} rows and {across:,} columns"
            raise WorkbookError(message, "delete the cells far from the table, or save it as csv")
        texts = [
            column - columns[0]
            for column in columns
            if "day or time" in self.kinds[column] or {"number", "boolean"} <= self.kinds[column]
        ]
        return _Contents(texts, [row - head for row in sorted(self.rows) if self.rows[row]])


def _number(letters: str) -> int:
    """The number of a column by its letters.

    >>> _number("A"), _number("Z"), _number("AA")
    (0, 25, 26)
    """
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _no_doctype(*_: object) -> None:
    """A sheet defines no names for texts, which could be as long as memory is large."""
    raise WorkbookError(DAMAGED)


NOT_THERE = "pip install 'reportgen-eval[xlsx]'"
ONE_SHEET = "move the rows to read to a separate workbook"


def _no_zip() -> zipfile.ZipFile:
    raise WorkbookError("it is not an xlsx workbook")
