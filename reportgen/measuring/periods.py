"""Parts of the rows that distributions are compared over: folds, and periods of time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import polars as pl

from reportgen.measuring.time_blocks import consecutive
from reportgen.records.data_summary import Over

MOST_PERIODS, MOST_FOLDS = 12, 30
"""Periods that time is divided into, and folds that are shown one by one, at most."""

LEAST_ROWS = 10
"""Rows that a part has on average, so that it has a distribution."""


def parts_of(rows: pl.DataFrame) -> Iterator[tuple[Over, pl.Series, list[str]]]:
    """What the rows are divided into: the part of each row, from 0, and the names of the parts."""
    if "time" in rows.columns:
        part, names = periods(rows)
        if len(names) > 1:
            yield "time", part, names
    if (folds := _folds(rows)) is not None:
        yield "fold", *folds


def periods(rows: pl.DataFrame, most: int = MOST_PERIODS) -> tuple[pl.Series, list[str]]:
    """The period of each row, from 0, and its name: as many time points in each.

    ``rows`` have a ``time`` and their ``point`` in it.

    >>> rows = pl.DataFrame({"time": ["9", "10", "8", "11"], "point": [1, 2, 0, 3]})
    >>> part, names = periods(rows, most=2)
    >>> part.to_list(), names
    ([0, 1, 0, 1], ['8 to 9', '10 to 11'])
    """
    code, points = consecutive(rows["point"])
    number = max(min(most, points // 2), 1)
    row_of = np.zeros(points, np.int64)
    row_of[code] = np.arange(len(code))
    first = -(-np.arange(number + 1) * points // number)
    names = [
        " to ".join(rows["time"][int(row)] for row in row_of[[start, end - 1]])
        for start, end in pairwise(first.tolist())
    ]
    return pl.Series("part", code * number // points), names


def _folds(rows: pl.DataFrame) -> tuple[pl.Series, list[str]] | None:
    """The fold of each row; the repeat where there are too many folds; null where neither does."""
    columns: list[str] = [n for n in ("dataset", "repeat", "fold") if n in rows.columns]
    if "fold" not in columns and "repeat" not in columns:
        return None
    for names in (columns, [name for name in columns if name == "repeat"]):
        parts = rows.select(names).unique() if names else pl.DataFrame()
        if 2 <= parts.height <= MOST_FOLDS and rows.height >= LEAST_ROWS * parts.height:
            return _numbered(rows, names)
    return None


def _numbered(rows: pl.DataFrame, columns: list[str]) -> tuple[pl.Series, list[str]]:
    numbers = [pl.col(name).cast(pl.Float64, strict=False) for name in columns]
    parts = rows.select(columns).unique().sort(*numbers, *columns).with_row_index("part")
    part = rows.select(columns).join(
        parts, on=columns, how="left", maintain_order="left", nulls_equal=True
    )["part"]
    names = [".".join(map(str, row)) for row in parts.select(columns).iter_rows()]
    return part.cast(pl.Int64), names
