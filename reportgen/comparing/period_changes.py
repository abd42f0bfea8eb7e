"""The change of each model's main measures between two periods, and what explains it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats, Integers
from reportgen.comparing.change_parts import (
    MOST_CELLS,
    NO_LIMITS,
    Named,
    Period,
    change_of_mean,
    change_record,
    limits_of,
    parts_of,
)
from reportgen.comparing.period_units import BLOCKS, JointUnits, PeriodRows, cells_of
from reportgen.comparisons.time_trend import trend_p_value
from reportgen.measuring.context import UNLIKE_ROWS, EvaluationContext, TaskResults
from reportgen.measuring.time_blocks import consecutive
from reportgen.predictions import ModelColumns
from reportgen.records.shift import ALL_ROWS, CLASSES, ChangeParts


@dataclass(frozen=True)
class PeriodChanges:
    """Two periods, their independent units, and what a model loses on a row."""

    sides: tuple[PeriodRows, PeriodRows]
    units: JointUnits
    task_results: TaskResults

    @property
    def context(self) -> EvaluationContext:
        """The evaluation of the later period."""
        return self.sides[1].context

    def changes(self) -> Iterator[ChangeParts]:
        """The change of each model's main measure, split over classes and over each slicing."""
        if self.units.untested == UNLIKE_ROWS:
            return
        splits = list(self._splits())
        for model in self.context.predictions.models:
            for place, (by, codes, names) in enumerate(splits):
                changes = [
                    *self._of_area(model, by, codes, names),
                    self._of_losses(model, by, codes, names),
                ]
                yield from changes if place else (self._with_trend(one, model) for one in changes)

    def _with_trend(self, change: ChangeParts, model: ModelColumns) -> ChangeParts:
        """The change with the p-value of a trend, where time points are too few for limits.

        Of the rows of one evaluation: those of a reference have points of their own.
        """
        of_one = self.sides[0].context is self.sides[1].context
        if not of_one or self.units.noun != BLOCKS or self.units.codes is not None:
            return change
        rows = pl.concat([side.rows for side in self.sides])
        if change.metric == "auc" and model.score is not None:
            series = _areas_by_point(rows, model.score) if self.context.weight is None else None
        else:
            weights = np.concatenate([side.row_weights for side in self.sides])
            value = rows.select(self._value(change.model)).to_series().to_numpy()
            added = weights * (value - np.average(value, weights=weights))
            code, points = consecutive(rows["point"])
            series = np.bincount(code, added, points).astype(np.float64)
        return change if series is None else replace(change, trend_p_value=trend_p_value(series))

    def _splits(self) -> Iterator[tuple[str, tuple[Integers, Integers], Sequence[str]]]:
        task, predictions = self.context.task, self.context.predictions
        if task.two_classes or task.several_classes:
            classes = [side.rows["truth"].cast(pl.Int64).to_numpy() for side in self.sides]
            names = predictions.classes
            if task.two_classes:
                names = (predictions.negative, predictions.positive)
            yield CLASSES, (classes[0], classes[1]), names
        by_slice = [
            (" × ".join(columns), *cells)
            for columns in self.context.slicings
            if (cells := cells_of(self.sides, columns, MOST_CELLS)) is not None
            and are_shared(*cells[0])
        ]
        yield from by_slice
        if not task.has_decisions and not by_slice:
            sizes = (side.rows.height for side in self.sides)
            before, now = (np.zeros(size, np.int64) for size in sizes)
            yield ALL_ROWS, (before, now), (ALL_ROWS,)

    def _of_area(
        self,
        model: ModelColumns,
        by: str,
        codes: tuple[Integers, Integers],
        names: Sequence[str],
    ) -> Iterator[ChangeParts]:
        """Of an AUC, which the mix of the classes does not change."""
        if model.score is None:
            return
        if by == CLASSES:
            codes, names = (np.zeros_like(codes[0]), np.zeros_like(codes[1])), (ALL_ROWS,)
        if len(names) > MOST_SLICES:
            return
        sides = [
            RankedPeriod(
                side.rows[model.score].cast(pl.Float64).to_numpy(),
                side.rows["truth"].to_numpy(),
                code,
                side.row_weights,
                unit,
            )
            for side, code, unit in zip(self.sides, codes, self._row_units, strict=True)
        ]
        named = Named(model.name, "auc", by, names, self._limited_by, self.context.spec.confidence)
        change = change_of_area(named, sides[0], sides[1])
        if change is not None:
            yield change

    def _of_losses(
        self,
        model: ModelColumns,
        by: str,
        codes: tuple[Integers, Integers],
        names: Sequence[str],
    ) -> ChangeParts:
        value = self._value(model.name)
        sides = [
            Period(side.rows.select(value).to_series().to_numpy(), code, side.row_weights, unit)
            for side, code, unit in zip(self.sides, codes, self._row_units, strict=True)
        ]
        measure, confidence = self.task_results.losses.measure, self.context.spec.confidence
        named = Named(model.name, measure, by, names, self._limited_by, confidence)
        return change_of_mean(named, sides[0], sides[1])

    def _value(self, model: str) -> pl.Expr:
        """What the main measure of the losses is the mean of."""
        losses = self.task_results.losses
        loss = losses.of[model].cast(pl.Float64)
        return loss if losses.measure == losses.error else 1 - loss

    @property
    def _row_units(self) -> tuple[Integers, Integers]:
        return self.units.of_rows((self.sides[0].rows.height, self.sides[1].rows.height))

    @property
    def _limited_by(self) -> str | None:
        """What limits are over; null where no independent unit is known."""
        unknown = self.units.codes is None and self.units.untested is not None
        return None if unknown else self.units.noun


