"""A model of several classes or labels on one part of the rows, from counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

import polars as pl

from reportgen.clusters import Effect, Groups
from reportgen.intervals.area_means import AreaSpread
from reportgen.measuring.cell_effects import NOTHING
from reportgen.measuring.model_rows import ModelRows
from reportgen.metrics import Metric
from reportgen.results.binned.bounds import without_crowded
from reportgen.results.binned.class_bounds import CurveKey, bounds_of_classes, sweeps_by_class
from reportgen.results.binned.forecasts import within
from reportgen.results.binned.limits_of_sums import limited_by_group, limits_of_sums
from reportgen.results.binned.number_sums import SumCounts
from reportgen.results.binned.sweeps import Sweeps
from reportgen.tables.results import MetricRow


@dataclass(frozen=True)
class CountsByClass(SumCounts):
    """Merged counts of several classes or labels; ``classes`` are their names, in their order.

    ``matrix`` has ``truth``, ``predicted`` and ``count count2``; ``class_cells`` has ``positive``
    in place of the truth.
    """

    classes: tuple[str, ...]
    matrix: pl.DataFrame
    class_cells: pl.DataFrame


ByClass = TypeVar("ByClass", bound=CountsByClass)


@dataclass(frozen=True)
class CountedClasses(ModelRows, Generic[ByClass]):
    """One model on one part of the rows, from counts; a task adds what it makes of them."""

    counted: ByClass = field(kw_only=True)
    place: int = field(kw_only=True)
    scope: int = field(kw_only=True)
    part: str = field(kw_only=True)

    @property
    def at(self) -> tuple[int, int, str]:
        """The place of the model, the scope and the part."""
        return self.place, self.scope, self.part

    @cached_property
    def cells(self) -> dict[int, Sweeps]:
        """Sweeps of the cells of each class, and of all together; nothing without scores."""
        if not self.columns.scores:
            return {}
        model, scope, part = self.at
        chosen = self.counted.class_cells.filter(model=model, scope=scope, part=part)
        return sweeps_by_class(chosen, weighted=self.counted.weighted)

    @cached_property
    def by_group(self) -> Groups | None:
        """The groups of the lines of rows that are alike, where rows of a group depend."""
        lines = self.counted.lines_of(self.scope, self.part)
        return None if lines is None else lines.groups

    @property
    def area_effects(self) -> list[Effect]:
        """Not known of rows in groups: they need the places of scores by group."""
        return [] if self.by_group is None else [NOTHING] * len(self.columns.scores)

    @property
    def area_spread(self) -> AreaSpread | None:
        """None: the scores of a row for several classes are not counted together."""
        return None

    def bounded(
        self,
        rows: Iterable[MetricRow],
        support: pl.DataFrame,
        measures: Iterable[Metric],
        from_sums: Mapping[CurveKey, MetricRow],
    ) -> list[MetricRow]:
        """The numbers with bounds where cells are mixed, and limits by group of ``measures``.

        ``support`` has the counts of each class; what sums give takes the place of a number.
        """
        bounds = bounds_of_classes(self.cells, support, self.classes)

        def one(row: MetricRow) -> MetricRow:
            key = (str(row["metric"]), row["class"], row["average"])
            if key in from_sums:
                return from_sums[key]
            return within(row, *bounds[key]) if key in bounds and row["value"] is not None else row

        numbers = without_crowded([one(row) for row in rows])
        return limited_by_group(self.counted, self.at, numbers, measures)

    def limited(self, rows: list[MetricRow], losses: Mapping[Metric, str]) -> list[MetricRow]:
        """The numbers, means over every row with limits from sums of squares."""
        if self.grouped or not losses:
            return rows
        values = {str(row["metric"]): row["value"] for row in rows if _of_all(row)}
        limits = limits_of_sums(self.counted, self.place, values, losses, self.scope, self.part)
        for row in rows:
            if str(row["metric"]) in limits and _of_all(row):
                row["low"], row["high"], row["interval"] = limits[str(row["metric"])]
        return rows


def _of_all(row: MetricRow) -> bool:
    return row["class"] is None and row["average"] is None
