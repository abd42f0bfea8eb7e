"""Limits of means of AUCs over classes or labels: square-and-add with their correlations.

Each AUC is, but for terms of lower order, a sum over the rows of what each one contributes:
its placement among the rows of the other side. The contributions of a row to several AUCs make
their covariance. DeLong et al. (1988), doi:10.2307/2531595.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit

from reportgen.array_types import Flags, Floats, Indices, Integers
from reportgen.clusters import Groups
from reportgen.integer_sort import order_of

MOST_ROWS = 20_000
"""Correlations are estimated from at most so many rows, evenly spaced: to within 0.01."""

MOST_CELLS = 4_000_000
"""SampledRows times areas are at most so many."""

MOST_PAIRED = 100
"""Means over the pairs of more classes have no interval."""

NO_ERROR = 1e-10
"""Standard errors of areas, which are at most 1, that are rounding."""


@dataclass(frozen=True, slots=True)
class SampledRows:
    """The rows that covariances are estimated from: a share of all rows, evenly spaced.

    ``weights`` are theirs, ``groups`` those that they come in, where they do.
    """

    at: slice
    weights: Floats
    groups: Groups | None
    share: float

    @classmethod
    def among(
        cls, number: int, areas: int, weights: Floats | None, groups: Groups | None
    ) -> SampledRows:
        """At most ``MOST_ROWS`` of so many rows, fewer for very many areas."""
        most = min(MOST_ROWS, max(MOST_CELLS // max(areas, 1), 1))
        at = slice(None, None, -(-number // most) or 1)
        taken = len(range(*at.indices(number)))
        sampled_weights = np.ones(taken) if weights is None else weights[at]
        some = None if groups is None else Groups(groups.code[at], groups.number)
        return cls(at, sampled_weights, some, taken / number if number else 1.0)

    def covariance(self, contributions: Floats) -> Floats:
        """Covariance of sums over all rows, from what each of these contributes: row × sum."""
        if self.groups is None:
            return self.share * (contributions.T @ contributions)
        sums = np.column_stack(
            [np.bincount(self.groups.code, column) for column in contributions.T]
        )
        number = len(np.unique(self.groups.code))
        robust: Floats = self.share * (sums.T @ sums) * number / max(number - 1, 1)
        return robust


@dataclass(frozen=True, slots=True)
class AreaSpread:
    """How AUCs of several classes or labels vary together.

    ``covariance`` is class × class, ``of_support`` the variance that the weights of their mean
    weighted by support add, ``pairs`` the standard errors of the mean AUC over pairs of classes,
    plain and weighted by their rows, where there are any, and ``df`` degrees of freedom.
    """

    covariance: Floats
    of_support: float
    pairs: tuple[float, float] | None = None
    df: float = np.inf

    def error(self, shares: Floats, of_shares: float = 0.0) -> float:
        """Standard error of a mean weighted by ``shares``, to which these add a variance."""
        return math.sqrt(max(float(shares @ self.covariance @ shares) + of_shares, 0.0))


def contributions(score: Floats, positive: Flags, weights: Floats) -> tuple[float, Floats]:
    """The AUC of a score, and what each row contributes to it: they add up to 0.

    The sum of their squares is DeLong's variance. NaN where a side has fewer than two rows.

    >>> positive = np.array([False, False, True, True])
    >>> area, added = contributions(np.array([1.0, 3, 2, 4]), positive, np.ones(4))
    >>> area, added.round(3)
    (0.75, array([ 0.177, -0.177, -0.177,  0.177]))
    """
    added = np.full(len(score), np.nan)
    above, below = np.flatnonzero(positive), np.flatnonzero(~positive)
    if min(len(above), len(below)) < 2:
        return np.nan, added
    positives, negatives = (_Ordered.of(score[rows], weights[rows]) for rows in (above, below))
    won, lost = positives.placements(negatives), negatives.placements(positives)
    for rows, shares in ((above, won), (below, 1 - lost)):
        part = weights[rows] / weights[rows].sum()
        area = float(part @ shares)
        added[rows] = part * (shares - area) * np.sqrt(len(rows) / (len(rows) - 1))
    return area, added


@dataclass(frozen=True, slots=True)
class _Ordered:
    """Ascending scores, the ``order`` they are in, and the sums of their weights from 0."""

    scores: Floats
    order: Indices
    running: Floats

    @classmethod
    def of(cls, scores: Floats, weights: Floats) -> _Ordered:
        order = order_of(scores)
        return cls(scores[order], order, np.concatenate([[0.0], np.cumsum(weights[order])]))

    def placements(self, others: _Ordered) -> Floats:
        """The share of the others' weight below each score as it was given, ties half."""
        below = np.searchsorted(others.scores, self.scores)  # in order: a third of the time
        reached = np.searchsorted(others.scores, self.scores, "right")
        share = np.empty(len(self.order))
        share[self.order] = (others.running[below] + others.running[reached]) / (
            2 * others.running[-1]
        )
        return share


