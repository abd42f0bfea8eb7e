"""Measures of a regression: expressions over pairs of ``truth`` and ``estimate``.

``weight`` is the row's weight, 1 for all where rows are not weighted.
"""

from __future__ import annotations

import math

import polars as pl

from reportgen.metrics.aggregates import (
    About,
    every,
    greatest,
    mean,
    of_every_row,
    once_per_row,
    total,
)
from reportgen.metrics.pairs import (
    ERROR,
    ESTIMATE,
    TRUTH,
    error_metric,
    of_explained,
    of_root,
    of_share,
    quantile,
    squares,
    tweedie_deviance,
    unless_lost,
    varies,
)
from reportgen.metrics.registry import INFINITY, ratio
from reportgen.metrics.regression_quantiles import pinball_loss
from reportgen.text.reasons import CONSTANT_TRUTH, OF_EXTREME_ROWS

_Y, _F, _E = TRUTH, ESTIMATE, ERROR
_NOT_POSITIVE = "truth and estimate must be above zero"
_LOG_UNDEFINED = "a truth or an estimate is −1 or less"


_SCORE = (-INFINITY, 1.0)


@error_metric("MSE", core=True, mean=True, unit_power=2, aspect="size", one_row_decides=True)
def mean_squared_error() -> pl.Expr:
    """Mean of the squared errors.

    Formula: Σ (y − f)² / n.
    Book: 2.2.
    Reference: Zhou (2016), *Machine Learning*, eq. 2.2.
    """
    return unless_lost(mean(_E**2), every(_E == 0))


@error_metric(
    "RMSE",
    core=True,
    determined_by="mean_squared_error",
    influence=of_root,
    root=True,
    unit_power=1,
    aspect="size",
    one_row_decides=True,
)
def root_mean_squared_error() -> pl.Expr:
    """Root of the mean squared error, in the unit of the truth.

    Formula: √(Σ (y − f)² / n).
    Reference: Hyndman & Koehler (2006), doi:10.1016/j.ijforecast.2006.03.001.
    """
    return mean_squared_error().sqrt()


@error_metric("MAE", core=True, mean=True, unit_power=1, aspect="size")
def mean_absolute_error() -> pl.Expr:
    """Mean of the absolute errors.

    Formula: Σ |y − f| / n.
    Reference: Willmott & Matsuura (2005), doi:10.3354/cr030079.
    """
    return mean(_E.abs())


@error_metric("Median absolute error", core=True, unit_power=1, aspect="size")
def median_absolute_error() -> pl.Expr:
    """Median of the absolute errors.

    Formula: median |y − f|.
    Reference: Hyndman & Koehler (2006), doi:10.1016/j.ijforecast.2006.03.001.
    """
    return quantile(_E.abs(), 0.5)


@error_metric(
    "Maximum error", unit_power=1, aspect="size", discloses="single rows", no_limits=OF_EXTREME_ROWS
)
def maximum_error() -> pl.Expr:
    """Largest absolute error.

    Formula: max |y − f|.
    Reference: Botchkarev (2019), doi:10.28945/4184.
    """
    return greatest(_E.abs())


@error_metric(
    "Bias",
    bounds=(-INFINITY, INFINITY),
    better=None,
    core=True,
    mean=True,
    unit_power=1,
    aspect="size",
)
def mean_error() -> pl.Expr:
    """Mean error: positive where the estimates are too low.

    Formula: Σ (y − f) / n.
    Reference: Walther & Moore (2005), doi:10.1111/j.2005.0906-7590.04112.x.
    """
    return mean(_E)


@error_metric(
    "MAPE",
    undefined="a true value is zero",
    mean=True,
    heavy_tailed_mean="mean_absolute_percentage_error",
    by_truth=True,
    aspect="relative",
    unit="%",
)
def mean_absolute_percentage_error() -> pl.Expr:
    """Mean absolute error relative to the truth.

    Formula: Σ |y − f| / |y| / n.
    Reference: de Myttenaere et al. (2016), doi:10.1016/j.neucom.2015.12.114.
    """
    return pl.when(every(_Y != 0)).then(mean(_E.abs() / _Y.abs()))


