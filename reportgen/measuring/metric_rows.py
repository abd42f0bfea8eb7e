"""Rows of ``Metrics``: a value with its interval, or why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import polars as pl

from reportgen.intervals import PROPORTIONS
from reportgen.intervals.method_names import MethodName
from reportgen.measuring.metric_set import MetricSet, ValueWithLimits, finite
from reportgen.metrics import Metric
from reportgen.metrics.settings import MetricArguments
from reportgen.small_queries import total
from reportgen.tables.results import MetricRow

OF_SHARES = frozenset({*PROPORTIONS, "square-and-add", "f measure score"})
"""The intervals in which the effective size of weighted rows is that of a share."""

OF_SIZE = {
    *OF_SHARES,
    "calibration noise",
    "resolution noise",
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


@dataclass(frozen=True, slots=True)
class MetricSubject:
    """Whose number it is: the model, slice, class and average, and the threshold it depends on.

    ``confidence`` is that of its limits; ``weighted`` and ``grouped`` name how they are made.
    """

    model: str
    slice: str | None = None
    label: str | None = None
    mean: str | None = None
    threshold: float | None = None
    weighted: bool = False
    grouped: bool = False
    confidence: float = 0.95

    def of_class(self, label: str) -> MetricSubject:
        """The same for one class against the rest."""
        return replace(self, label=label)

    def average(self, mean: str) -> MetricSubject:
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

    def limits_of(self, metrics: Sequence[Metric]) -> MetricSet:
        """The metrics with limits of this confidence."""
        return MetricSet(metrics, self.confidence)

    def rows_counted(self, weights: pl.Series) -> MetricRow:
        """The number of rows, or their weight, for tasks without counts per class."""
        if not weights.null_count() and (weights == 1).all():
            return self.row("n", float(len(weights)))
        return self.row("n", weights.to_frame("w").select(total(pl.col("w"))).item())

    def rows(
        self,
        frame: pl.DataFrame | None,
        metrics: Iterable[Metric],
        missing: str = "",
        **settings: Unpack[MetricArguments],
    ) -> list[MetricRow]:
        """One row per metric; without a frame each is undefined because of ``missing``."""
        metric_list = list(metrics)
        if frame is None:
            return [self.row(m.name, None, undefined=missing) for m in metric_list]
        values = self.limits_of(metric_list).of_frame(frame, **settings)
        return self.from_values(metric_list, values)

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
