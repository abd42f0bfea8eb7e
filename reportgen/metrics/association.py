"""Association of truth and prediction in the two-by-two table."""

from __future__ import annotations

import polars as pl

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
    agreement_metric,
    ratio,
)

_EMPTY = "a row or a column of the confusion matrix is empty"


@agreement_metric(
    "Yule's Q",
    bounds=(-1, 1),
    undefined="both products of opposite cells are zero",
    within_classes=True,
)
def yule_q() -> pl.Expr:
    """Association of truth and prediction as the odds ratio, rescaled to −1 to 1.

    Formula: (TP·TN − FP·FN) / (TP·TN + FP·FN).
    Reference: Yule (1900), doi:10.1098/rsta.1900.0019.
    """
    agreeing, opposing = TP * TN, FP * FN
    return ratio(agreeing - opposing, agreeing + opposing)


@agreement_metric(
    "Yule's Y",
    bounds=(-1, 1),
    undefined="both products of opposite cells are zero",
    within_classes=True,
)
def yule_y() -> pl.Expr:
    """Yule's Q of the table with equalised margins (colligation).

    Formula: (√(TP·TN) − √(FP·FN)) / (√(TP·TN) + √(FP·FN)).
    Reference: Yule (1912), doi:10.2307/2340126.
    """
    correct, incorrect = (TP * TN).sqrt(), (FP * FN).sqrt()
    return ratio(correct - incorrect, correct + incorrect)


@agreement_metric("χ²", bounds=(0, INFINITY), undefined=_EMPTY)
def chi_squared() -> pl.Expr:
    """Pearson's statistic for independence of truth and prediction, uncorrected.

    Formula: n(TP·TN − FP·FN)² / ((TP + FP)(TP + FN)(TN + FP)(TN + FN)).
    Reference: Pearson (1900), doi:10.1080/14786440009463897.
    """
    return ROWS * phi_squared()


@agreement_metric("φ²", undefined=_EMPTY)
def phi_squared() -> pl.Expr:
    """Proportion of variance shared by truth and prediction: the square of MCC.

    Formula: χ² / n.
    Reference: Pearson (1904), *On the Theory of Contingency*, Drapers' Company Memoirs 1.
    """
    cross = TP * TN - FP * FN
    return (
        ratio(cross, POSITIVES * NEGATIVES)
        * ratio(cross, PREDICTED_POSITIVES * PREDICTED_NEGATIVES)
    ).clip(0, 1)


@agreement_metric("Cramér's V", undefined=_EMPTY)
def cramer_v() -> pl.Expr:
    """Strength of association of truth and prediction; for two classes, the absolute MCC.

    Formula: √(χ² / n).
    Reference: Cramér (1946), *Mathematical Methods of Statistics*, 21.9.
    """
    return phi_squared().sqrt()


@agreement_metric("Pearson's C", bounds=(0, 0.5**0.5), undefined=_EMPTY)
def pearson_c() -> pl.Expr:
    """Contingency coefficient of truth and prediction; for two classes at most √½.

    Formula: √(χ² / (χ² + n)).
    Reference: Pearson (1904), *On the Theory of Contingency*, Drapers' Company Memoirs 1.
    """
    phi = phi_squared()
    return (phi / (1 + phi)).sqrt().clip(0, 0.5**0.5)


@agreement_metric("Goodman–Kruskal λ of the truth", undefined="the truth is a single class")
def lambda_truth() -> pl.Expr:
    """Reduction of error in guessing the truth when the prediction is known (lambda A).

    Formula: (max(TP, FP) + max(FN, TN) − max(TP + FN, FP + TN)) / (n − max(TP + FN, FP + TN)).
    Reference: Goodman & Kruskal (1954), doi:10.1080/01621459.1954.10501231.
    """
    return _saved(POSITIVES, NEGATIVES, (TP - FP, FN - TN))


@agreement_metric(
    "Goodman–Kruskal λ of the prediction", undefined="all rows are predicted to be of one class"
)
def lambda_prediction() -> pl.Expr:
    """Reduction of error in guessing the prediction when the truth is known (lambda B).

    Formula: (max(TP, FN) + max(FP, TN) − max(TP + FP, FN + TN)) / (n − max(TP + FP, FN + TN)).
    Reference: Goodman & Kruskal (1954), doi:10.1080/01621459.1954.10501231.
    """
    return _saved(PREDICTED_POSITIVES, PREDICTED_NEGATIVES, (TP - FN, FP - TN))


def _saved(first: pl.Expr, second: pl.Expr, excess: tuple[pl.Expr, pl.Expr]) -> pl.Expr:
    """Errors of guessing the commoner class that are saved, as a share of those of the other.

    ``excess`` is by how much the first class is commoner, for each value of what is known.
    Where it is not, guessing the other one there saves that many errors.
    """
    saved = [pl.when(first >= second).then(-more).otherwise(more).clip(0) for more in excess]
    return ratio(saved[0] + saved[1], pl.min_horizontal(first, second))
