"""Measures of estimates of a number: expressions over pairs of ``truth`` and ``estimate``.

``weight`` is the row's weight, 1 for all where rows are not weighted; ``low``
and ``high`` are the ends of a prediction interval where the model gives one.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import polars as pl

from reportgen.metrics.deviance import tweedie_deviance
from reportgen.metrics.pairs import (
    ERROR,
    ESTIMATE,
    TRUTH,
    WEIGHT,
    mean,
    quantile,
    unless_lost,
    varies,
)
from reportgen.metrics.registry import INFINITY, NO_ROWS, Better, Build, metric, ratio

_Y, _F, _W, _E = TRUTH, ESTIMATE, WEIGHT, ERROR
_CONSTANT = "the truth is constant"
_NOT_POSITIVE = "truth and estimate must be above zero"
_EQUAL_WEIGHTS = (_W.max() - _W.min()) <= 0


def _of(
    label: str,
    *,
    bounds: tuple[float, float] = (0, INFINITY),
    better: Better | None = "lower",
    undefined: str = NO_ROWS,
    core: bool = False,
    fixed_by: str | None = None,
    mean: bool = False,
    influence: Callable[[], pl.Expr] | None = None,
) -> Callable[[Build], Build]:
    """A measure of errors: what ``metric`` takes, with this task's defaults."""
    return metric(
        task="regression",
        label=label,
        group="error",
        on="pairs",
        bounds=bounds,
        better=better,
        undefined=undefined,
        core=core,
        fixed_by=fixed_by,
        mean=mean,
        influence=influence,
    )


def _of_root() -> pl.Expr:
    """Contribution to the root of the mean squared error: (e² − MSE) / (2·RMSE)."""
    return (_E**2 - mean(_E**2)) / (2 * mean(_E**2).sqrt())


def _of_share() -> pl.Expr:
    """Contribution to R²: −(e² − (1 − R²)·(y − ȳ)²) / Var(y)."""
    around, missed = (_Y - mean(_Y)) ** 2, _E**2
    return (mean(missed) / mean(around) * around - missed) / mean(around)


def _of_explained() -> pl.Expr:
    """Contribution to the explained variance, as to R² of errors less their mean."""
    around, missed = (_Y - mean(_Y)) ** 2, (_E - mean(_E)) ** 2
    return (mean(missed) / mean(around) * around - missed) / mean(around)


def _of_correlation() -> pl.Expr:
    """Contribution to Pearson's r: z_y·z_f − r·(z_y² + z_f²)/2 with standardised z."""
    y, f = ((v - mean(v)) / mean((v - mean(v)) ** 2).sqrt() for v in (_Y, _F))
    return y * f - mean(y * f) * (y**2 + f**2) / 2


_SCORE = (-INFINITY, 1.0)


@_of("MSE", core=True, mean=True)
def mean_squared_error() -> pl.Expr:
    """Mean of the squared errors.

    Formula: Σ (y − f)² / n.
    Book: 2.2.
    Reference: Zhou (2016), *Machine Learning*, eq. 2.2.
    """
    return unless_lost(mean(_E**2), (_E == 0).all())


@_of("RMSE", core=True, fixed_by="mean_squared_error", influence=_of_root)
def root_mean_squared_error() -> pl.Expr:
    """Root of the mean squared error, in the unit of the truth.

    Formula: √(Σ (y − f)² / n).
    Reference: Hyndman & Koehler (2006), doi:10.1016/j.ijforecast.2006.03.001.
    """
    return mean_squared_error().sqrt()


@_of("MAE", core=True, mean=True)
def mean_absolute_error() -> pl.Expr:
    """Mean of the absolute errors.

    Formula: Σ |y − f| / n.
    Reference: Willmott & Matsuura (2005), doi:10.3354/cr030079.
    """
    return mean(_E.abs())


@_of("Median absolute error", core=True)
def median_absolute_error() -> pl.Expr:
    """Median of the absolute errors.

    Formula: median |y − f|.
    Reference: Hyndman & Koehler (2006), doi:10.1016/j.ijforecast.2006.03.001.
    """
    return quantile(_E.abs(), 0.5)


@_of("Maximum error")
def maximum_error() -> pl.Expr:
    """Greatest absolute error.

    Formula: max |y − f|.
    Reference: Botchkarev (2019), doi:10.28945/4184.
    """
    return _E.abs().max()


