"""The random-effects prediction limit: what the next build of an unchanged process should give.

Values of builds differ by chance (their standard errors s) and because the process itself
varies from build to build (τ). Limits from s alone give 9 alarms a year where τ is as large
as s; limits that estimate τ keep their budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from reportgen.array_types import Floats
from reportgen.history.scale import ScaledEstimate


@dataclass(frozen=True, slots=True)
class RandomEffects:
    """The centre of several builds, its standard error, and τ, how much builds vary beyond chance.

    ``builds`` is how many there are.
    """

    centre: float
    error: float
    tau: float
    builds: int

    def spread(self, error: float) -> float:
        """The standard deviation of a new value of this standard error about the centre."""
        return sqrt(self.tau**2 + error**2 + self.error**2)

    def limit(self, error: float, alpha: float, sign: int = 1) -> float:
        """The limit that a new value of an unchanged process is beyond with probability α.

        c* − sign·t_{K−1, 1−α}·√(τ² + s² + 1/Σw*): the lower one where more is better
        (``sign`` 1), the upper one where less is (−1).
        Higgins, Thompson & Spiegelhalter (2009), doi:10.1111/j.1467-985X.2008.00552.x.

        >>> steady = RandomEffects(centre=0.9, error=0.002, tau=0.0, builds=20)
        >>> round(steady.limit(0.01, alpha=1 / 365), 4)
        0.8681
        """
        t = float(stdtrit(self.builds - 1, 1 - alpha))
        return self.centre - sign * t * self.spread(error)

    def standardised(self, new: ScaledEstimate) -> float:
        """The new value as a normal deviate, independent of those before where errors are equal.

        z = Φ⁻¹(T_{K−1}((v − c*) / √(τ² + s² + 1/Σw*))). Hawkins (1987), "Self-starting CUSUM
        charts for location and scale", doi:10.2307/2348827.

        >>> RandomEffects(0.0, 0.1, 0.0, 20).standardised(ScaledEstimate(0.0, 1.0))
        0.0
        """
        share = stdtr(self.builds - 1, (new.value - self.centre) / self.spread(new.error))
        return float(ndtri(np.clip(share, 1e-15, 1 - 1e-15)))


def random_effects(builds: Sequence[ScaledEstimate]) -> RandomEffects:
    """Centre and heterogeneity of builds, by the moments of DerSimonian and Laird.

    w = 1/s², c = Σwv/Σw, Q = Σw(v − c)², τ² = max(0, (Q − (K − 1))/(Σw − Σw²/Σw));
    w* = 1/(s² + τ²), c* = Σw*v/Σw*, with the standard error 1/√Σw*. The same gives the
    heterogeneity over sites. DerSimonian & Laird (1986), doi:10.1016/0197-2456(86)90046-2.

    Raises ``ValueError`` with fewer than two builds.

    >>> alike = random_effects([ScaledEstimate(v, 0.01) for v in (0.90, 0.91, 0.89, 0.90)])
    >>> round(alike.centre, 3), alike.tau
    (0.9, 0.0)
    >>> unlike = random_effects([ScaledEstimate(v, 0.01) for v in (0.80, 0.90, 1.00)])
    >>> round(unlike.tau, 4)
    0.0995
    """
    if len(builds) < 2:
        raise ValueError("heterogeneity needs two builds")
    value = np.array([build.value for build in builds])
    variance = np.array([build.error for build in builds]) ** 2
    excess = tau_squared(value, variance)
    weight = 1 / (variance + excess)
    total = weight.sum()
    centre, error = (weight @ value) / total, 1 / sqrt(total)
    return RandomEffects(float(centre), float(error), sqrt(excess), len(builds))


def tau_squared(value: Floats, variance: Floats) -> float:
    """How much two or more values vary beyond their variances, by the moments; 0 at least."""
    weight = 1 / variance
    total = weight.sum()
    heterogeneity = (weight * (value - (weight @ value) / total) ** 2).sum()
    excess = heterogeneity - (len(value) - 1)
    return max(0.0, float(excess / (total - (weight @ weight) / total)))
