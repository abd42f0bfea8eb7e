"""Metrics evaluated together, each a value with its limits at one confidence."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple, Unpack, cast

import numpy as np
import polars as pl

from reportgen.array_functions import ArrayFunctions
from reportgen.clusters import Effect, EffectAt
from reportgen.intervals import Delta, Estimate, Interval, SquareAndAdd
from reportgen.intervals.delta import SQUARES, delta_spreads, evaluating
from reportgen.intervals.f_measures import FMeasure
from reportgen.intervals.shapes import ComputedInterval, NumericEstimates
from reportgen.intervals.shares import as_lists, distances_of_rows
from reportgen.metric_names import CELLS
from reportgen.metrics import Metric
from reportgen.metrics.settings import MetricArguments
from reportgen.small_queries import collected, is_once, selected, values_once

ValueWithLimits = tuple[float | None, float | None, float | None]
"""A value and its limits."""

MetricValues = dict[str, Any]
"""The value of each metric of a frame by its name, and its spread by ``SPREAD``."""

ColumnValues = Sequence[Any]
"""A number of each row, or what an interval needs of it."""

Effects = Mapping[str, Effect]
"""By measure, what dependence within groups does to its variance."""

BATCH = 2**16
"""So many rows of frames are evaluated together."""

COLUMNS_AT_ONCE = 6
"""So many columns of a frame of more rows are evaluated together."""

SPREAD = "{}|spread"
"""Under what name the spread of a metric's interval stands beside its values."""


