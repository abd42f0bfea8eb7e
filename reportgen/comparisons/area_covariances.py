"""Areas under ROC curves of models on the same rows, and how they vary together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats, chunks
from reportgen.clustered_areas import ClassesByGroup, clustered_areas, satterthwaite
from reportgen.clusters import Groups
from reportgen.clusters import degrees_of_freedom as degrees_of_freedom_of
from reportgen.frames import FrameLike, polars_frame
from reportgen.placements import RowNumbers, UnitCounts, ascending, placements
from reportgen.sweeping import Ranking, ranking_of

FEW = 30
"""With fewer rows of a class than this the difference of two AUCs is compared with t."""

RANKED_ALIKE = "the difference has no variance, as both models rank the rows identically"
PERFECT = "both models rank every positive above every negative"
NEARLY_ALIKE = "both models rank the rows alike but for rounding"
"""Why two areas are not compared."""

NEARLY = 1e-5
"""Of scores that were rounded to three decimals or more two areas have such a correlation: 1 less
this. The ties that rounding makes are no difference between models."""


def variance_of_difference(covariance: Floats, at: tuple[int, int] = (0, 1)) -> float:
    """Variance of the difference of two values, from the covariance of all.

    >>> variance_of_difference(np.array([[3.0, 1.0], [1.0, 2.0]]))
    3.0
    """
    i, j = at
    return float(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])


@dataclass(frozen=True, slots=True)
class AreaCovariance:
    """AUC of each model and their covariance; null entries are NaN here and null in results.

    ``sizes`` are the (effective) numbers of positives and negatives, ``by_class`` the parts
    of the covariance that are of either. Where rows come in groups ``sizes`` are still of rows,
    ``sums`` those of their influences by group (group × model), and ``class_groups`` the
    (effective) numbers of groups with a positive and with a negative.
    """

    areas: Floats
    covariance: Floats
    sizes: tuple[float, float] | None = None
    by_class: tuple[Floats, Floats] | None = None
    sums: Floats | None = None
    class_groups: tuple[float, float] | None = None

    @classmethod
    def in_groups(
        cls, areas: Floats, deviations: Floats, classes: ClassesByGroup
    ) -> AreaCovariance:
        """That of rows in groups, from each row's deviation from the mean of its class."""
        covariance, sums, by_class, class_groups = clustered_areas(deviations, classes)
        sizes = _sizes(classes.positive, classes.weights)
        if classes.weights is None and classes.groups.counts is not None:
            sizes = float(classes.rows[0]), float(classes.rows[1])
        return cls(areas, covariance, sizes, by_class, sums, class_groups)

    @property
    def grouped(self) -> bool:
        """Whether rows come in groups."""
        return self.sums is not None

    def degrees_of_freedom(self, at: tuple[int, int]) -> float:
        """Of the difference of two areas: Satterthwaite's with few rows of a class, else infinite.

        Of rows in groups Pan and Wall's, at most Satterthwaite's of the groups of the two
        classes, and at most 2·(I − 1) for I groups of the class that is in fewer: Satterthwaite's
        where the other class has no more groups and no more variance. With few groups of a class
        its variance may be too small by chance, and the degrees of freedom then too many.
        Satterthwaite (1946), doi:10.2307/3002019; Pan & Wall (2002), doi:10.1002/sim.1142.
        """
        i, j = at
        parts = [variance_of_difference(v, at) for v in self.by_class or ()]
        if self.sums is not None and self.class_groups is not None:
            of_classes = satterthwaite(parts, self.class_groups)
            most = max(min(of_classes, 2 * (min(self.class_groups) - 1)), 1.0)
            return min(degrees_of_freedom_of(self.sums[:, i] - self.sums[:, j]), most)
        if not parts or self.sizes is None or min(self.sizes) >= FEW:
            return math.inf
        if min(self.sizes) <= 1:
            return math.inf  # such a class has no variance, and the difference no test
        return satterthwaite(parts, self.sizes)


def area_covariance(
    frame: FrameLike,
    scores: Sequence[str],
    *,
    truth: str = "truth",
    weight: str | None = None,
    rankings: Sequence[Ranking] = (),
    groups: Groups | None = None,
) -> AreaCovariance:
    """AUCs of correlated score columns and their covariance matrix, ties included.

    A row's placement is the share of the other class that it beats, ties half;
    of weighted rows it is read off the model's ranking, which is made unless
    ``rankings`` are given. With weights each row enters with its squared weight and the
    degrees of freedom are Kish's effective size. NaN when a class has fewer
    than two (effective) rows. Rows of one of the ``groups`` may depend on each
    other: the covariance then is Obuchowski's, NaN with a class in fewer than two.
    DeLong et al. (1988), doi:10.2307/2531595; Sun & Xu (2014), doi:10.1109/LSP.2014.2337313;
    Obuchowski (1997), doi:10.2307/2533958.
    """
    frame = polars_frame(frame)
    positive = frame[truth].to_numpy()
    columns = [frame[score].cast(pl.Float64).to_numpy() for score in scores]
    if weight is None:
        if groups is not None and positive.any() and not positive.all():
            return _of_groups(columns, positive, groups)
        placed = [placements(column, positive) for column in columns]
        return replace(_of_counts(placed, positive), sizes=_sizes(positive))
    weights = frame[weight].cast(pl.Float64).to_numpy()
    ranked = rankings or [ranking_of(frame, truth=truth, score=s, weight=weight) for s in scores]
    placement_values = [_looked_up(r, c, positive) for r, c in zip(ranked, columns, strict=True)]
    shares = np.vstack(placement_values).T
    w = weights[positive]
    areas = (w[:, None] * shares[positive]).sum(axis=0) / (w.sum() or np.nan)
    if groups is not None:
        return AreaCovariance.in_groups(
            areas, shares - areas, ClassesByGroup(positive, groups, weights)
        )
    parts = [spread(shares[side] - areas, weights[side]) for side in (positive, ~positive)]
    sizes = _sizes(positive, weights)
    return AreaCovariance(areas, parts[0] + parts[1], sizes, (parts[0], parts[1]))