def spread_of_areas(
    scores: Sequence[Floats],
    truths: Sequence[Flags],
    rows: SampledRows,
    pairs: Floats | None = None,
) -> AreaSpread:
    """How the AUCs vary together: ``scores`` and ``truths`` of each class, of these rows.

    ``pairs`` is what each row contributes to the means over pairs of classes: row × 2.
    """
    number = len(scores)
    further = 0 if pairs is None else pairs.shape[1]
    table, areas = np.empty((len(rows.weights), number + 1 + further)), np.empty(number)
    for k, (score, truth) in enumerate(zip(scores, truths, strict=True)):
        areas[k], added = contributions(score, truth, rows.weights)
        table[:, k] = np.nan_to_num(added)
    areas = np.nan_to_num(areas)
    support = np.array([rows.weights[truth].sum() for truth in truths])
    whole = support.sum() or 1.0
    away = areas - areas @ support / whole
    table[:, number] = np.column_stack(truths) @ away * rows.weights / whole
    if pairs is not None:
        table[:, number + 1 :] = pairs
    covariance = rows.covariance(table)
    errors = np.sqrt(np.diag(covariance)[number + 1 :])
    return AreaSpread(
        covariance[:number, :number],
        float(covariance[number, number]),
        None if pairs is None else (float(errors[0]), float(errors[1])),
        np.inf if rows.groups is None else max(rows.groups.number - 1.0, 1.0),
    )


def pair_areas(
    scores: Sequence[Floats], truth: Integers, weights: Floats
) -> tuple[tuple[float, float], Floats]:
    """The mean AUC over pairs of classes, plain and by rows, and what each row contributes to it.

    The latter is row × (plain, by rows).

    ``scores`` are those of each class, ``truth`` is the position of each row's class. The second
    mean weighs a pair by the rows of its classes. Classes with fewer than two rows have no part.
    Hand & Till (2001), doi:10.1023/A:1010920819831.
    """
    of_class = [np.flatnonzero(truth == k) for k in range(len(scores))]
    present = [k for k, rows in enumerate(of_class) if len(rows) > 1]
    support = np.array([weights[rows].sum() for rows in of_class])
    parts = {k: _parts(weights[of_class[k]]) for k in present}
    added, number = np.zeros((len(truth), 2)), len(present) * (len(present) - 1) / 2
    whole = (len(present) - 1) * support[present].sum()
    areas: dict[tuple[int, int], float] = {}
    for i in present:
        placed = _Placed.of(scores[i], truth, weights, of_class)
        won, lost = placed.among_each(i), placed.among(i)
        for j in present:
            if i == j:
                continue
            of_pair = np.array([1 / number, (support[i] + support[j]) / whole])
            for k, shares in ((i, won[j]), (j, 1 - lost[of_class[j]])):
                part, correction = parts[k]
                area = float(part @ shares)
                of_rows = part * (shares - area) * correction
                added[of_class[k]] += of_rows[:, None] * of_pair / 2
            areas[min(i, j), max(i, j)] = areas.get((min(i, j), max(i, j)), 0.0) + area / 2
    mean = float(sum(a * (support[i] + support[j]) for (i, j), a in areas.items()) / (whole or 1.0))
    for (i, j), area in areas.items():
        for k in (i, j):
            added[of_class[k], 1] += weights[of_class[k]] * (area - mean) / whole
    return (float(np.mean([*areas.values()] or [np.nan])), mean), added


def _parts(weights: Floats) -> tuple[Floats, float]:
    """The part of each row in the weight of its side, and the root of n/(n − 1)."""
    return weights / weights.sum(), float(np.sqrt(len(weights) / (len(weights) - 1)))