@error_metric(
    "Symmetric MAPE",
    bounds=(0, 2),
    undefined="a truth and its estimate are both zero",
    mean=True,
    aspect="relative",
    unit="%",
)
def symmetric_mean_absolute_percentage_error() -> pl.Expr:
    """Mean absolute error relative to the mean size of truth and estimate.

    Formula: Σ 2|y − f| / (|y| + |f|) / n.
    Reference: Makridakis (1993), doi:10.1016/0169-2070(93)90079-3.
    """
    size = _Y.abs() + _F.abs()
    return pl.when(every(size > 0)).then(mean(2 * _E.abs() / size))


@error_metric(
    "Mean percentage error",
    bounds=(-INFINITY, INFINITY),
    better=None,
    undefined="a true value is zero",
    mean=True,
    by_truth=True,
    aspect="relative",
    unit="%",
)
def mean_percentage_error() -> pl.Expr:
    """Mean error relative to the truth.

    Formula: Σ (y − f) / y / n.
    Reference: Makridakis (1993), doi:10.1016/0169-2070(93)90079-3.
    """
    return pl.when(every(_Y != 0)).then(mean(_E / _Y))


@error_metric(
    "Mean squared log error",
    undefined=_LOG_UNDEFINED,
    mean=True,
    heavy_tailed_mean="mean_squared_log_error",
    aspect="relative",
)
def mean_squared_log_error() -> pl.Expr:
    """Mean squared difference of the logarithms of one plus the value.

    Formula: Σ (ln(1 + y) − ln(1 + f))² / n.
    Reference: Pedregosa et al. (2011), JMLR 12, 2825-2830.
    """
    inside = every(_Y > -1) & every(_F > -1)
    return pl.when(inside).then(mean(once_per_row(((_Y - _F) / (1 + _F)).log1p() ** 2)))


@error_metric(
    "Root mean squared log error",
    undefined=_LOG_UNDEFINED,
    heavy_tailed_mean="mean_squared_log_error",
    aspect="relative",
)
def root_mean_squared_log_error() -> pl.Expr:
    """Root of the mean squared log error.

    Formula: √(Σ (ln(1 + y) − ln(1 + f))² / n).
    Reference: Pedregosa et al. (2011), JMLR 12, 2825-2830.
    """
    return mean_squared_log_error().sqrt()


@error_metric("Huber loss", mean=True, heavy_tailed_mean="huber_loss", aspect="shape")
def huber_loss(delta: float = 1.0) -> pl.Expr:
    """Squared for small errors, absolute for large ones.

    Parameters: ``delta``, error up to which the loss is squared, in the unit of the truth.
    Formula: Σ (e²/2 where |e| ≤ δ, else δ(|e| − δ/2)) / n, δ = 1.
    Reference: Huber (1964), doi:10.1214/aoms/1177703732.
    """
    size = _E.abs()
    loss = pl.when(size <= delta).then(size**2 / 2).otherwise(delta * (size - delta / 2))
    return mean(loss)


@error_metric("Log-cosh loss", mean=True, heavy_tailed_mean="log_cosh_loss", aspect="shape")
def log_cosh_loss() -> pl.Expr:
    """Mean logarithm of the hyperbolic cosine of the errors.

    Formula: Σ ln cosh(y − f) / n.
    Reference: Saleh & Saleh (2022), doi:10.48550/arXiv.2208.04564.
    """
    size = _E.abs()
    # ln cosh x = ln(1 + 2 sinh²(x/2)) keeps small errors; that of large ones overflows.
    small = (2 * (size.clip(0, 1) / 2).sinh() ** 2).log1p()
    large = size + (-2 * size).exp().log1p() - math.log(2)
    return mean(once_per_row(pl.when(size < 1).then(small).otherwise(large)))


@error_metric(
    "R²",
    bounds=_SCORE,
    better="higher",
    undefined=CONSTANT_TRUTH,
    core=True,
    determined_by="mean_squared_error",
    influence=of_share,
    aspect="fit",
    best_constant="mean",
    skill_of="mean_squared_error",
    one_row_decides=True,
)
def r2() -> pl.Expr:
    """Proportion of the variance of the truth explained by the estimates.

    Formula: 1 − Σ (y − f)² / Σ (y − ȳ)².
    Reference: Kvålseth (1985), doi:10.1080/00031305.1985.10479448.
    """
    return 1 - ratio(total(_E**2), squares(_Y))


