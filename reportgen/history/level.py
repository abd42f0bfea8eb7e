"""Whether builds of other rows follow a trend in time, beyond how they vary anyway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import stdtr

from reportgen.history.scale import ScaledEstimate

FEWEST = 5
"""Builds with fewer show no trend."""


@dataclass(frozen=True, slots=True)
class Slope:
    """The straight line of builds in time, on the scale of the measure.

    ``first`` and ``last`` are its ends, ``p_value`` that of no slope, against either side.
    """

    first: float
    last: float
    p_value: float


def slope(days: Sequence[float], builds: Sequence[ScaledEstimate]) -> Slope | None:
    """The line by weighted least squares; None of fewer than five builds or of one date.

    Random-effects meta-regression: weights 1/(s² + τ²), with τ² by the moments of the residuals,
    0 at least, and t of K − 2 degrees of freedom with the variance of Knapp & Hartung (2003),
    doi:10.1002/sim.1482, not below that of the weights. H₀: the builds have one level, or vary
    about it independently. Not for builds of the same rows, whose errors are the same.

    >>> down = slope(range(6), [ScaledEstimate(2 - 0.3 * k, 0.1) for k in range(6)])
    >>> round(down.first, 2), round(down.last, 2), down.p_value < 0.001
    (2.0, 0.5, True)
    """
    time, value = np.array(days, float), np.array([one.value for one in builds])
    variance = np.array([one.error for one in builds]) ** 2
    count = len(value)
    if count < FEWEST or len(set(days)) < 3:
        return None
    design = np.column_stack([np.ones(count), time - time.mean()])
    weight = 1 / variance
    rest, bread = _fit(design, value, weight)[1:]
    heterogeneity = float(weight @ rest**2)
    trace = weight.sum() - np.trace(bread @ (design.T * weight**2) @ design)
    excess = max(0.0, (heterogeneity - (count - 2)) / float(trace))
    weight = 1 / (variance + excess)
    line, rest, bread = _fit(design, value, weight)
    spread = max(1.0, float(weight @ rest**2) / (count - 2))
    t = line[1] / sqrt(spread * bread[1, 1])
    ends = line[0] + line[1] * (np.array([time.min(), time.max()]) - time.mean())
    return Slope(float(ends[0]), float(ends[1]), 2 * float(stdtr(count - 2, -abs(t))))


def _fit(
    design: np.ndarray, value: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weighted least squares: the coefficients, the residuals, and (X'WX)⁻¹."""
    bread = np.linalg.inv((design.T * weight) @ design)
    line = bread @ (design.T * weight) @ value
    return line, value - design @ line, bread
