"""Shares of the confusion table that are right or wrong: error, precision, recall and their kin."""

from __future__ import annotations

import polars as pl

from reportgen.intervals import Delta, SquareAndAdd
from reportgen.metrics.registry import (
    FN,
    FP,
    NEGATIVES,
    NO_ROWS,
    POSITIVES,
    ROWS,
    TN,
    TP,
    decision_metric,
    modified_wilson_of,
    ratio,
)
from reportgen.text.reasons import NO_POSITIVES

_CORRECT = modified_wilson_of("tp tn", "fp fn")
_NO_NEGATIVES = "no actual negatives"
_NO_PREDICTED = "no predicted positives"
_NO_REJECTED = "no predicted negatives"


@decision_metric("Accuracy", undefined=NO_ROWS, interval=_CORRECT, core=True)
def accuracy() -> pl.Expr:
    """Proportion of correct predictions.

    Formula: (TP + TN) / n.
    Book: 2.5.
    Reference: Zhou (2016), *Machine Learning*, eq. 2.5.
    """
    return ratio(TP + TN, ROWS)


@decision_metric(
    "Error rate",
    better="lower",
    undefined=NO_ROWS,
    interval=_CORRECT,
    core=True,
    complement_of="accuracy",
)
def error_rate() -> pl.Expr:
    """Proportion of incorrect predictions.

    Formula: (FP + FN) / n.
    Book: 2.4.
    Reference: Zhou (2016), *Machine Learning*, eq. 2.4.
    """
    return ratio(FP + FN, ROWS)


@decision_metric(
    "Precision",
    undefined=_NO_PREDICTED,
    interval=modified_wilson_of("tp", "fp"),
    core=True,
    same_averages={"micro": "accuracy"},
)
def precision() -> pl.Expr:
    """Proportion of predicted positives that are positive.

    Formula: TP / (TP + FP).
    Book: 2.8.
    Reference: Powers (2011), doi:10.48550/arXiv.2010.16061.
    """
    return ratio(TP, TP + FP)


@decision_metric(
    "Recall",
    undefined=NO_POSITIVES,
    interval=modified_wilson_of("tp", "fn"),
    core=True,
    within_classes=True,
    same_averages={"micro": "accuracy", "weighted": "accuracy", "macro": "balanced_accuracy"},
)
def recall() -> pl.Expr:
    """Proportion of positives predicted positive (sensitivity, true-positive rate).

    Formula: TP / (TP + FN).
    Book: 2.9, 2.18.
    Reference: Powers (2011), doi:10.48550/arXiv.2010.16061.
    """
    return ratio(TP, POSITIVES)


@decision_metric(
    "Specificity",
    undefined=_NO_NEGATIVES,
    interval=modified_wilson_of("fp", "tn"),
    core=True,
    within_classes=True,
)
def specificity() -> pl.Expr:
    """Proportion of negatives predicted negative.

    Formula: TN / (TN + FP).
    Reference: Yerushalmy (1947), doi:10.2307/4586294.
    """
    return ratio(TN, NEGATIVES)


@decision_metric(
    "Negative predictive value",
    undefined=_NO_REJECTED,
    interval=modified_wilson_of("fn", "tn"),
    core=True,
)
def negative_predictive_value() -> pl.Expr:
    """Proportion of predicted negatives that are negative.

    Formula: TN / (TN + FN).
    Reference: Altman & Bland (1994), doi:10.1136/bmj.309.6947.102.
    """
    return ratio(TN, TN + FN)


@decision_metric(
    "False-positive rate",
    better="lower",
    undefined=_NO_NEGATIVES,
    interval=modified_wilson_of("fp", "tn"),
    within_classes=True,
)
def false_positive_rate() -> pl.Expr:
    """Proportion of negatives predicted positive.

    Formula: FP / (FP + TN).
    Book: 2.19.
    Reference: Fawcett (2006), doi:10.1016/j.patrec.2005.10.010.
    """
    return ratio(FP, NEGATIVES)


