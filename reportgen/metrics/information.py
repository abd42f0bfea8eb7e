"""Information that the prediction gives about the truth, in bits, from the four counts."""

from __future__ import annotations

import math

import polars as pl

from reportgen.intervals import Delta, SquareAndAdd
from reportgen.metrics.registry import (
    FN,
    FP,
    INFINITY,
    NEGATIVES,
    NO_ROWS,
    POSITIVES,
    PREDICTED_NEGATIVES,
    PREDICTED_POSITIVES,
    ROWS,
    TN,
    TP,
    agreement_metric,
    ratio,
    some,
)
from reportgen.text.reasons import ONE_CLASS, ONE_CLASS_OF_EITHER

_ONE_PREDICTED_CLASS = "all rows are predicted to be of one class"
_BOTH = "truth and predictions each have a single class"


def _bits(*counts: pl.Expr) -> pl.Expr:
    """Entropy of the shares that the counts have of all rows."""
    parts = [some(c) / ROWS * (ROWS / c).log(2) for c in counts]
    return pl.when(ROWS > 0).then(pl.sum_horizontal(parts))


@agreement_metric("Entropy of the truth", better=None, undefined=NO_ROWS)
def reference_entropy() -> pl.Expr:
    """Entropy of the truth, in bits.

    Formula: −Σ tᵢ/n · log₂(tᵢ/n) over the two classes.
    Reference: Shannon (1948), doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    return _bits(POSITIVES, NEGATIVES)


@agreement_metric("Entropy of the prediction", better=None, undefined=NO_ROWS)
def response_entropy() -> pl.Expr:
    """Entropy of the predictions, in bits.

    Formula: −Σ pⱼ/n · log₂(pⱼ/n) over the two classes.
    Reference: Shannon (1948), doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    return _bits(PREDICTED_POSITIVES, PREDICTED_NEGATIVES)


@agreement_metric("Joint entropy", bounds=(0, 2), better=None, undefined=NO_ROWS, at_kink=True)
def joint_entropy() -> pl.Expr:
    """Joint entropy of truth and prediction, in bits.

    Formula: −Σ nᵢⱼ/n · log₂(nᵢⱼ/n) over the four cells.
    Reference: Shannon (1948), doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    return _bits(TP, FP, FN, TN)


@agreement_metric("Conditional entropy of the prediction", better="lower", undefined=NO_ROWS)
def conditional_entropy() -> pl.Expr:
    """Entropy of the prediction given the truth, in bits.

    Formula: −Σ nᵢⱼ/n · log₂(nᵢⱼ/tᵢ).
    Reference: Shannon (1948), doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    return (joint_entropy() - reference_entropy()).clip(0, 1)


@agreement_metric(
    "Cross entropy of the classes' shares",
    bounds=(0, INFINITY),
    better=None,
    undefined="a class that is present is never predicted",
)
def cross_entropy() -> pl.Expr:
    """Cross-entropy of class frequencies: truth coded by those of the predictions, in bits.

    Formula: −Σ tᵢ/n · log₂(pᵢ/n); of the shares alone, not of the log loss.
    Reference: Cover & Thomas (2006), doi:10.1002/047174882X, 2.3.
    """
    return reference_entropy() + kl_divergence()


@agreement_metric(
    "Kullback–Leibler divergence of the classes' shares",
    bounds=(0, INFINITY),
    better="lower",
    undefined="a class that is present is never predicted",
)
def kl_divergence() -> pl.Expr:
    """Divergence of predicted from true class frequencies, in bits.

    Formula: Σ tᵢ/n · log₂(tᵢ/pᵢ).
    Reference: Kullback & Leibler (1951), doi:10.1214/aoms/1177729694.
    """
    parts = [
        pl.when(truth > 0).then(ratio(truth, ROWS) * ratio(truth, prediction).log(2)).otherwise(0.0)
        for truth, prediction in (
            (POSITIVES, PREDICTED_POSITIVES),
            (NEGATIVES, PREDICTED_NEGATIVES),
        )
    ]
    return pl.when(ROWS > 0).then((parts[0] + parts[1]).clip(0))


