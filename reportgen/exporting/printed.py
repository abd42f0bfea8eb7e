"""The tables that a report prints, in its language, with the numbers that it gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from reportgen.records.model import Results
from reportgen.render import pages
from reportgen.sections.tables import Cell, Column, Note, Row, Table
from reportgen.text import numbers

if TYPE_CHECKING:
    from reportgen.translation import Translator


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table, and its number in the report."""

    number: int
    table: Table

    @property
    def name(self) -> str:
        """The name of its file: in the order of the report, readable."""
        return f"{self.number:02}-{self.table.id}".replace("_", "-")


def printed_tables(results: Results) -> list[PrintedTable]:
    """Return every table of a report in its order."""
    numbered, parts = pages.numbered_tables(results)
    into = pages.translation(results)
    by_id = {table.id: table for part in parts for table in _tables(part) if table.id in numbered}
    return sorted(
        (PrintedTable(numbered[name], _translated(table, into)) for name, table in by_id.items()),
        key=lambda printed: printed.number,
    )


def _tables(part: Any) -> Iterator[Table]:
    if isinstance(part, Table):
        yield part
    elif is_dataclass(part) and not isinstance(part, type):
        for field in fields(part):
            yield from _tables(getattr(part, field.name))
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from _tables(value)
    elif isinstance(part, Sequence) and not isinstance(part, str):
        for value in part:
            yield from _tables(value)


def text_of(cell: Cell | str | None) -> str:
    """Return what a cell prints, its interval in brackets.

    >>> text_of(Cell("0.985", "0.973", "0.997"))
    '0.985 (0.973–0.997)'
    """
    if cell is None or isinstance(cell, str):
        return cell or ""
    if cell.low is None or cell.high is None:
        return cell.text or cell.state or ""
    return f"{cell.text} ({numbers.between(cell.low, cell.high)})"


def mark_of(cell: Cell | str | None) -> str:
    """Return the footnote mark of a cell."""
    return (cell.note or "") if isinstance(cell, Cell) else ""


def is_strong(cell: Cell | str | None, row: Row) -> bool:
    """Whether a cell is set in bold: the best of its row, or in a row that stands out."""
    return row.emphasis or (isinstance(cell, Cell) and cell.kind == "best")


def alignment(columns: Sequence[Column], at: int) -> str:
    """Return how a column is aligned: the first one left, the others right unless they say so."""
    return columns[at].align or ("right" if at else "left")


def runs(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """Return the spanners above the columns, and how many columns each is above.

    >>> runs((Column("a", "a"), Column("b", "b", spanner="m"), Column("c", "c", spanner="m")))
    [('', 1), ('m', 2)]
    """
    result: list[tuple[str, int]] = []
    for column in columns:
        spanner = column.spanner or ""
        if result and result[-1][0] == spanner:
            result[-1] = spanner, result[-1][1] + 1
        else:
            result.append((spanner, 1))
    return result


def _translated(table: Table, into: Translator | None) -> Table:
    """The table with each of its texts in the language of the report."""
    if into is None:
        return table
    label = into.label

    def cell(value: Cell | str) -> Cell | str:
        if isinstance(value, str):
            return label(value)
        return replace(value, text=label(value.text), state=value.state and label(value.state))

    def note(value: Note | str) -> Note | str:
        return label(value) if isinstance(value, str) else replace(value, text=label(value.text))

    return replace(
        table,
        caption=label(table.caption),
        subtitle=table.subtitle and label(table.subtitle),
        columns=tuple(_renamed(column, label) for column in table.columns),
        rows=tuple(
            Row(
                {key: cell(value) for key, value in row.cells.items()},
                row.group and label(row.group),
                row.emphasis,
            )
            for row in table.rows
        ),
        notes=tuple(map(note, table.notes)),
    )


def _renamed(column: Column, label: Callable[[str], str]) -> Column:
    return replace(
        column, label=label(column.label), spanner=column.spanner and label(column.spanner)
    )
