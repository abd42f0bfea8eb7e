"""Rare large errors behind means over folds: what the pooled rows show of them counts there, too.

A fold without the rows that decide a mean of squares has a value as good as any other, so that the
spread of the folds says nothing of those that are missing (``tests.simulations.tails_over_folds``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from reportgen.comparing.heavy_errors import heavy_errors
from reportgen.comparisons import Comparison
from reportgen.metrics import measure_tested_as
from reportgen.predictions.evaluation_scheme import Evaluation

REJECTED = 60
"""In so many per cent of reports on 300 rows in ten folds one of two like mean squares won."""

PairTested = tuple[frozenset[str], str, str]
"""The models of a pair, the mean that is tested, and what a test of it shows."""


def shown_by_rows(records: Sequence[Comparison]) -> dict[PairTested, Comparison]:
    """The tests of pooled rows that say how heavy the tails of two models' errors are."""
    return {
        _of_pair(record): record
        for record in records
        if record.unit == "rows"
        and record.slice is None
        and len(record.models) == 2
        and (record.kurtosis is not None or record.group_variation)
    }


def against_tails(
    record: Comparison, of_rows: Mapping[PairTested, Comparison], evaluation: Evaluation
) -> Iterator[str]:
    """The reason against a test over folds of errors that a few rows, or groups, decide."""
    rows = of_rows.get(_of_pair(record))
    if rows is not None:
        of_units = _of_units(rows, evaluation)
        yield from heavy_errors(of_units, evaluation, rejected=REJECTED)


def _of_pair(record: Comparison) -> PairTested:
    """R² follows from the mean squared error, whose tails are asked for."""
    mean = measure_tested_as(record.metric, "regression")
    return frozenset(record.models), mean, record.shows


def _of_units(record: Comparison, evaluation: Evaluation) -> Comparison:
    """The test as if each example, which may return in every repeat, were there once."""
    units, rows = evaluation.test_examples, evaluation.test_rows
    if not units or not rows or units >= rows or record.statistic is None:
        return record
    once = math.sqrt(units / rows)
    return record.with_fields(df=units - 1, statistic=record.statistic * once)
