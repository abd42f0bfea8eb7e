"""Differences between models that gates read: over data sets those of the test that decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.metric_names import parted
from reportgen.spec.gates import Side
from reportgen.tables.comparisons import MEDIAN, PSEUDOMEDIAN

GateLimits = tuple[float, float] | None

MEDIAN_OVER_SETS = "median difference over data sets"
"""The basis of a difference that a signed-rank test estimates."""


@dataclass(frozen=True, slots=True)
class EstimatedDifference:
    """A difference between models; ``allows_time`` where its limits allow for autocorrelation."""

    value: float
    interval: GateLimits
    basis: str
    allows_time: bool


def over_data_sets(
    sides: Sequence[Side], comparisons: pl.DataFrame | None
) -> EstimatedDifference | None:
    """The estimate of the recommended test over data sets with its limits; null without one.

    As page one has it: limits of pooled rows hold for these data sets alone, not for new ones.
    """
    left, right = sides
    if comparisons is None or left.bound or right.bound or left.metric != right.metric:
        return None
    rows = comparisons.filter(
        pl.col("slice").is_null(),
        metric=parted(left.metric)[0],
        unit="data sets",
        recommendation="recommended",
        shows="difference",
    ).drop_nulls(["estimate", "low", "high"])
    for row in rows.iter_rows(named=True):
        pair = (left.model, right.model)
        sign = {pair: 1, pair[::-1]: -1}.get(tuple(row["models"]))
        if sign is not None:
            low, high = sorted((sign * row["low"], sign * row["high"]))
            of_median = row["effect"] in (MEDIAN, PSEUDOMEDIAN)
            basis = MEDIAN_OVER_SETS if of_median else "data sets"
            return EstimatedDifference(sign * row["estimate"], (low, high), basis, allows_time=True)
    return None