@decision_metric(
    "False-negative rate",
    better="lower",
    undefined=NO_POSITIVES,
    interval=modified_wilson_of("tp", "fn"),
    within_classes=True,
    same_averages={"macro": "balanced_accuracy", "micro": "error_rate", "weighted": "error_rate"},
)
def false_negative_rate() -> pl.Expr:
    """Proportion of positives predicted negative.

    Formula: FN / (TP + FN).
    Reference: Fawcett (2006), doi:10.1016/j.patrec.2005.10.010.
    """
    return ratio(FN, POSITIVES)


@decision_metric(
    "False-discovery rate",
    better="lower",
    undefined=_NO_PREDICTED,
    interval=modified_wilson_of("tp", "fp"),
    same_averages={"micro": "error_rate"},
)
def false_discovery_rate() -> pl.Expr:
    """Proportion of predicted positives that are negative.

    Formula: FP / (TP + FP).
    Reference: Powers (2011), doi:10.48550/arXiv.2010.16061.
    """
    return ratio(FP, TP + FP)


@decision_metric(
    "False-omission rate",
    better="lower",
    undefined=_NO_REJECTED,
    interval=modified_wilson_of("fn", "tn"),
)
def false_omission_rate() -> pl.Expr:
    """Proportion of predicted negatives that are positive.

    Formula: FN / (FN + TN).
    Reference: Powers (2011), doi:10.48550/arXiv.2010.16061.
    """
    return ratio(FN, FN + TN)


@decision_metric(
    "Prevalence",
    better=None,
    undefined=NO_ROWS,
    interval=modified_wilson_of("tp fn", "fp tn"),
    discloses="class sizes",
)
def prevalence() -> pl.Expr:
    """Proportion of rows that are positive.

    Formula: (TP + FN) / n.
    Reference: Powers (2011), doi:10.48550/arXiv.2010.16061.
    """
    return ratio(POSITIVES, ROWS)


@decision_metric(
    "Detection prevalence",
    better=None,
    undefined=NO_ROWS,
    interval=modified_wilson_of("tp fp", "fn tn"),
)
def detection_prevalence() -> pl.Expr:
    """Proportion of rows predicted positive.

    Formula: (TP + FP) / n.
    Reference: Kuhn (2008), doi:10.18637/jss.v028.i05.
    """
    return ratio(TP + FP, ROWS)


@decision_metric("No-information rate", better=None, undefined=NO_ROWS, discloses="class sizes")
def no_information_rate() -> pl.Expr:
    """Accuracy of always predicting the more frequent class.

    Formula: max(TP + FN, FP + TN) / n.
    Reference: Kuhn (2008), doi:10.18637/jss.v028.i05.
    """
    return ratio(pl.max_horizontal(POSITIVES, NEGATIVES), ROWS)


@decision_metric(
    "Accuracy above the no-information rate",
    bounds=(-1, 1),
    undefined=NO_ROWS,
    interval=SquareAndAdd("truth", Delta((-1, 1)), (-1, 1), even=True),
)
def accuracy_gain() -> pl.Expr:
    """Accuracy less that of always predicting the more frequent class.

    Of two classes (TP − FP) / n or (TN − FN) / n, whichever is less: the rows on which the
    decisions and that class differ, as McNemar's test compares them.

    Formula: (TP + TN) / n − max(TP + FN, FP + TN) / n.
    Reference: Kuhn (2008), doi:10.18637/jss.v028.i05; McNemar (1947), doi:10.1007/BF02295996.
    """
    return ratio(pl.min_horizontal(TP - FP, TN - FN), ROWS)


def gains_in_accuracy() -> tuple[pl.Expr, pl.Expr]:
    """Accuracy less that of always predicting the negative, and the positive class."""
    return ratio(TP - FP, ROWS), ratio(TN - FN, ROWS)
