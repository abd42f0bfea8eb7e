"""By how much the errors of a regression are below those of the best constant."""

from __future__ import annotations

import polars as pl

from reportgen.metrics.aggregates import About, mean, of_every_row, weight_sum
from reportgen.metrics.pairs import ERROR, TRUTH, error_metric, quantile, squares, varies
from reportgen.metrics.registry import INFINITY, ratio
from reportgen.metrics.regression import mean_absolute_error, mean_squared_error
from reportgen.text.reasons import CONSTANT_TRUTH

_ANY = (-INFINITY, INFINITY)


def _squared() -> pl.Expr:
    return (TRUTH - mean(TRUTH)) ** 2 - ERROR**2


def _absolute() -> pl.Expr:
    return (TRUTH - quantile(TRUTH, 0.5)).abs() - ERROR.abs()


def _of_squared() -> pl.Expr:
    """Contribution to the gain: (y − ȳ)² − e² less its mean; that of ȳ itself is 0."""
    return _squared() - mean(_squared())


def _of_absolute() -> pl.Expr:
    """Contribution to the gain: |y − median| − |e| less its mean."""
    return _absolute() - mean(_absolute())


@error_metric(
    "MSE below that of the mean",
    bounds=_ANY,
    better="higher",
    undefined=CONSTANT_TRUTH,
    influence=_of_squared,
    gain_of="mean_squared_error",
    unit_power=2,
)
def mean_squared_error_gain() -> pl.Expr:
    """MSE of always predicting the mean of the truth, less that of the model.

    Formula: Σ ((y − ȳ)² − (y − f)²) / n.
    Reference: Diebold & Mariano (1995), doi:10.1080/07350015.1995.10524599.
    """
    gain = ratio(squares(TRUTH), weight_sum()) - mean_squared_error()
    return pl.when(varies(TRUTH)).then(gain)


@error_metric(
    "MAE below that of the median",
    bounds=_ANY,
    better="higher",
    undefined=CONSTANT_TRUTH,
    influence=_of_absolute,
    gain_of="mean_absolute_error",
    unit_power=1,
)
def mean_absolute_error_gain() -> pl.Expr:
    """MAE of always predicting the median of the truth, less that of the model.

    Formula: Σ (|y − median(y)| − |y − f|) / n.
    Reference: Diebold & Mariano (1995), doi:10.1080/07350015.1995.10524599.
    """
    median = of_every_row(quantile(TRUTH, 0.5))
    of_median = mean((TRUTH - median).abs(), about=About(median, slopes=(1, -1)))
    gain = of_median - mean_absolute_error()
    return pl.when(varies(TRUTH)).then(gain)