SHARED = 0.5
"""Rows of each period, at least, that lie in cells of both where a change is split over cells."""


def are_shared(before: Integers, now: Integers) -> bool:
    """Whether two periods have most of their cells in common; quarters of a year have none.

    >>> are_shared(np.array([0, 1, 1]), np.array([1, 1, 2])), are_shared(np.zeros(2), np.ones(2))
    (True, False)
    """
    inside = (np.isin(before, now).mean(), np.isin(now, before).mean())
    return bool(min(inside) >= SHARED)


MOST_SLICES = 12
"""Slices over whose pairs a change is split."""


@dataclass(frozen=True)
class RankedPeriod:
    """The scores of a period, the true class, the slice, the weight and the unit of each row.

    Units are numbered over both periods; null where there are no limits.
    """

    scores: Floats
    positive: Flags
    cells: Integers
    weights: Floats
    units: Integers | None = None


@dataclass(frozen=True)
class _Class:
    """One class of a period: slice and weight share of its rows, and the shares of its slices.

    ``placed`` has for each row the share of the other class in each slice that it is ranked
    correctly against.
    """

    rows: Flags
    cells: Integers
    weights: Floats
    shares: Floats
    placed: Floats


@dataclass(frozen=True)
class _Pairs:
    """The pairs of a positive and a negative: both classes, and the AUC between their slices."""

    positives: _Class
    negatives: _Class
    areas: Floats

    @property
    def shares(self) -> Floats:
        """The share of the pairs, by slice of the positive and slice of the negative."""
        return np.outer(self.positives.shares, self.negatives.shares)


def change_of_area(named: Named, before: RankedPeriod, now: RankedPeriod) -> ChangeParts | None:
    """The change of an AUC, split over slices; null where a period has one class only.

    An AUC is the share of pairs of a positive and a negative that are ranked correctly: the mean
    of those between the slices of the two, by the shares of pairs. So it is split as a mean over
    rows is; other shares of the classes alone do not change it. Limits are those of the delta
    method over the units, with the placements of DeLong, doi:10.2307/2531595.
    """
    number = len(named.cells)
    first, second = (_pairs(period, number) for period in (before, now))
    if first is None or second is None:
        return None
    names = [f"{one}; {other}" for one in named.cells for other in named.cells]
    sides = (first, second)
    parts = parts_of(names, [p.shares.ravel() for p in sides], [p.areas.ravel() for p in sides])
    values = [float(np.nansum(pairs.shares * pairs.areas)) for pairs in sides]
    mix, within = sum(one.mix for one in parts), sum(one.within for one in parts)
    limits = NO_LIMITS
    if named.units is not None and before.units is not None and now.units is not None:
        estimates = (values[1] - values[0], mix, within)
        codes = (before.units, now.units)
        limits = limits_of(estimates, _influences(first, second), codes, named.confidence)
    return change_record(named, (values[0], values[1]), (mix, within), limits, parts)


