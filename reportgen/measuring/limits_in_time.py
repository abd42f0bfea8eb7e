"""Limits of measures in order of time: by blocks of time, at least those of independent rows.

Few blocks vary by chance less than independent rows would, most where successive rows are
nearly independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from reportgen.measuring.context import EvaluationContext
from reportgen.measuring.time_blocks import named
from reportgen.records.rows import SkippedRecord
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
    bootstrap = context.spec.bootstrap.model_copy(update={"replicates": 0})
    spec = context.spec.model_copy(update={"bootstrap": bootstrap})
    alone, _ = measure(EvaluationContext(context.predictions, spec))
    return named(wider(rows, alone), context), skipped


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
    own_low, own_high = row["low"], row["high"]
    if low is None or high is None or own_low is None or own_high is None:
        return row
    return {**row, "low": min(low, own_low), "high": max(high, own_high)}
