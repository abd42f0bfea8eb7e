"""Measures of probabilities: expressions over a sweep or its calibration bins.

In a sweep every distinct score is a threshold, so the rows that it adds are
the rows with that forecast. Scores outside the unit interval give null.
"""

from __future__ import annotations

import polars as pl

from reportgen.intervals import MeanLoss, Miscalibration, Resolution
from reportgen.metrics.registry import INFINITY, TP, probability_metric, ratio
from reportgen.metrics.sweep_terms import ALL, NEW, NEW_FP, NEW_TP, SCORE
from reportgen.text.reasons import DRAWN_TWICE, RAISED_BY_NOISE

_BASE = ratio(TP.last(), ALL)


def are_probabilities() -> pl.Expr:
    """True when every score of the sweep lies in the unit interval."""
    return (SCORE.min() >= 0) & (SCORE.max() <= 1)


def _if_probabilities(value: pl.Expr) -> pl.Expr:
    return pl.when(are_probabilities()).then(value)


@probability_metric(
    "Brier score",
    on="sweep",
    better="lower",
    interval=MeanLoss((0, 1)),
    core=True,
    discloses="sums",
    from_cells="convex",
)
def brier_score() -> pl.Expr:
    """Mean squared difference of forecast and outcome.

    Formula: Σ (p − y)² / n.
    Reference: Brier (1950), doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.
    """
    loss = NEW_TP * (1 - SCORE) ** 2 + NEW_FP * SCORE**2
    return _if_probabilities(ratio(loss.sum(), ALL))


@probability_metric(
    "Brier skill",
    on="sweep",
    bounds=(-INFINITY, 1),
    otherwise="only one class is present",
    discloses="sums",
    from_cells="convex",
    skill_of="brier_score",
)
def brier_skill() -> pl.Expr:
    """Brier score relative to always forecasting the prevalence: 1 is perfect.

    Formula: 1 − Brier / (π(1 − π)), π the prevalence.
    Reference: Murphy (1973), doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2.
    """
    return 1 - ratio(brier_score(), _BASE * (1 - _BASE))


@probability_metric(
    "Log loss",
    on="sweep",
    bounds=(0, INFINITY),
    better="lower",
    otherwise="an observed outcome had probability 0",
    interval=MeanLoss((0, INFINITY)),
    core=True,
    discloses="sums",
    unit="nats per row",
    from_cells="convex",
)
def log_loss() -> pl.Expr:
    """Mean negative log probability of the outcome, without clipping.

    Formula: −Σ (y ln p + (1 − y) ln(1 − p)) / n.
    Reference: Good (1952), doi:10.1111/j.2517-6161.1952.tb00104.x.
    """
    positive_loss = pl.when(NEW_TP > 0).then(NEW_TP * SCORE.log()).otherwise(0.0)
    miss = pl.when(NEW_FP > 0).then(NEW_FP * (-SCORE).log1p()).otherwise(0.0)
    loss = -ratio((positive_loss + miss).sum(), ALL)
    return _if_probabilities(pl.when(loss.is_finite()).then(loss.clip(0)))


@probability_metric(
    "D² log loss",
    on="sweep",
    bounds=(-INFINITY, 1),
    undefined="the log loss has no value, or only one class is present",
    discloses="sums",
    from_cells="convex",
    skill_of="log_loss",
)
def d2_log_loss() -> pl.Expr:
    """Log loss relative to always forecasting the prevalence: 1 is perfect.

    Formula: 1 − log loss / (−π ln π − (1 − π) ln(1 − π)).
    Reference: McFadden (1974), in Zarembka, *Frontiers in Econometrics*, 105-142.
    """
    share = ratio(TP.last(), ALL)
    both = (share > 0) & (share < 1)
    null = -(share * share.log() + (1 - share) * (1 - share).log())
    return 1 - pl.when(both).then(log_loss() / null)


@probability_metric(
    "Brier uncertainty", on="sweep", bounds=(0, 0.25), better=None, discloses="sums"
)
def brier_uncertainty() -> pl.Expr:
    """Brier score of always forecasting the prevalence.

    Formula: π(1 − π).
    Reference: Murphy (1973), doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2.
    """
    return _if_probabilities(_BASE * (1 - _BASE))


