"""Rows of ``Metrics``: a value with its interval, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Unpack

import numpy as np
import polars as pl

from reportgen.clusters import Effect
from reportgen.intervals import PROPORTIONS, Delta, Estimate, Interval, SquareAndAdd
from reportgen.intervals.delta import SQUARES, delta_spreads
from reportgen.intervals.method_names import MethodName
from reportgen.intervals.shares import added_distances
from reportgen.metrics import Metric
from reportgen.metrics.settings import MetricArguments
from reportgen.small_queries import collected, selected, total
from reportgen.tables.results import MetricRow

OF_SIZE = {
    *PROPORTIONS,
    "square-and-add",
    "calibration noise",
    "delong score",
    "newcombe area",
    "cross-fitted costs of rows",
    "cross-fitted square-and-add",
    "delong",
    "hanley-mcneil",
    "logit",
}
"""The intervals in which weighted rows count by their effective size."""

_ROUNDING = 1e-12
"""A value beyond a bound of its measure by less than this is at the bound."""

OUT_OF_RANGE = "the value is outside the range of floating-point numbers"

ValueWithLimits = tuple[float | None, float | None, float | None]
"""A value and its limits."""

ColumnValues = Sequence[Any]
"""A number of each row, or what an interval needs of it."""

Effects = Mapping[str, Effect]
"""By measure, what dependence within groups does to its variance."""

BATCH = 2**16
"""So many rows of frames are evaluated together."""

SPREAD = "{}|spread"
"""Under what name the spread of a metric's interval stands beside its values."""


@dataclass(frozen=True, slots=True)
class MetricRows:
    """Whose number it is: the model, slice, class and average, and the threshold it depends on."""

    model: str
    slice: str | None = None
    label: str | None = None
    mean: str | None = None
    threshold: float | None = None
    weighted: bool = False
    grouped: bool = False

    def of_class(self, label: str) -> MetricRows:
        """The same for one class against the rest."""
        return replace(self, label=label)

    def average(self, mean: str) -> MetricRows:
        """The same for an average over the classes."""
        return replace(self, mean=mean)

    def row(
        self,
        metric: str,
        value: float | None,
        low: float | None = None,
        high: float | None = None,
        *,
        interval: str | None = None,
        undefined: str | None = None,
    ) -> MetricRow:
        """One row; limits and reason are kept only where they apply."""
        value = finite(value)
        limits = (finite(low), finite(high))
        if value is None or None in limits:
            limits = (None, None)
        return {
            "metric": metric,
            "model": self.model,
            "slice": self.slice,
            "class": self.label,
            "average": self.mean,
            "threshold": self.threshold,
            "value": value,
            "low": limits[0],
            "high": limits[1],
            "interval": self._method(interval) if limits[0] is not None else None,
            "undefined": None if value is not None else undefined or "it has no value here",
        }

    def rows_counted(self, weights: pl.Series) -> MetricRow:
        """The number of rows, or their weight, for tasks without counts per class."""
        return self.row("n", weights.to_frame("w").select(total(pl.col("w"))).item())

    def rows(
        self,
        frame: pl.DataFrame | None,
        metrics: Iterable[Metric],
        confidence: float,
        missing: str = "",
        **settings: Unpack[MetricArguments],
    ) -> list[MetricRow]:
        """One row per metric; without a frame each is undefined because of ``missing``."""
        metric_list = list(metrics)
        if frame is None:
            return [self.row(m.name, None, undefined=missing) for m in metric_list]
        return self.from_values(metric_list, values_of(frame, metric_list, confidence, **settings))

    def from_values(
        self, metrics: Iterable[Metric], values: Mapping[str, ValueWithLimits]
    ) -> list[MetricRow]:
        """One row per metric, from its value.

        One that is NaN or infinite is defined, but there is no float for it.
        """
        return [
            self.row(
                m.name,
                *_in_bounds(values[m.name], m.bounds),
                interval=m.interval.name if m.interval else None,
                undefined=m.undefined if values[m.name][0] is None else OUT_OF_RANGE,
            )
            for m in metrics
        ]

    def _method(self, interval: str | None) -> str | None:
        if interval is None:
            return None
        if self.grouped:
            return str(MethodName(interval, "groups"))
        if not self.weighted:
            return interval
        by_size = interval in OF_SIZE
        return str(MethodName(interval, "effective size" if by_size else "squared weights"))


def _in_bounds(values: ValueWithLimits, bounds: tuple[float, float]) -> ValueWithLimits:
    """A value that only rounding puts beyond the bounds of its measure is at the bound."""
    value, low, high = values
    if value is not None and bounds[0] - _ROUNDING <= value <= bounds[1] + _ROUNDING:
        value = min(max(value, bounds[0]), bounds[1])
    return value, low, high


