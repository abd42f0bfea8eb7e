"""One number for a whole confusion table: F-measures, correlation, agreement, likelihood ratios."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import polars as pl

from reportgen.intervals import COHEN_KAPPA, Delta, FMeasure, SquareAndAdd, ratios
from reportgen.metrics.registry import (
    FAMILIES,
    FN,
    FP,
    INFINITY,
    METRICS,
    NEGATIVES,
    POSITIVES,
    TN,
    TP,
    Metric,
    decision_metric,
    modified_wilson_of,
    ratio,
)
from reportgen.text.reasons import ONE_CLASS


@decision_metric(
    "Balanced accuracy",
    undefined=ONE_CLASS,
    core=True,
    interval=SquareAndAdd("truth", Delta()),
    within_classes=True,
)
def balanced_accuracy() -> pl.Expr:
    """Mean of recall and specificity.

    Formula: (TP / (TP + FN) + TN / (TN + FP)) / 2.
    Reference: Brodersen et al. (2010), doi:10.1109/ICPR.2010.764.
    """
    return (ratio(TP, POSITIVES) + ratio(TN, NEGATIVES)) / 2


def f_beta(beta: float = 1.0) -> pl.Expr:
    """Weighted harmonic mean of precision and recall; recall counts ``beta`` times as much.

    Formula: (1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP).
    Book: 2.11.
    Reference: van Rijsbergen (1979), *Information Retrieval*, chapter 7.
    """
    weighted_positives = (1 + beta**2) * TP
    return ratio(weighted_positives, weighted_positives + beta**2 * FN + FP)


@decision_metric(
    "F1",
    undefined="no actual and no predicted positives",
    core=True,
    interval=FMeasure(1.0, Delta()),
    mean_of_rates=True,
    same_averages={"micro": "accuracy"},
)
def f1() -> pl.Expr:
    """Harmonic mean of precision and recall.

    Formula: 2·TP / (2·TP + FP + FN).
    Book: 2.10.
    Reference: van Rijsbergen (1979), *Information Retrieval*, chapter 7.
    """
    return f_beta(1.0)


@cache
def f_beta_of(beta: float) -> Metric:
    """The metric ``f_beta(β)`` of any β, like F1 in all but its formula.

    >>> f_beta_of(0.7).name, f_beta_of(0.7).label
    ('f_beta(0.7)', 'F0.7')
    """

    def build() -> pl.Expr:
        return f_beta(beta).alias(f"f_beta({beta:g})")

    squared = beta**2
    build.__doc__ = (
        f"F-beta with recall counted {beta:g} times as much as precision.\n\n"
        f"Formula: {1 + squared:g}·TP / ({1 + squared:g}·TP + {squared:g}·FN + FP).\n"
        "Book: 2.11.\n"
        "Reference: van Rijsbergen (1979), *Information Retrieval*, chapter 7.\n"
    )
    like = METRICS["f1"]
    return replace(
        like,
        name=f"f_beta({beta:g})",
        build=build,
        label=f"F{beta:g}",
        core=False,
        interval=FMeasure(beta, Delta()),
    )


FAMILIES["f_beta"] = (f_beta_of, "f1")


@decision_metric(
    "F0.5",
    undefined="no actual and no predicted positives",
    interval=FMeasure(0.5, Delta()),
    mean_of_rates=True,
    same_averages={"micro": "accuracy"},
)
def f_half() -> pl.Expr:
    """F-beta with precision counted twice as much as recall.

    Formula: 1.25·TP / (1.25·TP + 0.25·FN + FP).
    Book: 2.11.
    Reference: van Rijsbergen (1979), *Information Retrieval*, chapter 7.
    """
    return f_beta(0.5)


@decision_metric(
    "F2",
    undefined="no actual and no predicted positives",
    interval=FMeasure(2.0, Delta()),
    mean_of_rates=True,
    same_averages={"micro": "accuracy"},
)
def f2() -> pl.Expr:
    """F-beta with recall counted twice as much as precision.

    Formula: 5·TP / (5·TP + 4·FN + FP).
    Book: 2.11.
    Reference: van Rijsbergen (1979), *Information Retrieval*, chapter 7.
    """
    return f_beta(2.0)


@decision_metric(
    "MCC",
    bounds=(-1, 1),
    undefined="a row or a column of the confusion matrix is empty",
    core=True,
    interval=SquareAndAdd("prediction", Delta((-1, 1)), (-1, 1)),
    chance=0.0,
)
def mcc() -> pl.Expr:
    """Correlation of truth and prediction (Matthews).

    Formula: (TP·TN − FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN)).
    Reference: Matthews (1975), doi:10.1016/0005-2795(75)90109-9.
    """
    # The two variances are equal where the model is perfect, and the root of a square is exact.
    variances = (POSITIVES * NEGATIVES) * ((TP + FP) * (TN + FN))
    return ratio(TP * TN - FP * FN, variances.sqrt()).clip(-1, 1)


@decision_metric(
    "Cohen's kappa",
    bounds=(-1, 1),
    undefined="truth and predictions are the same single class, so chance agreement is complete",
    core=True,
    interval=SquareAndAdd("prediction", COHEN_KAPPA, (-1, 1)),
    chance=0.0,
)
def cohen_kappa() -> pl.Expr:
    """Agreement of truth and prediction beyond chance.

    Formula: (po − pe) / (1 − pe) = 2(TP·TN − FP·FN) / ((TP + FP)(FP + TN) + (TP + FN)(FN + TN)).
    Reference: Cohen (1960), doi:10.1177/001316446002000104.
    """
    return ratio(2 * (TP * TN - FP * FN), (TP + FP) * NEGATIVES + POSITIVES * (FN + TN))


@decision_metric(
    "Informedness",
    bounds=(-1, 1),
    undefined=ONE_CLASS,
    core=True,
    interval=SquareAndAdd("truth", Delta((-1, 1)), (-1, 1)),
    within_classes=True,
    chance=0.0,
)
def informedness() -> pl.Expr:
    """Recall plus specificity minus one (Youden's J).

    Formula: TP / (TP + FN) + TN / (TN + FP) − 1.
    Reference: Youden (1950), doi:10.1002/1097-0142(1950)3:1<32::AID-CNCR2820030106>3.0.CO;2-3.
    """
    return ratio(TP, POSITIVES) + ratio(TN, NEGATIVES) - 1


@decision_metric(
    "Markedness",
    bounds=(-1, 1),
    undefined="all rows are predicted to be of one class",
    interval=SquareAndAdd("prediction", Delta((-1, 1)), (-1, 1)),
    chance=0.0,
)
def markedness() -> pl.Expr:
    """Precision plus negative predictive value minus one.

    Formula: TP / (TP + FP) + TN / (TN + FN) − 1.
    Reference: Powers (2011), doi:10.48550/arXiv.2010.16061.
    """
    return ratio(TP, TP + FP) + ratio(TN, TN + FN) - 1


@decision_metric(
    "G-mean",
    undefined=ONE_CLASS,
    interval=SquareAndAdd("truth", Delta()),
    within_classes=True,
    mean_of_rates=True,
)
def g_mean() -> pl.Expr:
    """Geometric mean of recall and specificity.

    Formula: √(TP / (TP + FN) · TN / (TN + FP)).
    Reference: Kubat & Matwin (1997), ICML, 179-186.
    """
    return (ratio(TP, POSITIVES) * ratio(TN, NEGATIVES)).sqrt()


@decision_metric(
    "Fowlkes–Mallows index",
    undefined="no actual or no predicted positives",
    interval=SquareAndAdd("prediction", Delta()),
    mean_of_rates=True,
)
def fowlkes_mallows() -> pl.Expr:
    """Geometric mean of precision and recall.

    Formula: √(TP / (TP + FP) · TP / (TP + FN)).
    Reference: Fowlkes & Mallows (1983), doi:10.1080/01621459.1983.10478008.
    """
    return (ratio(TP, TP + FP) * ratio(TP, POSITIVES)).sqrt()


@decision_metric(
    "Jaccard index",
    undefined="no actual and no predicted positives",
    interval=modified_wilson_of("tp", "fp fn"),
    ratio_of_rates=True,
)
def jaccard() -> pl.Expr:
    """True positives among rows that are positive or predicted positive (critical success index).

    Formula: TP / (TP + FP + FN).
    Reference: Jaccard (1912), doi:10.1111/j.1469-8137.1912.tb05611.x.
    """
    return ratio(TP, TP + FP + FN)


@decision_metric(
    "Positive likelihood ratio",
    bounds=(0, INFINITY),
    undefined="there are no false positives, or only one class is present",
    interval=SquareAndAdd("truth", ratios.POSITIVE_LIKELIHOOD_RATIO, (0, INFINITY)),
    within_classes=True,
    ratio_of_rates=True,
)
def positive_likelihood_ratio() -> pl.Expr:
    """How much a positive prediction raises the odds of being positive.

    Formula: (TP / (TP + FN)) / (FP / (FP + TN)).
    Reference: Deeks & Altman (2004), doi:10.1136/bmj.329.7458.168.
    """
    return ratio(ratio(TP, POSITIVES), ratio(FP, NEGATIVES))


@decision_metric(
    "Negative likelihood ratio",
    bounds=(0, INFINITY),
    better="lower",
    undefined="there are no true negatives, or only one class is present",
    interval=SquareAndAdd("truth", ratios.NEGATIVE_LIKELIHOOD_RATIO, (0, INFINITY)),
    within_classes=True,
    ratio_of_rates=True,
)
def negative_likelihood_ratio() -> pl.Expr:
    """How much a negative prediction changes the odds of being positive.

    Formula: (FN / (TP + FN)) / (TN / (FP + TN)).
    Reference: Deeks & Altman (2004), doi:10.1136/bmj.329.7458.168.
    """
    return ratio(ratio(FN, POSITIVES), ratio(TN, NEGATIVES))


@decision_metric(
    "Diagnostic odds ratio",
    bounds=(0, INFINITY),
    undefined="there are no false positives or no false negatives",
    interval=SquareAndAdd("truth", ratios.DIAGNOSTIC_ODDS_RATIO, (0, INFINITY), "log"),
    within_classes=True,
    ratio_of_rates=True,
)
def diagnostic_odds_ratio() -> pl.Expr:
    """Odds of a positive prediction among positives over those among negatives.

    Formula: TP·TN / (FP·FN).
    Reference: Glas et al. (2003), doi:10.1016/S0895-4356(03)00177-X.
    """
    return ratio(TP * TN, FP * FN)


@decision_metric(
    "Prevalence threshold",
    better="lower",
    undefined="only one class is present, or no predicted positives",
    interval=SquareAndAdd("truth", Delta()),
    within_classes=True,
    ratio_of_rates=True,
)
def prevalence_threshold() -> pl.Expr:
    """Prevalence below which precision falls most sharply.

    Formula: √FPR / (√TPR + √FPR).
    Reference: Balayla (2020), doi:10.1371/journal.pone.0240215.
    """
    recall_root, false_positive_root = ratio(TP, POSITIVES).sqrt(), ratio(FP, NEGATIVES).sqrt()
    return ratio(false_positive_root, recall_root + false_positive_root)
