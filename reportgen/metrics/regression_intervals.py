"""Prediction intervals of regression models: coverage, width, and both in one score.

``low`` and ``high`` are the ends of the prediction interval of each row.
"""

from __future__ import annotations

import polars as pl

from reportgen.metrics.aggregates import mean
from reportgen.metrics.pairs import TRUTH, error_metric
from reportgen.metrics.registry import REGISTRY


@error_metric(
    "Interval coverage",
    bounds=(0, 1),
    better=None,
    undefined="the model gives no prediction interval",
    core=True,
    proportion=True,
    aspect="interval",
    discloses="single rows",
)
def interval_coverage() -> pl.Expr:
    """Proportion of rows whose true value lies in the prediction interval.

    Formula: Σ 1(low ≤ y ≤ high) / n.
    Reference: Gneiting & Raftery (2007), doi:10.1198/016214506000001437.
    """
    inside = (pl.col("low") <= TRUTH) & (pl.col("high") >= TRUTH)
    return mean(inside.cast(pl.Float64))


@error_metric(
    "Interval width",
    undefined="the model gives no prediction interval",
    core=True,
    mean=True,
    unit_power=1,
    aspect="interval",
)
def interval_width() -> pl.Expr:
    """Mean width of the prediction interval, in the unit of the truth.

    Formula: Σ (high − low) / n.
    Reference: Gneiting & Raftery (2007), doi:10.1198/016214506000001437.
    """
    return mean(pl.col("high") - pl.col("low"))


@error_metric(
    "Winkler score",
    undefined="the model gives no prediction interval",
    core=True,
    mean=True,
    unit_power=1,
    aspect="interval",
    discloses="single rows",
)
def winkler_score(level: float = 0.95) -> pl.Expr:
    """Width of the interval plus a penalty for each true value outside it.

    Parameters: ``level``, nominal level of the intervals.
    Formula: Σ (high − low + 2/α·(low − y)₊ + 2/α·(y − high)₊) / n, 1 − α the level.
    Reference: Winkler (1972), doi:10.1080/01621459.1972.10481224.
    """
    return mean(interval_loss(TRUTH, pl.col("low"), pl.col("high"), level))


def interval_loss(truth: pl.Expr, low: pl.Expr, high: pl.Expr, level: float) -> pl.Expr:
    """The Winkler score of a row."""
    outside = (low - truth).clip(0) + (truth - high).clip(0)
    return high - low + 2 / (1 - level) * outside


OF_INTERVALS = tuple(m.name for m in REGISTRY["regression"].values() if m.aspect == "interval")
"""The metrics that need a prediction interval."""
