"""What dependence within groups does to the intervals of one model of two classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import expit, logit

from reportgen import clusters
from reportgen.clusters import Effect, Groups
from reportgen.comparisons.delong import placement_shares
from reportgen.comparisons.expected_costs import RowCosts
from reportgen.intervals import ModifiedWilson, Share, SquareAndAdd
from reportgen.intervals.delta import CELLS, evaluating, influences
from reportgen.metrics import Metric
from reportgen.metrics.row_losses import LOSSES

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

NOTHING = Effect(float("nan"), float("nan"))

AREAS = ("auc", "rank_loss", "gini")
"""Measures whose variance is that of the AUC, but for a factor."""

RECALIBRATED = ("calibration_intercept", "calibration_slope", "calibration_in_the_large")

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

    @cached_property
    def totals(self) -> Floats:
        """The sum of each cell."""
        found: Floats = (self.sums * self.groups).sum(axis=1)
        return found

    def groups_in(self, cells: Flags) -> int:
        """Groups with a row in any of the cells."""
        return int(self.groups[(self.sums[cells] > 0).any(axis=0)].sum())

    def effect(self, contribution: Floats, cells: Sequence[str] | None = None) -> Effect:
        """Of a measure to which a row of each cell makes this ``contribution``.

        Only groups with a row in a cell that contributes count as groups. A
        share of 0 or 1 among ``cells``, and what is made of such shares, has no
        variance to compare: each group then is taken as one row, as if its
        rows were all alike.
        """
        size = np.abs(contribution)
        active = size > _NOISE * size.max()
        if not (np.isfinite(size).all() and active.any()):
            return self._alike(cells)
        groups, rows = self.groups_in(active), self.rows[active].sum()
        if groups < 2:
            return NOTHING
        # Sums of numpy, not of BLAS: the same on any number of threads.
        squares = np.square(np.einsum("c,cg->g", contribution, self.sums))
        second = float((self.groups * squares).sum())
        fourth = float((self.groups * np.square(squares)).sum())
        apart = rows / (rows - 1) * float((self.squares * contribution**2).sum())
        freedom = clusters.degrees_of_freedom_of_powers(second, fourth, groups)
        return Effect(groups / (groups - 1) * second / apart, freedom)

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


def _alike_once(counts: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], Floats]:
    """The different columns of small counts, and how many there are of each."""
    sizes = counts.max(axis=1) + 1
    if float(np.prod(sizes, dtype=np.float64)) > 8 * counts.shape[1]:
        return counts, np.ones(counts.shape[1])
    kinds = np.bincount(np.ravel_multi_index(tuple(counts), tuple(sizes)))
    seen = np.flatnonzero(kinds)
    return np.array(np.unravel_index(seen, tuple(sizes))), kinds[seen].astype(np.float64)


def effects_of_cells(
    tables: Sequence[CellTable], metrics: Iterable[Metric], settings: Mapping[str, Any]
) -> list[dict[str, Effect]]:
    """The effect on each measure of counts that has an interval, for each table."""
    wanted = [m for m in metrics if m.interval is not None]
    if not (wanted and tables):
        return [{} for _ in tables]
    values = {m.name: m.expression(**settings) for m in wanted}
    counts = np.array([table.totals for table in tables])
    contributions = influences(evaluating(values), counts)
    return [
        {
            m.name: table.effect(row, _denominator(m))
            for m, row in zip(wanted, of_table, strict=True)
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
    """The rows of a model in groups, with its decisions and, where it gives them, scores."""

    groups: Groups
    positive: Flags
    predicted: Flags
    score: Floats | None
    weights: Floats | None

    @classmethod
    def of(
        cls, rows: pl.DataFrame, decision: pl.Expr, score: str | None, weight: str | None
    ) -> GroupedRows:
        """From rows with the columns ``truth`` and ``group``."""
        return cls(
            Groups.of(rows["group"]),
            rows["truth"].to_numpy(),
            rows.select(decision).to_series().to_numpy(),
            None if score is None else rows[score].cast(pl.Float64).to_numpy(),
            None if weight is None else rows[weight].cast(pl.Float64).to_numpy(),
        )

    @cached_property
    def table(self) -> CellTable:
        """The cells of the decision by group."""
        return CellTable.of(self.positive, self.predicted, self.groups, self.weights)

    @cached_property
    def area(self) -> Effect:
        """The effect on the AUC: Obuchowski's variance over DeLong's."""
        if self.score is None:
            return NOTHING
        return area_effect(self.score, self.positive, self.groups, self.weights)

    def at(self, least: float) -> CellTable:
        """The cells of the decision that the score is at ``least`` so much."""
        score = np.zeros(len(self.positive)) if self.score is None else self.score
        return CellTable.of(self.positive, score >= least, self.groups, self.weights)

    def effect_on_cost(self, costs: RowCosts) -> Effect:
        """The effect on the expected total cost: Obuchowski's variance over that of rows."""
        if self.score is None:
            return NOTHING
        reached = costs.reached(self.score)
        cost = np.where(
            self.positive, costs.of_class[True].take(reached), costs.of_class[False].take(reached)
        )
        for side in (self.positive, ~self.positive):
            weights = None if self.weights is None else self.weights[side]
            cost[side] -= np.average(cost[side], weights=weights)
        return _effect_of_classes(cost, self.positive, self.groups, self.weights)

    def effects(self, values: Mapping[str, float | None]) -> dict[str, Effect]:
        """The effects on the measures of scores that have ``values``."""
        found = {name: self.area for name in AREAS if values.get(name) is not None}
        if any(values.get(name) is not None for name in RECALIBRATED):
            found |= self._recalibration(values)
        return found | {name: effect for name, (_, effect) in self.losses.items()}

    @cached_property
    def losses(self) -> dict[str, tuple[float, Effect]]:
        """Variance of each finite mean loss if rows were independent, and the effect."""
        score = self.score
        if score is None or not len(score) or score.min() < 0 or score.max() > 1:
            return {}
        with np.errstate(divide="ignore"):
            positive = self.positive.astype(np.float64)
            lost = {name: loss(score, positive) for name, loss in LOSSES.items()}
        found = {n: mean_effect(v, self.groups, self.weights) for n, v in lost.items()}
        return {name: effect for name, effect in found.items() if effect is not None}

    def _recalibration(self, values: Mapping[str, float | None]) -> dict[str, Effect]:
        """The sandwich of the logistic fit over its variance from rows.

        White (1982), doi:10.2307/1912526.
        """
        if self.score is None:
            return {}
        odds, weights = logit(self.score), 1.0 if self.weights is None else self.weights
        found = {}
        shift = values.get("calibration_in_the_large")
        if shift is not None:
            residual = weights * (self.positive - expit(odds + shift))
            found["calibration_in_the_large"] = clusters.effect_of(residual, self.groups)
        start, slope = (values.get(name) for name in RECALIBRATED[:2])
        if start is not None and slope is not None:
            chance = expit(start + slope * odds)
            residual, curvature = (
                weights * (self.positive - chance),
                weights * chance * (1 - chance),
            )
            zeroth, first, second = (float((curvature * odds**k).sum()) for k in range(3))
            parts = residual * (second - first * odds), residual * (zeroth * odds - first)
            for name, part in zip(RECALIBRATED, parts, strict=False):
                found[name] = clusters.effect_of(part, self.groups)
        return found