@error_metric(
    "Explained variance",
    bounds=_SCORE,
    better="higher",
    undefined=CONSTANT_TRUTH,
    tails_of="mean_squared_error",
    influence=of_explained,
    aspect="fit",
    best_constant="other",
    one_row_decides=True,
)
def explained_variance() -> pl.Expr:
    """R² without the effect of a constant bias.

    Formula: 1 − Var(y − f) / Var(y).
    Reference: Kvålseth (1985), doi:10.1080/00031305.1985.10479448.
    """
    return 1 - ratio(squares(_E), squares(_Y))


@error_metric("Relative absolute error", undefined=CONSTANT_TRUTH, aspect="relative")
def relative_absolute_error() -> pl.Expr:
    """Absolute error relative to always predicting the mean of the truth.

    Formula: Σ |y − f| / Σ |y − ȳ|.
    Reference: Witten & Frank (2005), *Data Mining*, 5.8.
    """
    middle = of_every_row(mean(_Y))
    distances = total((_Y - middle).abs(), about=About(middle, slopes=(1, -1)))
    return pl.when(varies(_Y)).then(ratio(total(_E.abs()), distances))


def d2_pinball(level: float = 0.5) -> pl.Expr:
    """Pinball loss relative to the best constant: 1 is perfect."""
    constant = of_every_row(quantile(_Y, level))
    gap = _Y - constant
    loss = pl.max_horizontal(level * gap, (level - 1) * gap)
    null = mean(loss, about=About(constant, slopes=(level, level - 1)))
    return pl.when(varies(_Y)).then(1 - ratio(pinball_loss(level), null))


@error_metric(
    "D² absolute error",
    bounds=_SCORE,
    better="higher",
    undefined=CONSTANT_TRUTH,
    aspect="fit",
    best_constant="median",
    skill_of="mean_absolute_error",
)
def d2_absolute_error() -> pl.Expr:
    """Absolute error relative to the best constant: 1 is perfect.

    Formula: 1 − Σ |y − f| / Σ |y − median(y)|.
    Reference: Koenker & Machado (1999), doi:10.1080/01621459.1999.10473882.
    """
    return d2_pinball(0.5)


@error_metric(
    "Poisson deviance",
    undefined="a truth is negative, or an estimate not above zero",
    mean=True,
    heavy_tailed_mean="poisson_deviance",
    aspect="shape",
)
def poisson_deviance() -> pl.Expr:
    """Mean deviance of a Poisson model.

    Formula: 2 Σ (y ln(y/f) − y + f) / n.
    Reference: McCullagh & Nelder (1989), *Generalized Linear Models*, 2.3.
    """
    return tweedie_deviance(1)


@error_metric(
    "Tweedie deviance 1.5",
    undefined="a truth is negative, or an estimate not above zero",
    mean=True,
    heavy_tailed_mean="tweedie_deviance_1_5",
    aspect="shape",
)
def tweedie_deviance_1_5() -> pl.Expr:
    """Mean deviance of a compound Poisson-gamma model with variance power 1.5.

    Formula: 2 Σ (y^(2−p)/((1−p)(2−p)) − y·f^(1−p)/(1−p) + f^(2−p)/(2−p)) / n, p = 1.5.
    Reference: Jørgensen (1987), doi:10.1111/j.2517-6161.1987.tb01685.x.
    """
    return tweedie_deviance(1.5)


@error_metric(
    "Gamma deviance",
    undefined=_NOT_POSITIVE,
    mean=True,
    heavy_tailed_mean="gamma_deviance",
    aspect="shape",
)
def gamma_deviance() -> pl.Expr:
    """Mean deviance of a gamma model.

    Formula: 2 Σ (ln(f/y) + y/f − 1) / n.
    Reference: McCullagh & Nelder (1989), *Generalized Linear Models*, 2.3.
    """
    return tweedie_deviance(2)
