"""Quantiles as estimates of a number: how often they hold, and the loss that they minimise."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import polars as pl

from reportgen.metric_names import quantile_in_words
from reportgen.metrics.aggregates import mean
from reportgen.metrics.pairs import ERROR, ESTIMATE, TRUTH, error_metric
from reportgen.metrics.registry import FAMILIES, REGISTRY, Metric


@error_metric(
    "Quantile coverage",
    bounds=(0, 1),
    better=None,
    undefined="the estimates are not declared as quantiles",
    core=True,
    proportion=True,
    aspect="quantile",
    discloses="single rows",
)
def quantile_coverage() -> pl.Expr:
    """Proportion of rows whose true value is at or below the estimate of a quantile.

    Formula: Σ 1(y ≤ f) / n.
    Reference: Kupiec (1995), doi:10.3905/jod.1995.407942.
    """
    return mean((TRUTH <= ESTIMATE).cast(pl.Float64))


@error_metric("Pinball loss at the 10th percentile", mean=True, unit_power=1, aspect="quantile")
def pinball_low() -> pl.Expr:
    """Pinball loss at the level 0.1.

    Formula: Σ max(t(y − f), (t − 1)(y − f)) / n, t = 0.1.
    Reference: Koenker & Bassett (1978), doi:10.2307/1913643.
    """
    return pinball_loss(0.1)


@error_metric(
    "Pinball loss at the median", better="lower", mean=True, unit_power=1, aspect="quantile"
)
def pinball_median() -> pl.Expr:
    """Pinball loss at the median: half the mean absolute error.

    Formula: Σ max(t(y − f), (t − 1)(y − f)) / n, t = 0.5.
    Reference: Koenker & Bassett (1978), doi:10.2307/1913643.
    """
    return pinball_loss(0.5)


@error_metric("Pinball loss at the 90th percentile", mean=True, unit_power=1, aspect="quantile")
def pinball_high() -> pl.Expr:
    """Pinball loss at the level 0.9.

    Formula: Σ max(t(y − f), (t − 1)(y − f)) / n, t = 0.9.
    Reference: Koenker & Bassett (1978), doi:10.2307/1913643.
    """
    return pinball_loss(0.9)


def pinball_loss(level: float = 0.5) -> pl.Expr:
    """Loss that the ``level`` quantile minimises.

    Koenker & Bassett (1978), doi:10.2307/1913643.
    """
    return mean(quantile_loss(ERROR, level))


def quantile_loss(error: pl.Expr, level: float) -> pl.Expr:
    """The pinball loss of a row, of its error y − f."""
    return pl.max_horizontal(level * error, (level - 1) * error)


@cache
def pinball_loss_of(level: float) -> Metric:
    """The metric ``pinball_loss(τ)`` of any quantile, like that of the median but for its level.

    >>> pinball_loss_of(0.95).name, pinball_loss_of(0.95).label
    ('pinball_loss(0.95)', 'Pinball loss at the 0.95 quantile')
    """
    if not 0 < level < 1:
        raise ValueError(level)

    def build() -> pl.Expr:
        return pinball_loss(level).alias(f"pinball_loss({level:g})")

    build.__doc__ = (
        f"Pinball loss at the level {level:g}.\n\n"
        f"Formula: Σ max(t(y − f), (t − 1)(y − f)) / n, t = {level:g}.\n"
        "Reference: Koenker & Bassett (1978), doi:10.2307/1913643.\n"
    )
    like = REGISTRY["regression"]["pinball_median"]
    name, label = f"pinball_loss({level:g})", f"Pinball loss at the {quantile_in_words(level)}"
    return replace(like, name=name, build=build, label=label)


FAMILIES["pinball_loss"] = (pinball_loss_of, "pinball_median")
