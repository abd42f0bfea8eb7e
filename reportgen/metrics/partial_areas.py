"""Areas under a part of the ROC curve, and the point where both error rates are equal."""

from __future__ import annotations

import polars as pl

from reportgen.metrics.registry import FP, TP, ranking_metric, ratio
from reportgen.metrics.sweep_terms import N, P
from reportgen.text.reasons import ONE_CLASS

_RECALL, _FALSE_POSITIVE_RATE = ratio(TP, P), ratio(FP, N)


def partial_area(limit: float = 0.1) -> pl.Expr:
    """Area under the ROC curve where the false-positive rate is at most ``limit``.

    The curve is straight between two thresholds. Null with a single class.
    McClish (1989), doi:10.1177/0272989X8900900307.
    """
    return _area(_FALSE_POSITIVE_RATE, _RECALL, 0.0, limit)


def partial_area_above(recall: float = 0.9) -> pl.Expr:
    """Area between the ROC curve and its right edge where recall is at least ``recall``.

    The mean specificity over that range of recall, times its width. Null with a
    single class. Jiang, Metz & Nishikawa (1996), doi:10.1148/radiology.201.3.8939225.
    """
    return _area(_RECALL, 1 - _FALSE_POSITIVE_RATE, recall, 1.0)


def standardised_partial_area(limit: float = 0.1) -> pl.Expr:
    """Partial area rescaled so that chance is ½ and a perfect ranking 1.

    McClish (1989), doi:10.1177/0272989X8900900307.
    """
    chance = limit**2 / 2
    # Multiplied: many rows divided by one number lose a digit that one row keeps.
    scale = 1 / (limit - chance)
    return (1 + (partial_area(limit) - chance) * scale) / 2


def _area(along: pl.Expr, height: pl.Expr, low: float, high: float) -> pl.Expr:
    """Area under straight lines from ``low`` to ``high``; ``along`` never falls."""
    before, start = along.shift(1), height.shift(1)
    slope = ratio(height - start, along - before).fill_null(0.0)
    left, right = before.clip(low, high), along.clip(low, high)
    middle = start + slope * ((left + right) / 2 - before)
    both = (P > 0) & (N > 0)
    return pl.when(both).then(((right - left) * middle).sum().clip(0, high - low))


@ranking_metric(
    "Partial AUC, FPR ≤ 0.1",
    bounds=(0, 0.1),
    undefined=ONE_CLASS,
    within_classes=True,
    of_highest=True,
)
def partial_auc_10() -> pl.Expr:
    """Area under the ROC curve up to a false-positive rate of 0.1.

    Formula: ∫ TPR dFPR from 0 to 0.1, straight lines between the thresholds.
    Reference: McClish (1989), doi:10.1177/0272989X8900900307.
    """
    return partial_area(0.1)


@ranking_metric(
    "Partial AUC, FPR ≤ 0.2",
    bounds=(0, 0.2),
    undefined=ONE_CLASS,
    within_classes=True,
    of_highest=True,
)
def partial_auc_20() -> pl.Expr:
    """Area under the ROC curve up to a false-positive rate of 0.2.

    Formula: ∫ TPR dFPR from 0 to 0.2, straight lines between the thresholds.
    Reference: McClish (1989), doi:10.1177/0272989X8900900307.
    """
    return partial_area(0.2)


@ranking_metric(
    "Partial AUC, FPR ≤ 0.1, standardised",
    undefined=ONE_CLASS,
    within_classes=True,
    of_highest=True,
)
def standardised_partial_auc_10() -> pl.Expr:
    """Partial AUC up to a false-positive rate of 0.1, rescaled so that chance is ½.

    Formula: (1 + (A − x²/2) / (x − x²/2)) / 2, A the partial AUC up to x = 0.1; below ½ where
    the curve lies below chance.
    Reference: McClish (1989), doi:10.1177/0272989X8900900307.
    """
    return standardised_partial_area(0.1)


@ranking_metric(
    "Partial AUC, FPR ≤ 0.2, standardised",
    undefined=ONE_CLASS,
    within_classes=True,
    of_highest=True,
)
def standardised_partial_auc_20() -> pl.Expr:
    """Partial AUC up to a false-positive rate of 0.2, rescaled so that chance is ½.

    Formula: (1 + (A − x²/2) / (x − x²/2)) / 2, A the partial AUC up to x = 0.2; below ½ where
    the curve lies below chance.
    Reference: McClish (1989), doi:10.1177/0272989X8900900307.
    """
    return standardised_partial_area(0.2)


@ranking_metric(
    "Partial AUC, recall ≥ 0.9",
    bounds=(0, 0.1),
    undefined=ONE_CLASS,
    within_classes=True,
    of_highest=True,
)
def partial_auc_sensitive() -> pl.Expr:
    """Area beside the ROC curve from a recall of 0.9 up, at most 0.1.

    Formula: ∫ (1 − FPR) dTPR from 0.9 to 1, straight lines between the thresholds.
    Reference: Jiang, Metz & Nishikawa (1996), doi:10.1148/radiology.201.3.8939225.
    """
    return partial_area_above(0.9).clip(0, 0.1)


@ranking_metric("Equal error rate", better="lower", undefined=ONE_CLASS, within_classes=True)
def equal_error_rate() -> pl.Expr:
    """Error rate at the point of the ROC curve where it is equal for both classes.

    Formula: FPR where FPR = 1 − TPR, on a straight line between the two nearest thresholds.
    Reference: Martin et al. (1997), doi:10.21437/Eurospeech.1997-504.
    """
    excess = _FALSE_POSITIVE_RATE + _RECALL - 1
    at = (excess >= 0).arg_max()
    before = pl.max_horizontal(at.cast(pl.Int64) - 1, 0)
    low, high = excess.get(before), excess.get(at)
    start, end = _FALSE_POSITIVE_RATE.get(before), _FALSE_POSITIVE_RATE.get(at)
    both = (P > 0) & (N > 0)
    return pl.when(both).then((start - ratio(low, high - low) * (end - start)).clip(0, 1))
