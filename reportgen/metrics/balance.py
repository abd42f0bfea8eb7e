"""One number for recall and specificity, or for precision and recall, beside the usual ones."""

from __future__ import annotations

import math

import polars as pl
from scipy.special import ndtri

from reportgen.intervals import Delta, SquareAndAdd
from reportgen.metrics.registry import (
    FN,
    FP,
    INFINITY,
    NEGATIVES,
    POSITIVES,
    PREDICTED_NEGATIVES,
    PREDICTED_POSITIVES,
    ROWS,
    TN,
    TP,
    decision_metric,
    ratio,
)
from reportgen.text.reasons import ONE_CLASS

_NO_PREDICTED = "no actual or no predicted positives"
_EMPTY_CELL = "a cell of the confusion matrix is empty"

_RECALL, _SPECIFICITY = ratio(TP, POSITIVES), ratio(TN, NEGATIVES)
_PRECISION = ratio(TP, PREDICTED_POSITIVES)


@decision_metric(
    "Optimised precision",
    bounds=(-1, 1),
    undefined="only one class is present, or every prediction is wrong",
    at_kink=True,
)
def optimised_precision() -> pl.Expr:
    """Accuracy minus the relative imbalance of recall and specificity.

    Formula: accuracy − |specificity − recall| / (specificity + recall).
    Reference: Ranawana & Palade (2006), doi:10.1109/CEC.2006.1688586.
    """
    return ratio(TP + TN, ROWS) - ratio((_SPECIFICITY - _RECALL).abs(), _SPECIFICITY + _RECALL)


@decision_metric(
    "Adjusted F",
    undefined="truth and predictions are the same single class",
    interval=SquareAndAdd("truth", Delta()),
)
def adjusted_f() -> pl.Expr:
    """Geometric mean of F2 and of the F0.5 of the negative class.

    Formula: √(5·TP / (5·TP + 4·FN + FP) · 1.25·TN / (1.25·TN + 0.25·FP + FN)).
    Reference: Maratea, Petrosino & Manzo (2014), doi:10.1016/j.ins.2013.04.016.
    """
    of_positive = ratio(5 * TP, 5 * TP + 4 * FN + FP)
    of_negative = ratio(1.25 * TN, 1.25 * TN + 0.25 * FP + FN)
    return (of_positive * of_negative).sqrt()


@decision_metric("Adjusted G-mean", undefined=ONE_CLASS, interval=SquareAndAdd("truth", None))
def adjusted_g_mean() -> pl.Expr:
    """G-mean shifted towards specificity, more so with more negatives.

    Formula: (G-mean + specificity·N/n) / (1 + N/n), and 0 where recall is 0.
    Reference: Batuwita & Palade (2012), doi:10.1142/S0219720012500035.
    """
    share = ratio(NEGATIVES, ROWS)
    value = ((_RECALL * _SPECIFICITY).sqrt() + _SPECIFICITY * share) / (1 + share)
    return pl.when(_RECALL > 0).then(value).otherwise(0.0 * _RECALL * _SPECIFICITY).clip(0, 1)


@decision_metric(
    "Index of balanced accuracy",
    undefined=ONE_CLASS,
    interval=SquareAndAdd("truth", None),
    within_classes=True,
)
def iba() -> pl.Expr:
    """Product of recall and specificity, increased where recall is the larger.

    Formula: (1 + recall − specificity)·recall·specificity.
    Reference: García, Mollineda & Sánchez (2009), doi:10.1007/978-3-642-02172-5_57.
    """
    return ((1 + _RECALL - _SPECIFICITY) * _RECALL * _SPECIFICITY).clip(0, 1)


@decision_metric(
    "Distance to the ideal point",
    bounds=(0, 2**0.5),
    better="lower",
    undefined=ONE_CLASS,
    within_classes=True,
)
def distance_index() -> pl.Expr:
    """Distance of the operating point from the perfect corner of the ROC plot.

    Formula: √((1 − recall)² + (1 − specificity)²).
    Reference: Perkins & Schisterman (2006), doi:10.1093/aje/kwj063.
    """
    return ((1 - _RECALL) ** 2 + (1 - _SPECIFICITY) ** 2).sqrt().clip(0, 2**0.5)


@decision_metric(
    "Discriminant power",
    bounds=(-INFINITY, INFINITY),
    undefined=_EMPTY_CELL,
    interval=SquareAndAdd("truth", Delta((-INFINITY, INFINITY)), (-INFINITY, INFINITY)),
    within_classes=True,
)
def discriminant_power() -> pl.Expr:
    """Log odds ratio expressed as a distance of the classes in standard deviations.

    Formula: √3/π · (ln(recall / (1 − recall)) + ln(specificity / (1 − specificity))).
    Reference: Chinn (2000), doi:10.1002/1097-0258(20001130)19:22<3127::AID-SIM784>3.0.CO;2-M;
    Sokolova, Japkowicz & Szpakowicz (2006), doi:10.1007/11941439_114.
    """
    log_odds = ratio(TP, FN).log() + ratio(TN, FP).log()
    return pl.when(_filled()).then(math.sqrt(3) / math.pi * log_odds)


@decision_metric(
    "Sensitivity index d′",
    bounds=(-INFINITY, INFINITY),
    undefined=_EMPTY_CELL,
    interval=SquareAndAdd("truth", Delta((-INFINITY, INFINITY)), (-INFINITY, INFINITY)),
    within_classes=True,
)
def sensitivity_index() -> pl.Expr:
    """Distance of the classes in standard deviations, for normal scores of equal variance.

    Formula: Φ⁻¹(recall) − Φ⁻¹(false-positive rate).
    Reference: Green & Swets (1966), *Signal Detection Theory and Psychophysics*.
    """
    # Φ⁻¹(1 − x) is −Φ⁻¹(x); the small rate is the exact one.
    value = _normal_quantile(_RECALL) + _normal_quantile(_SPECIFICITY)
    return pl.when(_filled()).then(value)


