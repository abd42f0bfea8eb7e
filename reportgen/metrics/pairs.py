"""What regression metrics are made of: means, quantiles, sums of squares, Tweedie deviances."""

from __future__ import annotations

import math
import sys
from functools import partial
from operator import truediv

import numpy as np
import polars as pl
from scipy.special import xlogy

from reportgen.array_types import Floats, chunks
from reportgen.metrics.aggregates import (
    WEIGHT,
    About,
    at_level,
    every,
    greatest,
    least,
    mean,
    once_per_row,
    squared_distances,
)
from reportgen.metrics.registry import INFINITY, NO_ROWS, metric

TRUTH, ESTIMATE = (pl.col(name).cast(pl.Float64) for name in ("truth", "estimate"))
ERROR = TRUTH - ESTIMATE

SAME = 1e-12
"""Shares of the weight that differ by less are the same."""


error_metric = partial(
    metric,
    task="regression",
    on="pairs",
    group="error",
    bounds=(0, INFINITY),
    better="lower",
    undefined=NO_ROWS,
)
"""Records a metric of regression errors."""


def of_root() -> pl.Expr:
    """Contribution to the root of the mean squared error: (e² − MSE) / (2·RMSE)."""
    return (ERROR**2 - mean(ERROR**2)) / (2 * mean(ERROR**2).sqrt())


def of_share() -> pl.Expr:
    """Contribution to R²: −(e² − (1 − R²)·(y − ȳ)²) / Var(y)."""
    around, missed = (TRUTH - mean(TRUTH)) ** 2, ERROR**2
    return (mean(missed) / mean(around) * around - missed) / mean(around)


def of_explained() -> pl.Expr:
    """Contribution to the explained variance, as to R² of errors less their mean."""
    around, missed = (TRUTH - mean(TRUTH)) ** 2, (ERROR - mean(ERROR)) ** 2
    return (mean(missed) / mean(around) * around - missed) / mean(around)


def varies(value: pl.Expr) -> pl.Expr:
    """Whether the greatest value is above the least: no mean of equal ones is exactly theirs."""
    return greatest(value) > least(value)


def unless_lost(value: pl.Expr, zero: pl.Expr) -> pl.Expr:
    """The value, NaN where it is too small for a float with all its digits but is not ``zero``."""
    return pl.when((value < sys.float_info.min) & ~zero).then(math.nan).otherwise(value)


def squares(value: pl.Expr) -> pl.Expr:
    """Sum of the squared distances from the mean: exactly 0 where the values are equal."""
    squares = unless_lost(squared_distances(value), pl.lit(False))
    return pl.when(varies(value)).then(squares).otherwise(0.0)


def quantile(value: pl.Expr, level: float) -> pl.Expr:
    """Empirical quantile that minimises the weighted pinball loss.

    The smallest value with at least ``level`` of the weight at or below it;
    where exactly ``level`` is reached, the middle between it and the next.
    """
    of_rows = pl.struct(value.alias("value"), WEIGHT.alias("weight")).map_batches(
        partial(_quantile, level=level), return_dtype=pl.Float64, returns_scalar=True
    )
    return at_level(value, level, of_rows)


def _quantile(rows: pl.Series, level: float) -> float | None:
    """By order statistics where weights are equal, else by sorting.

    In NumPy: 0.02 against 0.6 CPU s of an expression at a million rows that weigh the same.
    Fields by name are queries, which cost more than what is done with a few thousand rows.
    """
    value, weight = (column.to_numpy() for column in rows.struct.unnest())
    number = len(value)
    if not number:
        return None
    if weight.min() == weight.max():
        return float(quantile_of_equal_weights(value, level))
    return float(quantile_of_weighted(value, weight, level))


def quantile_of_equal_weights(values: Floats, level: float) -> Floats:
    """The same along the last axis, of values that weigh the same.

    >>> quantile_of_equal_weights(np.array([[3.0, 1.0], [5.0, 9.0]]), 0.5).tolist()
    [2.0, 7.0]
    """
    number = values.shape[-1]
    at = max(math.ceil((level - SAME) * number) - 1, 0)
    reached, following = (at + 1) / number, min(at + 1, number - 1)
    ordered = np.partition(values, (at, following), axis=-1)
    first: Floats = ordered[..., at]
    return (first + ordered[..., following]) / 2 if abs(reached - level) <= SAME else first


def quantile_of_weighted(values: Floats, weights: Floats, level: float) -> Floats:
    """The same along the last axis, by sorting, of values with weights of the same shape.

    >>> quantile_of_weighted(np.array([3.0, 1.0]), np.array([1.0, 3.0]), 0.5).tolist()
    1.0
    """
    return quantile_of_shares(*ascending_shares(values, weights), level)


