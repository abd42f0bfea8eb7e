"""The rows of a ranking in cells of like scores, dealt into folds: for thresholds chosen on others.

What is best over thresholds looks too good on the rows that chose the
threshold, and too bad on a fold that did not, as the others are one fold fewer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from reportgen.array_types import Floats, Integers, chunks
from reportgen.clustered_areas import ClassesByGroup
from reportgen.sweeping import Ranking

FOLDS = 10
"""Thresholds are chosen on the rows of all but one of so many folds and tried on that one."""

CELLS = 1024
"""Of more distinct scores about so many are thresholds."""

CHOSEN_HERE = 3 / 8
"""The weight of what is best for the rows that chose the thresholds.

Where a score says nothing within stretches of it, the optimism of those rows
is as large as the pessimism of the others, which are one fold fewer: the weight
is ½. Where the class probability rises smoothly with the score it is three
times as large, by the scaling of Chernoff's distribution: ¼.
"""

AT_ONCE = 2**17
"""So many rows are dealt at a time: the cells of fewer would cost more than their rows."""

ROUNDING = 4 * np.finfo(np.float64).eps
"""Share of all squared weights below which those of a cell, a difference of sums, are rounding."""

HALF = 1e-6
"""Half a row counts as none, in whatever unit its weights round."""

DOUBT = 1 / 8
"""How far off that weight may be."""


@dataclass(frozen=True, eq=False)
class DealtCells:
    """The positives and the negatives in cells of ascending scores, and their squared weights.

    ``edges`` are the lowest scores of the cells.
    """

    edges: Floats
    counts: tuple[Floats, Floats]
    squares: tuple[Floats, Floats]
    dealt: tuple[Floats, Floats] | None = None

    @classmethod
    def of(cls, order: Ranking, repeats: float = 1) -> DealtCells:
        """Those of a ranking, of rows that count 1/``repeats`` each in variances."""
        cached = _OF_RANKINGS.setdefault(order, {})
        if repeats not in cached:
            cached[repeats] = cls._counted(order, repeats)
        return cached[repeats]

    @classmethod
    def _counted(cls, order: Ranking, repeats: float) -> DealtCells:
        steps = order.table(_thresholds(order))
        names = ("tp", "fp", "tp2", "fp2") if order.weighted else ("tp", "fp", "tp", "fp")
        a, b, a2, b2 = (np.diff(steps[name].to_numpy())[::-1] for name in names)
        squares = (a2 * repeats, b2 * repeats)
        return cls(steps["threshold"].to_numpy()[:0:-1], (a, b), squares)

    def by_group(self, cell: Integers, classes: ClassesByGroup) -> DealtCells:
        """The same with whole groups in each fold, as rows of a group would know each other.

        ``cell`` is the place of each row among the cells.
        """
        size, groups = len(self.edges) * FOLDS, classes.groups
        at = cell * FOLDS
        at += np.random.default_rng(0).integers(0, FOLDS, groups.number)[groups.code]
        at += size * ~classes.positive
        dealt = np.bincount(at, classes.weights, 2 * size).reshape(2, -1, FOLDS)
        # Of its own sum: all of a cell is 1, and nothing of it is left to the other folds.
        whole = dealt.sum(axis=2, keepdims=True)
        positives, negatives = dealt / np.where(whole > 0, whole, 1.0)
        return replace(self, dealt=(positives, negatives))

    @cached_property
    def folds(self) -> tuple[Floats, Floats]:
        """The share of each cell's rows of each class that is in each fold (cell × fold)."""
        if self.dealt is not None:
            return self.dealt
        positives, negatives = map(_dealt, self.counts, self.squares)
        return positives, negatives

    @property
    def sizes(self) -> tuple[float, float]:
        """(Effective) rows of each class."""
        positives, negatives = (
            float(count.sum() ** 2 / square.sum()) if square.sum() else 0.0
            for count, square in zip(self.counts, self.squares, strict=True)
        )
        return positives, negatives


_OF_RANKINGS: WeakKeyDictionary[Ranking, dict[float, DealtCells]] = WeakKeyDictionary()


def _thresholds(order: Ranking) -> Integers:
    """The rows of the sweep that are thresholds: all, or about ``CELLS`` with like many rows."""
    if len(order) <= CELLS:
        return np.arange(len(order) + 1)
    whole = order.positives + order.negatives
    return np.unique(
        np.append(order.threshold_for_count(np.linspace(0, whole, CELLS + 1)), len(order))
    )


def _dealt(counts: Floats, squares: Floats) -> Floats:
    """The share of each cell's rows of one class that is in each fold, dealt at random.

    Dealt in the order of the scores, so that larger cells have the rows of the smaller ones.
    """
    held = counts > 0
    rows = np.zeros(len(counts), np.int64)
    exact = held & (squares > ROUNDING * squares.sum())  # others weigh next to nothing
    whole = np.rint(counts[exact] ** 2 / squares[exact] - HALF)
    rows[exact] = np.maximum(whole, 1)
    rows[held & ~exact] = 1
    ends, cells = np.cumsum(rows), np.arange(len(rows))
    random, dealt = np.random.default_rng(0), np.zeros(len(rows) * FOLDS)
    for part in chunks(int(ends[-1]), AT_ONCE):
        until = np.append(part.start, np.clip(ends, part.start, part.stop))
        inside = until[1:] - until[:-1]
        folds = random.integers(0, FOLDS, part.stop - part.start)
        dealt += np.bincount(np.repeat(cells, inside) * FOLDS + folds, minlength=len(dealt))
    return dealt.reshape(-1, FOLDS) / np.maximum(rows, 1)[:, None]
