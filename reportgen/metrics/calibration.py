"""Calibration beyond bins of equal width: equal-mass bins, recalibration, isotonic regression.

Four frames are read: the ``sweep``; ``masses``, bins with the same number of
rows; ``recalibration``, the one row of a logistic fit; ``isotonic``, each
distinct forecast with its isotonic estimate (``reportgen.curves.recalibration``).
"""

from __future__ import annotations

import polars as pl

from reportgen.intervals import Wald
from reportgen.metrics.probability import are_probabilities
from reportgen.metrics.registry import INFINITY, TP, probability_metric, ratio
from reportgen.metrics.sweep_terms import ALL, NEW, NEW_FP, NEW_TP, SCORE

_NO_FIT = (
    "a score is not in [0, 1], or those strictly between 0 and 1 "
    "separate the classes or are of one class"
)
_REAL = (-INFINITY, INFINITY)

_SQUARES = pl.sum_horizontal(
    pl.concat_list(pl.col(f"^{name}2?$").cast(pl.Float64)).list.last() for name in ("tp", "fp")
)
"""Sums of squared weights where the sweep has them, else the counts."""


@probability_metric("Spherical score", on="sweep", discloses="sums", from_cells="ordered")
def spherical_score() -> pl.Expr:
    """Spherical score: probability of the outcome over the length of the forecast; proper.

    Formula: Σ p(y) / √(p² + (1 − p)²) / n, p(y) the probability of the observed outcome; ½√2 for
    p = ½.
    Reference: Roby (1965), doi:10.1109/THFE.1965.6591255; Gneiting & Raftery (2007),
    doi:10.1198/016214506000001437.
    """
    length = (SCORE**2 + (1 - SCORE) ** 2).sqrt()
    score = (NEW_TP * SCORE + NEW_FP * (1 - SCORE)) / length
    return pl.when(are_probabilities()).then(ratio(score.sum(), ALL).clip(0, 1))


@probability_metric(
    "Observed / expected",
    on="sweep",
    bounds=(0, INFINITY),
    better=None,
    otherwise="all are 0",
    discloses="sums",
)
def observed_expected() -> pl.Expr:
    """Observed over expected number of positives: 1 is calibrated on average.

    Formula: Σ y / Σ p.
    Reference: Steyerberg et al. (2010), doi:10.1097/EDE.0b013e3181c30fb2.
    """
    return pl.when(are_probabilities()).then(ratio(TP.last(), (NEW * SCORE).sum()))


@probability_metric(
    "Spiegelhalter's z",
    on="sweep",
    bounds=_REAL,
    better=None,
    otherwise="all are 0, ½ or 1",
    discloses="sums",
    no_limits="it is the statistic of a test",
)
def spiegelhalter_z() -> pl.Expr:
    """Brier score minus its expectation under calibration, in standard errors.

    Formula: Σ w(y − p)(1 − 2p) / √(Σ w²(1 − 2p)² p(1 − p)), w the weights; standard normal
    where the forecasts are calibrated and the rows independent.
    Reference: Spiegelhalter (1986), doi:10.1002/sim.4780050506.
    """
    twist = 1 - 2 * SCORE
    excess = (twist * (NEW_TP * (1 - SCORE) - NEW_FP * SCORE)).sum()
    squares = _SQUARES - _SQUARES.shift(1, fill_value=0.0)
    spread = (squares * twist**2 * SCORE * (1 - SCORE)).sum()
    return pl.when(are_probabilities()).then(ratio(excess, spread.sqrt()))


_EFFECTIVE = ratio(pl.col("count") ** 2, pl.col("count2"))
"""Kish's effective number of rows of a bin: the rows themselves without weights."""
_COUNT, _OBSERVED, _FORECAST = pl.col("count"), pl.col("observed"), pl.col("mean_score")


@probability_metric(
    "Adaptive calibration error", on="masses", better="lower", from_cells="approximate"
)
def adaptive_calibration_error() -> pl.Expr:
    """Mean distance of forecast and outcome rate over equally filled bins.

    Formula: Σ nₖ|p̄ₖ − oₖ| / n over 10 bins of equal mass; equal forecasts share a bin.
    Reference: Nixon et al. (2019), doi:10.48550/arXiv.1904.01685.
    """
    return ratio((_COUNT * (_FORECAST - _OBSERVED).abs()).sum(), _COUNT.sum())


@probability_metric(
    "Debiased calibration error",
    on="masses",
    better="lower",
    otherwise="a bin has a single row",
    from_cells="approximate",
)
def debiased_calibration_error() -> pl.Expr:
    """Root mean squared distance of forecast and outcome rate, corrected for chance.

    Formula: √(Σ nₖ((p̄ₖ − oₖ)² − oₖ(1 − oₖ)/(nₖ − 1)) / n)₊ over 10 bins of equal mass; 0 where
    chance explains it all. With weights nₖ in nₖ − 1 is the effective number (Σw)²/Σw².
    Reference: Kumar, Liang & Ma (2019), doi:10.48550/arXiv.1909.10155.
    """
    noise = _OBSERVED * (1 - _OBSERVED) / (_EFFECTIVE - 1)
    square = ratio((_COUNT * ((_FORECAST - _OBSERVED) ** 2 - noise)).sum(), _COUNT.sum())
    return pl.when((_EFFECTIVE > 1 + 1e-9).all()).then(square.clip(0, 1).sqrt())