@dataclass(frozen=True, slots=True)
class MetricSet:
    """Metrics that are evaluated together, and the confidence of their limits.

    The ``effects`` that its methods take are those of groups, where rows depend on each other: a
    metric without one has no limits then.
    """

    metrics: Sequence[Metric]
    confidence: float

    def of(self, names: Collection[str]) -> MetricSet:
        """Those of these names."""
        return replace(self, metrics=[m for m in self.metrics if m.name in names])

    def expressions(self, **settings: Unpack[MetricArguments]) -> dict[str, pl.Expr]:
        """Each metric by its name, and what its interval needs beside it; one value for a frame."""
        columns = {}
        for metric in self.metrics:
            columns[metric.name] = value = metric.expression(**settings)
            name = SPREAD.format(metric.name)
            if metric.interval is None:
                continue
            if settings.keys().isdisjoint(metric.parameters):
                # One that is kept reads values that are worked out where it stands.
                spread = _spread.__wrapped__ if is_once() else _spread
                columns[name] = spread(metric, self.confidence)
            else:
                columns[name] = metric.interval.estimate(value, self.confidence).spread.first()
        return columns

    def of_frame(
        self,
        frame: pl.DataFrame,
        effects: Effects | None = None,
        **settings: Unpack[MetricArguments],
    ) -> dict[str, ValueWithLimits]:
        """Value and limits of each metric whose expression gives one value for the frame."""
        if not self.metrics:
            return {}
        values = few_at_once(frame, self.expressions(**settings))
        of_row = () if effects is None else (effects,)
        return self.limited({name: [value] for name, value in values.items()}, 1, of_row)[0]

    def of_frames(
        self,
        frames: Iterable[pl.DataFrame],
        effects: Sequence[Effects] = (),
        **settings: Unpack[MetricArguments],
    ) -> Iterator[dict[str, ValueWithLimits]]:
        """The same of one frame after the other, several small ones at the cost of one."""
        start = 0
        for batch, values_of_tables in self._by_batch(frames, **settings):
            names = values_of_tables[0] if values_of_tables else ()
            values: dict[str, ColumnValues] = {
                name: [of[name] for of in values_of_tables] for name in names
            }
            of_batch = effects[start : start + len(batch)]
            yield from self.limited(values, len(batch), of_batch)
            start += len(batch)

    def values_of_frames(self, frames: Iterable[pl.DataFrame]) -> Iterator[MetricValues]:
        """Value and spread of each metric of one frame after the other."""
        for _, values in self._by_batch(frames):
            yield from values

    def _by_batch(
        self, frames: Iterable[pl.DataFrame], **settings: Unpack[MetricArguments]
    ) -> Iterator[tuple[list[pl.DataFrame], list[MetricValues]]]:
        """Several small frames at once; of a large one what is read several times is a column."""
        columns = self.expressions(**settings)
        with values_once() as once:
            of_many = self.expressions(**settings)
        for batch in _batches(frames):
            if max(frame.height for frame in batch) < BATCH:
                yield batch, values_of_each(batch, columns)
            else:
                yield batch, [few_at_once(frame, of_many, once) for frame in batch]

    def of_counts(
        self,
        counts: pl.DataFrame,
        effects: Sequence[Effects] = (),
        **settings: Unpack[MetricArguments],
    ) -> list[dict[str, ValueWithLimits]]:
        """The same for each row of counts: all rows at the cost of one."""
        if not self.metrics:
            return [{} for _ in range(counts.height)]
        expressions = _of_counts(tuple(self.metrics), tuple(settings.items()))
        counts = counts.rechunk()
        values: dict[str, ColumnValues] = {**expressions.plain.of_frame(counts)}
        for name, parts in expressions.parts.items():
            values[name] = [
                None if None in of_row else of_row
                for of_row in zip(*(values.pop(part) for part in parts), strict=True)
            ]
        if expressions.smooth:
            spreads = delta_spreads(counts, expressions.smooth)
            values |= spreads.to_dict(as_series=False)
        shared = expressions.shared
        if shared and effects:
            values |= self._distances_in_groups(counts, shared, effects)
        elif shared:
            distances = distances_of_rows(counts, shared, self.confidence)
            values |= {name: as_lists(both) for name, both in distances.items()}
        return self.limited(values, counts.height, effects)

    def _distances_in_groups(
        self,
        counts: pl.DataFrame,
        values: Mapping[str, tuple[pl.Expr, SquareAndAdd]],
        effects: Sequence[Effects],
    ) -> dict[str, ColumnValues]:
        """The distances of square-and-add with as many rows as those of groups are worth."""
        names = {
            SPREAD.format(m.name): m.name for m in self.metrics if SPREAD.format(m.name) in values
        }
        row_effects = [[of_row.get(names[name]) for of_row in effects] for name in values]
        factors = [
            1.0 if e is None else e.inflation(self.confidence)
            for of_name in row_effects
            for e in of_name
        ]
        factor = pl.Series([f if f > 0 else None for f in factors], dtype=pl.Float64)
        fewer = pl.concat([counts] * len(values)).with_columns(
            pl.col(SQUARES).cast(pl.Float64) * factor.fill_null(1.0)
        )
        every = distances_of_rows(fewer, values, self.confidence)
        valid, height = factor.is_not_null().to_list(), counts.height
        result: dict[str, ColumnValues] = {}
        for k, name in enumerate(values):
            part = slice(k * height, (k + 1) * height)
            distances = as_lists(every[name][part])
            result[name] = [d if ok else None for d, ok in zip(distances, valid[part], strict=True)]
        return result

    def limited(
        self,
        values: Mapping[str, ColumnValues],
        rows: int = 1,
        effects: Sequence[Effects] = (),
    ) -> list[dict[str, ValueWithLimits]]:
        """Value and limits of each metric in each row, from its value and spread.

        A metric without a column has no value.
        """
        nothing: ColumnValues = [None] * rows
        if effects:
            values = {**values, **self._inflated(values, effects)}
        columns = {m.name: (values.get(m.name, nothing), nothing, nothing) for m in self.metrics}
        alike: dict[Hashable, dict[str, Interval]] = {}
        for metric in self.metrics:
            if metric.interval is not None and metric.name in values:
                alike.setdefault(metric.interval.kind, {})[metric.name] = metric.interval
        for intervals in alike.values():
            for name, ends in self._ends(values, intervals).items():
                columns[name] = values[name], *ends
        by_row = [zip(*column, strict=True) for column in columns.values()]
        return [
            {
                name: (value, finite(low), finite(high))
                for name, (value, low, high) in zip(columns, row, strict=True)
            }
            for row in zip(*by_row, strict=True)
        ] or [{} for _ in range(rows)]

    def _inflated(
        self, values: Mapping[str, ColumnValues], effects: Sequence[Effects]
    ) -> dict[str, ColumnValues]:
        """The spreads where rows of a group depend on each other."""
        spreads: dict[str, ColumnValues] = {}
        for metric in self.metrics:
            name, interval = SPREAD.format(metric.name), metric.interval
            if interval is None or isinstance(interval, SquareAndAdd) or name not in values:
                continue
            pairs = zip(values[name], effects, strict=True)
            spreads[name] = [
                self._inflated_spread(interval, spread, of_row.get(metric.name))
                for spread, of_row in pairs
            ]
        return spreads

    def _inflated_spread(self, interval: Interval, spread: Any, effect: Effect | None) -> Any:
        if spread is None or effect is None:
            return None
        inflation = effect.inflation(self.confidence)
        if not inflation > 0:
            return None
        if interval.groups_in_spread:
            return spread
        at = EffectAt(effect.design, effect.degrees_of_freedom, inflation)
        return interval.inflated(spread, at)

    def _ends(
        self, columns: Mapping[str, ColumnValues], intervals: Mapping[str, Interval]
    ) -> dict[str, tuple[ColumnValues, ColumnValues]]:
        """Lower and upper limits of metrics whose intervals are of one kind, by one expression."""
        size = len(columns[next(iter(intervals))])
        values = list(chain.from_iterable(columns[name] for name in intervals))
        spreads = list(chain.from_iterable(columns[SPREAD.format(name)] for name in intervals))
        shape = next(iter(intervals.values()))
        if isinstance(shape, ComputedInterval):
            of_rows = shape.of_rows(NumericEstimates(values, spreads, self.confidence))
            lows, highs = (np.asarray(end).tolist() for end in of_rows)
        else:
            schema: dict[str, type[pl.DataType] | pl.DataType] = {
                "value": pl.Float64,
                "spread": shape.spread_type,
            }
            long = pl.DataFrame({"value": values, "spread": spreads}, schema=schema)
            ends = _limit_functions(_Limits(shape.kind, self.confidence, shape)).of_frame(long)
            lows, highs = ends["low"], ends["high"]
        return {
            name: (lows[i * size : (i + 1) * size], highs[i * size : (i + 1) * size])
            for i, name in enumerate(intervals)
        }


