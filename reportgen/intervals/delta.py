"""Delta-method intervals of any smooth function of counts, from its own expression.

The value's expression is evaluated again on a small frame of shifted counts,
and its differences are its gradient: a metric needs no derivative of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_functions import ArrayFunctions
from reportgen.array_types import Floats, chunks
from reportgen.intervals.shapes import Estimate, Interval, LimitExpressions, Wald, within
from reportgen.metric_names import CELLS

Evaluate = Callable[[Floats], Floats]

SQUARES = tuple(f"{cell}2" for cell in CELLS)

STEP = 2.0**-10
"""Shift of a count as a share of it: the error of the gradient is about 1e-12 of the value."""

_SHIFTS = (-2, -1, 1, 2)

_AT_ONCE = 2**23
"""Counts that are evaluated at once: of a thousand classes they would fill the memory."""

_FLAT = 1e-11
"""Slopes below this share of the value are rounding noise: the function is flat there."""


@dataclass(frozen=True, slots=True)
class Delta(Interval):
    """Estimate ± z standard errors by the multinomial delta method, cut to ``bounds``.

    The variance is Σ c2·(gᶜ − ḡ)² over the cells c, with gᶜ the derivative of
    the value by the count c, ḡ its mean over the rows and c2 the sum of squared
    weights (the count where rows are not weighted): for F-beta that is
    Takahashi's, for kappa Fleiss, Cohen & Everitt's, for a share Wald's.

    Null where the value is null, where a shift of a count makes it so, and
    where it has no slope at all, as at a perfect classifier: the linear
    approximation then says nothing. The value must be smooth in the counts
    (no maximum of cells).
    Takahashi et al. (2022), doi:10.1007/s10489-021-02635-5;
    Agresti (2013), *Categorical Data Analysis*, 16.1.
    """

    bounds: tuple[float, float] = (0, 1)
    name: str = "delta"

    @property
    def kind(self) -> Hashable:
        """As plain standard errors with the same bounds."""
        return Wald, self.bounds

    def around(self, estimate: Estimate) -> LimitExpressions:
        """Lower and upper limit around the value."""
        return within(self.bounds, estimate)

    def spread_of(self, value: pl.Expr) -> pl.Expr:
        """Variance of ``value``, one per row of counts."""

        def variances(rows: pl.Series) -> pl.Series:
            return delta_spreads(rows.struct.unnest(), evaluating({"value": value}))["value"]

        return pl.struct(*CELLS, *SQUARES).map_batches(
            variances, return_dtype=pl.Float64, is_elementwise=True
        )


def delta_spreads(frame: pl.DataFrame, values: ArrayFunctions) -> pl.DataFrame:
    """Variance of each of several values in each row of counts, null where it is undefined."""
    counts, squares = (frame.select(n).cast(pl.Float64).to_numpy() for n in (CELLS, SQUARES))

    variances = delta_variances(values, counts, squares)
    return pl.DataFrame(variances, schema=values.names, orient="row", nan_to_null=True)


def evaluating(values: Mapping[str, pl.Expr]) -> ArrayFunctions:
    """What evaluates expressions on arrays of counts, one column per cell."""
    return ArrayFunctions(values, CELLS)


def delta_variances(evaluate: Evaluate, counts: Floats, squares: Floats | None = None) -> Floats:
    """Variances of functions of multinomial counts, NaN where one cannot be determined.

    ``counts`` has one row per table and one column per cell, ``squares`` the sums of squared
    weights (default: the counts); ``evaluate`` gives a column of each function, one row per row of
    such an array. Four evaluations per cell. Returns table × function.
    Agresti (2013), *Categorical Data Analysis*, 16.1.

    >>> share = lambda cells: cells[:, :1] / cells.sum(axis=1, keepdims=True)
    >>> delta_variances(share, np.array([[30.0, 70.0]])).round(6)
    array([[0.0021]])
    """
    squares = (counts if squares is None else squares)[:, None]
    with np.errstate(invalid="ignore"):
        variance: Floats = (squares * influences(evaluate, counts) ** 2).sum(axis=2)
    return np.where((variance > 0) & np.isfinite(variance), variance, np.nan)


def influences(evaluate: Evaluate, counts: Floats) -> Floats:
    """What a row of each cell contributes to several functions: table × function × cell.

    The slope by the cell's count, less its mean over the rows: contributions
    add up to 0 over all rows. All of them are 0 where a function is flat, NaN
    where a shift of a count leaves it without a value.
    Hampel (1974), doi:10.1080/01621459.1974.10482962.
    """
    slope, counts = relative_slopes(evaluate, counts), counts[:, None]
    flat = (slope == 0).all(axis=2, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        gradient = np.where(counts > 0, slope / counts, 0.0)
        mean = (counts * gradient).sum(axis=2, keepdims=True) / counts.sum(axis=2, keepdims=True)
        return np.where(flat, 0.0, gradient - mean)


def relative_slopes(evaluate: Evaluate, counts: Floats) -> Floats:
    """Slope of several functions by each count, times the count: table × function × cell.

    ``evaluate`` gives one row of values per row of counts. Rounding noise is 0;
    NaN where a shift of a count leaves a function without a value.
    """
    rows, cells = counts.shape
    factors = 1 + STEP * np.array(_SHIFTS)[:, None]
    parts = []
    for some in chunks(cells, max(1, _AT_ONCE // max(counts.size * len(_SHIFTS), 1))):
        shifted = np.tile(counts, (some.stop - some.start, len(_SHIFTS), 1, 1))
        for at, cell in enumerate(range(some.start, some.stop)):
            shifted[at, :, :, cell] = factors * counts[:, cell]
        parts.append(evaluate(shifted.reshape(-1, cells)))
    values = np.concatenate(parts).reshape(cells, len(_SHIFTS), rows, -1)
    far_below, below, above, far_above = values.transpose(1, 2, 3, 0)
    # Term by term, so that rows do not mix.
    slope: Floats = (8 * (above - below) - (far_above - far_below)) / (12 * STEP)
    scale = np.abs(values).max(axis=(0, 1))[..., None]
    with np.errstate(invalid="ignore"):
        slope[np.abs(slope) <= _FLAT * scale] = 0.0
    return slope
