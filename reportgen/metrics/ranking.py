"""Measures of a ranking: expressions over a whole sweep or its convex hull.

A sweep starts with nothing predicted positive and ends with everything, so its
last row holds the numbers of positives (tp) and negatives (fp).
"""

from __future__ import annotations

import polars as pl

from reportgen.intervals import (
    INFLUENCE_LOGIT,
    INFLUENCE_LOGIT_INTERPOLATED,
    delong_score_interval,
)
from reportgen.intervals.optima import DISTANCE
from reportgen.metrics.registry import FP, TP, ranking_metric, ratio
from reportgen.metrics.sweep_terms import NEW_FP, NEW_TP, N, P
from reportgen.text.reasons import NO_POSITIVES, ONE_CLASS


def _area() -> pl.Expr:
    return (NEW_FP * (TP - NEW_TP / 2)).sum() / (P * N)


def true_positives_among_first(count: pl.Expr) -> pl.Expr:
    """Positives among the rows that score highest, ``count`` of them.

    Of a group of ties at the end only the part that fits is taken, with its
    positives in proportion: the mean over all orders of the ties.
    """
    before = (TP + FP).shift(1)
    return (TP.diff() * ratio(count - before, (TP + FP).diff()).clip(0, 1)).sum()


def delong_variance() -> pl.Expr:
    """Variance of the AUC from one sweep, ties included; null with fewer than two of a class.

    Needs ``tp2`` and ``fp2``, the running sums of squared weights (the counts
    themselves where rows are not weighted): with weights each row enters with
    its squared weight and the degrees of freedom are Kish's effective size.
    DeLong et al. (1988), doi:10.2307/2531595.
    """
    area = _area()
    of_positive = (N - FP + NEW_FP / 2) / N - area
    of_negative = (TP - NEW_TP / 2) / P - area
    return _spread(of_positive, "tp2", P) + _spread(of_negative, "fp2", N)


def _spread(placement: pl.Expr, squares: str, total: pl.Expr) -> pl.Expr:
    column = pl.col(squares).cast(pl.Float64)
    effective = total**2 / column.last()
    share = ((column - column.shift(1, fill_value=0.0)) * placement**2).sum() / total**2
    return pl.when(effective > 1 + 1e-9).then(share * effective / (effective - 1))


@ranking_metric(
    "AUC",
    undefined=ONE_CLASS,
    interval=delong_score_interval(delong_variance()),
    core=True,
    within_classes=True,
    discloses="sums",
    chance=0.5,
    averages_without_limits=("micro",),
)
def auc() -> pl.Expr:
    """Probability that a random positive scores above a random negative, ties counted half.

    Formula: area under the ROC curve by trapezoids over the distinct thresholds.
    Book: 2.20.
    Reference: Hanley & McNeil (1982), doi:10.1148/radiology.143.1.7063747.
    """
    return ratio(_area(), (P * N).sign())


@ranking_metric(
    "Rank loss",
    better="lower",
    undefined=ONE_CLASS,
    interval=delong_score_interval(delong_variance()),
    complement_of="auc",
    within_classes=True,
    discloses="sums",
)
def rank_loss() -> pl.Expr:
    """Proportion of wrongly ranked pairs of a positive and a negative, ties half.

    Formula: Σ (1(f(x⁺) < f(x⁻)) + ½·1(f(x⁺) = f(x⁻))) / (P·N) = 1 − AUC.
    Book: 2.21.
    Reference: Zhou (2016), *Machine Learning*, eq. 2.21.
    """
    return ratio((NEW_TP * (FP - NEW_FP / 2)).sum(), P * N)


@ranking_metric(
    "Gini",
    bounds=(-1, 1),
    undefined=ONE_CLASS,
    interval=delong_score_interval(delong_variance(), (-1, 1)),
    determined_by="auc",
    within_classes=True,
    discloses="sums",
    chance=0.0,
)
def gini() -> pl.Expr:
    """AUC rescaled so that chance is 0.

    Formula: 2·AUC − 1.
    Reference: Hand & Till (2001), doi:10.1023/A:1010920819831.
    """
    return 2 * auc() - 1


