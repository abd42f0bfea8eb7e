"""Share of a loss of the best constant that a regression saves: R² for other losses."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from reportgen.metrics.aggregates import mean, of_every_row
from reportgen.metrics.facts import BestConstant
from reportgen.metrics.pairs import error_metric, tweedie_deviance, varies
from reportgen.metrics.registry import INFINITY, BuildExpression, ratio
from reportgen.metrics.regression import d2_pinball
from reportgen.text.reasons import CONSTANT_TRUTH

_TRUTH = pl.col("truth").cast(pl.Float64)
_OUTSIDE = "the truth is constant or negative, or an estimate is not above zero"


def d2_tweedie(power: float) -> pl.Expr:
    """Share of the Tweedie deviance of the mean that is saved; null where that is 0.

    Hastie, Tibshirani & Wainwright (2015), *Statistical Learning with Sparsity*, 3.2.
    """
    null = tweedie_deviance(power, of_every_row(mean(_TRUTH)))
    return pl.when(varies(_TRUTH)).then(1 - ratio(tweedie_deviance(power), null))


def _share(
    label: str,
    skill_of: str,
    undefined: str = _OUTSIDE,
    best_constant: BestConstant = "mean",
) -> Callable[[BuildExpression], BuildExpression]:
    """Register the skill of a loss; the mean is the best constant of deviances."""
    return error_metric(
        label,
        bounds=(-INFINITY, 1.0),
        better="higher",
        undefined=undefined,
        heavy_tailed_mean=skill_of if best_constant == "mean" else None,
        best_constant=best_constant,
        skill_of=skill_of,
    )


@_share("D² Poisson deviance", "poisson_deviance")
def d2_poisson() -> pl.Expr:
    """Poisson deviance relative to the mean of the truth: 1 is perfect.

    Formula: 1 − Σ d(y, f) / Σ d(y, ȳ), d(y, f) = y ln(y/f) − y + f.
    Reference: Cameron & Windmeijer (1996), doi:10.1080/07350015.1996.10524648.
    """
    return d2_tweedie(1)


@_share("D² Tweedie deviance 1.5", "tweedie_deviance_1_5")
def d2_tweedie_1_5() -> pl.Expr:
    """Compound Poisson-gamma deviance (power 1.5) relative to the mean of the truth: 1 is perfect.

    Formula: 1 − Σ d(y, f) / Σ d(y, ȳ), d the unit deviance of power 1.5.
    Reference: Jørgensen (1987), doi:10.1111/j.2517-6161.1987.tb01685.x.
    """
    return d2_tweedie(1.5)


@_share(
    "D² gamma deviance",
    "gamma_deviance",
    "the truth is constant or not above zero, or an estimate is not",
)
def d2_gamma() -> pl.Expr:
    """Gamma deviance relative to the mean of the truth: 1 is perfect.

    Formula: 1 − Σ d(y, f) / Σ d(y, ȳ), d(y, f) = ln(f/y) + y/f − 1.
    Reference: Cameron & Windmeijer (1997), doi:10.1016/S0304-4076(96)01818-0.
    """
    return d2_tweedie(2)


@_share("D² pinball loss at the 10th percentile", "pinball_low", CONSTANT_TRUTH, "other")
def d2_pinball_low() -> pl.Expr:
    """Pinball loss at 0.1 relative to the best constant: 1 is perfect.

    Formula: 1 − Σ ρ(y − f) / Σ ρ(y − q), q the 10th percentile of the truth.
    Reference: Koenker & Machado (1999), doi:10.1080/01621459.1999.10473882.
    """
    return d2_pinball(0.1)


@_share("D² pinball loss at the 90th percentile", "pinball_high", CONSTANT_TRUTH, "other")
def d2_pinball_high() -> pl.Expr:
    """Pinball loss at 0.9 relative to the best constant: 1 is perfect.

    Formula: 1 − Σ ρ(y − f) / Σ ρ(y − q), q the 90th percentile of the truth.
    Reference: Koenker & Machado (1999), doi:10.1080/01621459.1999.10473882.
    """
    return d2_pinball(0.9)
