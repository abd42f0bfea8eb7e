"""Two models on fresh rows each night: a confidence sequence, which may be looked at every night.

An interval that is computed anew each night, and looked at each time, excludes the true value
some night in nearly every year. The limits of a sequence hold for all nights together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from scipy.special import ndtr, stdtrit

from reportgen.history.prediction import tau_squared

PLANNED = 30
"""Builds, of as many rows as the first one, at which the sequence is narrowest."""


FEWEST = 5
"""Builds from which on gates are decided: with fewer, a variation between nights goes unseen."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """A difference on rows that no other build has, its standard error, and their number."""

    value: float
    error: float
    rows: float


@dataclass(frozen=True, slots=True)
class Accumulated:
    """The mean difference over all rows, and the limits that hold at every night."""

    value: float
    low: float
    high: float
    rows: float


def rho_squared(alpha: float, planned: float) -> float:
    """The parameter ρ² for which the sequence is narrowest at ``planned`` rows.

    (−α² − 2·ln α + ln(1 − 2·ln α − α²))/t*. Waudby-Smith et al., arXiv:2103.06476.

    >>> round(rho_squared(0.05, 1000), 5)
    0.00793
    """
    return (-(alpha**2) - 2 * log(alpha) + log(1 - 2 * log(alpha) - alpha**2)) / planned


def accumulate(builds: Sequence[Fresh], alpha: float) -> Accumulated:
    """The asymptotic confidence sequence of a mean difference, after the last of these builds.

    d ± √(v·(tρ² + 1)/(tρ²)·ln((tρ² + 1)/α²)) after t rows, where d is the mean over rows and v its
    variance: Σ n²(s² + τ²)/t² over builds of n rows with standard errors s, which differ by τ
    beyond chance (DerSimonian & Laird); where they do, the quantile is Student's, with the
    degrees of freedom (K − 1)·(v/v_τ)² of Satterthwaite for the part v_τ of τ. The parameter ρ
    depends on the first build alone. Null hypothesis of a gate that fails: the true difference
    meets its limit; two-sided level α over all nights, asymptotic in the rows.
    Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, "Time-uniform central limit theory and
    asymptotic confidence sequences", arXiv:2103.06476.

    Raises ``ValueError`` without builds, or where one has no standard error.

    >>> one = accumulate([Fresh(0.01, 0.005, 1000)], 0.05)
    >>> thirty = accumulate([Fresh(0.01, 0.005, 1000)] * 30, 0.05)
    >>> round(one.low, 3), round(thirty.low, 4), thirty.rows
    (-0.017, 0.0072, 30000.0)
    >>> round((thirty.high - thirty.low) / (2 * 1.96 * 0.005 / 30**0.5), 2)
    1.55
    """
    if not builds or any(build.error <= 0 for build in builds):
        raise ValueError("accumulation needs builds with standard errors")
    rows = np.array([build.rows for build in builds], dtype=float)
    value = np.array([build.value for build in builds])
    variance = np.array([build.error for build in builds]) ** 2
    excess = tau_squared(value, variance) if len(builds) > 1 else 0.0
    total = float(rows.sum())
    mean = float(rows @ value) / total
    within, between = (float(rows**2 @ part) / total**2 for part in (variance, excess + 0 * rows))
    intrinsic = total * rho_squared(alpha, PLANNED * builds[0].rows)
    width = sqrt((intrinsic + 1) / intrinsic * log((intrinsic + 1) / alpha**2))
    if between > 0:
        freedom = (len(builds) - 1) * (1 + within / between) ** 2
        width = max(width, -float(stdtrit(freedom, float(ndtr(-width)))))
    half = width * sqrt(within + between)
    return Accumulated(mean, mean - half, mean + half, total)