@ranking_metric(
    "Average precision",
    undefined=NO_POSITIVES,
    interval=INFLUENCE_LOGIT,
    core=True,
    chance_is_prevalence=True,
    discloses="sums",
    averages_without_limits=("macro", "weighted", "micro"),
    class_limits_independent=True,
)
def average_precision() -> pl.Expr:
    """Area under the P-R curve by steps: precision averaged over gains in recall.

    Formula: Σ (Rₖ − Rₖ₋₁)·Pₖ over the distinct thresholds.
    Reference: Buckley & Voorhees (2000), doi:10.1145/345508.345543.
    """
    return ratio((NEW_TP * ratio(TP, TP + FP)).sum(), P)


@ranking_metric(
    "P-R AUC",
    undefined=NO_POSITIVES,
    interval=INFLUENCE_LOGIT_INTERPOLATED,
    core=True,
    chance_is_prevalence=True,
    discloses="sums",
)
def pr_auc() -> pl.Expr:
    """Area under the P-R curve, interpolated in counts between the thresholds.

    Formula: Σ ∫ TP / (TP + FP) dTP / P, with FP linear in TP between two thresholds.
    Reference: Davis & Goadrich (2006), doi:10.1145/1143844.1143874; Keilwagen et al. (2014),
    doi:10.1371/journal.pone.0092209.
    """
    predicted_positive, before = TP + FP, (TP + FP).shift(1)
    share = ratio(TP.diff(), predicted_positive.diff())
    # From (0, 0) the precision is constant; there the logarithm has nothing to do.
    bend = (
        pl.when(before > 0)
        .then((share * predicted_positive - TP) * (predicted_positive / before).log())
        .otherwise(0.0)
    )
    return ratio((share * (TP.diff() - bend)).sum(), P).clip(0, 1)


@ranking_metric("Break-even point", undefined=NO_POSITIVES, core=True)
def break_even_point() -> pl.Expr:
    """Value at which precision and recall are equal.

    Formula: TP / P where TP + FP = P, interpolated in counts inside a group of ties.
    Book: figure 2.3.
    Reference: Joachims (2005), doi:10.1145/1102351.1102399.
    """
    return ratio(true_positives_among_first(P), P)


@ranking_metric(
    "KS statistic",
    undefined=ONE_CLASS,
    interval=DISTANCE,
    core=True,
    within_classes=True,
    optimised=True,
)
def ks_statistic() -> pl.Expr:
    """Largest distance between the score distributions of the two classes.

    Formula: max |TPR − FPR| over the thresholds.
    Reference: Massey (1951), doi:10.1080/01621459.1951.10500769.
    """
    return (ratio(TP, P) - ratio(FP, N)).abs().max()


@ranking_metric(
    "Maximal informedness",
    undefined=ONE_CLASS,
    interval=DISTANCE,
    within_classes=True,
    optimised=True,
)
def maximal_informedness() -> pl.Expr:
    """Maximum over thresholds of recall plus specificity minus one.

    Formula: max (TPR − FPR) over the thresholds.
    Reference: Youden (1950), doi:10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3.
    """
    return (ratio(TP, P) - ratio(FP, N)).max()


@ranking_metric(
    "AUC of the convex hull", on="hull", undefined=ONE_CLASS, within_classes=True, optimised=True
)
def auc_convex_hull() -> pl.Expr:
    """Area under the convex hull of the ROC curve: attainable by mixing thresholds.

    Formula: area under the upper convex hull of the ROC points.
    Reference: Provost & Fawcett (2001), doi:10.1023/A:1007601015854.
    """
    return ratio(_area(), (P * N).sign())
