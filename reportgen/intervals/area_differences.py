"""Score limits of the difference of two AUCs on the same rows, which exist at 0 and 1 too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from reportgen.array_types import Floats
from reportgen.intervals.area_scores import (
    AreaLimits,
    newcombe_at,
    newcombe_sizes,
    score_limits,
    variance_scale,
)

_STEPS = 60
DOWN, UP = 0, 1
"""Towards the lower and towards the upper limit of the difference."""

_MOVES = (-1.0, 1.0), (1.0, -1.0)
"""Where the two areas move then."""


def difference_limits(
    areas: Sequence[float],
    covariance: Floats,
    positives: float,
    negatives: float,
    *,
    confidence: float = 0.95,
    df: float = math.inf,
) -> AreaLimits:
    """Limits of the difference of two AUCs on the same rows, first minus second.

    {δ: (d − δ)² ≤ t²·V(δ)} with V(δ) = v₁ + v₂ − 2r√(v₁v₂): vₖ is Newcombe's
    variance of an area of Aₖ, scaled to the observed one as in ``delong_score``, and r the
    observed correlation. A₁ − A₂ = δ: both areas move from the observed ones, each
    in proportion to the distance of its own score limit. Two models that
    rank nearly alike have limits that are as narrow as their difference is
    certain. r is 0 where an area has no variance, as at 0 and 1, or none is
    known (NaN). Against a constant score, whose area is one half in every sample, only the
    other area moves. t has ``df`` degrees of freedom.
    Newcombe (2006), doi:10.1002/sim.2324; DeLong et al. (1988), doi:10.2307/2531595;
    Zou & Donner (2008), doi:10.1002/sim.3095.

    >>> limits = difference_limits((1.0, 0.9), np.diag([0.0, 0.0009]), 50, 50)
    >>> [round(limit, 4) for limit in limits]
    [0.0406, 0.1782]
    >>> limits = difference_limits((1.0, 0.5), np.diag([0.0, 0.0]), 50, 50)
    >>> [round(limit, 4) for limit in limits]
    [0.4603, 0.5]
    """
    path = _Path.of(areas, covariance, (float(positives), float(negatives)), confidence)
    quantile = float(stdtrit(df, (1 + confidence) / 2))
    return (
        path.difference - path.reach(quantile, DOWN),
        path.difference + path.reach(quantile, UP),
    )


def difference_scores(
    areas: Sequence[float],
    covariance: Floats,
    positives: float,
    negatives: float,
    margin: float,
    *,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Standardised distances of the difference of two AUCs from −margin and from +margin.

    d + margin and margin − d, each divided by the standard error that ``difference_limits`` has
    there: where the lower limit is −margin, the first is the quantile of that limit. Infinite
    where the difference cannot vary there.

    >>> high, low = difference_scores((0.9, 0.85), np.diag([0.001, 0.001]), 50, 50, 0.1)
    >>> (round(high, 3), round(low, 3))
    (2.987, 1.098)
    """
    path = _Path.of(areas, covariance, (float(positives), float(negatives)), confidence)
    return path.score(margin + path.difference, DOWN), path.score(margin - path.difference, UP)


@dataclass(frozen=True, slots=True)
class _Path:
    """How two areas move where their difference does: towards its lower and its upper limit."""

    area: list[float]
    sizes: list[float]
    share: list[list[float]]
    scale: list[float]
    shared: float

    @classmethod
    def of(
        cls,
        areas: Sequence[float],
        covariance: Floats,
        sizes: tuple[float, float],
        confidence: float,
    ) -> _Path:
        area, variance = np.array(areas, dtype=np.float64), np.diagonal(covariance)
        of_both = np.full(2, sizes[0]), np.full(2, sizes[1])
        constant = (area == 0.5) & (variance == 0)
        constant &= ~constant.all()
        scale = np.where(constant, 0.0, variance_scale(area, variance, *of_both))
        low, high = score_limits(area, variance, *of_both, confidence=confidence)
        ends = np.where(constant, area, low), np.where(constant, area, high)
        return cls(
            area.tolist(),
            [float(size[0]) for size in newcombe_sizes(*of_both)],
            _shares(area, ends).tolist(),
            scale.tolist(),
            _correlation(covariance),
        )

    @property
    def difference(self) -> float:
        """The observed one, first minus second."""
        return self.area[0] - self.area[1]

    def reach(self, quantile: float, side: int) -> float:
        """How far from the observed difference its limit is."""
        inside, outside = 0.0, 1 - self.difference * _MOVES[side][0]
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            if middle * middle > quantile**2 * self.variance(middle, side):
                outside = middle
            else:
                inside = middle
        return (inside + outside) / 2

    def score(self, away: float, side: int) -> float:
        """The distance from the observed difference by the standard error there."""
        spread = self.variance(abs(away), side if away > 0 else 1 - side)
        return away / math.sqrt(spread) if spread > 0 else math.copysign(math.inf, away)

    def variance(self, distance: float, side: int) -> float:
        """Of the difference where it is so far from the observed one."""
        first, second = (
            scale * newcombe_at(min(max(area + move * share * distance, 0.0), 1.0), *self.sizes)
            for area, move, share, scale in zip(
                self.area, _MOVES[side], self.share[side], self.scale, strict=True
            )
        )
        return first + second - 2 * self.shared * math.sqrt(first * second)


def _correlation(covariance: Floats) -> float:
    product = float(covariance[0, 0] * covariance[1, 1])
    if not product > 0:
        return 0.0
    return min(max(float(covariance[0, 1]) / math.sqrt(product), -1.0), 1.0)


def _shares(area: Floats, limits: tuple[Floats, Floats]) -> Floats:
    """How much of the way down, and up, each of the two areas goes: side × model."""
    below, above = area - limits[0], limits[1] - area
    away = np.array([[below[0], above[1]], [above[0], below[1]]])
    total = away.sum(axis=1, keepdims=True)
    return np.where(total > 0, away / np.where(total > 0, total, 1.0), 0.5)