@_of("Bias", bounds=(-INFINITY, INFINITY), better=None, core=True, mean=True)
def mean_error() -> pl.Expr:
    """Mean error: positive where the estimates are too low.

    Formula: Σ (y − f) / n.
    Reference: Walther & Moore (2005), doi:10.1111/j.2005.0906-7590.04112.x.
    """
    return mean(_E)


@_of("MAPE", undefined="a true value is zero", mean=True)
def mean_absolute_percentage_error() -> pl.Expr:
    """Mean absolute error as a share of the truth.

    Formula: Σ |y − f| / |y| / n.
    Reference: de Myttenaere et al. (2016), doi:10.1016/j.neucom.2015.12.114.
    """
    return pl.when((_Y != 0).all()).then(mean(_E.abs() / _Y.abs()))


@_of("Symmetric MAPE", bounds=(0, 2), undefined="a truth and its estimate are both zero", mean=True)
def symmetric_mean_absolute_percentage_error() -> pl.Expr:
    """Mean absolute error as a share of the mean size of truth and estimate.

    Formula: Σ 2|y − f| / (|y| + |f|) / n.
    Reference: Makridakis (1993), doi:10.1016/0169-2070(93)90079-3.
    """
    size = _Y.abs() + _F.abs()
    return pl.when((size > 0).all()).then(mean(2 * _E.abs() / size))


@_of(
    "Mean percentage error",
    bounds=(-INFINITY, INFINITY),
    better=None,
    undefined="a true value is zero",
    mean=True,
)
def mean_percentage_error() -> pl.Expr:
    """Mean error as a share of the truth.

    Formula: Σ (y − f) / y / n.
    Reference: Makridakis (1993), doi:10.1016/0169-2070(93)90079-3.
    """
    return pl.when((_Y != 0).all()).then(mean(_E / _Y))


@_of("Mean squared log error", undefined="a truth or an estimate is −1 or less", mean=True)
def mean_squared_log_error() -> pl.Expr:
    """Mean squared difference of the logarithms of one plus the value.

    Formula: Σ (ln(1 + y) − ln(1 + f))² / n.
    Reference: Pedregosa et al. (2011), JMLR 12, 2825-2830.
    """
    inside = (_Y > -1).all() & (_F > -1).all()
    return pl.when(inside).then(mean(((_Y - _F) / (1 + _F)).log1p() ** 2))


@_of("Root mean squared log error", undefined="a truth or an estimate is −1 or less")
def root_mean_squared_log_error() -> pl.Expr:
    """Root of the mean squared log error.

    Formula: √(Σ (ln(1 + y) − ln(1 + f))² / n).
    Reference: Pedregosa et al. (2011), JMLR 12, 2825-2830.
    """
    return mean_squared_log_error().sqrt()


@_of("Huber loss", mean=True)
def huber_loss(delta: float = 1.0) -> pl.Expr:
    """Squared for small errors, absolute for large ones.

    Formula: Σ (e²/2 where |e| ≤ δ, else δ(|e| − δ/2)) / n, δ = 1.
    Reference: Huber (1964), doi:10.1214/aoms/1177703732.
    """
    size = _E.abs()
    loss = pl.when(size <= delta).then(size**2 / 2).otherwise(delta * (size - delta / 2))
    return mean(loss)


@_of("Log-cosh loss", mean=True)
def log_cosh_loss() -> pl.Expr:
    """Mean logarithm of the hyperbolic cosine of the errors.

    Formula: Σ ln cosh(y − f) / n.
    Reference: Saleh & Saleh (2022), doi:10.48550/arXiv.2208.04564.
    """
    size = _E.abs()
    # ln cosh x = ln(1 + 2 sinh²(x/2)) keeps small errors; that of large ones overflows.
    small = (2 * (size.clip(0, 1) / 2).sinh() ** 2).log1p()
    large = size + (-2 * size).exp().log1p() - math.log(2)
    return mean(pl.when(size < 1).then(small).otherwise(large))


@_of(
    "R²",
    bounds=_SCORE,
    better="higher",
    undefined=_CONSTANT,
    core=True,
    fixed_by="mean_squared_error",
    influence=_of_share,
)
def r2() -> pl.Expr:
    """Share of the variance of the truth that the estimates account for.

    Formula: 1 − Σ (y − f)² / Σ (y − ȳ)².
    Reference: Kvålseth (1985), doi:10.1080/00031305.1985.10479448.
    """
    return 1 - ratio((_W * _E**2).sum(), _squares(_Y))


