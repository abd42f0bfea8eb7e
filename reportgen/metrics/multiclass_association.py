"""Association of truth and prediction among several classes, and the entropy of the errors.

The forms for several classes of the binary measures of the same names; they
read the complete ``matrix``: one row per truth and prediction, zeros included,
in the order of the classes.
"""

from __future__ import annotations

import math

import polars as pl

from reportgen.metrics.multiclass import several
from reportgen.metrics.registry import INFINITY, NO_ROWS, matrix_metric, ratio
from reportgen.metrics.table_terms import CORRECT, COUNT, OF_PREDICTION, OF_TRUTH, N
from reportgen.text.reasons import OF_LARGEST_CLASS, ONE_CLASS_OF_EITHER

_CLASSES = pl.col("truth").n_unique().cast(pl.Float64)


def _phi() -> pl.Expr:
    """χ² / n; classes that never occur add nothing."""
    expected = OF_TRUTH * OF_PREDICTION / N
    part = pl.when(expected > 0).then((COUNT - expected) ** 2 / expected).otherwise(0.0)
    both = several(OF_TRUTH) & several(OF_PREDICTION)
    return pl.when(both).then(part.sum() / N)


@matrix_metric("χ²", bounds=(0, INFINITY), undefined=ONE_CLASS_OF_EITHER, biased_by="association")
def chi_squared() -> pl.Expr:
    """Pearson's statistic for independence of truth and prediction.

    Formula: Σ (nᵢⱼ − tᵢpⱼ/n)² / (tᵢpⱼ/n), over the classes that occur.
    Reference: Pearson (1900), doi:10.1080/14786440009463897.
    """
    return N * _phi()


@matrix_metric("φ²", bounds=(0, INFINITY), undefined=ONE_CLASS_OF_EITHER, biased_by="association")
def phi_squared() -> pl.Expr:
    """χ² per row: from 0 to the number of classes minus 1.

    Formula: χ² / n.
    Reference: Pearson (1904), *On the Theory of Contingency*, Drapers' Company Memoirs 1.
    """
    return _phi()


@matrix_metric("Pearson's C", undefined=ONE_CLASS_OF_EITHER, biased_by="association")
def pearson_c() -> pl.Expr:
    """Contingency coefficient of truth and prediction; for K classes at most √(1 − 1/K).

    Formula: √(χ² / (χ² + n)).
    Reference: Pearson (1904), *On the Theory of Contingency*, Drapers' Company Memoirs 1.
    """
    return (_phi() / (1 + _phi())).sqrt()


@matrix_metric(
    "Goodman–Kruskal λ of the truth",
    undefined="the truth is a single class",
    no_limits=OF_LARGEST_CLASS,
)
def lambda_truth() -> pl.Expr:
    """Reduction of error in guessing the truth when the prediction is known (lambda A).

    Formula: (Σⱼ maxᵢ nᵢⱼ − max tᵢ) / (n − max tᵢ).
    Reference: Goodman & Kruskal (1954), doi:10.1080/01621459.1954.10501231.
    """
    return _saved("truth", "predicted", OF_TRUTH)


@matrix_metric(
    "Goodman–Kruskal λ of the prediction",
    undefined="all rows are predicted to be of one class",
    no_limits=OF_LARGEST_CLASS,
)
def lambda_prediction() -> pl.Expr:
    """Reduction of error in guessing the prediction when the truth is known (lambda B).

    Formula: (Σᵢ maxⱼ nᵢⱼ − max pⱼ) / (n − max pⱼ).
    Reference: Goodman & Kruskal (1954), doi:10.1080/01621459.1954.10501231.
    """
    return _saved("predicted", "truth", OF_PREDICTION)


def _saved(guessed: str, predictor: str, margin: pl.Expr) -> pl.Expr:
    """Errors of always guessing the commonest class that knowing the other one saves, as a share.

    Row by row of the table, and without subtracting sums of weights that are rounded.
    """
    of_class = margin.filter(CORRECT)
    best = COUNT.max().over(predictor).filter(CORRECT)
    commonest = COUNT.filter(pl.col(guessed) == of_class.arg_max())
    return ratio((best - commonest).sum(), of_class.sort(descending=True).slice(1).sum())