@lru_cache(maxsize=1024)
def _spread(metric: Metric, confidence: float) -> pl.Expr:
    """What the interval of a metric needs beside its value, made once."""
    interval = cast("Interval", metric.interval)
    return interval.estimate(metric.expression(), confidence).spread.first()


class _OfCounts(NamedTuple):
    """Functions of counts, by what computes them."""

    plain: ArrayFunctions
    """Values, and the spreads that expressions give."""
    smooth: ArrayFunctions | None
    """Values whose spreads the delta method gives."""
    shared: Mapping[str, tuple[pl.Expr, SquareAndAdd]]
    """Values whose spreads are added from those of shares."""
    parts: Mapping[str, Sequence[str]]
    """Of a spread that is a list, the values that are its items."""


@lru_cache(maxsize=128)
def _of_counts(metrics: tuple[Metric, ...], settings: tuple[tuple[str, object], ...]) -> _OfCounts:
    """What metrics and their intervals need of a row of counts: planned once."""
    arguments = cast("MetricArguments", dict(settings))
    columns = {m.name: m.expression(**arguments) for m in metrics}
    smooth, shared, parts = {}, {}, dict[str, list[str]]()
    for metric in metrics:
        name, interval = SPREAD.format(metric.name), metric.interval
        value = columns[metric.name]
        if isinstance(interval, Delta):
            smooth[name] = value
        elif isinstance(interval, SquareAndAdd):
            shared[name] = (value, interval)
        elif isinstance(interval, FMeasure):
            items = {f"{name}|{k}": item for k, item in enumerate(interval.spread_items)}
            columns, parts[name] = columns | items, list(items)
        elif interval is not None:
            columns[name] = interval.spread_of(value)
    plain = ArrayFunctions(columns, (*CELLS, *SQUARES))
    return _OfCounts(plain, evaluating(smooth) if smooth else None, shared, parts)


