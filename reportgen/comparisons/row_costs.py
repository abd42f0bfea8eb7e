"""What a row of each class costs over all operating conditions, at cross-fitted thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from reportgen.array_types import Floats
from reportgen.comparisons.cross_fitting import CHOSEN_HERE, FOLDS, DealtCells
from reportgen.resampling.edge_lookup import Placing, edge_lookup
from reportgen.sweeping import Ranking

CellCosts = tuple[Floats, Floats]
"""Cost of a positive and of a negative in each cell."""


@dataclass(frozen=True, slots=True)
class RowCosts:
    """The cost of a row of each class over all P(+)cost, by how many thresholds its score reaches.

    The best thresholds are those of isotonic regression of the class on the
    score, both classes with the same weight. They are chosen on nine of ten
    random parts of the rows (of the groups, where rows come in groups) and tried
    on the tenth, in turn; the cost is ⅝ of
    that and ⅜ of that at the thresholds chosen on all rows. Rows of one class
    and score have one cost, so that it depends neither on their order nor on
    how they were counted.
    """

    position: Placing
    of_class: dict[bool, Floats]
    optimism: float

    @classmethod
    def of(cls, order: Ranking, rows: int, cells: DealtCells | None = None) -> RowCosts:
        """The costs of ``rows`` rows that are looked up, from the ranking of all.

        ``cells`` are those of the ranking, where they are known.
        """
        cells = cells or DealtCells.of(order)
        edges = cells.edges
        costs = fitted_costs(cells) if order.both_classes else None
        if costs is None:
            nothing = np.full(len(edges) + 1, np.nan)
            return cls(edge_lookup(edges, rows), {True: nothing, False: nothing}, math.nan)
        trained, tried = costs
        mixed = mixed_costs(trained, tried)
        optimism = sum(
            float(((u - t) * n).sum() / n.sum())
            for t, u, n in zip(trained, tried, cells.counts, strict=True)
        )
        # A score below every threshold costs as one at the lowest.
        tables = [np.append(one[:1], one) for one in mixed]
        return cls(
            edge_lookup(edges, rows), dict(zip((True, False), tables, strict=True)), optimism
        )

    def cost(self, scores: Floats, positive: bool) -> Floats:
        """Cost of each row of one class."""
        costs: Floats = self.of_class[positive].take(self.position(scores))
        return costs


def mixed_costs(trained: CellCosts, tried: CellCosts) -> CellCosts:
    """The nearly unbiased mean of what ``fitted_costs`` gives."""
    positive, negative = (
        CHOSEN_HERE * t + (1 - CHOSEN_HERE) * u for t, u in zip(trained, tried, strict=True)
    )
    return positive, negative


_FITTED: WeakKeyDictionary[DealtCells, tuple[CellCosts, CellCosts]] = WeakKeyDictionary()
"""Intervals and tests of expected cost need the same."""


def fitted_costs(cells: DealtCells) -> tuple[CellCosts, CellCosts]:
    """Costs of a row of each class in each cell: where it chose the thresholds, and where not."""
    if cells not in _FITTED:
        _FITTED[cells] = _cross_fitted(cells)
    return _FITTED[cells]


def _cross_fitted(cells: DealtCells) -> tuple[CellCosts, CellCosts]:
    counts, folds = cells.counts, cells.folds
    trained = _costs(_probability(*counts))
    tried = [np.zeros_like(count) for count in counts]
    for fold in range(FOLDS):
        left = [n * (1 - s[:, fold]) for n, s in zip(counts, folds, strict=True)]
        for side, cost in enumerate(_costs(_probability(*left))):
            tried[side] += cost * folds[side][:, fold]
    return trained, (tried[0], tried[1])


def _probability(positives: Floats, negatives: Floats) -> Floats:
    """Isotonic probability of the positive class, both classes alike, between cells without rows.

    In a cell without rows it is the mean of those of its neighbours, and without any rows ½.
    """
    of_positives = positives / max(positives.sum(), 1e-300)
    of_negatives = negatives / max(negatives.sum(), 1e-300)
    held = np.flatnonzero(of_positives + of_negatives > 0)
    if not len(held):
        return np.full(len(of_positives), 0.5)
    whole = of_positives[held] + of_negatives[held]
    fitted = isotonic_regression(of_positives[held] / whole, whole)
    at = np.arange(len(of_positives))
    below = np.maximum(np.searchsorted(held, at, side="right") - 1, 0)
    above = np.minimum(np.searchsorted(held, at, side="left"), len(held) - 1)
    probability: Floats = (fitted[below] + fitted[above]) / 2
    return probability


def _costs(probability: Floats) -> tuple[Floats, Floats]:
    """Cost of a positive and of a negative over all P(+)cost; 1 − p is where a row turns."""
    return (1 - probability) ** 2 / 2, probability**2 / 2


def isotonic_regression(values: Floats, weights: Floats) -> Floats:
    """Return the non-decreasing values that are nearest in weighted squares.

    Neighbours that fall are pooled to their weighted mean, and the pool with the values before
    and after it as long as they fall. For the thousand cells at most of a cross-fitted cost, in
    less time than SciPy's package of optimisers takes to import.
    Reference: Best and Chakravarti (1990), doi:10.1007/BF01580873.

    >>> isotonic_regression(np.array([1.0, 3, 2, 4]), np.array([1.0, 1, 3, 1])).tolist()
    [1.0, 2.25, 2.25, 4.0]
    """
    xs, ws = values.tolist(), weights.tolist()
    levels: list[float] = []
    masses: list[float] = []
    begins: list[int] = []
    following = 0
    while following < len(xs):
        begin, level, mass = following, xs[following], ws[following]
        following += 1
        if levels and levels[-1] >= level:
            total = masses[-1] * levels[-1] + mass * level
            mass += masses.pop()
            level, begin = total / mass, begins.pop()
            levels.pop()
            while following < len(xs) and level >= xs[following]:
                total += ws[following] * xs[following]
                mass += ws[following]
                level = total / mass
                following += 1
            while levels and levels[-1] >= level:
                total += masses[-1] * levels.pop()
                mass += masses.pop()
                level, begin = total / mass, begins.pop()
        levels.append(level)
        masses.append(mass)
        begins.append(begin)
    lengths = [end - begin for begin, end in pairwise([*begins, len(xs)])]
    fitted: Floats = np.repeat(levels, lengths)
    return fitted
