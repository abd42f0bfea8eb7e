"""Limits of single measures where rows are in order of time: blocks of points are groups.

Errors follow each other, so that rows are no independent ones; those of long blocks of
consecutive time points nearly are. Carlstein (1986), doi:10.1214/aos/1176350057.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from reportgen.array_types import Indices
from reportgen.intervals.method_names import MethodName
from reportgen.measuring.context import EvaluationContext
from reportgen.records.rows import SkippedRecord
from reportgen.spec import Spec
from reportgen.tables.comparisons import DifferenceRow
from reportgen.tables.results import MetricRow

FEWEST, FEW, MOST = 5, 8, 30
"""Blocks of a short series, of 200 time points, and of a very long one."""

SHORT, LONG = 25, 60
"""Time points in a block: of a short series, and of one of more than eight blocks."""


def number_of_blocks(points: int) -> int:
    """Into how many blocks a series is divided: few long ones, as errors may depend on many before.

    >>> [number_of_blocks(points) for points in (6, 100, 200, 1_000, 100_000)]
    [3, 5, 8, 16, 30]
    """
    number = max(min(points // SHORT, FEW), points // LONG, FEWEST)
    return max(min(number, MOST, points // 2), 1)


def time_blocks(point: pl.Series) -> pl.Series:
    """The block of each row, of its place in time; rows of one time point are in one.

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
    if not _in_time(context):
        return context
    rows = context.rows
    frame = rows.with_columns(group=time_blocks(rows["point"]))
    return EvaluationContext(replace(context.predictions, frame=frame), _not_resampled(context))


def of_independent_rows(context: EvaluationContext) -> EvaluationContext:
    """The evaluation as if rows were independent, which their order in time does not show.

    Where ``in_blocks`` has blocks it has no bootstrap samples, which allow for no order of time.
    """
    if not _in_time(context):
        return context
    return EvaluationContext(context.predictions, _not_resampled(context))


def _in_time(context: EvaluationContext) -> bool:
    """Whether rows have a time and no group."""
    columns = context.rows.columns
    return "time" in columns and "group" not in columns


def _not_resampled(context: EvaluationContext) -> Spec:
    bootstrap = context.spec.bootstrap.model_copy(update={"replicates": 0})
    return context.spec.model_copy(update={"bootstrap": bootstrap})


def named(records: Iterable[MetricRow], context: EvaluationContext) -> list[MetricRow]:
    """The records with the interval named after blocks of time, where groups are those."""
    if not _in_time(context):
        return list(records)
    return [{**row, "interval": by_block(row["interval"], context)} for row in records]


def by_block(interval: str | None, context: EvaluationContext) -> str | None:
    """The name of an interval, after blocks of time where groups are those."""
    if interval is None or not _in_time(context):
        return interval
    written = MethodName.read(interval)
    by_group = written.allows == "groups" or written == MethodName("t")  # of losses by row
    return str(MethodName(written.method, "blocks of time")) if by_group else interval


Measured = tuple[list[MetricRow], list[SkippedRecord]]
"""The measures of all rows and of slices, and what was left out."""


def limited(
    context: EvaluationContext,
    measured: EvaluationContext,
    measure: Callable[[EvaluationContext], Measured],
) -> Measured:
    """What ``measure`` gives; where rows have a time and no group, with limits that allow for it.

    They are those by blocks of time, of ``measured``, and at least those in closed form of
    independent rows.
    """
    if context.only_compared:
        return [], []
    rows, skipped = measure(measured)
    if measured is context:
        return named(rows, context), skipped
    alone, _ = measure(of_independent_rows(context))
    return named(wider(rows, alone), context), skipped


def differences_in_time(
    context: EvaluationContext,
    measured: EvaluationContext,
    between: Callable[[EvaluationContext], Sequence[DifferenceRow]],
) -> list[DifferenceRow]:
    """The differences of pairs of models that ``between`` gives, with limits as ``limited`` has."""
    rows = between(measured)
    if measured is context:
        return list(rows)
    alone = between(of_independent_rows(context))
    limits = {_of_pair(o): (o["low"], o["high"]) for o in alone}
    ends = (_farther(row["low"], row["high"], *limits[_of_pair(row)]) for row in rows)
    return [{**row, "low": low, "high": high} for row, (low, high) in zip(rows, ends, strict=True)]


def _of_pair(row: DifferenceRow) -> tuple[object, ...]:
    return row["metric"], *row["models"]


def wider(rows: Iterable[MetricRow], others: Iterable[MetricRow]) -> list[MetricRow]:
    """The rows with the farther of their limits and those that the others have of a measure.

    >>> wider(
    ...     [{"metric": "r2", "low": 0.2, "high": 0.6}], [{"metric": "r2", "low": 0.1, "high": 0.5}]
    ... )
    [{'metric': 'r2', 'low': 0.1, 'high': 0.6}]
    """
    limits = {_measure(o): (o["low"], o["high"]) for o in others}
    return [_wider(row, *limits.get(_measure(row), (None, None))) for row in rows]


def _measure(row: MetricRow) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("metric", "model", "slice", "class", "average"))


def _wider(row: MetricRow, low: float | None, high: float | None) -> MetricRow:
    low, high = _farther(row["low"], row["high"], low, high)
    return {**row, "low": low, "high": high}


def _farther(
    low: float | None, high: float | None, other_low: float | None, other_high: float | None
) -> tuple[float | None, float | None]:
    """The farther of two pairs of limits; the first ones where either has none."""
    if low is None or high is None or other_low is None or other_high is None:
        return low, high
    return min(low, other_low), max(high, other_high)