@probability_metric(
    "Brier reliability, distinct forecasts",
    on="sweep",
    better="lower",
    no_limits=DRAWN_TWICE,
    from_cells="not distinct",
)
def brier_reliability_distinct() -> pl.Expr:
    """Reliability part of the Brier score by distinct forecast values.

    Formula: Σ nₖ(pₖ − oₖ)² / n over the distinct forecasts; reliability − resolution +
    uncertainty is then the Brier score exactly.
    Reference: Murphy (1973), doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2.
    """
    part = NEW * (SCORE - ratio(NEW_TP, NEW)) ** 2
    return _if_probabilities(ratio(part.sum(), ALL))


@probability_metric(
    "Brier resolution, distinct forecasts",
    on="sweep",
    bounds=(0, 0.25),
    no_limits=DRAWN_TWICE,
    from_cells="not distinct",
)
def brier_resolution_distinct() -> pl.Expr:
    """Resolution part of the Brier score by distinct forecast values.

    Formula: Σ nₖ(oₖ − π)² / n over the distinct forecasts.
    Reference: Murphy (1973), doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2.
    """
    part = NEW * (ratio(NEW_TP, NEW) - _BASE) ** 2
    return _if_probabilities(ratio(part.sum(), ALL))


_COUNT, _OBSERVED, _FORECAST = pl.col("count"), pl.col("observed"), pl.col("mean_score")
_GAP = (_FORECAST - _OBSERVED).abs()


@probability_metric(
    "Brier reliability", on="bins", better="lower", interval=Miscalibration(2), core=True
)
def brier_reliability() -> pl.Expr:
    """Mean squared difference of forecast and outcome rate over the bins.

    Formula: Σ nₖ(p̄ₖ − oₖ)² / n over the bins.
    Reference: Murphy (1973), doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2.
    """
    return ratio((_COUNT * _GAP**2).sum(), _COUNT.sum())


@probability_metric(
    "Brier resolution", on="bins", bounds=(0, 0.25), interval=Resolution(), core=True
)
def brier_resolution() -> pl.Expr:
    """Mean squared difference of the bins' outcome rates from the prevalence.

    Formula: Σ nₖ(oₖ − π)² / n over the bins.
    Reference: Murphy (1973), doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2.
    """
    base = ratio((_COUNT * _OBSERVED).sum(), _COUNT.sum())
    return ratio((_COUNT * (_OBSERVED - base) ** 2).sum(), _COUNT.sum())


@probability_metric(
    "Expected calibration error",
    on="bins",
    better="lower",
    interval=Miscalibration(),
    core=True,
    averages_without_limits=("macro",),
    class_limits_independent=True,
)
def expected_calibration_error() -> pl.Expr:
    """Mean distance of forecast and outcome rate over the bins.

    Formula: Σ nₖ|p̄ₖ − oₖ| / n over 10 bins of equal width.
    Reference: Naeini et al. (2015), doi:10.1609/aaai.v29i1.9602.
    """
    return ratio((_COUNT * _GAP).sum(), _COUNT.sum())


@probability_metric(
    "Maximum calibration error", on="bins", better="lower", no_limits=RAISED_BY_NOISE
)
def maximum_calibration_error() -> pl.Expr:
    """Largest distance of forecast and outcome rate in any bin.

    Formula: max |p̄ₖ − oₖ| over 10 bins of equal width.
    Reference: Naeini et al. (2015), doi:10.1609/aaai.v29i1.9602.
    """
    return _GAP.max()


@probability_metric(
    "Root mean squared calibration error", on="bins", better="lower", no_limits=RAISED_BY_NOISE
)
def root_mean_squared_calibration_error() -> pl.Expr:
    """Root of the mean squared distance of forecast and outcome rate over the bins.

    Formula: √(Σ nₖ(p̄ₖ − oₖ)² / n) over 10 bins of equal width.
    Reference: Hendrycks et al. (2019), doi:10.48550/arXiv.1812.04606.
    """
    return brier_reliability().sqrt()
