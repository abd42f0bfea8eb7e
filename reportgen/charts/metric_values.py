"""Single numbers out of the metrics and comparisons tables, for marks and words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.once_per_frame import once_per_frame
from reportgen.tables import Comparisons, Metrics
from reportgen.text import decimals
from reportgen.text import numbers as written


@dataclass(frozen=True, slots=True)
class NumberWithLimits:
    """A number with its interval, where it has one; null where it is undefined.

    ``digits`` are the decimals of all models in the measure.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    digits: int | None = None

    def __str__(self) -> str:
        return self.text()

    @property
    def point(self) -> str:
        """The number alone, with the decimals that tables give it."""
        return written.estimated(self.value, self.low, self._decimals)

    @property
    def _decimals(self) -> int:
        if self.digits is not None:
            return self.digits
        return decimals.of_value(self.value, self.low, self.high)

    def text(self, form: Callable[[float | None], str] | None = None) -> str:
        """Return the number with its interval, as tables have them or as ``form`` writes each."""
        if self.low is None or self.high is None:
            return form(self.value) if form else self.point
        if form:
            return f"{form(self.value)} ({form(self.low)} to {form(self.high)})"
        ends = (written.fixed(end, self._decimals) for end in (self.low, self.high))
        return f"{self.point} ({' to '.join(ends)})"


UNKNOWN = NumberWithLimits(None)


class Numbers:
    """The metrics of all rows, by metric and model: of all classes together, or an average."""

    def __init__(self, metrics: DataFrame[Metrics], average: str | None = None) -> None:
        self._estimates = _estimates(metrics, average)

    def get(self, metric: str, model: str) -> NumberWithLimits:
        """Return the metric of the model, unknown where it was not computed."""
        return self._estimates.get((metric, model), UNKNOWN)

    def value(self, metric: str, model: str) -> float | None:
        """Return the value alone, null where it is undefined or was not computed."""
        return self.get(metric, model).value

    def best_first(self, metric: str, models: Iterable[str], *, lowest: bool = False) -> list[str]:
        """Return the models that have the metric, best first; ties keep their order."""
        pairs = [(value, m) for m in models if (value := self.value(metric, m)) is not None]
        pairs.sort(key=lambda pair: pair[0] if lowest else -pair[0])
        return [model for _, model in pairs]


@once_per_frame
def _estimates(
    metrics: pl.DataFrame, average: str | None
) -> Mapping[tuple[str, str], NumberWithLimits]:
    whole = metrics.filter(
        pl.col("slice").is_null()
        & pl.col("class").is_null()
        & pl.col("average").eq_missing(pl.lit(average, pl.String))
    )
    rows = whole.select("metric", "model", "value", "low", "high").rows()
    valued: dict[str, list[decimals.WithLimits]] = {}
    for metric, _, value, low, high in rows:
        if value is not None:
            valued.setdefault(metric, []).append((value, low, high))
    digits = {metric: decimals.shared(rows) for metric, rows in valued.items()}
    return {
        (metric, model): NumberWithLimits(value, low, high, digits.get(metric))
        for metric, model, value, low, high in rows
    }


class ClassNumbers:
    """Some metrics of each class against the rest, by metric, model and class."""

    def __init__(self, metrics: DataFrame[Metrics], names: Sequence[str]) -> None:
        of_classes = metrics.filter(
            pl.col("slice").is_null()
            & pl.col("class").is_not_null()
            & pl.col("average").is_null()
            & pl.col("metric").is_in(list(names))
        )
        self._estimates = {
            (metric, model, class_): NumberWithLimits(value, low, high)
            for metric, model, class_, value, low, high in of_classes.select(
                "metric", "model", "class", "value", "low", "high"
            ).iter_rows()
        }

    def get(self, metric: str, model: str, class_: str) -> NumberWithLimits:
        """Return the metric of the class, unknown where it was not computed."""
        return self._estimates.get((metric, model, class_), UNKNOWN)

    def value(self, metric: str, model: str, class_: str) -> float | None:
        """Return the value alone, null where it is undefined or was not computed."""
        return self.get(metric, model, class_).value

    def mean(self, metric: str, models: Iterable[str], class_: str) -> float | None:
        """Return the mean of the models that have the metric of the class."""
        values = [v for m in models if (v := self.value(metric, m, class_)) is not None]
        return sum(values) / len(values) if values else None


def differs(comparisons: DataFrame[Comparisons], metric: str, pair: Sequence[str]) -> bool | None:
    """Return whether the recommended test of the pair rejects; null where there is no such test.

    A test over folds or data sets is about means of these, not about the numbers of
    all rows that a chart shows.
    """
    rows = comparisons.filter(
        (pl.col("metric") == metric)
        & (pl.col("recommendation") == "recommended")
        & pl.col("unit").is_in(["rows", "samples"])
        & pl.col("slice").is_null()
        & (pl.col("models").list.sort() == pl.lit(sorted(pair)))
    )
    return rows["reject"].item(0) if rows.height else None
