"""Measures of a decision between several classes.

Most read ``classes``: one row per class with its counts against the rest
(``tp fp fn tn``, as in the binary table). Those that need to know what was
mistaken for what read the ``matrix``: one row per truth and prediction
(``truth``, ``predicted`` as positions of the classes, ``count``), zeros included.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reportgen.intervals import ModifiedWilson
from reportgen.metrics.class_means import strict_mean
from reportgen.metrics.registry import (
    ALL_ROWS,
    FN,
    FP,
    INFINITY,
    NEGATIVES,
    NO_ROWS,
    POSITIVES,
    PREDICTED_POSITIVES,
    TN,
    TP,
    class_metric,
    matrix_metric,
    ratio,
)
from reportgen.metrics.table_terms import COUNT, OF_PREDICTION, OF_TRUTH, N
from reportgen.text.reasons import OF_LARGEST_CLASS


@class_metric(
    "Rows",
    group="count",
    bounds=(0, INFINITY),
    better=None,
    undefined=NO_ROWS,
    discloses="class sizes",
)
def n() -> pl.Expr:
    """Number of rows, or their weight.

    Formula: n.
    Reference: Sokolova & Lapalme (2009), doi:10.1016/j.ipm.2009.03.002.
    """
    return ALL_ROWS


@class_metric(
    "Accuracy",
    undefined=NO_ROWS,
    interval=ModifiedWilson(("correct_rows", "error_rows"), ("correct_rows",)),
    core=True,
)
def accuracy() -> pl.Expr:
    """Proportion of correct predictions.

    Formula: Σ TPₖ / n.
    Book: 2.5.
    Reference: Zhou (2016), *Machine Learning*, eq. 2.5.
    """
    return ratio(TP.sum(), ALL_ROWS)


@class_metric(
    "Error rate",
    better="lower",
    undefined=NO_ROWS,
    interval=ModifiedWilson(("correct_rows", "error_rows"), ("correct_rows",)),
    core=True,
    complement_of="accuracy",
)
def error_rate() -> pl.Expr:
    """Proportion of incorrect predictions.

    Formula: 1 − Σ TPₖ / n.
    Book: 2.4.
    Reference: Zhou (2016), *Machine Learning*, eq. 2.4.
    """
    return ratio(FN.sum(), ALL_ROWS)


@class_metric("Balanced accuracy", undefined=NO_ROWS, core=True)
def balanced_accuracy() -> pl.Expr:
    """Mean recall of the classes that occur.

    Formula: mean of TPₖ / (TPₖ + FNₖ) over the classes with rows.
    Reference: Brodersen et al. (2010), doi:10.1109/ICPR.2010.764.
    """
    return ratio(TP, POSITIVES).mean()


@class_metric("G-mean", undefined=NO_ROWS, mean_of_rates=True)
def g_mean() -> pl.Expr:
    """Geometric mean of the recalls of the classes that occur.

    Formula: (Π TPₖ / (TPₖ + FNₖ))^(1/K) over the K classes with rows.
    Reference: Sun et al. (2006), doi:10.1109/ICDM.2006.29.
    """
    recall = ratio(TP, POSITIVES)
    present = recall.is_not_null().sum()
    return pl.when(present > 0).then(recall.product() ** (1 / present.cast(pl.Float64)))


@class_metric("F1 of macro-P and macro-R", undefined="a class is never predicted, or has no rows")
def f1_of_macro() -> pl.Expr:
    """Harmonic mean of macro-precision and macro-recall.

    Formula: 2·macro-P·macro-R / (macro-P + macro-R); not the mean of the classes' F1.
    Book: 2.14.
    Reference: Opitz & Burst (2019), doi:10.48550/arXiv.1911.03347.
    """
    p, r = (strict_mean(ratio(TP, whole)) for whole in (PREDICTED_POSITIVES, POSITIVES))
    return ratio(2 * p * r, p + r)


@class_metric(
    "MCC",
    bounds=(-1, 1),
    undefined="truth or predictions have a single class",
    core=True,
    chance=0.0,
)
def mcc() -> pl.Expr:
    """Correlation of truth and prediction for several classes (Gorodkin's R_K).

    Formula: (n·Σ TPₖ − Σ tₖpₖ) / √((n² − Σ tₖ²)(n² − Σ pₖ²)), tₖ rows of and pₖ given class k.
    Reference: Gorodkin (2004), doi:10.1016/j.compbiolchem.2004.09.006.
    """
    truth = (POSITIVES * NEGATIVES).sum()
    predicted = (PREDICTED_POSITIVES * (FN + TN)).sum()
    return ratio(_beyond_chance(), (truth * predicted).sqrt()).clip(-1, 1)


@class_metric(
    "Cohen's kappa",
    group="agreement",
    bounds=(-1, 1),
    undefined="truth and predictions are the same single class, so chance agreement is complete",
    core=True,
    chance=0.0,
)
def cohen_kappa() -> pl.Expr:
    """Agreement of truth and prediction beyond chance.

    Formula: (po − pe) / (1 − pe), pe = Σ tₖpₖ / n².
    Reference: Cohen (1960), doi:10.1177/001316446002000104.
    """
    return ratio(_beyond_chance(), (POSITIVES * (FN + TN)).sum())


def _beyond_chance() -> pl.Expr:
    """n·Σ TPₖ − Σ tₖpₖ class by class, so that no total is subtracted from another."""
    return (TP * TN - FP * FN).sum()


@class_metric(
    "No-information rate",
    better=None,
    undefined=NO_ROWS,
    no_limits=OF_LARGEST_CLASS,
    discloses="class sizes",
)
def no_information_rate() -> pl.Expr:
    """Accuracy of always predicting the most frequent class.

    Formula: max tₖ / n.
    Reference: Kuhn (2008), doi:10.18637/jss.v028.i05.
    """
    return ratio(POSITIVES.max(), ALL_ROWS)


@class_metric("Accuracy above the no-information rate", bounds=(-1, 1), undefined=NO_ROWS)
def accuracy_gain() -> pl.Expr:
    """Accuracy less that of always predicting the most frequent class.

    Formula: Σ TPₖ / n − max tₖ / n.
    Reference: Kuhn (2008), doi:10.18637/jss.v028.i05.
    """
    return ratio(TP.sum() - POSITIVES.max(), ALL_ROWS)


def several(margin: pl.Expr) -> pl.Expr:
    """Whether more than one class occurs in a margin: its sums are rounded, its zeros exact."""
    return ((margin > 0) & (pl.col("truth") == pl.col("predicted"))).sum() > 1


def _weighted_kappa(distance: pl.Expr) -> pl.Expr:
    expected = ratio(OF_TRUTH * OF_PREDICTION, N)
    return 1 - ratio((distance * COUNT).sum(), (distance * expected).sum())


def _apart() -> pl.Expr:
    return (pl.col("truth").cast(pl.Float64) - pl.col("predicted").cast(pl.Float64)).abs()


@matrix_metric(
    "Kappa, linear weights",
    by_distance=1,
    bounds=(-INFINITY, 1),
    undefined="truth and predictions are the same single class",
)
def linear_kappa() -> pl.Expr:
    """Kappa with errors weighted by the distance between classes, in class order.

    Formula: 1 − Σ |i − j|·nᵢⱼ / Σ |i − j|·tᵢpⱼ/n.
    Reference: Cohen (1968), doi:10.1037/h0026256.
    """
    return _weighted_kappa(_apart())


@matrix_metric(
    "Kappa, quadratic weights",
    by_distance=2,
    bounds=(-INFINITY, 1),
    undefined="truth and predictions are the same single class",
)
def quadratic_kappa() -> pl.Expr:
    """Kappa with errors weighted by the squared distance between classes.

    Formula: 1 − Σ (i − j)²·nᵢⱼ / Σ (i − j)²·tᵢpⱼ/n.
    Reference: Cohen (1968), doi:10.1037/h0026256.
    """
    return _weighted_kappa(_apart() ** 2)


@matrix_metric("Mutual information", bounds=(0, INFINITY), undefined=NO_ROWS, biased_by="cells")
def mutual_information() -> pl.Expr:
    """Information that the prediction gives about the truth, in bits.

    Formula: Σ nᵢⱼ/n · log₂(n·nᵢⱼ / (tᵢpⱼ)).
    Reference: Shannon (1948), doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    part = COUNT / N * (N * COUNT / (OF_TRUTH * OF_PREDICTION)).log(2)
    total = pl.when(COUNT > 0).then(part).otherwise(0.0).sum()
    both = several(OF_TRUTH) & several(OF_PREDICTION)
    return pl.when(N > 0).then(pl.when(both).then(total.clip(0)).otherwise(0.0))


@matrix_metric(
    "Cramér's V", undefined="truth or predictions have a single class", biased_by="association"
)
def cramer_v() -> pl.Expr:
    """Strength of association of truth and prediction.

    Formula: √(χ² / (n·(K − 1))), K the number of classes.
    Reference: Cramér (1946), *Mathematical Methods of Statistics*, 21.9.
    """
    expected = ratio(OF_TRUTH * OF_PREDICTION, N)
    squared = pl.when(expected > 0).then((COUNT - expected) ** 2 / expected).otherwise(0.0).sum()
    classes = pl.col("truth").n_unique().cast(pl.Float64)
    both = several(OF_TRUTH) & several(OF_PREDICTION)
    return pl.when(both).then((squared / (N * (classes - 1))).sqrt().clip(0, 1))


def _cost(costs: Sequence[Sequence[float]] | None) -> pl.Expr:
    """Sum of the costs of all cells; null when none are declared."""
    if costs is None:
        return pl.lit(None, pl.Float64)
    flat = pl.Series([float(c) for row in costs for c in row])
    cell = pl.col("truth").cast(pl.UInt32) * len(costs) + pl.col("predicted")
    return (COUNT * pl.lit(flat).gather(cell)).sum()


@matrix_metric(
    "Cost-sensitive error rate",
    group="cost",
    bounds=(0, INFINITY),
    better="lower",
    undefined="no costs are declared",
    core=True,
    unit="cost per row",
)
def cost_sensitive_error_rate(costs: Sequence[Sequence[float]] | None = None) -> pl.Expr:
    """Mean cost per row of the predicted classes.

    Parameters: ``costs``, cost of each prediction (columns) for each true class (lines).
    Formula: Σ nᵢⱼ·costᵢⱼ / n, i the truth, j the prediction.
    Book: 2.23.
    Reference: Zhou (2016), *Machine Learning*, eq. 2.23.
    """
    return ratio(_cost(costs), N)


@matrix_metric(
    "Total cost",
    group="cost",
    bounds=(0, INFINITY),
    better="lower",
    undefined="no costs are declared",
)
def total_cost(costs: Sequence[Sequence[float]] | None = None) -> pl.Expr:
    """Sum of the costs of all rows.

    Parameters: ``costs``, cost of each prediction (columns) for each true class (lines).
    Formula: Σ nᵢⱼ·costᵢⱼ, i the truth, j the prediction.
    Book: 2.23.
    Reference: Zhou (2016), *Machine Learning*, eq. 2.23.
    """
    return _cost(costs)


@class_metric(
    "Cost-sensitive error rate, least-cost predictions",
    group="cost",
    on="least",
    bounds=(0, INFINITY),
    better="lower",
    undefined="no costs are declared",
)
def least_cost_error_rate(costs: Sequence[Sequence[float]] | None = None) -> pl.Expr:
    """Mean cost per row when each row gets the class of least expected cost.

    Parameters: ``costs``, cost of each prediction (columns) for each true class (lines).
    Formula: Σ nᵢⱼ·costᵢⱼ / n for the prediction that minimises Σₖ pₖ·costₖⱼ.
    Reference: Elkan (2001), IJCAI, 973-978.
    """
    return ratio(_cost(costs), N)