def _pairs(period: RankedPeriod, number: int) -> _Pairs | None:
    """The pairs of a period; null where a class is missing."""
    if not (period.positive.any() and not period.positive.all()):
        return None
    positives = _class(period, period.positive, number, 1.0)
    negatives = _class(period, ~period.positive, number, -1.0)
    areas = np.full((number, number), np.nan)
    for cell in np.flatnonzero(positives.shares):
        rows = positives.cells == cell
        weights = positives.weights[rows]
        areas[cell] = (weights[:, None] * positives.placed[rows]).sum(axis=0) / weights.sum()
    return _Pairs(positives, negatives, areas)


def _class(period: RankedPeriod, rows: Flags, number: int, sign: float) -> _Class:
    weights, cells = period.weights[rows], period.cells[rows]
    whole = weights.sum()
    placed = np.full((int(rows.sum()), number), np.nan)
    for cell in range(number):
        others = ~rows & (period.cells == cell)
        if others.any():
            placed[:, cell] = _placements(
                sign * period.scores[rows], sign * period.scores[others], period.weights[others]
            )
    shares = np.bincount(cells, weights, number).astype(np.float64) / whole
    return _Class(rows, cells, weights / whole, shares, placed)


def _placements(at: Floats, scores: Floats, weights: Floats) -> Floats:
    """The share of ``scores`` below each number of ``at``, ties by half."""
    order = np.argsort(scores, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    ends = [below[np.searchsorted(scores[order], at, side)] for side in ("left", "right")]
    shares: Floats = (ends[0] + ends[1]) / (2 * below[-1])
    return shares


def _areas_by_point(rows: pl.DataFrame, score: str) -> Floats | None:
    """By how many pairs of a positive and a negative each time point lies above the AUC of all.

    Of pairs within a point: scores of other times are on another scale where a model changes. Null
    where more than a tenth of the points have none.
    """
    positives = pl.col("truth").cast(pl.Float64).sum()
    of_points = (
        rows.select("point", pl.col("truth").cast(pl.Boolean), pl.col(score).cast(pl.Float64))
        .with_columns(rank=pl.col(score).rank().over("point"))
        .group_by("point")
        .agg(
            right=pl.col("rank").filter("truth").sum() - positives * (positives + 1) / 2,
            pairs=positives * (pl.len() - positives),
        )
        .sort("point")
    )
    ranked = of_points.filter(pl.col("pairs") > 0)
    if ranked.height < 0.9 * of_points.height:
        return None
    area = pl.col("right").sum() / pl.col("pairs").sum()
    return ranked.select(pl.col("right") - area * pl.col("pairs")).to_series().to_numpy()


def _influences(before: _Pairs, now: _Pairs) -> list[Floats]:
    """What each row of both periods contributes to the change, to its mix and to within."""
    both = ~np.isnan(before.areas) & ~np.isnan(now.areas)
    areas = [
        np.nan_to_num(np.where(np.isnan(one.areas), other.areas, one.areas))
        for one, other in ((before, now), (now, before))
    ]
    step, share = now.shares - before.shares, (now.shares + before.shares) / 2
    middle, half = (areas[0] + areas[1]) / 2, np.where(both, (areas[1] - areas[0]) / 2, 0.0)
    of_mix, of_within = np.where(both, step / 2, step), np.where(both, share, 0.0)
    result: list[list[Floats]] = [[], [], []]
    for place, pairs in enumerate((before, now)):
        sign = 2 * place - 1
        for parts, of_shares, of_areas in (
            (result[0], sign * areas[place], sign * pairs.shares),
            (result[1], sign * middle, of_mix),
            (result[2], half, sign * of_within),
        ):
            parts.append(_of_rows(pairs, areas[place], of_shares, of_areas))
    return [np.concatenate(parts) for parts in result]


def _of_rows(pairs: _Pairs, areas: Floats, of_shares: Floats, of_areas: Floats) -> Floats:
    """The influence of each row, from the derivatives by the shares of pairs and by the areas."""
    result = np.zeros(len(pairs.positives.rows))
    for one, other, transposed in (
        (pairs.positives, pairs.negatives, False),
        (pairs.negatives, pairs.positives, True),
    ):
        area, by_share, by_area = (
            table.T if transposed else table for table in (areas, of_shares, of_areas)
        )
        mean = (by_share * other.shares).sum(axis=1)
        away = np.nan_to_num(one.placed - area[one.cells])
        within = (by_area[one.cells] * away).sum(axis=1) / one.shares[one.cells]
        result[one.rows] = one.weights * (mean[one.cells] - (one.shares * mean).sum() + within)
    return result