@agreement_metric("Mutual information", undefined=NO_ROWS, interval=SquareAndAdd("truth", Delta()))
def mutual_information() -> pl.Expr:
    """Information that the prediction gives about the truth, in bits.

    Formula: Σ nᵢⱼ/n · log₂(n·nᵢⱼ / (tᵢpⱼ)).
    Reference: Shannon (1948), doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    cells = (
        (TP, POSITIVES, PREDICTED_POSITIVES),
        (FN, POSITIVES, PREDICTED_NEGATIVES),
        (FP, NEGATIVES, PREDICTED_POSITIVES),
        (TN, NEGATIVES, PREDICTED_NEGATIVES),
    )
    parts = [
        some(cell) / ROWS * (cell / truth * (ROWS / prediction)).log(2)
        for cell, truth, prediction in cells
    ]
    return pl.when(ROWS > 0).then(pl.sum_horizontal(parts).clip(0, 1))


def _share_of(whole: pl.Expr) -> pl.Expr:
    return ratio(mutual_information(), whole).clip(0, 1)


@agreement_metric("Relative classifier information", undefined=ONE_CLASS)
def relative_classifier_information() -> pl.Expr:
    """Share of the entropy of the truth that the prediction removes (homogeneity).

    Formula: mutual information / entropy of the truth.
    Reference: Sindhwani, Bhattacharya & Rakshit (2001), SIAM Conference on Data Mining.
    """
    return _share_of(reference_entropy())


@agreement_metric(
    "Completeness", undefined=_ONE_PREDICTED_CLASS, interval=SquareAndAdd("truth", Delta())
)
def completeness() -> pl.Expr:
    """Share of the entropy of the prediction that the truth explains.

    Formula: mutual information / entropy of the prediction.
    Reference: Rosenberg & Hirschberg (2007), ACL D07-1043, 410-420.
    """
    return _share_of(response_entropy())


@agreement_metric(
    "Normalised mutual information", undefined=_BOTH, interval=SquareAndAdd("truth", Delta())
)
def normalised_mutual_information() -> pl.Expr:
    """Mutual information relative to the mean of the two entropies (V-measure).

    Formula: 2·mutual information / (entropy of the truth + entropy of the prediction).
    Reference: Rosenberg & Hirschberg (2007), ACL D07-1043, 410-420.
    """
    return _share_of((reference_entropy() + response_entropy()) / 2)


@agreement_metric(
    "Normalised mutual information, geometric",
    undefined=ONE_CLASS_OF_EITHER,
    interval=SquareAndAdd("truth", Delta()),
)
def normalised_mutual_information_geometric() -> pl.Expr:
    """Mutual information relative to the geometric mean of the two entropies.

    Formula: mutual information / √(entropy of the truth · entropy of the prediction).
    Reference: Strehl & Ghosh (2002), JMLR 3, 583-617.
    """
    return _share_of((reference_entropy() * response_entropy()).sqrt())


@agreement_metric(
    "Normalised mutual information, greater",
    undefined=_BOTH,
    interval=SquareAndAdd("truth", Delta()),
)
def normalised_mutual_information_max() -> pl.Expr:
    """Mutual information relative to the larger of the two entropies.

    Formula: mutual information / max(entropy of the truth, entropy of the prediction).
    Reference: Vinh, Epps & Bailey (2010), JMLR 11, 2837-2854.
    """
    return _share_of(pl.max_horizontal(reference_entropy(), response_entropy()))


@agreement_metric("Normalised mutual information, lesser", undefined=ONE_CLASS_OF_EITHER)
def normalised_mutual_information_min() -> pl.Expr:
    """Mutual information relative to the smaller of the two entropies.

    Formula: mutual information / min(entropy of the truth, entropy of the prediction).
    Reference: Vinh, Epps & Bailey (2010), JMLR 11, 2837-2854.
    """
    return _share_of(pl.min_horizontal(reference_entropy(), response_entropy()))


@agreement_metric(
    "Information score", bounds=(-INFINITY, INFINITY), undefined="there are no true positives"
)
def information_score() -> pl.Expr:
    """Information gained about the positive class from a positive prediction, in bits.

    Formula: log₂((TP / (TP + FP)) / ((TP + FN) / n)).
    Reference: Kononenko & Bratko (1991), doi:10.1007/BF00153760.
    """
    gain = ratio(TP, PREDICTED_POSITIVES) * ratio(ROWS, POSITIVES)
    return pl.when(TP > 0).then(gain.log(2))


def _confusion(margins: tuple[pl.Expr, pl.Expr]) -> pl.Expr:
    """Bits of the errors, each against what its two classes have in the margins."""
    parts = [
        some(error) / (2 * ROWS) * (margin / error).log(2)
        for margin in margins
        for error in (FN, FP)
    ]
    return pl.when(ROWS > 0).then(pl.sum_horizontal(parts).clip(0))


@agreement_metric(
    "Confusion entropy",
    bounds=(0, 2 * math.log2(math.e) / math.e),
    better="lower",
    undefined=NO_ROWS,
)
def confusion_entropy() -> pl.Expr:
    """Entropy of the errors of both classes; with two classes it can exceed 1 (up to 1.0615).

    Formula: Σ over both classes of Σ over FN and FP of e/(2n) · log₂(d/e), d = 2·TP + FP + FN
    for the positives and 2·TN + FP + FN for the negatives.
    Reference: Wei, Yuan, Hu & Wang (2010), doi:10.1016/j.eswa.2009.11.040.
    """
    return _confusion((2 * TP + FP + FN, 2 * TN + FP + FN))


@agreement_metric("Modified confusion entropy", better="lower", undefined=NO_ROWS)
def modified_confusion_entropy() -> pl.Expr:
    """Entropy of the errors of both classes, modified so that it cannot exceed 1.

    Formula: Σ over both classes of Σ over FN and FP of e/(2n) · log₂(d/e), d = TP + FP + FN
    for the positives and TN + FP + FN for the negatives.
    Reference: Delgado & Núñez-González (2019), doi:10.1371/journal.pone.0210264.
    """
    return _confusion((TP + FP + FN, TN + FP + FN)).clip(0, 1)
