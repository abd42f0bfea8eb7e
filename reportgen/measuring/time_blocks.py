"""Limits of single measures where rows are in order of time: blocks of points are groups.

Errors follow each other, so that rows are no independent ones; those of long blocks of
consecutive points of time nearly are. Carlstein (1986), doi:10.1214/aos/1176350057.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import polars as pl

from reportgen.array_types import Indices
from reportgen.intervals.method_names import MethodName
from reportgen.measuring.context import EvaluationContext
from reportgen.tables.results import MetricRow

FEWEST, FEW, MOST = 5, 8, 30
"""Blocks of a short series, of 200 points of time, and of a very long one."""

SHORT, LONG = 25, 60
"""Points of time in a block: of a short series, and of one of more than eight blocks."""


def number_of_blocks(points: int) -> int:
    """Into how many blocks a series is divided: few long ones, as errors may depend on many before.

    >>> [number_of_blocks(points) for points in (6, 100, 200, 1_000, 100_000)]
    [3, 5, 8, 16, 30]
    """
    number = max(min(points // SHORT, FEW), points // LONG, FEWEST)
    return max(min(number, MOST, points // 2), 1)


def time_blocks(point: pl.Series) -> pl.Series:
    """The block of each row, of its place in time; rows of one point of time are in one.

    >>> time_blocks(pl.Series([1, 2, 0, 3])).to_list()
    [0, 1, 0, 1]
    """
    code, points = consecutive(point)
    return pl.Series("block", code * number_of_blocks(points) // points)


def consecutive(point: pl.Series) -> tuple[Indices, int]:
    """The places in time numbered without gaps, as those of some rows only, and how many.

    >>> code, points = consecutive(pl.Series([7, 2, 7, 9]))
    >>> code.tolist(), points
    ([1, 0, 1, 2], 3)
    """
    place = point.cast(pl.Int64).to_numpy()
    present = np.zeros(int(place.max(initial=-1)) + 1, np.bool_)
    present[place] = True
    code: Indices = (np.cumsum(present) - 1)[place]
    return code, int(np.count_nonzero(present))


def in_blocks(context: EvaluationContext) -> EvaluationContext:
    """The evaluation of which limits of single measures are computed.

    Where rows have a time and no group it has their blocks as groups, and nothing is
    resampled: few blocks say too little of how much they vary. Else it is the same.
    """
    rows = context.rows
    if "time" not in rows.columns or "group" in rows.columns:
        return context
    frame = rows.with_columns(group=time_blocks(rows["point"]))
    bootstrap = context.spec.bootstrap.model_copy(update={"replicates": 0})
    return EvaluationContext(
        replace(context.predictions, frame=frame),
        context.spec.model_copy(update={"bootstrap": bootstrap}),
    )


def named(records: Iterable[MetricRow], context: EvaluationContext) -> list[MetricRow]:
    """The records with the interval named after blocks of time, where groups are those."""
    columns = context.rows.columns
    if "time" not in columns or "group" in columns:
        return list(records)
    return [{**row, "interval": by_block(row["interval"], context)} for row in records]


def by_block(interval: str | None, context: EvaluationContext) -> str | None:
    """The name of an interval, after blocks of time where groups are those."""
    if interval is None or "time" not in context.rows.columns or "group" in context.rows.columns:
        return interval
    written = MethodName.read(interval)
    by_group = written.allows == "groups" or written == MethodName("t")  # of losses by row
    return str(MethodName(written.method, "blocks of time")) if by_group else interval
