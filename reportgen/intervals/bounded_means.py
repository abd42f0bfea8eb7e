"""Limits of a mean of few values that are skewed away from the bound that they are near."""

from __future__ import annotations

import math

BOUNDED_T = "bounded t"
"""The name of these limits."""

_LARGEST = 1.0
"""Relative half width from which a limit that nothing bounds grows as a plain one does."""

_MOST = 50.0
"""An exponent above which a limit is at the bound."""


def bounded_t(mean: float, half_width: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Limits of the mean of a measure with a bound, from the half width of its t limits.

    Formula: of a measure with one bound, with d the distance of the mean from it and r = half
    width/d, the limits at the distances d·exp(−r) and d·exp(r + r²/2 + r³/3), above r = 1 growing
    by d per unit of r; of one with two bounds the odds of the distances from both, times exp(−r) on
    the side of the nearer one and exp(r + r²/2) on the other, r the half width on that scale.
    Values near a bound are skewed away from it: where a sample lacks the far ones its mean is too
    near, and varies too little. Measures without a bound have plain t limits, as has a mean at its
    bound.

    >>> [round(end, 3) for end in bounded_t(0.9, 0.05, (0, 1))]
    [0.816, 0.94]
    >>> bounded_t(2.0, 0.5, (-math.inf, math.inf))
    (1.5, 2.5)
    """
    lowest, highest = bounds
    below, above = mean - lowest, highest - mean
    distance, other = min(below, above), max(below, above)
    if not math.isfinite(distance) or distance <= 0:
        return max(mean - half_width, lowest), min(mean + half_width, highest)
    near, far = _distances(distance, other, half_width)
    if below <= above:
        return lowest + near, lowest + far
    return highest - far, highest - near


def _distances(distance: float, other: float, half_width: float) -> tuple[float, float]:
    """The distances of both limits from the nearer bound; the mean is ``other`` from a second."""
    if math.isinf(other):
        relative = half_width / distance
        curved = min(relative, _LARGEST)
        further = math.exp(curved + curved**2 / 2 + curved**3 / 3) + relative - curved
        return distance * math.exp(-relative), distance * further
    width = distance + other
    relative = half_width * width / (distance * other)
    odds = (
        distance / other * math.exp(exponent)
        for exponent in (-relative, min(relative + relative**2 / 2, _MOST))
    )
    near, far = (width * ratio / (1 + ratio) for ratio in odds)
    return near, far
