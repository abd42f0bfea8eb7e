"""Score limits of an AUC, which exist at 0 and 1 too.

The limits of an area are those values A that |Â − A| = t·√(φ·V(A)) leaves. V is
Newcombe's variance of an AUC whose value is A; φ scales it to the variance
that was observed (DeLong's, or one that allows for groups), which says more
the more rows it rests on.
"""

from __future__ import annotations

import math
from itertools import repeat
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from reportgen.array_types import Floats

AreaLimits = tuple[float, float]

_Number = TypeVar("_Number", float, Floats)

FEW_AREAS = 16
"""Of more areas arrays are as fast."""

PRIOR = 0.75
"""Newcombe's variance weighs PRIOR / (k·A(1 − A)) against 1 of the observed one, k the smaller
class: 3 rows where A is ½. Chosen by the simulation in ``tests/coverage``."""

_NOISE = 1e-24
"""A variance below it is that of rounding."""

_STEPS = 60
_EDGE = 1e-9


def newcombe_variance(area: Floats, positives: Floats, negatives: Floats) -> Floats:
    """Variance of an AUC from its value and the sizes of the classes.

    A(1 − A)/(PN)·(1 + (k − 1)·((1 − A)/(2 − A) + A/(1 + A))), k the mean size of a class:
    Hanley & McNeil's, with both sizes replaced by their mean.
    Newcombe (2006), method 5, doi:10.1002/sim.2324.
    """
    return newcombe_at(area, *newcombe_sizes(positives, negatives))


def newcombe_sizes(positives: Floats, negatives: Floats) -> tuple[Floats, Floats]:
    """What the variance takes from the sizes of the classes: k − 1, and PN."""
    return np.maximum((positives + negatives) / 2 - 1, 0), positives * negatives


def newcombe_at(area: _Number, others: _Number, pairs: _Number) -> _Number:
    """``newcombe_variance`` of one area or several, from what it takes from the sizes."""
    below = 1 - area
    return area * below / pairs * (1 + others * (below / (2 - area) + area / (1 + area)))


def hanley_variance(area: Floats, positives: float, negatives: float) -> Floats:
    """Variance of an AUC from its value and the sizes of the classes, whichever of them is rarer.

    (A(1 − A) + (P − 1)·(Q₁ − A²) + (N − 1)·(Q₂ − A²))/(PN) with Q₁ = A/(2 − A) and
    Q₂ = 2A²/(1 + A), the larger of that and the one with the classes exchanged.
    Hanley & McNeil (1982), doi:10.1148/radiology.143.1.7063747.

    >>> round(float(hanley_variance(np.array(0.95), 20, 300)), 6)
    0.001168
    """
    first, second = area / (2 - area) - area**2, 2 * area**2 / (1 + area) - area**2
    as_given = (positives - 1) * first + (negatives - 1) * second
    exchanged = (negatives - 1) * first + (positives - 1) * second
    spread = np.maximum(as_given, exchanged)
    variance: Floats = (area * (1 - area) + spread) / (positives * negatives)
    return variance


def delong_score(
    area: float,
    variance: float | None,
    positives: float,
    negatives: float,
    confidence: float = 0.95,
) -> AreaLimits:
    """Score limits of an AUC from its value, its variance and the sizes of the two classes.

    {A: (Â − A)² ≤ t²·φ·V(A)}, where V is ``newcombe_variance``,
    φ = (v/V(Â) + w)/(1 + w) with v the observed ``variance`` and
    w = 0.75/(k·Â(1 − Â)), k the smaller class. t has Satterthwaite's degrees of
    freedom of the two class sizes times (1 + w·V(Â)/v)², as V has no
    error of its own. Where the variance is None (one row of a class), and where
    the area is 0 or 1, φ is 1 and t is z: that is Newcombe's method 5.

    ``positives`` and ``negatives`` are effective sizes, Kish's of weighted rows. Raises
    ValueError without a class.
    Newcombe (2006), doi:10.1002/sim.2324; DeLong et al. (1988), doi:10.2307/2531595;
    Satterthwaite (1946), doi:10.2307/3002019.

    >>> [round(limit, 4) for limit in delong_score(0.9, 0.03**2, 50, 50)]
    [0.821, 0.9446]
    >>> [round(limit, 4) for limit in delong_score(1.0, 0.0, 10, 20)]
    [0.8489, 1.0]
    """
    if not (positives > 0 and negatives > 0):
        raise ValueError("an AUC needs both classes")
    columns = (area, math.nan if variance is None else variance, positives, negatives)
    low, high = score_limits(
        *(np.array([column], dtype=np.float64) for column in columns),
        confidence=confidence,
    )
    return float(low[0]), float(high[0])