def _filled() -> pl.Expr:
    return pl.min_horizontal(TP, FP, FN, TN) > 0


def _normal_quantile(share: pl.Expr) -> pl.Expr:
    return share.map_batches(
        lambda column: pl.Series(ndtri(column.to_numpy())),
        return_dtype=pl.Float64,
        is_elementwise=True,
    )


@decision_metric(
    "Symmetric extremal dependence index",
    bounds=(-1, 1),
    undefined=_EMPTY_CELL,
    interval=SquareAndAdd("truth", Delta((-1, 1)), (-1, 1)),
    within_classes=True,
)
def sedi() -> pl.Expr:
    """Skill score that does not degenerate for rare positives.

    Formula: (ln F − ln H − ln(1 − F) + ln(1 − H)) / (ln F + ln H + ln(1 − F) + ln(1 − H)),
    H the recall and F the false-positive rate.
    Reference: Ferro & Stephenson (2011), doi:10.1175/WAF-D-10-05030.1.
    """
    true_positive, false_negative = (ratio(cell, POSITIVES).log() for cell in (TP, FN))
    false_positive, true_negative = (ratio(cell, NEGATIVES).log() for cell in (FP, TN))
    value = ratio(
        false_positive - true_positive - true_negative + false_negative,
        false_positive + true_positive + true_negative + false_negative,
    )
    return pl.when(_filled()).then(value.clip(-1, 1))


@decision_metric(
    "Frequency bias",
    bounds=(0, INFINITY),
    better=None,
    undefined="no actual positives",
    interval=SquareAndAdd("truth", Delta((0, INFINITY)), (0, INFINITY)),
)
def bias() -> pl.Expr:
    """Predicted positives per actual positive: 1 is unbiased.

    Formula: (TP + FP) / (TP + FN).
    Reference: Wilks (2011), *Statistical Methods in the Atmospheric Sciences*, 8.2.
    """
    return ratio(PREDICTED_POSITIVES, POSITIVES)


@decision_metric(
    "Bray–Curtis dissimilarity", bounds=(0, 0.5), better="lower", undefined="there are no rows"
)
def bray_curtis() -> pl.Expr:
    """Distance of the number of predicted positives from the number of positives.

    Formula: |FP − FN| / (2n).
    Reference: Bray & Curtis (1957), doi:10.2307/1942268.
    """
    return ratio((FP - FN).abs(), 2 * ROWS)


@decision_metric(
    "Lift",
    bounds=(0, INFINITY),
    undefined=_NO_PREDICTED,
    interval=SquareAndAdd("truth", None, (0, INFINITY), "log"),
    ratio_of_rates=True,
)
def lift() -> pl.Expr:
    """Prevalence among predicted positives relative to overall prevalence.

    Formula: (TP / (TP + FP)) / ((TP + FN) / n).
    Reference: Brin et al. (1997), doi:10.1145/253260.253325.
    """
    return _PRECISION * ratio(ROWS, POSITIVES)


@decision_metric(
    "Number of errors", bounds=(0, INFINITY), better="lower", undefined="there are no rows"
)
def zero_one_loss() -> pl.Expr:
    """Number (or weight) of incorrect predictions.

    Formula: FP + FN.
    Reference: Domingos & Pazzani (1997), doi:10.1023/A:1007413511361.
    """
    return FP + FN


@decision_metric(
    "Class balance accuracy", undefined="a class has no rows and is never predicted", at_kink=True
)
def class_balance_accuracy() -> pl.Expr:
    """Mean over both classes of the smaller of precision and recall.

    Formula: (TP / max(TP + FP, TP + FN) + TN / max(TN + FN, TN + FP)) / 2.
    Reference: Mosley (2013), *A Balanced Approach to the Multi-Class Imbalance Problem*.
    """
    of_positive = ratio(TP, pl.max_horizontal(PREDICTED_POSITIVES, POSITIVES))
    return (of_positive + ratio(TN, pl.max_horizontal(PREDICTED_NEGATIVES, NEGATIVES))) / 2


@decision_metric("Overlap coefficient", undefined=_NO_PREDICTED)
def overlap_coefficient() -> pl.Expr:
    """The larger of precision and recall (Szymkiewicz–Simpson).

    Formula: TP / min(TP + FP, TP + FN).
    Reference: Simpson (1943), doi:10.2475/ajs.241.1.1.
    """
    return ratio(TP, pl.min_horizontal(PREDICTED_POSITIVES, POSITIVES))


@decision_metric("Braun-Blanquet similarity", undefined="no actual and no predicted positives")
def braun_blanquet() -> pl.Expr:
    """The smaller of precision and recall.

    Formula: TP / max(TP + FP, TP + FN).
    Reference: Braun-Blanquet (1932), *Plant Sociology*.
    """
    return ratio(TP, pl.max_horizontal(PREDICTED_POSITIVES, POSITIVES))


@decision_metric("Classification success index", bounds=(-1, 1), undefined=_NO_PREDICTED)
def classification_success_index() -> pl.Expr:
    """Precision plus recall minus one.

    Formula: TP / (TP + FP) + TP / (TP + FN) − 1.
    Reference: Labatut & Cherifi (2012), doi:10.48550/arXiv.1207.3790.
    """
    return _PRECISION + _RECALL - 1