def share_effect(right: Flags, groups: Groups, weights: Floats | None = None) -> Effect:
    """Of the share of rows that are right."""
    table = CellTable.of(np.ones(len(right), np.bool_), right, groups, weights)
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
    hits = positive.astype(np.float64) if weights is None else positive * weights
    area = float((away * hits).sum() / hits.sum())
    away -= area
    return _effect_of_classes(away, positive, groups, weights)


def _effect_of_classes(
    away: Floats, positive: Flags, groups: Groups, weights: Floats | None
) -> Effect:
    """Of a sum of the means of two classes, from how far ``away`` from its mean each row is."""
    found = clusters.area_variances(away, positive, groups, weights)
    if not found.apart > 0:
        weight = np.ones(len(away)) if weights is None else weights
        return _alike(positive, groups, weight)
    return Effect(found.together / found.apart, found.degrees_of_freedom)


def _alike(positive: Flags, groups: Groups, weights: Floats) -> Effect:
    """The effect on an area of 0 or 1: each class as many rows as it has groups."""
    parts = []
    for side in (positive, ~positive):
        sizes = np.bincount(groups.code[side], weights[side], groups.number)
        if np.count_nonzero(sizes) < 2:
            return NOTHING
        parts.append(float(np.square(sizes).sum()) / float(np.square(weights[side]).sum()))
    return Effect(max(parts), groups.number - 1.0)


def mean_effect(
    values: Floats, groups: Groups, weights: Floats | None = None
) -> tuple[float, Effect] | None:
    """Variance of a mean of rows if they were independent, and the effect of the groups.

    Null without two rows, or where a value is not finite.
    """
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    if weights is None:
        influence = values - values.mean()
        influence /= len(values)
    else:
        influence = weights * (values - np.average(values, weights=weights)) / weights.sum()
    return clusters.variance_of_sum(influence), clusters.effect_of(influence, groups)
