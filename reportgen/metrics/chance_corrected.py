"""Agreement of truth and prediction beyond what chance would give, from the four counts.

The measures differ in what they take chance to be: Cohen's kappa keeps both
margins, Scott's pi and Krippendorff's alpha pool them, Bennett's S takes all
classes to be alike, Gwet's AC1 chance to guess only where a row is hard.
"""

from __future__ import annotations

import polars as pl

from reportgen.metrics.registry import (
    FN,
    FP,
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
)

_ONE = "truth and predictions are the same single class, so chance agreement is complete"
_TRIVIAL = "truth and predictions each have a single class, or there are fewer than two rows"

_SHARE = ratio(POSITIVES + PREDICTED_POSITIVES, 2 * ROWS)
"""Share of the positives in truth and prediction taken together."""
_ERRORS = ratio(FP + FN, ROWS)


@agreement_metric("Chance agreement", better=None, undefined=NO_ROWS)
def chance_agreement() -> pl.Expr:
    """Agreement expected by chance if truth and prediction were independent.

    Formula: ((TP + FN)(TP + FP) + (FP + TN)(FN + TN)) / n².
    Reference: Cohen (1960), doi:10.1177/001316446002000104.
    """
    return ratio(POSITIVES * PREDICTED_POSITIVES + NEGATIVES * PREDICTED_NEGATIVES, ROWS**2)


@agreement_metric("Scott's pi", bounds=(-1, 1), undefined=_ONE, chance=0.0)
def scott_pi() -> pl.Expr:
    """Agreement beyond chance, with class frequencies pooled over truth and prediction.

    Formula: 1 − (1 − po) / (2q(1 − q)), po the accuracy and q = (2·TP + FP + FN) / (2n).
    Reference: Scott (1955), doi:10.1086/266577.
    """
    return _pooled(1.0)


@agreement_metric("Krippendorff's alpha", bounds=(-1, 1), undefined=_ONE)
def krippendorff_alpha() -> pl.Expr:
    """Agreement beyond chance with pooled classes, corrected for the number of rows.

    Formula: 1 − (1 − 1/(2n))(1 − po) / (2q(1 − q)), q = (2·TP + FP + FN) / (2n).
    Reference: Krippendorff (2004), doi:10.1111/j.1468-2958.2004.tb00738.x.
    """
    return _pooled(1 - ratio(pl.lit(1.0), 2 * ROWS))


def _pooled(correction: pl.Expr | float) -> pl.Expr:
    # The four products keep what 2q(1 − q) loses where nearly all rows are of one class.
    whole = 2 * (POSITIVES + PREDICTED_POSITIVES) * (NEGATIVES + PREDICTED_NEGATIVES)
    return (1 - correction * ratio(4 * (FP + FN) * ROWS, whole)).clip(-1, 1)


@agreement_metric("Gwet's AC1", bounds=(-1, 1), undefined=NO_ROWS)
def gwet_ac1() -> pl.Expr:
    """Agreement beyond chance that is stable when one class dominates.

    Formula: (po − pe) / (1 − pe), pe = 2q(1 − q), q = (2·TP + FP + FN) / (2n).
    Reference: Gwet (2008), doi:10.1348/000711006X126600.
    """
    chance = 2 * _SHARE * (1 - _SHARE)
    return (1 - ratio(_ERRORS, 1 - chance)).clip(-1, 1)


@agreement_metric("Bennett's S", bounds=(-1, 1), undefined=NO_ROWS)
def bennett_s() -> pl.Expr:
    """Agreement beyond guessing at ½: kappa adjusted for prevalence and bias.

    Formula: 2(TP + TN) / n − 1.
    Reference: Bennett, Alpert & Goldstein (1954), doi:10.1086/266520.
    """
    return 1 - 2 * _ERRORS


@agreement_metric("Bangdiwala's B", undefined="truth and predictions have no class in common")
def bangdiwala_b() -> pl.Expr:
    """Area of agreement in the agreement chart, relative to the maximum for its margins.

    Formula: (TP² + TN²) / ((TP + FN)(TP + FP) + (FP + TN)(FN + TN)).
    Reference: Bangdiwala & Shankar (2013), doi:10.1186/1471-2288-13-97.
    """
    return ratio(
        TP**2 + TN**2, POSITIVES * PREDICTED_POSITIVES + NEGATIVES * PREDICTED_NEGATIVES
    ).clip(0, 1)


@agreement_metric("Adjusted Rand index", bounds=(-1, 1), undefined=_TRIVIAL)
def adjusted_rand() -> pl.Expr:
    """Agreement beyond chance on which pairs of rows have the same class.

    Formula: (Σ C(nᵢⱼ, 2) − E) / ((Σ C(tᵢ, 2) + Σ C(pⱼ, 2)) / 2 − E),
    E = Σ C(tᵢ, 2)·Σ C(pⱼ, 2) / C(n, 2).
    Reference: Hubert & Arabie (1985), doi:10.1007/BF01908075.
    """
    # Pairs together in both less those by chance, multiplied out: nothing large cancels.
    cross = TP * TN - FP * FN
    excess = cross * (TP**2 + TN**2 - FP**2 - FN**2) - ROWS * (TP * TN + FP * FN)
    both = sum((c * (c - 1) for c in (FP, FN, TN)), TP * (TP - 1))
    truth, predicted = 2 * (TP * FN + FP * TN), 2 * (TP * FP + FN * TN)
    neither = 2 * (TP * TN + FP * FN)
    whole = (both + truth) * (truth + neither) + (both + predicted) * (predicted + neither)
    trivial = (pl.min_horizontal(POSITIVES, NEGATIVES) == 0) & (
        pl.min_horizontal(PREDICTED_POSITIVES, PREDICTED_NEGATIVES) == 0
    )
    return pl.when(~trivial & (ROWS > 1)).then(ratio(4 * excess, whole).clip(-1, 1))
