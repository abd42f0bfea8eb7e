"""What measures of regression are made of: means, quantiles and sizes over pairs."""

from __future__ import annotations

import math
import sys
from functools import partial

import numpy as np
import polars as pl

from reportgen.metrics.registry import ratio

TRUTH, ESTIMATE, WEIGHT = (
    pl.col(name).cast(pl.Float64) for name in ("truth", "estimate", "weight")
)
ERROR = TRUTH - ESTIMATE
_SAME = 1e-12
"""Shares of the weight that differ by less are the same."""


def mean(value: pl.Expr) -> pl.Expr:
    """Weighted mean, null without rows."""
    return ratio((WEIGHT * value).sum(), WEIGHT.sum())


def varies(value: pl.Expr) -> pl.Expr:
    """Whether the greatest value is above the least: no mean of equal ones is exactly theirs."""
    return value.max() > value.min()


def unless_lost(value: pl.Expr, zero: pl.Expr) -> pl.Expr:
    """The value, NaN where it is too small for a float with all its digits but is not ``zero``."""
    return pl.when((value < sys.float_info.min) & ~zero).then(math.nan).otherwise(value)


def quantile(value: pl.Expr, level: float) -> pl.Expr:
    """Empirical quantile that minimises the weighted pinball loss.

    The smallest value with at least ``level`` of the weight at or below it;
    where exactly ``level`` is reached, the middle between it and the next.
    """
    return pl.struct(value.alias("value"), WEIGHT.alias("weight")).map_batches(
        partial(_quantile, level=level), return_dtype=pl.Float64, returns_scalar=True
    )


def _quantile(rows: pl.Series, level: float) -> float | None:
    """By order statistics where weights are equal, else by sorting.

    In NumPy: 0.02 against 0.6 CPU s of an expression at a million rows that weigh the same.
    """
    value, weight = (rows.struct.field(name).to_numpy() for name in ("value", "weight"))
    number = len(value)
    if not number:
        return None
    if weight.min() == weight.max():
        at = max(math.ceil((level - _SAME) * number) - 1, 0)
        reached, following = (at + 1) / number, min(at + 1, number - 1)
        first, second = np.partition(value, (at, following))[[at, following]]
    else:
        order = np.argsort(value, kind="stable")
        share = np.cumsum(weight[order]) / weight.sum()
        at = min(int(np.searchsorted(share, level - _SAME)), number - 1)
        reached, following = share[at], min(at + 1, number - 1)
        first, second = value[order[[at, following]]]
    return float((first + second) / 2 if abs(reached - level) <= _SAME else first)