def values_of(
    frame: pl.DataFrame,
    metrics: Iterable[Metric],
    confidence: float,
    effects: Effects | None = None,
    **settings: Unpack[MetricArguments],
) -> dict[str, ValueWithLimits]:
    """Value and limits of each metric whose expression gives one value for the frame.

    ``effects`` are those of groups, where rows depend on each other.
    """
    metric_list = list(metrics)
    if not metric_list:
        return {}
    columns = selected(frame, with_spreads(metric_list, confidence, **settings))
    of_row = () if effects is None else (effects,)
    return limited(columns.to_dict(as_series=False), metric_list, confidence, 1, of_row)[0]


def with_spreads(
    metrics: Iterable[Metric], confidence: float, **settings: Unpack[MetricArguments]
) -> dict[str, pl.Expr]:
    """Each metric by its name, and what its interval needs beside it; one value for a frame."""
    columns = {}
    for metric in metrics:
        columns[metric.name] = value = metric.expression(**settings)
        if metric.interval is not None:
            estimate = metric.interval.estimate(value, confidence)
            columns[SPREAD.format(metric.name)] = estimate.spread.first()
    return columns


def values_of_each(
    frames: Sequence[pl.DataFrame], columns: Mapping[str, pl.Expr]
) -> list[dict[str, Any]]:
    """The columns, each one value for a frame, of several frames: of more than two planned once."""
    heights = [frame.height for frame in frames]
    if len(frames) <= 2 or min(heights) == 0 or max(heights) == 1:
        return [selected(frame, columns).row(0, named=True) for frame in frames]
    number = pl.Series("frame", np.repeat(np.arange(len(frames)), heights)).set_sorted()
    # A shift cannot be pieced together from parts of a group: with one beside it no sum is.
    whole = {"whole": pl.col("frame").shift(1).last()}
    rows = pl.concat(frames, rechunk=True).lazy().with_columns(number)
    groups = rows.group_by("frame", maintain_order=True).agg(**whole, **columns)
    return collected(groups).select(*columns).to_dicts()


def values_of_frames(
    frames: Iterable[pl.DataFrame],
    metrics: Iterable[Metric],
    confidence: float,
    effects: Sequence[Effects] = (),
) -> Iterator[dict[str, ValueWithLimits]]:
    """The same of one frame after the other, several small ones at the cost of one."""
    metric_list = list(metrics)
    columns, start = with_spreads(metric_list, confidence), 0
    for batch in _batches(frames):
        values_of_tables = values_of_each(batch, columns)
        values: dict[str, ColumnValues] = {
            name: [of[name] for of in values_of_tables] for name in columns
        }
        of_batch = effects[start : start + len(batch)]
        yield from limited(values, metric_list, confidence, len(batch), of_batch)
        start += len(batch)


