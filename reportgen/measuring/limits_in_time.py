"""Limits of measures in order of time: by blocks of time, at least those of independent rows.

Few blocks vary by chance less than independent rows would, most where successive rows are
nearly independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from reportgen.measuring.context import EvaluationContext
from reportgen.measuring.time_blocks import named
from reportgen.records.rows import SkippedRecord
from reportgen.tables.comparisons import DifferenceRow
from reportgen.tables.results import MetricRow

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
    rows, skipped = measure(measured)
    if measured is context:
        return named(rows, context), skipped
    alone, _ = measure(_of_independent_rows(context))
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
    alone = between(_of_independent_rows(context))
    limits = {_of_pair(o): (o["low"], o["high"]) for o in alone}
    ends = (_farther(row["low"], row["high"], *limits[_of_pair(row)]) for row in rows)
    return [{**row, "low": low, "high": high} for row, (low, high) in zip(rows, ends, strict=True)]


def _of_independent_rows(context: EvaluationContext) -> EvaluationContext:
    """The evaluation without bootstrap samples, which allow for no order of time."""
    bootstrap = context.spec.bootstrap.model_copy(update={"replicates": 0})
    spec = context.spec.model_copy(update={"bootstrap": bootstrap})
    return EvaluationContext(context.predictions, spec)


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
