"""A model of several classes or labels on one part of the rows, from counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import Effect, Groups
from reportgen.engines.class_counting import HIGHEST
from reportgen.engines.partial import SCALE
from reportgen.intervals.area_means import AreaSpread
from reportgen.measuring import class_areas
from reportgen.measuring.cell_effects import NOTHING
from reportgen.measuring.model_rows import ModelRows
from reportgen.metrics import Metric
from reportgen.metrics.class_means import BY_CLASS
from reportgen.results.binned.bounds import least_precision, without_crowded
from reportgen.results.binned.forecasts import within
from reportgen.results.binned.limits_of_sums import limited_by_group, limits_of_sums
from reportgen.results.binned.number_sums import SumCounts
from reportgen.results.binned.sweeps import Sweeps, sweeps
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


POOLED = -2
"""The class of all scores together."""

CurveKey = tuple[str, str | None, str | None]
"""A measure, a class and an average."""

BoundsOfArea = tuple[float, float]
"""The least and the greatest value that is possible."""


def sweeps_by_class(chosen: pl.DataFrame, *, weighted: bool) -> dict[int, Sweeps]:
    """The cells of each class, those of the highest scores, and of all classes together."""
    squares = {"squares": "mass2"} if weighted else {}
    cut = pl.col("mass") / SCALE
    columns = ("class", "key", "positive", "low", "high", "scores")
    cells = chosen.select(*columns, cut=cut, rows="mass", **squares)
    parts = cells.partition_by("class", as_dict=True, include_key=False)
    result = {int(k): sweeps(rows) for (k,), rows in parts.items()}
    sums = [name for name in ("cut", "rows", "scores", *squares) if name in cells.columns]
    pooled = (
        cells.filter(pl.col("class") != HIGHEST)
        .sort("key", "positive", "class")
        .group_by("key", "positive", maintain_order=True)
        .agg(pl.col("low").min(), pl.col("high").max(), *(pl.col(name).sum() for name in sums))
    )
    return result | {POOLED: sweeps(pooled)}


def bounds_of_classes(
    of_classes: Mapping[int, Sweeps], counts: pl.DataFrame, classes: Sequence[str]
) -> dict[CurveKey, BoundsOfArea]:
    """Between which values areas and average precisions are, whatever the order in cells is."""
    if not of_classes:
        return {}
    ends = {k: _ends(cells) for k, cells in of_classes.items() if k != HIGHEST}
    result: dict[CurveKey, BoundsOfArea] = {}
    support = counts.select(pl.col("tp") + pl.col("fn")).to_series().to_numpy()
    for name in BY_CLASS:
        pairs = [ends[k].get(name) for k in range(len(classes))]
        named = zip(classes, pairs, strict=True)
        result |= {(name, label, None): pair for label, pair in named if pair is not None}
        for kind, weights in (("macro", np.ones(len(pairs))), ("weighted", support)):
            if (mean := _mean(pairs, weights)) is not None:
                result[name, None, kind] = mean
        if name in ends[POOLED]:
            result[name, None, "micro"] = ends[POOLED][name]
    return result


def _mean(pairs: Sequence[BoundsOfArea | None], weights: Floats) -> BoundsOfArea | None:
    """The mean of the ends of the classes that have any."""
    defined = [(p, w) for p, w in zip(pairs, weights, strict=True) if p is not None]
    if sum(w for _, w in defined) <= 0:
        return None
    low, high = np.average([p for p, _ in defined], axis=0, weights=[w for _, w in defined])
    return float(low), float(high)


def _ends(cells: Sweeps) -> dict[str, BoundsOfArea]:
    if not cells.merged:
        return {n: (v, v) for n, v in class_areas.of_sweep(cells.at).items() if v is not None}
    best, worst = class_areas.of_sweep(cells.best), class_areas.of_sweep(cells.worst)
    if worst["average_precision"] is not None:
        worst["average_precision"] = least_precision(
            cells.worst, cells.tied, weighted="tp2" in cells.worst.columns
        )
    return {
        name: (low, high)
        for name in BY_CLASS
        if (low := worst[name]) is not None and (high := best[name]) is not None
    }
