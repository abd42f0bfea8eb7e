"""Agreement of a decision between several classes beyond chance.

The forms for several classes of the binary measures of the same names; they
read ``classes``, one row of counts per class against the rest.
"""

from __future__ import annotations

import polars as pl

from reportgen.metrics.registry import (
    ALL_ROWS,
    FN,
    INFINITY,
    NEGATIVES,
    NO_ROWS,
    POSITIVES,
    PREDICTED_POSITIVES,
    TN,
    TP,
    class_metric,
    ratio,
)

_ONE = "truth and predictions are the same single class"

_CLASSES = pl.len().cast(pl.Float64)
_ERRORS = ratio(FN.sum(), ALL_ROWS)
_SHARE = ratio(POSITIVES + PREDICTED_POSITIVES, 2 * ALL_ROWS)
"""Share of each class in truth and prediction taken together."""


@class_metric("Scott's pi", group="agreement", bounds=(-1, 1), undefined=_ONE, chance=0.0)
def scott_pi() -> pl.Expr:
    """Agreement beyond chance, with class frequencies pooled over truth and prediction.

    Formula: (po − pe) / (1 − pe), pe = Σ ((tₖ + pₖ) / (2n))².
    Reference: Scott (1955), doi:10.1086/266577.
    """
    return 1 - ratio(_ERRORS, _apart()).clip(0, 2)


@class_metric("Krippendorff's alpha", group="agreement", bounds=(-1, 1), undefined=_ONE)
def krippendorff_alpha() -> pl.Expr:
    """Agreement beyond chance with pooled classes, corrected for the number of rows.

    Formula: 1 − (1 − 1/(2n))(1 − po) / (1 − pe), pe = Σ ((tₖ + pₖ) / (2n))².
    Reference: Krippendorff (2004), doi:10.1111/j.1468-2958.2004.tb00738.x.
    """
    correction = 1 - ratio(pl.lit(1.0), 2 * ALL_ROWS)
    return 1 - (correction * ratio(_ERRORS, _apart())).clip(0, 2)


def _apart() -> pl.Expr:
    return (_SHARE * ratio(NEGATIVES + FN + TN, 2 * ALL_ROWS)).sum()


@class_metric("Gwet's AC1", group="agreement", bounds=(-1, 1), undefined=NO_ROWS)
def gwet_ac1() -> pl.Expr:
    """Agreement beyond chance that is stable when one class dominates.

    Formula: (po − pe) / (1 − pe), pe = Σ qₖ(1 − qₖ) / (K − 1), qₖ = (tₖ + pₖ) / (2n).
    Reference: Gwet (2008), doi:10.1348/000711006X126600.
    """
    chance = ratio(_apart(), _CLASSES - 1)
    return (1 - ratio(_ERRORS, 1 - chance)).clip(-1, 1)


@class_metric("Bennett's S", group="agreement", bounds=(-1, 1), undefined=NO_ROWS)
def bennett_s() -> pl.Expr:
    """Agreement beyond uniform guessing.

    Formula: (K·po − 1) / (K − 1).
    Reference: Bennett, Alpert & Goldstein (1954), doi:10.1086/266520.
    """
    return 1 - ratio(_CLASSES * _ERRORS, _CLASSES - 1)


@class_metric(
    "Bangdiwala's B", group="agreement", undefined="truth and predictions have no class in common"
)
def bangdiwala_b() -> pl.Expr:
    """Area of agreement in the agreement chart, relative to the maximum for its margins.

    Formula: Σ TPₖ² / Σ tₖpₖ.
    Reference: Bangdiwala & Shankar (2013), doi:10.1186/1471-2288-13-97.
    """
    return ratio((TP**2).sum(), (POSITIVES * PREDICTED_POSITIVES).sum()).clip(0, 1)


@class_metric("Class balance accuracy", undefined=NO_ROWS)
def class_balance_accuracy() -> pl.Expr:
    """Mean over the classes of the smaller of precision and recall.

    Formula: mean of TPₖ / max(tₖ, pₖ) over the classes that occur in truth or prediction.
    Reference: Mosley (2013), *A Balanced Approach to the Multi-Class Imbalance Problem*.
    """
    return ratio(TP, pl.max_horizontal(POSITIVES, PREDICTED_POSITIVES)).mean()


@class_metric("Number of errors", bounds=(0, INFINITY), better="lower", undefined=NO_ROWS)
def zero_one_loss() -> pl.Expr:
    """Number (or weight) of incorrect predictions.

    Formula: n − Σ TPₖ.
    Reference: Domingos & Pazzani (1997), doi:10.1023/A:1007413511361.
    """
    return FN.sum()


@class_metric(
    "Chance agreement", group="agreement", better=None, undefined=NO_ROWS, biased_by="shares"
)
def chance_agreement() -> pl.Expr:
    """Agreement expected by chance if truth and prediction were independent.

    Formula: Σ tₖpₖ / n², tₖ and pₖ the rows of class k in truth and prediction.
    Reference: Cohen (1960), doi:10.1177/001316446002000104.
    """
    return ratio((POSITIVES * PREDICTED_POSITIVES).sum(), ALL_ROWS**2)


@class_metric(
    "Classification success index",
    bounds=(-1, 1),
    undefined="a class has no rows, or is never predicted",
)
def classification_success_index() -> pl.Expr:
    """Mean over the classes of precision plus recall minus one.

    Formula: Σ (precisionₖ + recallₖ − 1) / k.
    Reference: Labatut & Cherifi (2012), doi:10.48550/arXiv.1207.3790.
    """
    each = ratio(TP, PREDICTED_POSITIVES) + ratio(TP, POSITIVES) - 1
    return pl.when(each.is_not_null().all() & (_CLASSES > 0)).then(each.mean())