@matrix_metric(
    "Adjusted Rand index",
    bounds=(-1, 1),
    undefined="truth and predictions each have a single class, or there are fewer than two rows",
    biased_by="association",
)
def adjusted_rand() -> pl.Expr:
    """Agreement beyond chance on which pairs of rows have the same class.

    Formula: (Σ C(nᵢⱼ, 2) − E) / ((Σ C(tᵢ, 2) + Σ C(pⱼ, 2)) / 2 − E),
    E = Σ C(tᵢ, 2)·Σ C(pⱼ, 2) / C(n, 2).
    Reference: Hubert & Arabie (1985), doi:10.1007/BF01908075.
    """
    # Twice the pairs together in both, in the truth alone, in the predictions alone, in neither.
    both = (COUNT * (COUNT - 1)).sum()
    truth, predicted = ((COUNT * (m - COUNT).clip(0)).sum() for m in (OF_TRUTH, OF_PREDICTION))
    neither = (COUNT * (N - OF_TRUTH - OF_PREDICTION + COUNT).clip(0)).sum()
    whole = (both + truth) * (truth + neither) + (both + predicted) * (predicted + neither)
    value = ratio(2 * (both * neither - truth * predicted), whole)
    return pl.when((several(OF_TRUTH) | several(OF_PREDICTION)) & (N > 1)).then(value.clip(-1, 1))


def _errors(margin: pl.Expr) -> pl.Expr:
    """Σ nᵢⱼ·(log(dᵢ/nᵢⱼ) + log(dⱼ/nᵢⱼ)) over the errors, d the margin of each class.

    The logarithms have base 2(K − 1).
    """
    of_class = margin.filter(CORRECT)
    wide = of_class.gather(pl.col("truth")) * of_class.gather(pl.col("predicted"))
    part = pl.when((COUNT > 0) & ~CORRECT).then(COUNT * (wide / COUNT**2).log()).otherwise(0.0)
    return part.sum() / (2 * (_CLASSES - 1)).log()


@matrix_metric(
    "Confusion entropy",
    bounds=(0, 2 * math.log2(math.e) / math.e),
    better="lower",
    undefined=NO_ROWS,
    biased_by="cells",
)
def confusion_entropy() -> pl.Expr:
    """Entropy of the errors between all classes, each against what its two classes have.

    Formula: Σ nᵢⱼ(log(dᵢ/nᵢⱼ) + log(dⱼ/nᵢⱼ)) / (2n) over i ≠ j to the base 2(K − 1), dᵢ = tᵢ + pᵢ.
    Reference: Wei, Yuan, Hu & Wang (2010), doi:10.1016/j.eswa.2009.11.040.
    """
    return ratio(_errors(OF_TRUTH + OF_PREDICTION), 2 * N).clip(0)


@matrix_metric("Modified confusion entropy", better="lower", undefined=NO_ROWS, biased_by="cells")
def modified_confusion_entropy() -> pl.Expr:
    """Confusion entropy with correct predictions counted once instead of twice.

    Formula: Σ nᵢⱼ(log(dᵢ/nᵢⱼ) + log(dⱼ/nᵢⱼ)) / (2n − a Σ nᵢᵢ) over i ≠ j to the base 2(K − 1),
    dᵢ = tᵢ + pᵢ − nᵢᵢ, a = 1, and 0 for two classes.
    Reference: Delgado & Núñez-González (2019), doi:10.1371/journal.pone.0210264.
    """
    correct = COUNT.filter(CORRECT).sum()
    counted = 2 * N - pl.when(_CLASSES > 2).then(correct).otherwise(0.0)
    return ratio(_errors(OF_TRUTH + OF_PREDICTION - COUNT), counted).clip(0)
