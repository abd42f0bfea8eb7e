"""The change of each model's main measures between two periods, and what explains it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Integers
from reportgen.comparing.area_parts import MOST_SLICES, RankedPeriod, change_of_area
from reportgen.comparing.change_parts import MOST_CELLS, Named, Period, change_of_mean
from reportgen.comparing.period_units import UNPAIRED, JointUnits, PeriodRows, cells_of
from reportgen.measuring.context import EvaluationContext, TaskResults
from reportgen.predictions import ModelColumns
from reportgen.records.shift import ChangeParts

CLASSES, ALL_ROWS = "classes", "all rows"
"""What a change is split over where it is not a slicing; all rows where nothing splits it."""


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
        if self.units.untested == UNPAIRED:
            return
        splits = list(self._splits())
        for model in self.context.predictions.models:
            for by, codes, names in splits:
                yield from self._of_area(model, by, codes, names)
                yield self._of_losses(model, by, codes, names)

    def _splits(self) -> Iterator[tuple[str, tuple[Integers, Integers], Sequence[str]]]:
        task, predictions = self.context.task, self.context.predictions
        if task.two_classes or task.several_classes:
            classes = [side.rows["truth"].cast(pl.Int64).to_numpy() for side in self.sides]
            names = predictions.classes
            if task.two_classes:
                names = (predictions.negative, predictions.positive)
            yield CLASSES, (classes[0], classes[1]), names
        for columns in self.context.slicings:
            cells = cells_of(self.sides, columns, MOST_CELLS)
            if cells is not None:
                yield " × ".join(columns), *cells
        if not task.has_decisions and not self.context.slicings:
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
        confidence, noun = self.context.spec.confidence, self._limited_by
        named = Named(model.name, "auc", by, names)
        change = change_of_area(named, sides[0], sides[1], confidence, noun)
        if change is not None:
            yield change

    def _of_losses(
        self,
        model: ModelColumns,
        by: str,
        codes: tuple[Integers, Integers],
        names: Sequence[str],
    ) -> ChangeParts:
        losses = self.task_results.losses
        loss = losses.of[model.name].cast(pl.Float64)
        value = loss if losses.measure == losses.error else 1 - loss
        sides = [
            Period(side.rows.select(value).to_series().to_numpy(), code, side.row_weights, unit)
            for side, code, unit in zip(self.sides, codes, self._row_units, strict=True)
        ]
        named = Named(model.name, losses.measure, by, names)
        confidence = self.context.spec.confidence
        return change_of_mean(named, sides[0], sides[1], confidence, self._limited_by)

    @property
    def _row_units(self) -> tuple[Integers, Integers]:
        return self.units.of_rows((self.sides[0].rows.height, self.sides[1].rows.height))

    @property
    def _limited_by(self) -> str | None:
        """What limits are over; null where no independent unit is known."""
        unknown = self.units.codes is None and self.units.untested is not None
        return None if unknown else self.units.noun
