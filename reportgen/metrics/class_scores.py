"""Measures of scores for several classes: expressions over the rows.

Each row says how the scores met the truth: ``of_truth`` is the score of the
true class, ``above`` the number of classes that score higher, ``highest`` the
highest score, ``right`` whether the prediction is the truth, ``squares`` the sum of
the squared scores, ``total`` their sum, ``tolerance`` how far from 1 that of
probabilities may be (``sum_tolerance``), ``weight`` the row's weight; ``base`` is
the share of all rows that have the true class, ``bases`` the sum of the squared
shares of the classes.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reportgen.intervals import MeanLoss
from reportgen.metrics import aggregates, probability
from reportgen.metrics.aggregates import greatest, in_every_row, least
from reportgen.metrics.registry import (
    INFINITY,
    metric,
    probability_metric,
    ratio,
)
from reportgen.small_queries import total

_P = pl.col("of_truth")


LEAST_TOLERANCE = 1e-4
"""Sums of probabilities of single precision are this near to 1."""

_ROUNDING = 1e-9
"""How far a sum of floats may be off besides."""

DECIMALS = range(2, 9)
"""Numbers of decimals that scores may be rounded to; fewer than 2 are no rounding."""


def sum_tolerance(frame: pl.DataFrame, scores: Sequence[str]) -> float:
    """How far from 1 the sum of a row's probabilities may be, by the decimals that they have.

    Each of K scores rounded to d decimals is off by up to half a unit of the last
    one, their sum by K/2 · 10⁻ᵈ. Scores that are not all rounded to 2 to 8
    decimals, and small sums of errors, have ``LEAST_TOLERANCE``.

    >>> thirds = pl.DataFrame({"a": [0.333, 0.25], "b": [0.333, 0.25], "c": [0.333, 0.5]})
    >>> sum_tolerance(thirds, ["a", "b", "c"])
    0.0015
    """
    # Few rows nearly always tell that the scores of all are not rounded.
    few = [frame[name].head(100) for name in scores]
    candidates = [d for d in DECIMALS if all((one.round(d) == one).all() for one in few)]
    return tolerance_of(_decimals(frame, scores, candidates), len(scores))


def tolerance_of(decimals: Sequence[int], classes: int) -> float:
    """The same of scores that none has more of than each of these numbers of decimals."""
    rounding = classes / 2 * 10.0 ** -min(decimals) if decimals else 0.0
    return max(rounding, LEAST_TOLERANCE)


def decimals_of(frame: pl.DataFrame, scores: Sequence[str]) -> Sequence[int]:
    """Numbers of decimals that no score has more of."""
    return _decimals(frame, scores, DECIMALS)


def _decimals(
    frame: pl.DataFrame, scores: Sequence[str], candidates: Sequence[int]
) -> Sequence[int]:
    """Those of the numbers of decimals that no score has more of."""
    rounded = frame.select(
        pl.all_horizontal(pl.col(name).round(digits) == pl.col(name) for name in scores)
        .all()
        .alias(str(digits))
        for digits in candidates
    )
    return [digits for digits in candidates if rounded[str(digits)].item()]


def add_up(tolerance: pl.Expr, total: pl.Expr) -> pl.Expr:
    """Whether the scores of a row sum to 1 within the tolerance, and the rounding of the sum."""
    return (total - 1).abs() <= tolerance + _ROUNDING


def are_probabilities() -> pl.Expr:
    """True when no score is below 0 and those of every row sum to 1 within ``sum_tolerance``."""
    away = greatest((pl.col("total") - 1).abs())
    return (away <= in_every_row(pl.col("tolerance")) + _ROUNDING) & (least(pl.col("lowest")) >= 0)


def _mean(value: pl.Expr) -> pl.Expr:
    return aggregates.mean(value, total)


@probability_metric(
    "Log loss",
    task="multiclass",
    on="rows",
    bounds=(0, INFINITY),
    better="lower",
    otherwise="an observed outcome had probability 0",
    interval=MeanLoss((0, INFINITY)),
    core=True,
    mean=True,
    unit="nats per row",
)
def log_loss() -> pl.Expr:
    """Mean negative log probability of the true class, without clipping.

    Formula: −Σ ln p(truth) / n.
    Reference: Good (1952), doi:10.1111/j.2517-6161.1952.tb00104.x.
    """
    loss = -_mean(_P.log())
    return pl.when(are_probabilities() & loss.is_finite()).then(loss.clip(0))


@probability_metric(
    "Brier score",
    task="multiclass",
    on="rows",
    bounds=(0, 2),
    better="lower",
    interval=MeanLoss((0, 2)),
    core=True,
    mean=True,
)
def brier_score() -> pl.Expr:
    """Mean squared distance of the forecast and the outcome over all classes.

    Formula: Σ Σₖ (pₖ − yₖ)² / n, from 0 to 2.
    Reference: Brier (1950), doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.
    """
    return pl.when(are_probabilities()).then(_mean(1 - 2 * _P + pl.col("squares")))


@probability_metric(
    "Brier skill",
    task="multiclass",
    on="rows",
    bounds=(-INFINITY, 1),
    otherwise="only one class is present",
    skill_of="brier_score",
)
def brier_skill() -> pl.Expr:
    """Brier score relative to always forecasting the class frequencies: 1 is perfect.

    Formula: 1 − Brier / (1 − Σₖ πₖ²), πₖ the share of class k.
    Reference: Murphy (1973), doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2.
    """
    null = _mean(1 - 2 * pl.col("base") + pl.col("bases"))
    return 1 - ratio(brier_score(), pl.when(null > 1e-12).then(null).otherwise(0.0))


@probability_metric(
    "D² log loss",
    task="multiclass",
    on="rows",
    bounds=(-INFINITY, 1),
    undefined="the log loss has no value, or only one class is present",
    skill_of="log_loss",
)
def d2_log_loss() -> pl.Expr:
    """Log loss relative to always forecasting the class frequencies: 1 is perfect.

    Formula: 1 − log loss / (−Σₖ πₖ ln πₖ), πₖ the share of class k.
    Reference: McFadden (1974), in Zarembka, *Frontiers in Econometrics*, 105-142.
    """
    null = -_mean(pl.col("base").log())
    return 1 - ratio(log_loss(), pl.when(null > 1e-12).then(null).otherwise(0.0))


@probability_metric("Spherical score", task="multiclass", on="rows", mean=True)
def spherical_score() -> pl.Expr:
    """Spherical score: probability of the outcome over the length of the forecast; proper.

    Formula: Σ p(truth) / √(Σₖ pₖ²) / n.
    Reference: Gneiting & Raftery (2007), doi:10.1198/016214506000001437.
    """
    return pl.when(are_probabilities()).then(_mean(_P / pl.col("squares").sqrt()).clip(0, 1))


def top_k_accuracy(k: int = 1) -> pl.Expr:
    """Proportion of rows whose true class has one of the ``k`` highest scores.

    Classes that tie with the true one do not count against it.
    """
    return _mean((pl.col("above") < k).cast(pl.Float64))


@metric(
    "Top-2 accuracy",
    task="multiclass",
    group="ranking",
    on="rows",
    undefined="there are no rows",
    core=True,
    proportion=True,
    top=2,
)
def top2_accuracy() -> pl.Expr:
    """Proportion of rows whose true class has one of the two highest scores.

    Formula: Σ 1(fewer than 2 classes score higher) / n.
    Reference: Russakovsky et al. (2015), doi:10.1007/s11263-015-0816-y.
    """
    return top_k_accuracy(2)


@metric(
    "Top-3 accuracy",
    task="multiclass",
    group="ranking",
    on="rows",
    undefined="there are no rows",
    proportion=True,
    top=3,
)
def top3_accuracy() -> pl.Expr:
    """Proportion of rows whose true class has one of the three highest scores.

    Formula: Σ 1(fewer than 3 classes score higher) / n.
    Reference: Russakovsky et al. (2015), doi:10.1007/s11263-015-0816-y.
    """
    return top_k_accuracy(3)


@probability_metric(
    "Expected calibration error, top class",
    task="multiclass",
    on="bins",
    better="lower",
    core=True,
    averages_without_limits=("macro",),
    class_limits_independent=True,
)
def expected_calibration_error() -> pl.Expr:
    """Mean distance of highest probability and accuracy over the bins.

    Formula: Σ nₖ|p̄ₖ − accuracyₖ| / n over 10 bins of equal width.
    Reference: Guo et al. (2017), doi:10.48550/arXiv.1706.04599.
    """
    return probability.expected_calibration_error()


@probability_metric(
    "Maximum calibration error, top class", task="multiclass", on="bins", better="lower"
)
def maximum_calibration_error() -> pl.Expr:
    """Largest distance of highest probability and accuracy in any bin.

    Formula: max |p̄ₖ − accuracyₖ| over 10 bins of equal width.
    Reference: Guo et al. (2017), doi:10.48550/arXiv.1706.04599.
    """
    return probability.maximum_calibration_error()