@_of(
    "Explained variance",
    bounds=_SCORE,
    better="higher",
    undefined=_CONSTANT,
    influence=_of_explained,
)
def explained_variance() -> pl.Expr:
    """As R², but a constant bias is forgiven.

    Formula: 1 − Var(y − f) / Var(y).
    Reference: Kvålseth (1985), doi:10.1080/00031305.1985.10479448.
    """
    return 1 - ratio(_squares(_E), _squares(_Y))


@_of("Relative absolute error", undefined=_CONSTANT)
def relative_absolute_error() -> pl.Expr:
    """Absolute error against that of always giving the mean of the truth.

    Formula: Σ |y − f| / Σ |y − ȳ|.
    Reference: Witten & Frank (2005), *Data Mining*, 5.8.
    """
    distances = (_W * (_Y - mean(_Y)).abs()).sum()
    return pl.when(varies(_Y)).then(ratio((_W * _E.abs()).sum(), distances))


@_of("Pinball loss, median", better="lower", mean=True)
def pinball_median() -> pl.Expr:
    """Pinball loss at the median: half the mean absolute error.

    Formula: Σ max(t(y − f), (t − 1)(y − f)) / n, t = 0.5.
    Reference: Koenker & Bassett (1978), doi:10.2307/1913643.
    """
    return pinball_loss(0.5)


@_of("Pinball loss, 10th percentile", mean=True)
def pinball_low() -> pl.Expr:
    """Pinball loss at the level 0.1.

    Formula: Σ max(t(y − f), (t − 1)(y − f)) / n, t = 0.1.
    Reference: Koenker & Bassett (1978), doi:10.2307/1913643.
    """
    return pinball_loss(0.1)


@_of("Pinball loss, 90th percentile", mean=True)
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
    return mean(pl.max_horizontal(level * _E, (level - 1) * _E))


def d2_pinball(level: float = 0.5) -> pl.Expr:
    """Share of the pinball loss of the best constant that is saved."""
    constant = quantile(_Y, level)
    gap = _Y - constant
    null = mean(pl.max_horizontal(level * gap, (level - 1) * gap))
    return pl.when(varies(_Y)).then(1 - ratio(pinball_loss(level), null))


@_of("D² absolute error", bounds=_SCORE, better="higher", undefined=_CONSTANT)
def d2_absolute_error() -> pl.Expr:
    """Share of the absolute error of the best constant that is saved.

    Formula: 1 − Σ |y − f| / Σ |y − median(y)|.
    Reference: Koenker & Machado (1999), doi:10.1080/01621459.1999.10473882.
    """
    return d2_pinball(0.5)


@_of("Poisson deviance", undefined="a truth is negative, or an estimate not above zero", mean=True)
def poisson_deviance() -> pl.Expr:
    """Mean deviance of a Poisson model.

    Formula: 2 Σ (y ln(y/f) − y + f) / n.
    Reference: McCullagh & Nelder (1989), *Generalized Linear Models*, 2.3.
    """
    return tweedie_deviance(1)


@_of(
    "Tweedie deviance 1.5",
    undefined="a truth is negative, or an estimate not above zero",
    mean=True,
)
def tweedie_deviance_1_5() -> pl.Expr:
    """Mean deviance of a compound Poisson-gamma model with variance power 1.5.

    Formula: 2 Σ (y^(2−p)/((1−p)(2−p)) − y·f^(1−p)/(1−p) + f^(2−p)/(2−p)) / n, p = 1.5.
    Reference: Jørgensen (1987), doi:10.1111/j.2517-6161.1987.tb01685.x.
    """
    return tweedie_deviance(1.5)


@_of("Gamma deviance", undefined=_NOT_POSITIVE, mean=True)
def gamma_deviance() -> pl.Expr:
    """Mean deviance of a gamma model.

    Formula: 2 Σ (ln(f/y) + y/f − 1) / n.
    Reference: McCullagh & Nelder (1989), *Generalized Linear Models*, 2.3.
    """
    return tweedie_deviance(2)


@_of(
    "Pearson's r",
    bounds=(-1, 1),
    better="higher",
    undefined="truth or estimate is constant",
    core=True,
    influence=_of_correlation,
)
def pearson_r() -> pl.Expr:
    """Linear correlation of truth and estimate.

    Formula: Σ (y − ȳ)(f − f̄) / √(Σ (y − ȳ)² Σ (f − f̄)²).
    Reference: Pearson (1895), doi:10.1098/rspl.1895.0041.
    """
    # The product of both sums of squares would leave the range of floats sooner.
    slope = ratio(_products(), _squares(_Y))
    return (slope * ratio(_squares(_Y), _squares(_F)).sqrt()).clip(-1, 1)


