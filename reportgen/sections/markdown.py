"""Set texts and tables in Markdown that a review tool will render."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reportgen.sections.tables import Cell, Note, Table
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
    """Set a table; an interval column joins the value before it, in brackets."""
    merged = _merged(table)
    lines: list[tuple[str, ...]] = []
    group = None
    for row in table.rows:
        if row.group != group and row.group is not None:
            blanks = [""] * (len(merged) - 1)
            lines.append((Ready(f"*{escape(row.group)}*"), *blanks))
        group = row.group
        cells = tuple(_joined([row.cells.get(key, "") for key in keys]) for _, keys in merged)
        strong = row.emphasis and cells[0]
        lines.append((Ready(f"**{cells[0]}**"), *cells[1:]) if strong else cells)
    return Grid(
        table.caption,
        tuple(label for label, _ in merged),
        tuple(Ready(rule) for rule in _rules(table, merged)),
        tuple(lines),
        tuple(_note(note) for note in table.notes),
    )


def _rules(table: Table, merged: Sequence[tuple[str, list[str]]]) -> list[str]:
    aligned = {column.key: column.align for column in table.columns}
    sides = [aligned[keys[0]] or ("right" if i else "left") for i, (_, keys) in enumerate(merged)]
    return ["---:" if side == "right" else "---" for side in sides]


def _merged(table: Table) -> list[tuple[str, list[str]]]:
    """Labels and keys of the columns; those under one spanner make one column of its name."""
    result: list[tuple[str, list[str]]] = []
    spanner = None
    for column in table.columns:
        if column.spanner and column.spanner == spanner and column.key.startswith("limits"):
            result[-1][1].append(column.key)
        elif column.spanner and column.label == "Value":
            result.append((column.spanner, [column.key]))
        else:
            label = f"{column.spanner}, {column.label}" if column.spanner else column.label
            result.append((label.strip(), [column.key]))
        spanner = column.spanner
    return result


def _joined(cells: Sequence[Cell | str]) -> str:
    first, *limits = (_cell(cell) for cell in cells)
    texts = [text for text in limits if text]
    return Ready(f"{first} ({texts[0]})" if texts else first)


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