@dataclass(frozen=True, slots=True)
class _Limits:
    """Limits around a value, and one of the intervals that have them."""

    kind: Hashable
    confidence: float
    shape: Interval = field(compare=False)


@lru_cache(maxsize=256)
def _limit_functions(limits: _Limits) -> ArrayFunctions:
    """Both limits as functions of the value and of its spread."""
    shape, of = limits.shape, limits.shape.spread_type
    fields = [f"spread.{one.name}" for one in of.fields] if isinstance(of, pl.Struct) else []
    columns = ["value", *(fields or ["spread"])]
    low, high = shape.around(Estimate(pl.col("value"), pl.col("spread"), limits.confidence))
    return ArrayFunctions({"low": low, "high": high}, columns if of.is_numeric() or fields else ())


def values_of_each(
    frames: Sequence[pl.DataFrame], columns: Mapping[str, pl.Expr]
) -> list[MetricValues]:
    """The columns, each one value for a frame, of several frames: of more than two planned once."""
    heights = [frame.height for frame in frames]
    if len(frames) <= 2 or min(heights) == 0 or max(heights) == 1:
        return [few_at_once(frame, columns) for frame in frames]
    number = pl.Series("frame", np.repeat(np.arange(len(frames)), heights)).set_sorted()
    # A shift cannot be pieced together from parts of a group: with one beside it no sum is.
    whole = {"whole": pl.col("frame").shift(1).last()}
    rows = pl.concat(frames, rechunk=True).lazy().with_columns(number)
    groups = rows.group_by("frame", maintain_order=True).agg(**whole, **columns)
    return collected(groups).select(*columns).to_dicts()


def values_by_batch(
    frames: Iterable[pl.DataFrame], columns: Mapping[str, pl.Expr]
) -> Iterator[MetricValues]:
    """The same of one frame after the other, of which few are held at a time."""
    for batch in _batches(frames):
        yield from values_of_each(batch, columns)


def few_at_once(
    frame: pl.DataFrame, columns: Mapping[str, pl.Expr], once: dict[str, pl.Expr] | None = None
) -> MetricValues:
    """The columns of one value each; of many rows a few at a time, as what they share is held.

    ``once`` are the values that they read as columns.
    """
    number = len(columns) if frame.height < BATCH else COLUMNS_AT_ONCE
    names, values = iter(columns), dict[str, Any]()
    while few := {name: columns[name] for name in islice(names, number)}:
        values |= selected(_with_values(frame, few, once or {}), few).row(0, named=True)
    return values


def _with_values(
    frame: pl.DataFrame, columns: Mapping[str, pl.Expr], once: dict[str, pl.Expr]
) -> pl.DataFrame:
    """The frame with the values that the columns read, and those that these read before them."""
    read = {root for column in columns.values() for root in column.meta.root_names()}
    for name in reversed(once):
        if name in read:
            read.update(once[name].meta.root_names())
    for name, value in once.items():
        if name in read:
            frame = frame.with_columns(value.alias(name))
    return frame


def _batches(frames: Iterable[pl.DataFrame]) -> Iterator[list[pl.DataFrame]]:
    batch: list[pl.DataFrame] = []
    rows = 0
    for frame in frames:
        batch.append(frame)
        rows += frame.height
        if rows >= BATCH:
            yield batch
            batch, rows = [], 0
    if batch:
        yield batch


def finite(value: float | None) -> float | None:
    """The value, or null where an expression met a division that it did not foresee."""
    return float(value) if value is not None and math.isfinite(value) else None