@_of(
    "Spearman's ρ",
    bounds=(-1, 1),
    better="higher",
    undefined="truth or estimate is constant, or rows are weighted",
)
def spearman_rho() -> pl.Expr:
    """Linear correlation of the ranks of truth and estimate, ties at their mean rank.

    Formula: Pearson's r of the ranks.
    Reference: Spearman (1904), doi:10.2307/1412159.
    """
    y, f = (column.rank("average") for column in (_Y, _F))
    a, b = y - y.mean(), f - f.mean()
    found = ratio((a * b).sum(), ((a**2).sum() * (b**2).sum()).sqrt())
    return pl.when(_EQUAL_WEIGHTS).then(found.clip(-1, 1))


@_of(
    "Kendall's τ-b",
    bounds=(-1, 1),
    better="higher",
    undefined="truth or estimate is constant, or rows are weighted",
)
def kendall_tau() -> pl.Expr:
    """Agreement of the order of all pairs of rows, ties taken out.

    Formula: (concordant − discordant) / √((pairs − ties in y)(pairs − ties in f)).
    Reference: Kendall (1945), doi:10.1093/biomet/33.3.239.
    """
    found = pl.struct(_Y.alias("y"), _F.alias("f")).map_batches(
        _kendall, return_dtype=pl.Float64, returns_scalar=True
    )
    return pl.when(_EQUAL_WEIGHTS).then(found)


@_of(
    "Concordance correlation",
    bounds=(-1, 1),
    better="higher",
    undefined="there are fewer than two rows, or truth and estimate are the same constant",
)
def concordance_correlation() -> pl.Expr:
    """Agreement with the line of identity: correlation, less for shift and scale.

    Formula: 2·s_yf / (s²_y + s²_f + (ȳ − f̄)²), with n − 1 in the variances, n the effective
    number of rows (Σw)²/Σw² where they are weighted.
    Reference: Lin (1989), doi:10.2307/2532051.
    """
    rows = _W.sum() - (_W**2).sum() / _W.sum()
    shift = (mean(_Y) - mean(_F)) ** 2
    products = pl.when(varies(_Y) & varies(_F)).then(_products()).otherwise(0.0)
    return ratio(2 * products, _squares(_Y) + _squares(_F) + rows * shift)


@_of(
    "Interval coverage",
    bounds=(0, 1),
    better=None,
    undefined="the model gives no prediction interval",
    core=True,
    mean=True,
)
def interval_coverage() -> pl.Expr:
    """Share of the rows whose truth lies in the prediction interval.

    Formula: Σ 1(low ≤ y ≤ high) / n.
    Reference: Gneiting & Raftery (2007), doi:10.1198/016214506000001437.
    """
    inside = (pl.col("low") <= _Y) & (pl.col("high") >= _Y)
    return mean(inside.cast(pl.Float64))


@_of("Interval width", undefined="the model gives no prediction interval", core=True, mean=True)
def interval_width() -> pl.Expr:
    """Mean width of the prediction interval, in the unit of the truth.

    Formula: Σ (high − low) / n.
    Reference: Gneiting & Raftery (2007), doi:10.1198/016214506000001437.
    """
    return mean(pl.col("high") - pl.col("low"))


@_of("Winkler score", undefined="the model gives no prediction interval", mean=True)
def winkler_score(level: float = 0.95) -> pl.Expr:
    """Width of the interval plus a penalty for each truth outside it.

    Formula: Σ (high − low + 2/α·(low − y)₊ + 2/α·(y − high)₊) / n, 1 − α the level.
    Reference: Winkler (1972), doi:10.1080/01621459.1972.10481224.
    """
    low, high = pl.col("low"), pl.col("high")
    outside = (low - _Y).clip(0) + (_Y - high).clip(0)
    return mean(high - low + 2 / (1 - level) * outside)


def _squares(value: pl.Expr) -> pl.Expr:
    """Sum of the squared distances from the mean: exactly 0 where the values are equal."""
    squares = (_W * (value - mean(value)) ** 2).sum()
    return pl.when(varies(value)).then(unless_lost(squares, pl.lit(False))).otherwise(0.0)


def _products() -> pl.Expr:
    return (_W * (_Y - mean(_Y)) * (_F - mean(_F))).sum()


def _kendall(pairs: pl.Series) -> float | None:
    from scipy.stats import kendalltau

    if len(pairs) < 2:
        return None
    found = float(kendalltau(pairs.struct.field("y"), pairs.struct.field("f")).statistic)
    return None if math.isnan(found) else found
