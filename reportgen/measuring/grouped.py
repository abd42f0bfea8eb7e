"""What dependence within groups does to the intervals of one model of two classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen import clusters
from reportgen.array_types import Flags, Floats, Integers
from reportgen.chunks import chunks
from reportgen.clustered_areas import (
    AreaVariances,
    ClassesByGroup,
    area_variances,
    area_variances_of_sums,
)
from reportgen.clusters import Effect, Groups
from reportgen.comparisons.area_covariances import placement_shares
from reportgen.comparisons.cross_fitting import DealtCells
from reportgen.comparisons.row_costs import RowCosts
from reportgen.intervals import LossVariance, ModifiedWilson, Share, SquareAndAdd
from reportgen.intervals.delta import CELLS, evaluating, influences
from reportgen.measuring.grouped_forecasts import Forecasts
from reportgen.metrics import METRICS, Metric
from reportgen.metrics.settings import MetricSettings
from reportgen.placements import Order, ascending, ordered_placements
from reportgen.sweeping import Ranking
from reportgen.sweeping.sorting import ranked_in_order

ScalarType = TypeVar("ScalarType", bound=np.generic)

NOTHING = Effect(float("nan"), float("nan"))

AREAS = tuple(m.name for m in METRICS.values() if m.tested_as == "auc")
"""Measures whose variance is that of the AUC, but for a factor."""

_ROUNDING = 1e-14
"""Rows that deviate from their mean by less than this are alike: the rest is rounding."""

_NOISE = 1e-9
"""A cell that contributes less than this share of what the others do contributes nothing."""


@dataclass(frozen=True)
class CellTable:
    """The rows of each group in the four cells of a decision; groups that are alike stand once.

    ``sums`` (cell × kind of group, cells in the order of ``CELLS``) are weights, ``groups`` how
    many groups are of each kind; ``rows`` and ``squares`` the rows of each cell and their
    squared weights.
    """

    sums: Floats
    groups: Floats
    rows: Floats
    squares: Floats

    @classmethod
    def of(
        cls, positive: Flags, predicted: Flags, groups: Groups, weights: Floats | None = None
    ) -> CellTable:
        """Count the rows of each group."""
        cell = (~positive).astype(np.int64)
        cell += 2 * ~predicted
        width, size = len(CELLS), len(CELLS) * groups.number
        rows = np.bincount(cell, minlength=width).astype(np.float64)
        squares = (
            rows if weights is None else np.bincount(cell, weights**2, width).astype(np.float64)
        )
        cell *= groups.number
        cell += groups.code
        if weights is None:
            sums, alike = _alike_once(np.bincount(cell, minlength=size).reshape(width, -1))
        else:
            sums = np.bincount(cell, weights, size).reshape(width, -1)
            alike = np.ones(groups.number)
        return cls(sums.astype(np.float64), alike, rows, squares)

    @classmethod
    def of_classes(cls, classes: ClassesByGroup, predicted: Flags | slice) -> CellTable:
        """Count the rows of each group, of unweighted rows of which some are predicted positive."""
        code, shape = classes.code[predicted], classes.sizes.shape
        reached = np.bincount(code, minlength=classes.sizes.size).reshape(shape)
        sums, alike = _alike_once(np.concatenate([reached, classes.sizes - reached]))
        rows = np.array([*reached.sum(axis=1), *(classes.sizes - reached).sum(axis=1)], np.float64)
        return cls(sums.astype(np.float64), alike, rows, rows)

    @cached_property
    def totals(self) -> Floats:
        """The sum of each cell."""
        totals: Floats = (self.sums * self.groups).sum(axis=1)
        return totals

    def groups_in(self, cells: Flags) -> int:
        """Groups with a row in any of the cells."""
        return int(self.groups[(self.sums[cells] > 0).any(axis=0)].sum())

    def effect(self, contribution: Floats, cells: Sequence[str] | None = None) -> Effect:
        """Of a measure to which a row of each cell makes this ``contribution``.

        Only groups with a row in a cell that contributes count as groups. A
        share of 0 or 1 among ``cells``, and what is made of such shares, has no
        variance to compare: each group then is taken as one row, as if its
        rows were all alike. What a group adds is divided by 1 − h, with h its share in
        the rows of a class, or in all rows for what the class as a whole adds: a group
        pulls the estimate towards itself (``leverage.jackknife_sums``).
        Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181.
        """
        size = np.abs(contribution)
        active = size > _NOISE * size.max()
        if not (np.isfinite(size).all() and active.any()):
            return self._alike(cells)
        groups, rows = self.groups_in(active), self.rows[active].sum()
        if groups < 2:
            return NOTHING
        added, by_row = self._without_pull(contribution)
        squares = np.square(added)
        second = float((self.groups * squares).sum())
        fourth = float((self.groups * np.square(squares)).sum())
        apart = (rows - 1) / rows * float((self.squares * by_row**2).sum())
        freedom = clusters.degrees_of_freedom_of_powers(second, fourth, groups)
        return Effect((groups - 1) / groups * second / apart, freedom)

    def _without_pull(self, contribution: Floats) -> tuple[Floats, Floats]:
        """What each group adds over 1 − h, and what a row of each cell would alone."""
        # Sums of numpy, not of BLAS: the same on any number of threads.
        if self.groups.sum() == self.rows.sum():
            return np.einsum("c,cg->g", contribution, self.sums), contribution
        mean = np.zeros_like(contribution)
        sides = [np.isin(CELLS, side) for side in (("tp", "fn"), ("fp", "tn"))]
        for side in sides:
            mean[side] = (contribution[side] * self.totals[side]).sum()
            mean[side] /= self.totals[side].sum() or np.nan
        mean = np.nan_to_num(mean)
        parts = [(np.where(s, contribution - mean, 0.0), s) for s in sides] + [
            (mean, np.ones_like(mean, np.bool_))
        ]
        added, by_row = np.zeros(self.sums.shape[1]), np.zeros_like(contribution)
        for part, cells in parts:
            whole = self.totals[cells].sum()
            if not (whole > 0 and part.any()):
                continue
            added += np.einsum("c,cg->g", part, self.sums) / _left(
                self.sums[cells].sum(axis=0) / whole
            )
            by_row += part / _left(self.squares[cells].sum() / whole**2)
        return added, by_row

    def _alike(self, cells: Sequence[str] | None) -> Effect:
        if cells is None:
            return NOTHING
        at = [CELLS.index(cell) for cell in cells]
        sizes = self.sums[at].sum(axis=0)
        squares = float(self.squares[at].sum())
        groups = int(self.groups[sizes > 0].sum())
        if groups < 2:
            return NOTHING
        return Effect(float((self.groups * np.square(sizes)).sum()) / squares, groups - 1.0)


def _left(share: npt.ArrayLike) -> Floats:
    """1 − h, and 1 for a group that has all rows, which adds nothing."""
    left: Floats = 1 - np.asarray(share)
    return np.where(left > _NOISE, left, 1.0)


def _alike_once(counts: Integers) -> tuple[Integers, Floats]:
    """The different columns of small counts, and how many there are of each."""
    sizes = [int(most) + 1 for most in counts.max(axis=1, initial=0)]
    if prod(sizes) > 8 * counts.shape[1]:
        return counts, np.ones(counts.shape[1])
    key = counts[0].copy()
    for count, size in zip(counts[1:], sizes[1:], strict=True):
        key *= size
        key += count
    kinds = np.bincount(key)
    seen = np.flatnonzero(kinds)
    return np.array(np.unravel_index(seen, sizes)), kinds[seen].astype(np.float64)


def effects_of_cells(
    tables: Sequence[CellTable],
    metrics: Iterable[Metric],
    settings: MetricSettings,
    *,
    made_of_shares: bool = False,
) -> list[dict[str, Effect]]:
    """The effect on each measure of counts that has an interval, for each table.

    ``made_of_shares`` says that all of them have one, from the shares that they are made of.
    """
    with_interval = [m for m in metrics if made_of_shares or m.interval is not None]
    if not (with_interval and tables):
        return [{} for _ in tables]
    values = {m.name: m.expression(**settings) for m in with_interval}
    counts = np.array([table.totals for table in tables])
    contributions = influences(evaluating(values), counts)
    return [
        {
            m.name: table.effect(row, CELLS if made_of_shares else _denominator(m))
            for m, row in zip(with_interval, of_table, strict=True)
        }
        for table, of_table in zip(tables, contributions, strict=True)
    ]


def _denominator(metric: Metric) -> Sequence[str] | None:
    """The cells of which a measure is a share, or is made of shares; null where it is neither."""
    interval = metric.interval
    if isinstance(interval, SquareAndAdd):
        return CELLS
    return interval.cells if isinstance(interval, ModifiedWilson | Share) else None


@dataclass(frozen=True)
class GroupedRows:
    """The rows of a model in groups: with scores in their order, lowest first, else as they come.

    ``order`` has the places of the rows in the frame.
    """

    groups: Groups
    positive: Flags
    weights: Floats | None = None
    score: Floats | None = None
    order: Order | None = None

    @classmethod
    def of(cls, frame: pl.DataFrame, score: str | None, weight: str | None) -> GroupedRows:
        """From rows with the columns ``truth`` and ``group``."""
        groups, positive = Groups.of(frame["group"]), frame["truth"].to_numpy()
        weights = None if weight is None else frame[weight].cast(pl.Float64).to_numpy()
        if score is None:
            return cls(groups, positive, weights)
        scores = frame[score].cast(pl.Float64).to_numpy()
        order = ascending(scores, positive)
        at = order.rows
        weights = None if weights is None else weights[at]
        ordered = Groups(groups.code[at], groups.number)
        return cls(ordered, order.positive, weights, scores[at], order)

    def in_order(self, values: npt.NDArray[ScalarType]) -> npt.NDArray[ScalarType]:
        """Values of the rows of the frame in the order of these rows."""
        return values if self.order is None else values[self.order.rows]

    @property
    def ranked(self) -> Ranking | None:
        """The ranking of rows without weights."""
        if self.score is None or self.weights is not None:
            return None
        return ranked_in_order(self.score, self.positive)

    @cached_property
    def classes(self) -> ClassesByGroup:
        """The positives and the negatives of each group."""
        return ClassesByGroup(self.positive, self.groups, self.weights)

    def table(self, predicted: Flags | slice) -> CellTable:
        """The cells by group, from which of the rows are predicted positive."""
        if self.weights is None:
            return CellTable.of_classes(self.classes, predicted)
        flags = np.zeros(len(self.positive), np.bool_)
        flags[predicted] = True
        return CellTable.of(self.positive, flags, self.groups, self.weights)

    def at(self, least: float) -> CellTable:
        """The cells of the decision that the score is at ``least`` so much."""
        start = 0 if self.score is None else int(np.searchsorted(self.score, least))
        return self.table(slice(start, None))

    @cached_property
    def area(self) -> Effect:
        """The effect on the AUC: Obuchowski's variance over DeLong's."""
        if self.score is None or self.order is None:
            return NOTHING
        if not all(self.classes.rows):
            return NOTHING
        if self.weights is not None:
            return area_effect(self.score, self.positive, self.groups, self.weights)
        self.scratch[:] = ordered_placements(self.order)
        return _effect_of_parts(*_around_means(self.scratch, self.classes), self.classes)

    @cached_property
    def scratch(self) -> Floats:
        """A place for a number of each row, written over by each measure."""
        return np.empty(len(self.positive))

    def cells(self, edges: Floats) -> Integers:
        """The place of each row among cells of ascending scores with these lowest ``edges``."""
        score = np.empty(0) if self.score is None else self.score
        starts = np.searchsorted(score, edges)
        return np.repeat(np.arange(len(edges)), np.diff(starts, append=len(score)))

    def effect_on_cost(self, costs: RowCosts, cells: DealtCells, cell: Integers) -> Effect:
        """The effect on the expected total cost: Obuchowski's variance over that of rows.

        ``cell`` is the place of each row among the ``cells``.
        """
        tables = [costs.of_class[side][1:] for side in (True, False)]
        away = [
            table - (table * count).sum() / count.sum()
            for table, count in zip(tables, cells.counts, strict=True)
        ]
        squares = [
            float((table**2 * square).sum())
            for table, square in zip(away, cells.squares, strict=True)
        ]
        table, of_row = np.concatenate(away), self.scratch
        for part in chunks(len(of_row)):
            table.take(cell[part] + len(away[0]) * ~self.positive[part], out=of_row[part])
        if self.weights is not None:
            of_row *= self.weights
        return _effect_of_parts(self.classes.sums(of_row), np.array(squares), self.classes)

    def effects(self, values: Mapping[str, float | None]) -> dict[str, Effect]:
        """The effects on the measures of scores that have ``values``."""
        result = {name: self.area for name in AREAS if values.get(name) is not None}
        if self.forecasts is not None:
            result |= self.forecasts.recalibration(values)
        return result | {name: of_loss.effect for name, of_loss in self.losses.items()}

    @cached_property
    def losses(self) -> dict[str, LossVariance]:
        """Variances of each finite mean loss if rows were independent, and the effect."""
        return {} if self.forecasts is None else self.forecasts.losses

    @cached_property
    def forecasts(self) -> Forecasts | None:
        """The scores as probabilities; nothing where one is outside the unit interval."""
        score = self.score
        if score is None or not len(score) or score[0] < 0 or score[-1] > 1:
            return None
        return Forecasts(score, self.positive, self.groups, self.scratch, self.weights)


def share_effect(correct: Flags, groups: Groups, weights: Floats | None = None) -> Effect:
    """Of the share of rows that are right."""
    table = CellTable.of(np.ones(len(correct), np.bool_), correct, groups, weights)
    total = table.totals.sum()
    share = table.totals[0] / total if total else np.nan
    contribution = np.array([1 - share, 0.0, -share, 0.0]) / (total or np.nan)
    if share in (0.0, 1.0):
        contribution[:] = 0.0
    return table.effect(contribution, ("tp", "fn"))


def area_effect(
    score: Floats, positive: Flags, groups: Groups, weights: Floats | None = None
) -> Effect:
    """Obuchowski's variance of an AUC over DeLong's, with the degrees of freedom of its sums."""
    away = placement_shares(score, positive, weights)
    if away is None:
        return NOTHING
    positives = positive.astype(np.float64) if weights is None else positive * weights
    away -= float((away * positives).sum() / positives.sum())
    classes = ClassesByGroup(positive, groups, weights)
    return _effect(area_variances(away, classes), classes)


def _effect_of_parts(sums: Floats, squares: Floats, classes: ClassesByGroup) -> Effect:
    """From sums by class and group, and sums of squares by class, of deviations from the means."""
    return _effect(area_variances_of_sums(sums, squares, classes), classes)


def _effect(variances: AreaVariances, classes: ClassesByGroup) -> Effect:
    if not variances.apart > _ROUNDING**2 * sum(1 / max(rows, 1) for rows in classes.rows):
        return _alike(classes)
    return Effect(variances.together / variances.apart, variances.degrees_of_freedom)


def _around_means(placed: Floats, classes: ClassesByGroup) -> tuple[Floats, Floats]:
    """Placements of unweighted rows as shares, less their means: sums by class and group, squares.

    Placements are twice the rows of the other class below a row.
    """
    positives, negatives = classes.rows
    sums, squares = classes.sums(placed), np.zeros(2)
    means = sums.sum(axis=1) / (positives, negatives)
    for part in chunks(len(placed)):
        away = placed[part] - np.where(classes.positive[part], *means)
        of_negatives = away * ~classes.positive[part]
        away -= of_negatives
        squares += np.einsum("i,i->", away, away), np.einsum("i,i->", of_negatives, of_negatives)
    scale = np.array([0.5 / negatives, -0.5 / positives])
    return (sums - means[:, None] * classes.sizes) * scale[:, None], squares * scale**2


def _alike(classes: ClassesByGroup) -> Effect:
    """The effect on an area of 0 or 1: each class as many rows as it has groups."""
    weights = np.ones(len(classes.positive)) if classes.weights is None else classes.weights
    sizes, squares = classes.sums(weights), classes.sums(np.square(weights)).sum(axis=1)
    if (np.count_nonzero(sizes, axis=1) < 2).any():
        return NOTHING
    parts = np.square(sizes).sum(axis=1) / squares
    return Effect(float(parts.max()), classes.groups.number - 1.0)
