"""Limits of decisions at a threshold that these rows chose: they hold for every threshold at once.

A threshold is chosen where the rows look best, so a value there is too high, by an amount that
depends on the rule and on the scores. 95 % limits for a fixed threshold were above the value that
the threshold has in further rows in 0.04 to 0.27 of simulated data sets, as often with 1,000 rows
as with 100 where scores say nothing; those for every threshold in at most 0.027
(``python -m tests.simulations.chosen_thresholds``). Percentile bootstraps that choose the threshold
again, less the optimism, were above it in 0.04 to 0.64.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.intervals import widening
from reportgen.intervals.method_names import MethodName
from reportgen.metrics import find, needs_threshold
from reportgen.records.model import typed
from reportgen.records.rows import ModelRecord, chosen_on_tested_rows, rows_of
from reportgen.spec import Spec
from reportgen.tables import Differences, Metrics
from reportgen.tables.comparisons import DifferenceRow
from reportgen.tables.results import MetricRow

THRESHOLDS = 50
"""All thresholds are worth at most so many that are chosen in advance, whatever the rows are.

Limits hold for all of them at once by Bonferroni's quantile.
"""

OF_BOTH_SIDES = "limits of both models"
"""A difference whose limits are those that the limits of its two sides leave it."""


def for_every_threshold(
    metrics: DataFrame[Metrics], models: Sequence[ModelRecord], task: str, spec: Spec
) -> DataFrame[Metrics]:
    """The numbers, where a threshold was chosen on these rows with limits that allow for it.

    An average over labels, each with its threshold, is wider by the root of their number too: the
    labels err alike in choosing, while what they err in otherwise cancels out.
    """
    chosen = chosen_on_tested_rows(models)
    if not chosen:
        return metrics
    labels = {model["name"]: len(model.get("thresholds") or ()) for model in models}
    factor = widening(THRESHOLDS, spec.confidence)

    def widened(row: MetricRow) -> MetricRow:
        if row["model"] not in chosen or not needs_threshold(row["metric"]):
            return row
        value, low, high, name = row["value"], row["low"], row["high"], row["interval"]
        if value is None or low is None or high is None or name is None:
            return row
        times = factor
        if row["class"] is None:
            times *= sqrt(max(1, labels[row["model"]]))
        metric = find(row["metric"], task)
        least, most = (-float("inf"), float("inf")) if metric is None else metric.bounds
        return {
            **row,
            "low": max(value - times * (value - low), min(least, low)),
            "high": min(value + times * (high - value), max(most, high)),
            "interval": MethodName.read(name).over_thresholds(),
        }

    return typed(Metrics, [widened(row) for row in rows_of(metrics, MetricRow)])


def differences_of_sides(
    differences: DataFrame[Differences], metrics: pl.DataFrame, models: Sequence[ModelRecord]
) -> DataFrame[Differences]:
    """The differences, with limits from those of both models where rows chose a threshold.

    Models that are alike differ by little, but each may be as optimistic as if it were alone.
    """
    chosen = chosen_on_tested_rows(models)
    if not chosen:
        return differences
    of_all = metrics.filter(pl.all_horizontal(pl.col("slice", "class", "average").is_null()))
    ends: Mapping[tuple[str, str], tuple[float, float]] = {
        (row["metric"], row["model"]): (row["low"], row["high"])
        for row in rows_of(of_all.drop_nulls(["low", "high"]), MetricRow)
        if row["low"] is not None and row["high"] is not None
    }

    def of_sides(row: DifferenceRow) -> DifferenceRow:
        if not chosen.intersection(row["models"]) or not needs_threshold(row["metric"]):
            return row
        first, second = (ends.get((row["metric"], model)) for model in row["models"])
        if row["value"] is None or first is None or second is None:
            return {**row, "low": None, "high": None, "interval": None}
        low, high = first[0] - second[1], first[1] - second[0]
        return {**row, "low": low, "high": high, "interval": OF_BOTH_SIDES}

    return typed(Differences, [of_sides(row) for row in rows_of(differences, DifferenceRow)])