def score_limits(
    area: Floats,
    variance: Floats,
    positives: Floats,
    negatives: Floats,
    *,
    confidence: float = 0.95,
    df: float | Floats | None = None,
) -> tuple[Floats, Floats]:
    """The same of several areas, one per place; NaN stands for null."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = variance_scale(area, variance, positives, negatives)
        freedom = _degrees_of_freedom(area, variance, positives, negatives, df)
        radius = stdtrit(freedom, (1 + confidence) / 2) ** 2 * scale
    undefined = np.isnan(area * positives * negatives * radius) | _tied(area, variance)
    sizes = newcombe_sizes(positives, negatives)
    if area.size <= FEW_AREAS:
        parts = [part.tolist() for part in (area, radius, *sizes)]
        ends = np.array([[_end(*one) for one in zip(*parts, repeat(end))] for end in (0.0, 1.0)])
    else:
        ends = _ends(area, radius, *sizes)
    low, high = np.where(undefined, np.nan, ends)
    return low, high


def _ends(area: Floats, radius: Floats, others: Floats, pairs: Floats) -> Floats:
    """Where |Â − A| = t·√(φ·V(A)) between each area and 0, and between it and 1."""
    end = np.array([[0.0], [1.0]])
    inside, outside = np.tile(area, (2, 1)), np.tile(end, area.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            rejected = (area - middle) ** 2 > radius * newcombe_at(middle, others, pairs)
            outside = np.where(rejected, middle, outside)
            inside = np.where(rejected, inside, middle)
    return np.where(area == end, end, (inside + outside) / 2)


def _end(area: float, radius: float, others: float, pairs: float, end: float) -> float:
    """The same of one area: of few that takes a tenth of the time."""
    if area == end:
        return end
    inside, outside = area, end
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        distance = area - middle
        if distance * distance > radius * newcombe_at(middle, others, pairs):
            outside = middle
        else:
            inside = middle
    return (inside + outside) / 2


def variance_scale(area: Floats, variance: Floats, positives: Floats, negatives: Floats) -> Floats:
    """How much wider than Newcombe's the variance is, 1 where it says nothing (NaN, or at an end).

    φ of ``delong_score``.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        observed, weight = _observed(area, variance, positives, negatives)
        scale = (observed + weight) / (1 + weight)
    return np.where(_silent(area, variance), 1.0, scale)


def _degrees_of_freedom(
    area: Floats, variance: Floats, positives: Floats, negatives: Floats, df: float | Floats | None
) -> Floats:
    """Those of the variance and its scale, infinite where that is not observed."""
    observed, weight = _observed(area, variance, positives, negatives)
    rows = _freedom(positives, negatives)
    if df is not None:
        rows = np.where(np.isnan(df), rows, df)
    freedom = rows * (1 + weight / observed) ** 2
    valid = ~_silent(area, variance) & (observed > 0)
    return np.where(valid, np.maximum(freedom, 1.0), np.inf)


def _observed(
    area: Floats, variance: Floats, positives: Floats, negatives: Floats
) -> tuple[Floats, Floats]:
    """The variance as a multiple of Newcombe's, and the weight of the latter."""
    between = np.clip(area, _EDGE, 1 - _EDGE)
    weight = PRIOR / (np.minimum(positives, negatives) * between * (1 - between))
    return variance / newcombe_variance(between, positives, negatives), weight


def _silent(area: Floats, variance: Floats) -> npt.NDArray[np.bool_]:
    return np.isnan(variance) | (area <= 0) | (area >= 1)


def _tied(area: Floats, variance: Floats) -> npt.NDArray[np.bool_]:
    """Whether all scores are equal: their AUC is one half in every sample, and has no interval."""
    with np.errstate(invalid="ignore"):
        return (variance < _NOISE) & (abs(area - 0.5) < _EDGE)


def _freedom(positives: Floats, negatives: Floats) -> Floats:
    """Satterthwaite's degrees of freedom of two means of as many rows, with one variance."""
    parts = 1 / (positives**2 * (positives - 1)) + 1 / (negatives**2 * (negatives - 1))
    freedom: Floats = (1 / positives + 1 / negatives) ** 2 / parts
    return freedom
