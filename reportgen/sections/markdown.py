"""Set texts and tables in Markdown that a review tool will render."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from reportgen.sections.tables import Cell, Column, Note, Table
from reportgen.text import numbers

GAP = "\u200b"
"""A blank without width: it stops a review tool from making a mention or a link of a label."""

_MARKS = re.compile(r"([\\`*_\[\]|~$])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_AUTOMATIC = re.compile(r"@|://|www\.|#(?=\d)|\bGH-(?=\d)|:(?=[a-z0-9_+-]+:)", re.IGNORECASE)
_BLOCK = re.compile(r"^([#+=-]|\d+[.)])(?=\s|$)")


class Ready(str):
    """Markdown that is already set and must not be escaped again."""

    __slots__ = ()


def escape(text: Any) -> str:
    r"""Escape what Markdown, HTML and review tools would read as more than text.

    >>> print(escape("a|b `c` <i> *d*"))
    a\|b \`c\` &lt;i&gt; \*d\*
    >>> escape("@all #12") == "@\u200ball #\u200b12"
    True
    """
    if isinstance(text, Ready):
        return text
    flat = " ".join(str(text).split())
    apart = _AUTOMATIC.sub(lambda match: f"{match[0][:1]}{GAP}{match[0][1:]}", flat)
    escaped = _MARKS.sub(r"\\\1", apart.translate(_ENTITIES))
    return _BLOCK.sub(lambda match: f"{match[1][:-1]}\\{match[1][-1:]}", escaped)


@dataclass(frozen=True)
class Grid:
    """A table as Markdown needs it: every cell set, groups as rows of their own."""

    caption: str
    head: tuple[str, ...]
    rule: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def grid(table: Table) -> Grid:
    """Set a table, its groups as rows of their own."""
    lines: list[tuple[str, ...]] = []
    group = None
    for row in table.rows:
        if row.group != group and row.group is not None:
            blanks = [""] * (len(table.columns) - 1)
            lines.append((Ready(f"*{escape(row.group)}*"), *blanks))
        group = row.group
        cells = tuple(Ready(_cell(row.cells.get(column.key, ""))) for column in table.columns)
        strong = row.emphasis and cells[0]
        lines.append((Ready(f"**{cells[0]}**"), *cells[1:]) if strong else cells)
    return Grid(
        table.caption,
        tuple(map(_label, table.columns)),
        tuple(Ready(_rule(column, i)) for i, column in enumerate(table.columns)),
        tuple(lines),
        tuple(_note(note) for note in table.notes),
    )


def _rule(column: Column, place: int) -> str:
    side = column.align or ("right" if place else "left")
    return "---:" if side == "right" else "---"


def _label(column: Column) -> str:
    """What heads a column: its spanner, too, and that alone over a value."""
    if column.spanner and column.label == "Value":
        return column.spanner
    return (f"{column.spanner}, {column.label}" if column.spanner else column.label).strip()


def _cell(cell: Cell | str) -> str:
    if isinstance(cell, str):
        return escape(cell)
    text = escape(cell.text)
    if cell.state:
        text = f"{ {'pass': '✓', 'fail': '✗', 'inconclusive': '?'}.get(cell.state, '') } {text}"
    if cell.kind == "best":
        text = f"**{text}**"
    if cell.low is not None and cell.high is not None:
        text += f" ({escape(numbers.between(cell.low, cell.high))})"
    return text + (f"<sup>{escape(cell.note)}</sup>" if cell.note else "")


def _note(note: Note | str) -> str:
    if isinstance(note, str):
        return note
    mark = f"<sup>{escape(note.mark)}</sup> " if note.mark else ""
    return Ready(f"{mark}{escape(note.text)}")