def _sizes(positive: Flags, weights: Floats | None = None) -> tuple[float, float]:
    """Kish's effective numbers of positives and negatives."""
    if weights is None:
        positives = float(np.count_nonzero(positive))
        return positives, len(positive) - positives
    sides = (weights[positive], weights[~positive])
    positives, negatives = (float(w.sum() ** 2 / ((w**2).sum() or np.inf)) for w in sides)
    return positives, negatives


def _of_counts(placed: Sequence[UnitCounts], positive: Flags) -> AreaCovariance:
    """The same from the placements of rows that count once each."""
    size, sides = len(placed), (np.flatnonzero(positive), np.flatnonzero(~positive))
    positives, negatives = map(len, sides)
    if not positives or not negatives:
        return AreaCovariance(np.full(size, np.nan), np.full((size, size), np.nan))
    of_positives = [int(column.take(sides[0]).sum(dtype=np.int64)) for column in placed]
    areas = np.array([total / (2 * positives * negatives) for total in of_positives])
    if min(positives, negatives) < 2:
        return AreaCovariance(areas, np.full((size, size), np.nan))
    of_negatives = [
        2 * positives * negatives - total for total in of_positives
    ]  # each pair, seen from below
    parts = []
    for rows, totals, others in zip(
        sides, (of_positives, of_negatives), (negatives, positives), strict=True
    ):
        number = len(rows)
        around = _products(placed, rows, [total / number for total in totals])
        parts.append(around / (4 * others**2 * number * (number - 1)))
    return AreaCovariance(areas, parts[0] + parts[1], by_class=(parts[0], parts[1]))


def _of_groups(columns: Sequence[Floats], positive: Flags, groups: Groups) -> AreaCovariance:
    """The same of rows in groups, of both classes."""
    whole = np.empty((len(positive), len(columns)))
    for shares, column in zip(whole.T, columns, strict=True):
        shares[:] = placement_shares(column, positive)
    areas = whole[positive].mean(axis=0)
    whole -= areas
    return AreaCovariance.in_groups(areas, whole, ClassesByGroup(positive, groups))


def placement_shares(
    score: Floats, positive: Flags, weights: Floats | None = None
) -> Floats | None:
    """Of each positive the share of negatives below it, of each negative that of positives above.

    Ties count half, weighted rows by their weights. Null without both classes.
    DeLong et al. (1988), doi:10.2307/2531595.

    >>> placement_shares(np.array([0.1, 0.4, 0.4]), np.array([False, True, False]))
    array([1.  , 0.75, 0.5 ])
    """
    if weights is None:
        return _as_shares(placements(score, positive), positive)
    if positive.all() or not positive.any():
        return None
    frame = pl.DataFrame({"truth": positive, "score": score, "weight": weights})
    return _looked_up(ranking_of(frame, weight="weight"), score, positive)


def _as_shares(placed: UnitCounts, positive: Flags) -> Floats | None:
    """Shares of the other class from twice its rows below; null without both classes."""
    positives = np.count_nonzero(positive)
    negatives = len(positive) - positives
    if not positives or not negatives:
        return None
    shares = np.where(positive, 0.5 / negatives, -0.5 / positives)
    shares *= placed
    shares += ~positive
    return shares


def _products(placed: Sequence[UnitCounts], rows: RowNumbers, means: Sequence[float]) -> Floats:
    """Sums of the products of deviations from the means in some rows, of each two columns."""
    products = np.zeros((len(placed), len(placed)))
    for part in chunks(len(rows)):
        here = rows[part]
        away = [column.take(here) - mean for column, mean in zip(placed, means, strict=True)]
        for i, one in enumerate(away):
            products[i, i:] += [np.dot(one, other) for other in away[i:]]
    return np.triu(products) + np.triu(products, 1).T


def _looked_up(ranking: Ranking, scores: Floats, positive: Flags) -> Floats:
    """The same of weighted rows, from the sums of weights in their ranking."""
    # Looked up in their order: each is found beside the one before.
    order = ascending(scores, positive).rows
    at = len(ranking) - 1 - np.searchsorted(ranking.score[::-1], scores[order])
    beating, beaten = (_halfway(sums)[at] for sums in ranking.through(slice(0, len(ranking))))
    placed = np.empty(len(scores))
    placed[order] = np.where(positive[order], 1 - beaten, beating)
    return placed


def _halfway(sums: Floats) -> Floats:
    """Shares of the whole that running sums have reached in the middle of each step."""
    halfway = sums.copy()
    halfway[1:] += sums[:-1]
    halfway /= 2
    halfway /= sums[-1] or np.nan
    return halfway


def spread(deviation: Floats, weights: Floats) -> Floats:
    """Covariance of the weighted means of columns whose deviations from them these are."""
    total, squares = weights.sum(), (weights**2).sum()
    effective = total**2 / squares if squares else 0.0
    if effective <= 1 + 1e-9:
        return np.full((deviation.shape[1],) * 2, np.nan)
    scaled = deviation * (weights / total)[:, None]
    # Sums of numpy, not of BLAS: the same on any number of threads.
    products = [[float((one * other).sum()) for other in scaled.T] for one in scaled.T]
    return np.array(products) * (effective / (effective - 1))
