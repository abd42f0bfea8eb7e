"""Where rows came from, so that a fault can name file, column and row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.errors import Problem

SHOWN = 10
"""How many rows a problem names at most."""


@dataclass(frozen=True, slots=True)
class Source:
    """The files of a frame in their order, with the number of rows of each.

    ``before`` is the number of rows of the first file that stand before the frame; of rows that
    were chosen here and there ``places`` are their numbers in their files, from 0.
    """

    names: tuple[str, ...]
    rows: tuple[int, ...]
    before: int = 0
    places: pl.Series | None = None

    @property
    def title(self) -> str:
        """The files as one place."""
        more = len(self.names) - 1
        return f"{self.names[0]} and {more} more" if more else self.names[0]


def place(name: str, column: str | None = None, rows: Sequence[int] = ()) -> str:
    """Return a place that a person can open.

    >>> place("p.csv", "score", [4, 9])
    "p.csv, column 'score', rows 4, 9"
    """
    parts = [name]
    if column is not None:
        parts.append(f"column {column!r}")
    if rows:
        parts.append(f"{'row' if len(rows) == 1 else 'rows'} {', '.join(map(str, rows))}")
    return ", ".join(parts)


def row_problems(
    code: str,
    describe: Callable[[int], str],
    hint: str,
    *,
    column: str,
    wrong: pl.Series,
    source: Source,
    values: pl.Series | None = None,
) -> list[Problem]:
    """Return one problem per file with rows where ``wrong`` is true.

    Rows are counted within their file, 1 being the first row of data. ``describe``
    makes the message from the count. The first wrong value goes to
    ``Problem.value`` only.
    """
    problems = []
    start, before = 0, source.before
    for name, height in zip(source.names, source.rows, strict=True):
        there = wrong.slice(start, height).arg_true()
        if len(there):
            rows = [before + int(row) + 1 for row in there.head(SHOWN)]
            if source.places is not None:
                rows = [int(source.places[start + int(row)]) + 1 for row in there.head(SHOWN)]
            first = None if values is None else values[start + int(there[0])]
            problems.append(
                Problem(
                    code,
                    describe(len(there)),
                    place(name, column, rows),
                    hint,
                    rows=tuple(rows),
                    count=len(there),
                    value=None if first is None else str(first),
                )
            )
        start, before = start + height, 0
    return problems


def counted(count: int, one: str, many: str) -> str:
    """Return a count with its noun.

    >>> counted(1, "value", "values"), counted(1200, "value", "values")
    ('1 value', '1,200 values')
    """
    return f"{count:,} {one if count == 1 else many}"