def _batches(frames: Iterable[pl.DataFrame]) -> Iterator[list[pl.DataFrame]]:
    batch: list[pl.DataFrame] = []
    for frame in frames:
        batch.append(frame)
        if sum(one.height for one in batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def values_by_row(
    counts: pl.DataFrame,
    metrics: Iterable[Metric],
    confidence: float,
    effects: Sequence[Effects] = (),
    **settings: Unpack[MetricArguments],
) -> list[dict[str, ValueWithLimits]]:
    """The same for each row of counts: all rows at the cost of one."""
    metric_list = list(metrics)
    columns = {m.name: m.expression(**settings) for m in metric_list}
    if not columns:
        return [{} for _ in range(counts.height)]
    smooth, shared = {}, {}
    for metric in metric_list:
        name, interval, value = SPREAD.format(metric.name), metric.interval, columns[metric.name]
        if isinstance(interval, Delta):
            smooth[name] = value
        elif isinstance(interval, SquareAndAdd):
            shared[name] = (value, interval)
        elif interval is not None:
            columns[name] = interval.estimate(value, confidence).spread
    counts = counts.rechunk()
    values: dict[str, ColumnValues] = {**selected(counts, columns).to_dict(as_series=False)}
    if smooth:
        values |= delta_spreads(counts, smooth).to_dict(as_series=False)
    if shared and effects:
        values |= _distances_in_groups(counts, shared, metric_list, effects, confidence)
    elif shared:
        values |= added_distances(counts, shared, confidence).to_dict(as_series=False)
    return limited(values, metric_list, confidence, counts.height, effects)


def _distances_in_groups(
    counts: pl.DataFrame,
    values: Mapping[str, tuple[pl.Expr, SquareAndAdd]],
    metrics: Sequence[Metric],
    effects: Sequence[Effects],
    confidence: float,
) -> dict[str, ColumnValues]:
    """The distances of square-and-add with as many rows as those of groups are worth."""
    names = {SPREAD.format(m.name): m.name for m in metrics if SPREAD.format(m.name) in values}
    row_effects = [[of_row.get(names[name]) for of_row in effects] for name in values]
    factors = [
        1.0 if e is None else e.inflation(confidence) for of_name in row_effects for e in of_name
    ]
    factor = pl.Series([f if f > 0 else None for f in factors], dtype=pl.Float64)
    fewer = pl.concat([counts] * len(values)).with_columns(
        pl.col(SQUARES).cast(pl.Float64) * factor.fill_null(1.0)
    )
    every = added_distances(fewer, values, confidence)
    valid, height = factor.is_not_null().to_list(), counts.height
    result: dict[str, ColumnValues] = {}
    for k, name in enumerate(values):
        part = slice(k * height, (k + 1) * height)
        distances = every[name][part].to_list()
        result[name] = [d if ok else None for d, ok in zip(distances, valid[part], strict=True)]
    return result


def limited(
    values: Mapping[str, ColumnValues],
    metrics: Sequence[Metric],
    confidence: float,
    rows: int = 1,
    effects: Sequence[Effects] = (),
) -> list[dict[str, ValueWithLimits]]:
    """Value and limits of each metric in each row, from its value and spread.

    A metric that was not found has no value. ``effects`` are those of the
    groups in each row, where rows of the data depend on each other: a metric
    without one has no limits then.
    """
    nothing: ColumnValues = [None] * rows
    if effects:
        values = {**values, **inflated(values, metrics, confidence, effects)}
    columns = {m.name: (values.get(m.name, nothing), nothing, nothing) for m in metrics}
    alike: dict[Hashable, dict[str, Interval]] = {}
    for metric in metrics:
        if metric.interval is not None and metric.name in values:
            alike.setdefault(metric.interval.kind, {})[metric.name] = metric.interval
    for intervals in alike.values():
        for name, ends in _ends(values, intervals, confidence).items():
            columns[name] = values[name], *ends
    by_row = [zip(*column, strict=True) for column in columns.values()]
    return [
        {
            name: (value, finite(low), finite(high))
            for name, (value, low, high) in zip(columns, row, strict=True)
        }
        for row in zip(*by_row, strict=True)
    ] or [{} for _ in range(rows)]


def inflated(
    values: Mapping[str, ColumnValues],
    metrics: Sequence[Metric],
    confidence: float,
    effects: Sequence[Effects],
) -> dict[str, ColumnValues]:
    """The spreads where rows of a group depend on each other."""
    spreads: dict[str, ColumnValues] = {}
    for metric in metrics:
        name = SPREAD.format(metric.name)
        if metric.interval is None or isinstance(metric.interval, SquareAndAdd):
            continue
        if name in values:
            pairs = zip(values[name], effects, strict=True)
            spreads[name] = [
                _inflated(metric.interval, spread, of_row.get(metric.name), confidence)
                for spread, of_row in pairs
            ]
    return spreads


def _inflated(interval: Interval, spread: Any, effect: Effect | None, confidence: float) -> Any:
    if spread is None or effect is None or not effect.inflation(confidence) > 0:
        return None
    return spread if interval.groups_in_spread else interval.inflated(spread, effect.at(confidence))


def _ends(
    columns: Mapping[str, ColumnValues], intervals: Mapping[str, Interval], confidence: float
) -> dict[str, tuple[ColumnValues, ColumnValues]]:
    """Lower and upper limits of metrics whose intervals are of one kind, by one expression."""
    values = [columns[name] for name in intervals]
    spreads = [columns[SPREAD.format(name)] for name in intervals]
    shape = next(iter(intervals.values()))
    long = pl.DataFrame(
        {"value": chain.from_iterable(values), "spread": chain.from_iterable(spreads)},
        schema={"value": pl.Float64, "spread": shape.spread_type},
    )
    low, high = shape.around(Estimate(pl.col("value"), pl.col("spread"), confidence))
    ends = selected(long, {"low": low, "high": high})
    size, lows, highs = len(values[0]), ends["low"].to_list(), ends["high"].to_list()
    return {
        name: (lows[i * size : (i + 1) * size], highs[i * size : (i + 1) * size])
        for i, name in enumerate(intervals)
    }


def finite(value: float | None) -> float | None:
    """The value, or null where an expression met a division that it did not foresee."""
    return float(value) if value is not None and math.isfinite(value) else None