@probability_metric(
    "Hosmer–Lemeshow χ²",
    on="masses",
    bounds=(0, INFINITY),
    better="lower",
    otherwise="an observed outcome had probability 0",
    from_cells="approximate",
)
def hosmer_lemeshow() -> pl.Expr:
    """Sum over ten bins of squared excess positives over binomial variance.

    Formula: Σ nₖ(oₖ − p̄ₖ)² / (p̄ₖ(1 − p̄ₖ)) over 10 bins of equal mass, nₖ the rows, or the
    effective number (Σw)²/Σw² where they are weighted. Where the forecasts of new, independent rows
    are calibrated, it is about χ² with a degree of freedom per bin.
    Reference: Hosmer & Lemeshow (1980), doi:10.1080/03610928008827941.
    """
    excess, spread = (_OBSERVED - _FORECAST) ** 2, _FORECAST * (1 - _FORECAST)
    part = pl.when(excess > 0).then(_EFFECTIVE * excess / spread).otherwise(0.0)
    total = part.sum()
    return pl.when((pl.len() > 0) & total.is_finite()).then(total)


@probability_metric(
    "Calibration slope",
    on="recalibration",
    bounds=_REAL,
    better=None,
    undefined=_NO_FIT,
    interval=Wald("sandwich", pl.col("slope_variance"), _REAL),
    discloses="sums",
    from_cells="approximate",
)
def calibration_slope() -> pl.Expr:
    """Slope of the outcome's log odds on the forecast's: below 1, forecasts are too extreme.

    Formula: b in logit P(y = 1) = a + b·logit(p), by maximum likelihood, of the rows with
    0 < p < 1.
    Reference: Cox (1958), doi:10.1093/biomet/45.3-4.562; Van Calster et al. (2019),
    doi:10.1186/s12916-019-1466-7.
    """
    return pl.col("slope")


@probability_metric(
    "Calibration intercept",
    on="recalibration",
    bounds=_REAL,
    better=None,
    undefined=_NO_FIT,
    interval=Wald("sandwich", pl.col("intercept_variance"), _REAL),
    discloses="sums",
    from_cells="approximate",
)
def calibration_intercept() -> pl.Expr:
    """Log odds of the outcome where the forecast is one half.

    Formula: a in logit P(y = 1) = a + b·logit(p), by maximum likelihood, of the rows with
    0 < p < 1.
    Reference: Cox (1958), doi:10.1093/biomet/45.3-4.562.
    """
    return pl.col("intercept")


@probability_metric(
    "Calibration in the large",
    on="recalibration",
    bounds=_REAL,
    better=None,
    undefined="a score is not strictly between 0 and 1, or only one class is present",
    interval=Wald("sandwich", pl.col("in_the_large_variance"), _REAL),
    discloses="sums",
    from_cells="convex",
)
def calibration_in_the_large() -> pl.Expr:
    """Shift of all log odds that removes the average bias: above 0, forecasts are too low.

    Formula: a in logit P(y = 1) = a + logit(p), by maximum likelihood; scores are not clipped.
    Reference: Van Calster et al. (2019), doi:10.1186/s12916-019-1466-7.
    """
    return pl.col("in_the_large")


_POSITIVES, _NEGATIVES = pl.col("positives"), pl.col("negatives")
_EACH, _CALIBRATED, _FORECASTS = _POSITIVES + _NEGATIVES, pl.col("calibrated"), pl.col("score")


@probability_metric("Miscalibration (CORP)", on="isotonic", better="lower")
def corp_miscalibration() -> pl.Expr:
    """Part of the Brier score that recalibration by isotonic regression would remove.

    Formula: Brier − Brier of the isotonic estimates; miscalibration − discrimination +
    uncertainty is the Brier score exactly.
    Reference: Dimitriadis, Gneiting & Jordan (2021), doi:10.1073/pnas.2016191118.
    """
    # Σ (p − y)² − Σ (c − y)² = Σ (p − c)² + 2 Σ (p − c)(c − y), and isotonic estimates
    # are right on average over each block; what is left is the second sum over p.
    distance = _EACH * (_FORECASTS - _CALIBRATED) ** 2
    slope = 2 * (_FORECASTS - _CALIBRATED) * (_EACH * _CALIBRATED - _POSITIVES)
    inside = (_FORECASTS.min() >= 0) & (_FORECASTS.max() <= 1)
    return pl.when(inside).then(ratio((distance + slope).sum(), _EACH.sum()).clip(0, 1))


@probability_metric("Discrimination (CORP)", on="isotonic", bounds=(0, 0.25), from_cells="ordered")
def corp_discrimination() -> pl.Expr:
    """Part of the uncertainty that the isotonic estimates resolve.

    Formula: π(1 − π) − Brier of the isotonic estimates = Σ nₖ(cₖ − π)² / n.
    Reference: Dimitriadis, Gneiting & Jordan (2021), doi:10.1073/pnas.2016191118.
    """
    base = ratio(_POSITIVES.sum(), _EACH.sum())
    inside = (_FORECASTS.min() >= 0) & (_FORECASTS.max() <= 1)
    square = ratio((_EACH * (_CALIBRATED - base) ** 2).sum(), _EACH.sum())
    return pl.when(inside).then(square.clip(0, 0.25))


@probability_metric(
    "Integrated calibration index, isotonic", on="isotonic", better="lower", from_cells="uncertain"
)
def integrated_calibration_index() -> pl.Expr:
    """Mean distance of the forecasts from their isotonic estimates.

    Formula: Σ |pᵢ − c(pᵢ)| / n, c the isotonic regression of the outcome on the forecast.
    Reference: Austin & Steyerberg (2019), doi:10.1002/sim.8281, there with a smoothed curve.
    """
    inside = (_FORECASTS.min() >= 0) & (_FORECASTS.max() <= 1)
    distance = (_EACH * (_FORECASTS - _CALIBRATED).abs()).sum()
    return pl.when(inside).then(ratio(distance, _EACH.sum()).clip(0, 1))