def ascending_shares(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The values along the last axis in ascending order, and the share of the weight up to each.

    >>> [v.tolist() for v in ascending_shares(np.array([3.0, 1.0]), np.array([1.0, 3.0]))]
    [[1.0, 3.0], [0.75, 1.0]]
    """
    whole = weights.sum(axis=-1, keepdims=True)
    if not (values[..., 1:] >= values[..., :-1]).all():
        order = np.argsort(values, axis=-1)
        values, weights = (np.take_along_axis(v, order, -1) for v in (values, weights))
    reached = np.cumsum(weights, axis=-1)
    reached /= whole
    return values, reached


def quantile_of_shares(values: Floats, reached: Floats, level: float) -> Floats:
    """The quantile of ascending values, from the share of the weight up to each."""
    last = values.shape[-1] - 1
    at = np.minimum((reached < level - SAME).sum(axis=-1, keepdims=True), last)
    first, second = (
        np.take_along_axis(values, k, -1)[..., 0] for k in (at, np.minimum(at + 1, last))
    )
    exactly = np.abs(np.take_along_axis(reached, at, -1)[..., 0] - level) <= SAME
    result: Floats = np.where(exactly, (first + second) / 2, first)
    return result


def tweedie_deviance(power: float, middle: pl.Expr | None = None) -> pl.Expr:
    """Mean unit deviance of the Tweedie family with this variance power.

    0 is the squared error, 1 Poisson, 2 gamma. ``middle``, the mean of the truth, stands for
    the estimates where it is evaluated instead. Null where truth or estimate leave its
    support. Jørgensen (1987), doi:10.1111/j.2517-6161.1987.tb01685.x.
    """
    f, over = (ESTIMATE, truediv) if middle is None else (middle, _over_constant)
    if power == 0:
        return mean((TRUTH - f) ** 2)
    if power == 1:
        loss, inside = _divergence(TRUTH, f), every(TRUTH >= 0)
    elif power == 1.5:
        root = f.sqrt()
        loss = over(2 * ((TRUTH - f) / (TRUTH.sqrt() + root)) ** 2, root)
        inside = every(TRUTH >= 0)
    elif power == 2:
        loss, inside = over(_divergence(f, TRUTH), f), every(TRUTH > 0)
    else:
        a, b = 1 - power, 2 - power
        loss = TRUTH**b / (a * b) - TRUTH * f**a / a + f**b / b
        inside = every(TRUTH >= 0) if power < 2 else every(TRUTH > 0)
    if middle is None:
        mean_loss = mean(2 * once_per_row(loss))
    else:
        mean_loss = mean(2 * loss, about=About(middle))
    return pl.when(inside & every(f > 0)).then(mean_loss)


def _over_constant(value: pl.Expr, constant: pl.Expr) -> pl.Expr:
    """The quotient as Polars has it of a column and one number: the same where each row has it."""
    return value * (1 / constant)


def _divergence(a: pl.Expr, b: pl.Expr) -> pl.Expr:
    """What is left of a ln(a/b) − a + b, also where the three cancel."""
    # A frame has truths or estimates beside one value, the mean, for all of them.
    both = pl.struct(a.alias("a"), b.alias("b"))
    return both.map_batches(_divergences, return_dtype=pl.Float64, is_elementwise=True)


def _divergences(both: pl.Series) -> pl.Series:
    """By Loader's series in v = (a − b)/(a + b) where v is small.

    Loader (2000), *Fast and Accurate Computation of Binomial Probabilities*, 3.
    """
    a, b = (column.to_numpy() for column in both.struct.unnest())
    divergences = np.empty(len(a))
    with np.errstate(all="ignore"):
        for rows in chunks(len(a)):
            divergences[rows] = _divergence_of(a[rows], b[rows])
    return pl.Series(divergences)


def _divergence_of(a: Floats, b: Floats) -> Floats:
    v = (a - b) / (a + b)
    square = v * v
    # v³/3 + v⁵/5 + … + v¹⁷/17; what is left out is below 1e-16 of the whole.
    series = np.full_like(v, 1 / 17)
    for k in range(15, 2, -2):
        series *= square
        series += 1 / k
    divergence: Floats = v * (a - b + 2 * a * square * series)
    far = ~(square < 0.01)
    if far.any():
        divergence[far] = xlogy(a[far], a[far] / b[far]) - a[far] + b[far]
    return divergence
