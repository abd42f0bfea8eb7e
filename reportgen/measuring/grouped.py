"""What dependence within groups does to the intervals of one model of two classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import Flags, Floats, Integers, chunks
from reportgen.clustered_areas import (
    AreaVariances,
    ClassesByGroup,
    area_variances,
    area_variances_of_sums,
    variances_of_influences,
)
from reportgen.clusters import (
    Effect,
    Groups,
    degrees_of_freedom,
)
from reportgen.comparisons.area_covariances import placement_shares
from reportgen.comparisons.cross_fitting import DealtCells
from reportgen.comparisons.row_costs import RowCosts
from reportgen.intervals import LossVariance
from reportgen.intervals.average_precision import influences
from reportgen.measuring.cell_effects import NOTHING, CellTable
from reportgen.measuring.grouped_forecasts import Forecasts
from reportgen.metrics import METRICS
from reportgen.placements import Order, ascending, ordered_placements
from reportgen.sweeping import Ranking
from reportgen.sweeping.sorting import ranked_in_order

ScalarType = TypeVar("ScalarType", bound=np.generic)

AREAS = tuple(m.name for m in METRICS.values() if m.tested_as == "auc")
"""Measures whose variance is that of the AUC, but for a factor."""

_ROUNDING = 1e-14
"""Rows that deviate from their mean by less than this are alike: the rest is rounding."""


@dataclass(frozen=True)
class GroupedRows:
    """The rows of a model in groups: with scores in their order, lowest first, else as they come.

    ``order`` has the places of the rows in the frame, whose groups, scores and weights are
    ``of_frame``.
    """

    of_frame: tuple[Groups, Floats | None, Floats | None]
    positive: Flags
    order: Order | None = None

    @classmethod
    def of(cls, frame: pl.DataFrame, score: str | None, weight: str | None) -> GroupedRows:
        """From rows with the columns ``truth`` and ``group``."""
        groups, positive = Groups.of(frame["group"]), frame["truth"].to_numpy()
        weights = None if weight is None else frame[weight].cast(pl.Float64).to_numpy()
        if score is None:
            return cls((groups, None, weights), positive)
        scores = frame[score].cast(pl.Float64).to_numpy()
        order = ascending(scores, positive)
        return cls((groups, scores, weights), order.positive, order)

    @cached_property
    def groups(self) -> Groups:
        """The groups of the rows."""
        groups = self.of_frame[0]
        return groups if self.order is None else Groups(self.in_order(groups.code), groups.number)

    @cached_property
    def score(self) -> Floats | None:
        """The scores of the rows."""
        scores = self.of_frame[1]
        return None if scores is None else self.in_order(scores)

    @cached_property
    def weights(self) -> Floats | None:
        """The weights of the rows."""
        weights = self.of_frame[2]
        return None if weights is None else self.in_order(weights)

    def in_order(self, values: npt.NDArray[ScalarType]) -> npt.NDArray[ScalarType]:
        """Values of the rows of the frame in the order of these rows."""
        return values if self.order is None else values[self.order.rows]

    @property
    def ranked(self) -> Ranking | None:
        """The ranking of rows without weights."""
        if self.score is None or self.of_frame[2] is not None:
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
            return area_effect(self.score, self.classes)
        self.scratch[:] = ordered_placements(self.order)
        return effect_of_parts(*_around_means(self.scratch, self.classes), self.classes)

    @cached_property
    def precision(self) -> Effect:
        """The effect on the average precision, from the influences of whole groups."""
        if self.score is None or not all(self.classes.rows):
            return NOTHING
        return precision_effect(self.score, self.classes)

    @cached_property
    def scratch(self) -> Floats:
        """A place for a number of each row, written over by each measure."""
        return np.empty(len(self.positive))

    def forget(self) -> None:
        """Free what is as long as the rows or groups; it is made again where it is needed."""
        for name in ("groups", "score", "weights", "classes", "scratch", "forecasts"):
            self.__dict__.pop(name, None)

    def cells(self, edges: Floats) -> Integers:
        """The place of each row among cells of ascending scores with these lowest ``edges``."""
        score = np.empty(0) if self.score is None else self.score
        starts = np.searchsorted(score, edges)
        return np.repeat(np.arange(len(edges)), np.diff(starts, append=len(score)))

    def effect_on_cost(self, costs: RowCosts, cells: DealtCells, cell: Integers) -> Effect:
        """The effect on the area under the cost curve: Obuchowski's variance over that of rows.

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
        return effect_of_parts(self.classes.sums(of_row), np.array(squares), self.classes)

    def effects(self, values: Mapping[str, float | None]) -> dict[str, Effect]:
        """The effects on the measures of scores that have ``values``."""
        result = {name: self.area for name in AREAS if values.get(name) is not None}
        precisions = [n for n in ("average_precision", "pr_auc") if values.get(n) is not None]
        result |= dict.fromkeys(precisions, self.precision if precisions else NOTHING)
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


def area_effect(score: Floats, classes: ClassesByGroup) -> Effect:
    """Obuchowski's variance of an AUC over DeLong's, with the degrees of freedom of its sums."""
    positive, weights = classes.positive, classes.weights
    away = placement_shares(score, positive, weights)
    if away is None:
        return NOTHING
    positives = positive.astype(np.float64) if weights is None else positive * weights
    away -= float((away * positives).sum() / positives.sum())
    return _effect(area_variances(away, classes), classes)


def precision_effect(score: Floats, classes: ClassesByGroup) -> Effect:
    """Variance of an average precision where groups are independent over that where rows are.

    Degrees of freedom are Pan and Wall's of the sums by group, at most those of the groups of the
    rarer class.
    """
    adds = influences(score, classes.positive, classes.weights).adds
    sums = classes.sums(adds)
    effect = _effect(variances_of_influences(adds, classes, sums), classes)
    whole = (sums * classes.leverage).sum(axis=0)
    if not whole.any():
        return effect
    df = min(degrees_of_freedom(whole), min(classes.effective_groups) - 1)
    return Effect(effect.design, df if df > 0 else float("nan"))


def effect_of_parts(sums: Floats, squares: Floats, classes: ClassesByGroup) -> Effect:
    """From sums by class and group, and sums of squares by class, of deviations from the means."""
    return _effect(area_variances_of_sums(sums, squares, classes), classes)


def _effect(variances: AreaVariances, classes: ClassesByGroup) -> Effect:
    if not variances.of_rows > _ROUNDING**2 * sum(1 / max(rows, 1) for rows in classes.rows):
        return _alike(classes)
    return Effect(variances.of_groups / variances.of_rows, variances.degrees_of_freedom)


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


@dataclass(frozen=True)
class CountedGroups:
    """The effects of groups on measures of scores: on the AUC, on mean losses.

    Others need the rows: what is best over thresholds, and fits of scores.
    """

    area: Effect
    losses: Mapping[str, LossVariance]

    def effects(self, values: Mapping[str, float | None]) -> dict[str, Effect]:
        """The effects on the measures of scores that have ``values``."""
        areas = {name: self.area for name in AREAS if values.get(name) is not None}
        return areas | {name: of_loss.effect for name, of_loss in self.losses.items()}
