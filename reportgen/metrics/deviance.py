"""Deviances of the Tweedie family, with all their digits where estimates are close."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.special import xlogy

from reportgen.array_types import Floats, chunks
from reportgen.metrics.aggregates import every, mean
from reportgen.metrics.pairs import ESTIMATE, TRUTH


def tweedie_deviance(power: float, estimate: pl.Expr | None = None) -> pl.Expr:
    """Mean unit deviance of the Tweedie family with this variance power.

    0 is the squared error, 1 Poisson, 2 gamma. ``estimate`` stands for the
    model's where another one is evaluated. Null where truth or estimate leave
    its support. Jørgensen (1987), doi:10.1111/j.2517-6161.1987.tb01685.x.
    """
    f = ESTIMATE if estimate is None else estimate
    if power == 0:
        return mean((TRUTH - f) ** 2)
    if power == 1:
        loss, inside = _divergence(TRUTH, f), every(TRUTH >= 0)
    elif power == 1.5:
        root = f.sqrt()
        loss, inside = 2 * ((TRUTH - f) / (TRUTH.sqrt() + root)) ** 2 / root, every(TRUTH >= 0)
    elif power == 2:
        loss, inside = _divergence(f, TRUTH) / f, every(TRUTH > 0)
    else:
        a, b = 1 - power, 2 - power
        loss = TRUTH**b / (a * b) - TRUTH * f**a / a + f**b / b
        inside = every(TRUTH >= 0) if power < 2 else every(TRUTH > 0)
    return pl.when(inside & every(f > 0)).then(mean(2 * loss))


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