@dataclass(frozen=True, slots=True)
class _Placed:
    """The rows by class, and by a score in each: sorted once for the pairs of all classes.

    ``rank`` is the place of a row's score among all different ones and ``by_rank`` are the rows in
    its order, ``of_class`` those of each class; ``keys`` are class and rank together, ascending;
    ``running`` the sums of weights of each class, each from 0.
    """

    rank: Integers
    by_rank: Indices
    of_class: Sequence[Indices]
    distinct: int
    keys: Integers
    ends: Integers
    running: Floats

    @classmethod
    def of(
        cls, score: Floats, truth: Integers, weights: Floats, classes: Sequence[Integers]
    ) -> _Placed:
        by_rank = order_of(score)
        rising = score[by_rank]
        steps = np.zeros(len(score), np.int64)
        np.cumsum(rising[1:] != rising[:-1], out=steps[1:])
        rank = np.empty_like(steps)
        rank[by_rank] = steps
        distinct = int(steps[-1]) + 1 if len(steps) else 0
        # Classes as they are stored, in 16 bits: their counts are added up instead of compared.
        of_row = truth[by_rank]
        by_class = np.argsort(of_row, kind="stable")
        order = by_rank[by_class]
        ends = np.cumsum([len(rows) for rows in classes])
        of_class = np.split(order, ends[:-1])
        running = np.concatenate([r for o in of_class for r in ([0.0], np.cumsum(weights[o]))])
        keys = of_row[by_class].astype(np.int64) * distinct + steps[by_class]
        return cls(rank, by_rank, of_class, distinct, keys, ends, running)

    def among_each(self, own: int) -> Floats:
        """Class × row of one class: the share of the class's weight below the row, ties half."""
        rows, place = self.of_class[own], np.arange(len(self.of_class))[:, None]
        shares = self._shares(place * self.distinct + self.rank[rows], place)
        return np.take(shares, np.argsort(rows), axis=1)

    def among(self, other: int) -> Floats:
        """The same of every row among those of one class."""
        shares = np.empty(len(self.rank))
        shares[self.by_rank] = self._shares(
            other * self.distinct + self.rank[self.by_rank], np.array(other)
        )
        return shares

    def _shares(self, keys: Integers, place: Integers) -> Floats:
        """Of ascending keys, which are looked up in a third of the time."""
        below = np.searchsorted(self.keys, keys) + place  # each class has one sum more than rows
        reached = np.searchsorted(self.keys, keys, "right") + place
        with np.errstate(invalid="ignore"):
            shares: Floats = (self.running[below] + self.running[reached]) / (
                2 * self.running[self.ends[place] + place]
            )
        return shares


def mean_limits(
    low: Floats,
    value: Floats,
    high: Floats,
    shares: Floats,
    spread: AreaSpread,
    confidence: float,
    *,
    of_shares: float = 0.0,
) -> tuple[float, float]:
    """Lower and upper limit of a mean of areas, weighted by ``shares``.

    Of θ = Σ w_i A_i the lower limit is θ − √(Σ_ij w_i w_j ρ_ij d_i d_j), with d_i the distance
    of the lower limit of area i and ρ the correlations; an area of 0 or 1 has no variance, and
    adds its distance alone. As a mean of more areas is less skewed, what a distance differs from
    t standard errors is divided by the root of their number, counted by their parts of the
    variance. The upper limit is alike. ``of_shares`` is the variance that shares add which are
    estimated. NaN where an area has no limits.
    Zou & Donner (2008), doi:10.1002/sim.3095.

    >>> spread = AreaSpread(np.array([[0.0016, 0.0004], [0.0004, 0.0016]]), 0.0)
    >>> areas = (np.array([end, end]) for end in (0.7, 0.8, 0.86))
    >>> [round(n, 3) for n in mean_limits(*areas, np.array([0.5, 0.5]), spread, 0.95)]
    [0.726, 0.852]
    """
    tail = (1 + confidence) / 2
    t = float(stdtrit(spread.df, tail) if np.isfinite(spread.df) else ndtri(tail))
    variance = np.diag(spread.covariance)
    varies = (variance > NO_ERROR**2) & (shares > 0)
    error = np.sqrt(np.where(varies, variance, 1.0))
    part = np.where(varies, shares**2 * variance, 0.0)
    number = max(part.sum() ** 2 / (part**2).sum(), 1.0) if varies.any() else 1.0
    correlation = spread.covariance / np.outer(error, error)
    mean, ends = float(shares @ value), []
    for side, distance in ((-1, value - low), (1, high - value)):
        scaled = t * error + (distance - t * error) / np.sqrt(number)
        wide = np.where(varies, shares * scaled, 0.0)
        alone = np.where(varies, 0.0, shares * distance)
        square = wide @ correlation @ wide + alone @ alone + t**2 * of_shares
        ends.append(mean + side * float(np.sqrt(max(square, 0.0))))
    return max(ends[0], 0.0), min(ends[1], 1.0)
