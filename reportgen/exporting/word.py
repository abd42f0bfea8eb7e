"""Printed tables as one Word document."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from reportgen.errors import Problem, SpecError
from reportgen.exporting.exported_file import ExportedFile
from reportgen.exporting.printed import (
    PrintedTable,
    alignment,
    is_strong,
    mark_of,
    printed_tables,
    runs,
    text_of,
)
from reportgen.records.model import Results
from reportgen.sections.tables import Cell, Note, Row

PLACE = "tables.docx"
_SMALL = 8.5
"""Points of the text in tables."""


def write(results: Results, folder: Path) -> list[ExportedFile]:
    """Write all printed tables into one document.

    Raises ``SpecError`` where python-docx is not installed.
    """
    try:
        import docx
    except ImportError:
        hint = "pip install 'reportgen-eval[word]'"
        raise SpecError(Problem("no-library", "python-docx is not installed", hint=hint)) from None
    document = docx.Document()
    document.add_heading(results.title, 1)
    for printed in printed_tables(results):
        _add(document, printed)
    properties = document.core_properties
    properties.title, properties.author = results.title, "reportgen"
    created = datetime.fromisoformat(results.build["created"]).replace(tzinfo=None)
    properties.created = properties.modified = created
    content = io.BytesIO()
    document.save(content)
    (folder / PLACE).write_bytes(_undated(content))
    return [{"file": PLACE, "kind": "word", "holds": "all tables as they are printed"}]


def _undated(content: io.BytesIO) -> bytes:
    """The document without the time at which its parts were written."""
    result = io.BytesIO()
    with zipfile.ZipFile(content) as given, zipfile.ZipFile(result, "w") as archive:
        for name in given.namelist():
            entry = zipfile.ZipInfo(name)  # dated 1980, whatever the clock says
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, given.read(name))
    return result.getvalue()


def _add(document: Any, printed: PrintedTable) -> None:
    """Add a table with its caption above and its notes below."""
    table = printed.table
    caption = document.add_paragraph(style="Caption")
    caption.add_run(f"Table {printed.number}. {table.caption}")
    caption.paragraph_format.keep_with_next = True
    spans = runs(table.columns)
    heads = 1 + any(text for text, _ in spans)
    groups = [(group, list(rows)) for group, rows in groupby(table.rows, lambda row: row.group)]
    height = heads + sum(len(rows) + (group is not None) for group, rows in groups)
    grid = document.add_table(height, len(table.columns))
    grid.autofit = True
    if heads == 2:
        at = 0
        for text, width in spans:
            cell = grid.cell(0, at).merge(grid.cell(0, at + width - 1))
            _fill(cell, text, "center", bold=True)
            at += width
    for at, column in enumerate(table.columns):
        _fill(grid.cell(heads - 1, at), column.label, alignment(table.columns, at), bold=True)
    for line in range(heads):
        _repeat(grid.rows[line])
    _rule(grid.rows[0], "top")
    _rule(grid.rows[heads - 1], "bottom")
    line = heads
    for group, rows in groups:
        if group is not None:
            cell = grid.cell(line, 0).merge(grid.cell(line, len(table.columns) - 1))
            _fill(cell, group, "left", bold=False, italic=True)
            line += 1
        for row in rows:
            _fill_row(grid, line, printed, row)
            line += 1
    _rule(grid.rows[height - 1], "bottom")
    _notes(document, table.notes)


def _fill_row(grid: Any, line: int, printed: PrintedTable, row: Row) -> None:
    cells = grid.rows[line].cells
    for at, column in enumerate(printed.table.columns):
        value: Cell | str | None = row.cells.get(column.key)
        paragraph = _fill(
            cells[at],
            text_of(value),
            alignment(printed.table.columns, at),
            bold=is_strong(value, row),
        )
        if mark := mark_of(value):
            run = paragraph.add_run(mark)
            run.font.superscript = True


def _fill(cell: Any, text: str, align: str, *, bold: bool, italic: bool = False) -> Any:
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.shared import Pt

    paragraph = cell.paragraphs[0]
    paragraph.alignment = getattr(WD_ALIGN_PARAGRAPH, align.upper())
    paragraph.paragraph_format.space_after = Pt(1)
    run = paragraph.add_run(text)
    run.bold, run.italic, run.font.size = bold, italic, Pt(_SMALL)
    return paragraph


def _repeat(row: Any) -> None:
    """Have a row of the head stand on every page."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def _rule(row: Any, side: str) -> None:
    """Draw a line above or below a row."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    for cell in row.cells:
        properties = cell._tc.get_or_add_tcPr()
        borders = properties.find(qn("w:tcBorders"))
        if borders is None:
            borders = OxmlElement("w:tcBorders")
            properties.append(borders)
        line = OxmlElement(f"w:{side}")
        for key, value in (("val", "single"), ("sz", "6"), ("space", "0"), ("color", "auto")):
            line.set(qn(f"w:{key}"), value)
        borders.append(line)


def _notes(document: Any, notes: Sequence[Note | str]) -> None:
    from docx.shared import Pt

    for note in notes:
        paragraph = document.add_paragraph()
        paragraph.paragraph_format.space_after = Pt(0)
        if isinstance(note, Note) and note.mark:
            mark = paragraph.add_run(note.mark)
            mark.font.superscript, mark.font.size = True, Pt(8)
        run = paragraph.add_run(note if isinstance(note, str) else note.text)
        run.font.size = Pt(8)
    document.add_paragraph()
