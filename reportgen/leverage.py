"""Groups of unlike size: each pulls the estimate towards itself, the more so the larger it is.

The sum by group of what the rows add to an estimate then is too small for large groups, the
robust variance with it, and the groups are worth fewer than there are.
Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from reportgen.array_types import Floats


def jackknife_sums(sums: Floats, shares: Floats) -> Floats:
    """Sums by group over 1 − h, with h the ``shares`` of the groups in all rows, or in a weight.

    (G − 1)/G times the sum of their squares is the robust variance that leaving
    out one group at a time gives (CR3): G/(G − 1)·Σ s² where groups are of one
    size, more where they are not. NaN where one group has all rows.

    >>> jackknife_sums(np.array([1.0, -1.0]), np.array([0.5, 0.5])).tolist()
    [2.0, -2.0]
    """
    missing = np.full(sums.shape, np.nan)
    adjusted: Floats = np.divide(sums, 1 - shares, out=missing, where=shares < 1)
    return adjusted


def satterthwaite(sizes: npt.ArrayLike) -> float:
    """Degrees of freedom of the jackknife variance of a mean of groups of these ``sizes``.

    Formula: (Σλ)²/Σλ², λ the eigenvalues of W(Ω − hω′ − ωh′ + hh′Σω)W, with h the
    shares of the groups, W = diag 1/(1 − h), and ω = Ω1 the squared sizes: the
    variances of the sums of groups whose rows are all alike. G − 1 where
    groups are of one size, at least 1. NaN with fewer than two groups.
    Reference: Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181.

    >>> satterthwaite([3, 3, 3, 3])
    3.0
    >>> round(satterthwaite([1, 1, 1, 9]), 2)
    1.04
    """
    m = np.asarray(sizes, dtype=np.float64)
    m = m[m > 0]
    if len(m) < 2:
        return float("nan")
    share, variance = m / m.sum(), np.square(m / m.max())
    weight = 1 / (1 - share)
    diagonal = weight**2 * variance
    sides = np.column_stack([weight * share, weight * variance])
    middle = np.array([[variance.sum(), -1.0], [-1.0, 0.0]])
    inner, through = sides.T @ sides, sides.T @ (diagonal[:, None] * sides)
    trace = float(diagonal.sum()) + float((middle * inner).sum())
    squares = float(np.square(diagonal).sum())
    squares += float(np.trace(2 * middle @ through + middle @ inner @ middle @ inner))
    freedom: float = trace**2 / squares
    return max(round(freedom, 9), 1.0)


_USUAL = 0.05
"""Intraclass correlation at which the weights of ``common_correlation`` are the best."""


def common_correlation(
    sums: Floats, shares: Floats, rows: float, squares: float, counts: Floats | None = None
) -> tuple[float, float]:
    """Variance of a sum whose groups have one intraclass correlation, and degrees of freedom.

    With s_g the sums by group of what the rows add, h_g the ``shares`` of the groups and n
    ``rows`` whose squares have the sum T, u_g = s_g/h_g varies by n·T·(1 − ρ)/(n·h_g) + n·T·ρ.

    Formula: T + (Σh² − 1/n)·S, S = (Σ a(u − ū)² − T·Σ a(1 − a/A)/h)/Σ a(1 − a/A)(1 − 1/(nh)),
    at most n·T, with ū the mean by the weights a = nh/(1 + (nh − 1)/20) and A = Σ a;
    A²/Σa² − 1 degrees of freedom. G/(G − 1)·Σ s² where groups are of one size.

    All groups say how much the largest one may deviate, while the robust variance has hardly more
    than what this one does by chance. ``counts`` says how many groups are alike. NaN where no
    group has two rows, or fewer than two have any.
    Reference: DerSimonian & Kacker (2007), doi:10.1016/j.cct.2006.04.004.

    >>> common_correlation(np.array([0.25, -0.25]), np.array([0.5, 0.5]), 4, 0.25)
    (0.25, 1.0)
    """
    if not (rows > 0 and squares > 0):
        return math.nan, math.nan
    return _SharesOfGroups(shares, rows, counts).correlated(sums, squares)


class GroupSizes:
    """Rows of groups, or their weights, of which several sums by group are made."""

    def __init__(self, sizes: npt.NDArray[Any]) -> None:
        self.shares: Floats = sizes / sizes.sum()
        self._by_rows: dict[float, _SharesOfGroups] = {}

    @cached_property
    def left(self) -> Floats:
        """The share of the other groups; NaN where one has all rows."""
        left: Floats = 1 - self.shares
        left[~(left > 0)] = np.nan
        return left

    def jackknife_sums(self, sums: Floats) -> Floats:
        """As the function of this name."""
        return sums / self.left

    def common_correlation(self, sums: Floats, rows: float, squares: float) -> tuple[float, float]:
        """As the function of this name."""
        if not (rows > 0 and squares > 0):
            return math.nan, math.nan
        if rows not in self._by_rows:
            self._by_rows[rows] = _SharesOfGroups(self.shares, rows)
        return self._by_rows[rows].correlated(sums, squares)


class _SharesOfGroups:
    """What ``common_correlation`` makes of the shares alone."""

    def __init__(self, shares: Floats, rows: float, counts: Floats | None = None) -> None:
        present = shares > 0
        self._present = None if present.all() else present
        self._rows = rows
        h, number = self._among(shares), None if counts is None else self._among(counts)
        self._shares, self._freedom = h, math.nan
        if (len(h) if number is None else number.sum()) < 2:
            return
        size = rows * h
        weight = 1 + (size - 1) * _USUAL
        np.divide(size, weight, out=weight)
        weights = weight if number is None else number * weight
        total = float(weights.sum())
        left = weights * (1 - weight / total)
        self._scale = float((left * (1 - 1 / size)).sum())
        if not self._scale > _LEAST * total:
            return
        self._weights, self._total = weights, total
        self._freedom = total**2 / _sum(np.square(weight), number) - 1
        self._inverse = float((left / h).sum())
        self._apart = _sum(np.square(h), number) - 1 / rows

    def _among(self, values: Floats) -> Floats:
        return values if self._present is None else values[self._present]

    def correlated(self, sums: Floats, squares: float) -> tuple[float, float]:
        """Variance and degrees of freedom of what has these sums by group."""
        if not self._freedom > 0:
            return math.nan, math.nan
        away = self._among(sums) / self._shares
        away -= float((self._weights * away).sum()) / self._total
        np.square(away, out=away)
        away *= self._weights
        spread = float(away.sum()) - squares * self._inverse
        between = min(spread / self._scale, self._rows * squares)
        return squares + self._apart * between, max(self._freedom, 1.0)


def _sum(values: Floats, number: Floats | None) -> float:
    """The sum of values of groups that are so many each, or one."""
    return float((values if number is None else number * values).sum())


_LEAST = 1e-9
"""Rows that have hardly a second one in their group do not say how alike the rows of one are."""


def skewness_of_mean(sums: Floats) -> float:
    """Skewness of the sum of independent ``sums`` by group: Σ s³/(Σ s²)^(3/2); 0 where all are 0.

    >>> skewness_of_mean(np.array([1.0, -1.0])), skewness_of_mean(np.zeros(2))
    (0.0, 0.0)
    """
    largest = float(np.abs(sums).max(initial=0.0))
    if not largest > 0:
        return 0.0
    scaled = sums / largest
    cubes, spread = float((scaled**3).sum()), math.sqrt(float(np.square(scaled).sum()))
    return cubes / spread**3


def without_skewness(t: float, skewness: float) -> float:
    """A t statistic whose distribution is less skewed, by that of the mean in it.

    Formula: t + γ/6 + γt²/3 + γ²t³/27, which rises with t.
    Reference: Hall (1992), *Journal of the Royal Statistical Society B* 54, 221-228.

    >>> without_skewness(2.0, 0.0)
    2.0
    """
    return t + skewness / 6 + skewness * t**2 / 3 + skewness**2 * t**3 / 27


def effective_groups(sizes: npt.ArrayLike) -> float:
    """How many groups of one size the groups are worth: (Σm)²/Σm². Kish (1965), *Survey Sampling*.

    >>> effective_groups([2, 2, 2])
    3.0
    """
    m = np.asarray(sizes, dtype=np.float64)
    return float(m.sum()) ** 2 / float(np.square(m).sum())


EQUAL_GROUPS, EQUAL_WEIGHTS = 5, 8
"""Groups worth so many of equal size, or weight, are enough for limits and tests by group."""

NEARLY_EQUAL = 0.8
"""Below that they hold their level where the groups are worth this share of their number."""


def groups_needed(worth: float | None, groups: int | None, *, weighted: bool) -> int | None:
    """Return how many equal groups limits and tests by group need; None where there are enough.

    Few groups of unequal size: the t distribution is too narrow for their sums.
    ``worth`` is how many of one size, or weight, the ``groups`` are worth.

    >>> [groups_needed(w, 9, weighted=False) for w in (3.6, 5.0, 7.3, None)]
    [5, None, None, None]
    >>> groups_needed(2.9, 3, weighted=False)  # nearly equal ones
    """
    least = EQUAL_WEIGHTS if weighted else EQUAL_GROUPS
    if worth is None or not groups or worth >= min(least, NEARLY_EQUAL * groups):
        return None
    return least
