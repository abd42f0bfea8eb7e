"""What a row adds to a measure of a table of truth and prediction of several classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats
from reportgen.clusters import (
    Effect,
    Groups,
    correction,
    degrees_of_freedom_of_powers,
    effect_of_sums,
)
from reportgen.measuring.cell_effects import LEAST_OF_SHARE, NOISE

Slopes = tuple[float, Floats]
"""A value, and its slope by each count."""


@dataclass(frozen=True)
class TableCells:
    """Truth × prediction: sums of weights and of squared weights of each cell.

    ``groups`` (``group truth predicted count``) tells the rows of dependent groups apart.
    """

    count: Floats
    squares: Floats
    groups: pl.DataFrame | None = None

    @classmethod
    def of(cls, matrix: pl.DataFrame, groups: pl.DataFrame | None = None) -> TableCells:
        """From the columns ``count`` and ``count2`` of all cells, in their order."""
        size = round(matrix.height**0.5)
        count, squares = (matrix[c].to_numpy().reshape(size, size) for c in ("count", "count2"))
        return cls(count, squares, groups)

    @cached_property
    def mass(self) -> float:
        """Weight of all rows."""
        return float(self.count.sum())

    @cached_property
    def rows(self) -> float:
        """So many rows of equal weight, or groups, these are worth."""
        if self.groups is not None:
            return float(self.groups["group"].n_unique())
        return self.mass**2 / float(self.squares.sum()) if self.mass > 0 else 0.0

    @cached_property
    def truth(self) -> Floats:
        """Weight of the rows of each class, as a column."""
        of_truth: Floats = self.count.sum(axis=1, keepdims=True)
        return of_truth

    @cached_property
    def predicted(self) -> Floats:
        """Weight of the rows that are predicted to be of each class, as a line."""
        of_predicted: Floats = self.count.sum(axis=0, keepdims=True)
        return of_predicted

    @cached_property
    def correct(self) -> Floats:
        """1 for the cells of correct predictions, 0 for the others."""
        return np.eye(len(self.count))

    def powers(self, influence: Floats) -> tuple[float, float]:
        """Second and fourth powers of what rows of these influences add, summed."""
        # In place, as of 1,000 classes each table takes 8 MB.
        second = np.square(influence)
        second *= self.squares
        fourth = np.zeros_like(self.count)
        np.divide(self.squares, self.count, where=self.count > 0, out=fourth)
        fourth *= influence
        np.square(fourth, out=fourth)
        fourth *= second
        return float(second.sum()), float(fourth.sum())

    @cached_property
    def of_several_rows(self) -> pl.DataFrame | None:
        """The groups; None without any, and where each of them is a row, in whatever unit."""
        groups = self.groups
        if groups is None or groups.height > groups["group"].n_unique():
            return groups
        squares, rows = float(np.square(groups["count"].to_numpy()).sum()), self.squares.sum()
        return groups if squares > (1 + 1e-9) * float(rows) else None

    def effect_of_groups(self, groups: pl.DataFrame, influence: Floats) -> Effect:
        """The design effect of the sum of these influences, and its degrees of freedom.

        Where no row adds anything each group counts as a row.
        """
        count, of = groups["count"].to_numpy(), Groups.of(groups["group"])
        cell = groups["truth"].to_numpy(), groups["predicted"].to_numpy()
        sums, sizes = of.sums(influence[cell] * count), of.sums(count)
        squares, whole, most = self.powers(influence)[0], float(self.squares.sum()), of.number - 1.0
        if squares <= whole * (NOISE * float(np.abs(influence).max())) ** 2:
            return Effect(float(np.square(sizes).sum()) / whole, most)
        effect = effect_of_sums(sums, squares, round(self.mass**2 / whole), sizes)
        least = min(LEAST_OF_SHARE, most)
        return Effect(effect.design, max(effect.degrees_of_freedom, least))


@dataclass(frozen=True)
class OneMore:
    """A table with a row more, spread as if predictions did not depend on the truth.

    It stands for what sampling left empty: without errors a table has no variance. ``confidence``
    is that of the limits which are made of it.
    Fienberg & Holland (1973), doi:10.1080/01621459.1973.10481405.
    """

    cells: TableCells
    confidence: float

    @cached_property
    def share(self) -> Floats:
        """The parts of the row that fall into each cell."""
        cells = self.cells
        seen = (cells.truth.T + cells.predicted) > 0
        share = cells.truth * (cells.predicted + seen * cells.mass / seen.sum() / cells.rows)
        of_cell: Floats = share / share.sum()
        return of_cell

    @cached_property
    def weight(self) -> float:
        """That of the row: of each row the same share of the weight is the mean one."""
        return float(self.cells.squares.sum()) / self.cells.mass

    @cached_property
    def table(self) -> TableCells:
        """All rows and the one more."""
        added = self.weight * self.share
        return TableCells(self.cells.count + added, self.cells.squares + self.weight * added)

    def spread(self, slopes: Floats) -> tuple[float, Effect]:
        """Variance of a measure with these slopes by the counts, and the effect of t.

        Its degrees of freedom are those that the rows leave: one that is in many cells takes none.
        """
        table, cells = self.table, self.cells
        influence = slopes - float((table.count * slopes).sum()) / table.mass
        second, fourth = cells.powers(influence)
        added = float((self.share * np.square(self.weight * influence)).sum())
        units = cells.mass / self.weight + 1
        variance = (second + added) * correction(units)
        if (groups := cells.of_several_rows) is not None:
            return variance, cells.effect_of_groups(groups, influence)
        df = degrees_of_freedom_of_powers(second + added, fourth, round(units))
        return variance, Effect(1.0, df)


def _agreement(cells: TableCells) -> Slopes:
    """n·Σ correct − Σ tₖpₖ."""
    n, correct = cells.mass, float(np.trace(cells.count))
    value = n * correct - float((cells.truth.T * cells.predicted).sum())
    return value, correct + n * cells.correct - cells.predicted.T - cells.truth.T


def _ratio(part: Slopes, whole: Slopes) -> Slopes:
    value = float(np.float64(part[0]) / whole[0])
    return value, (part[1] - value * whole[1]) / whole[0]


def _gain(cells: TableCells) -> Slopes:
    """Of the correct rows less those of the most frequent class."""
    return gain_over(int(cells.truth.argmax()), cells)


def gain_over(place: int, cells: TableCells) -> Slopes:
    """Of the correct rows less those of the class at this place."""
    guessed = np.zeros_like(cells.count)
    guessed[place] = 1.0
    return _mean(cells, cells.correct - guessed)


def _kappa(cells: TableCells) -> Slopes:
    n, chance = cells.mass, float((cells.truth.T * cells.predicted).sum())
    whole = n**2 - chance, 2 * n - cells.predicted.T - cells.truth.T
    return _ratio(_agreement(cells), whole)


def _mcc(cells: TableCells) -> Slopes:
    n, value_slope = cells.mass, _agreement(cells)
    truth = n**2 - float(np.square(cells.truth).sum())
    predicted = n**2 - float(np.square(cells.predicted).sum())
    root = float(np.sqrt(truth * predicted))
    share = (n - cells.truth) / truth + (n - cells.predicted) / predicted
    return _ratio(value_slope, (root, root * share))


def _pooled(cells: TableCells) -> Slopes:
    """Σ ((tₖ + pₖ)/2)²."""
    both = (cells.truth.ravel() + cells.predicted.ravel()) / 2
    return float(np.square(both).sum()), both[:, None] + both[None]


def _scott(cells: TableCells) -> Slopes:
    n, (chance, slope) = cells.mass, _pooled(cells)
    correct = float(np.trace(cells.count))
    part = n * correct - chance, correct + n * cells.correct - slope
    return _ratio(part, (n**2 - chance, 2 * n - slope))


def _gwet(cells: TableCells) -> Slopes:
    n, (chance, slope) = cells.mass, _pooled(cells)
    correct, others = float(np.trace(cells.count)), len(cells.count) - 1
    part = (
        others * n * correct - n**2 + chance,
        others * (correct + n * cells.correct) - 2 * n + slope,
    )
    return _ratio(part, (others * n**2 - n**2 + chance, 2 * (others - 1) * n + slope))


def _bangdiwala(cells: TableCells) -> Slopes:
    correct = np.diag(cells.count)
    part = float(np.square(correct).sum()), 2 * np.diag(correct)
    whole = float((cells.truth.T * cells.predicted).sum()), cells.predicted.T + cells.truth.T
    return _ratio(part, whole)


def _weighted(power: int) -> Callable[[TableCells], Slopes]:
    def slopes(cells: TableCells) -> Slopes:
        n, apart = cells.mass, _apart(cells) ** power
        seen = float((apart * cells.count).sum())
        by_truth, by_prediction = cells.predicted @ apart, apart @ cells.truth
        part = n * seen, seen + n * apart
        expected = float((by_truth * cells.truth.T).sum()), by_truth.T + by_prediction.T
        value, slope = _ratio(part, expected)
        return 1 - value, -slope

    return slopes


def _apart(cells: TableCells) -> Floats:
    """How many classes truth and prediction of each cell are apart."""
    apart: Floats = np.abs(_above(cells))
    return apart


def _above(cells: TableCells) -> Floats:
    """By how many classes the prediction of each cell is above its truth."""
    place = np.arange(len(cells.count), dtype=np.float64)
    above: Floats = place[None] - place[:, None]
    return above


def _mean(cells: TableCells, of_cell: Floats) -> Slopes:
    """The mean over rows of what the rows of each cell have."""
    return _ratio((float((of_cell * cells.count).sum()), of_cell), (cells.mass, np.ones(1)))


def _g_mean(cells: TableCells) -> Slopes:
    occurs, correct = cells.truth.ravel() > 0, np.diag(cells.count)
    truth = cells.truth.ravel()
    value = float(np.prod(correct[occurs] / truth[occurs]) ** (1 / occurs.sum()))
    each = value / occurs.sum()
    of_correct, of_class = _inverse(correct, occurs), _inverse(truth, occurs)
    return value, each * (np.diag(of_correct) - of_class[:, None])


def _inverse(of_class: Floats, where: Flags) -> Floats:
    return np.divide(1.0, of_class, where=where, out=np.zeros_like(of_class))


def _macro(cells: TableCells) -> tuple[Slopes, Slopes]:
    """Macro precision and macro recall."""
    correct, size = np.diag(cells.count), len(cells.count)
    of_predicted, of_truth = 1 / cells.predicted.ravel(), 1 / cells.truth.ravel()
    precision, recall = correct * of_predicted, correct * of_truth
    by_prediction = np.diag(of_predicted) - (precision * of_predicted)[None]
    by_truth = np.diag(of_truth) - (recall * of_truth)[:, None]
    return (
        (float(precision.mean()), by_prediction / size),
        (float(recall.mean()), by_truth / size),
    )


def _f1_of_macro(cells: TableCells) -> Slopes:
    (precision, by_prediction), (recall, by_truth) = _macro(cells)
    both = precision + recall
    slope = 2 * (recall**2 * by_prediction + precision**2 * by_truth) / both**2
    return 2 * precision * recall / both, slope


def _success_index(cells: TableCells) -> Slopes:
    (precision, by_prediction), (recall, by_truth) = _macro(cells)
    return precision + recall - 1, by_prediction + by_truth


def _balance(cells: TableCells) -> Slopes:
    """The mean over classes of the smaller one of precision and recall."""
    truth, predicted, size = cells.truth.ravel(), cells.predicted.ravel(), len(cells.count)
    inverse = _inverse(np.maximum(truth, predicted), (truth + predicted) > 0)
    share = np.diag(cells.count) * inverse
    lost, of_truth = share * inverse, truth >= predicted
    slope = np.diag(inverse) - np.where(of_truth, lost, 0)[:, None] - np.where(of_truth, 0, lost)
    return float(share.sum()) / size, slope / size


def _adjusted_rand(cells: TableCells) -> Slopes:
    def pairs(counts: Floats) -> Slopes:
        return float((counts * (counts - 1)).sum()), 2 * counts - 1

    (both, of_both), (truth, of_truth) = pairs(cells.count), pairs(cells.truth)
    (predicted, of_predicted), (every, of_every) = (
        pairs(cells.predicted),
        pairs(cells.mass + np.zeros(1)),
    )
    chance = truth * predicted / every
    by_chance = (of_truth * predicted + truth * of_predicted - chance * of_every) / every
    part = both - chance, of_both - by_chance
    return _ratio(
        part, ((truth + predicted) / 2 - chance, (of_truth + of_predicted) / 2 - by_chance)
    )


BALANCE, CLASS_ERROR, CLASS_BIAS = "class_balance_accuracy", "mean_class_error", "class_bias"

GAIN = "accuracy_gain"

SMOOTH: dict[str, Callable[[TableCells], Slopes]] = {
    GAIN: _gain,
    "mcc": _mcc,
    "cohen_kappa": _kappa,
    "scott_pi": _scott,
    "krippendorff_alpha": _scott,
    "gwet_ac1": _gwet,
    "bangdiwala_b": _bangdiwala,
    "linear_kappa": _weighted(1),
    "quadratic_kappa": _weighted(2),
    "accuracy_within_one": lambda cells: _mean(cells, (_apart(cells) <= 1).astype(np.float64)),
    CLASS_ERROR: lambda cells: _mean(cells, _apart(cells)),
    CLASS_BIAS: lambda cells: _mean(cells, _above(cells)),
    "g_mean": _g_mean,
    "f1_of_macro": _f1_of_macro,
    "classification_success_index": _success_index,
    BALANCE: _balance,
    "adjusted_rand": _adjusted_rand,
}
"""Measures of all cells; the correction in alpha moves no limit."""

OF_MACRO = frozenset({"f1_of_macro", "classification_success_index"})
"""Those that have a value only where each class is predicted."""

FROM_0 = frozenset({"accuracy_within_one", "g_mean", "f1_of_macro", BALANCE})
"""Those from 0 to 1."""


def span(name: str, cells: TableCells) -> tuple[float, float]:
    """The least value of a measure, and how far above it the largest one is.

    That of most is from −1 to 1; an error is at most that of the first class for the last.
    """
    most = max(len(cells.count) - 1.0, 1.0)
    if name in (CLASS_ERROR, CLASS_BIAS):
        return (0.0, most) if name == CLASS_ERROR else (-most, 2 * most)
    return (0.0, 1.0) if name in FROM_0 else (-1.0, 2.0)
