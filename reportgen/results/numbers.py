"""Rows of ``Metrics``: a value with its interval, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import polars as pl

from reportgen.intervals import PROPORTIONS, Delta, Log, Wald
from reportgen.metrics import Metric

OF_SIZE = {*PROPORTIONS, "delong", "hanley-mcneil", "logit"}
"""The intervals in which weighted rows count by their effective size."""

Value = tuple[float | None, float | None, float | None]
"""A value and its limits."""

_LIMITS = ("|low", "|high")


@dataclass(frozen=True, slots=True)
class NumberOf:
    """Whose number it is: the model, slice, class and average, and the threshold it depends on."""

    model: str
    slice: str | None = None
    label: str | None = None
    mean: str | None = None
    threshold: float | None = None
    weighted: bool = False

    def of_class(self, label: str) -> NumberOf:
        """The same for one class against the rest."""
        return replace(self, label=label)

    def average(self, mean: str) -> NumberOf:
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
    ) -> dict[str, Any]:
        """One row; limits and reason are kept only where they apply."""
        value = finite(value)
        limits = (finite(low), finite(high)) if value is not None else (None, None)
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

    def rows_counted(self, weights: pl.Series) -> dict[str, Any]:
        """The number of rows, or their weight, for tasks without counts per class."""
        return self.row("n", float(weights.sum()))

    def rows(
        self,
        frame: pl.DataFrame | None,
        metrics: Iterable[Metric],
        confidence: float,
        missing: str = "",
        **settings: Any,
    ) -> list[dict[str, Any]]:
        """One row per metric; without a frame each is undefined because of ``missing``."""
        wanted = list(metrics)
        if frame is None:
            return [self.row(m.name, None, undefined=missing) for m in wanted]
        return self.told(wanted, values_of(frame, wanted, confidence, **settings))

    def told(self, metrics: Iterable[Metric], found: Mapping[str, Value]) -> list[dict[str, Any]]:
        """One row per metric, from the values found."""
        return [
            self.row(
                m.name,
                *found[m.name],
                interval=m.interval.name if m.interval else None,
                undefined=m.undefined,
            )
            for m in metrics
        ]

    def _method(self, interval: str | None) -> str | None:
        if interval is None or not self.weighted or interval.endswith("(groups)"):
            return interval
        kind = "effective size" if interval in OF_SIZE else "squared weights"
        return f"{interval} ({kind})"


def values_of(
    frame: pl.DataFrame, metrics: Iterable[Metric], confidence: float, **settings: Any
) -> dict[str, Value]:
    """Value and limits of each metric whose expression gives one value for the frame."""
    columns = {
        name: column.first() if name.endswith(_LIMITS) else column
        for name, column in _columns(metrics, confidence, settings).items()
    }
    return _evaluated(frame, columns)[0] if columns else {}


def values_by_row(
    counts: pl.DataFrame, metrics: Iterable[Metric], confidence: float, **settings: Any
) -> list[dict[str, Value]]:
    """The same for each row of counts: all rows at the cost of one."""
    wanted = list(metrics)
    values = {metric.name: metric.expression(**settings) for metric in wanted}
    if not values:
        return [{} for _ in range(counts.height)]
    of_values = dict(values)
    limited = []
    for metric in wanted:
        interval = metric.interval
        name = f"{metric.name}|variance"
        if isinstance(interval, Delta):
            of_values[name] = interval.variance(values[metric.name])
            interval = Wald(interval.name, pl.col(name), interval.bounds)
        elif isinstance(interval, Wald | Log):
            of_values[name] = interval.variance
            interval = replace(interval, variance=pl.col(name))
        limited.append(replace(metric, build=partial(pl.col, metric.name), interval=interval))
    # Limits read the values as columns: written out in each limit they would be planned again.
    found = counts.lazy().with_columns(**of_values).collect(engine="in-memory")
    return _evaluated(found, _columns(limited, confidence, {}))


def _columns(
    metrics: Iterable[Metric], confidence: float, settings: Mapping[str, Any]
) -> dict[str, pl.Expr]:
    """Each metric under its name, its limits beside it."""
    columns: dict[str, pl.Expr] = {}
    for metric in metrics:
        columns[metric.name] = value = metric.expression(**settings)
        if metric.interval is not None:
            limits = metric.interval.limits(value, confidence)
            columns |= {
                metric.name + end: limit for end, limit in zip(_LIMITS, limits, strict=True)
            }
    return columns


def _evaluated(frame: pl.DataFrame, columns: Mapping[str, pl.Expr]) -> list[dict[str, Value]]:
    # In memory, so that sums of floats do not depend on how the rows were cut.
    found = frame.lazy().select(**columns).collect(engine="in-memory")
    names = [name for name in columns if not name.endswith(_LIMITS)]
    return [
        {
            name: (
                finite(row[name]),
                finite(row.get(name + _LIMITS[0])),
                finite(row.get(name + _LIMITS[1])),
            )
            for name in names
        }
        for row in found.iter_rows(named=True)
    ]


def finite(value: float | None) -> float | None:
    """The value, or null where an expression met a division that it did not foresee."""
    return float(value) if value is not None and math.isfinite(value) else None
