"""The values of a measure on all rows, by model."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from reportgen.once_per_frame import once_per_frame

RELEVANT_RATIO = 1.25
"""Quantities of which one is so many times the other, or more, differ enough to be named."""


@dataclass(frozen=True, slots=True)
class ModelValue:
    """A model's value of a measure, and its limits where it has some."""

    value: float
    low: float | None = None
    high: float | None = None
    mean_rank: float | None = None

    def lies_apart(self, other: ModelValue) -> bool:
        """Whether the intervals of two models have no value in common; false without intervals."""
        ends = [end for one in (self, other) for end in (one.low, one.high) if end is not None]
        return len(ends) == 4 and max(ends[0], ends[2]) > min(ends[1], ends[3])


def on_all_rows(
    metrics: pl.DataFrame, measure: str, average: str | None = None
) -> dict[str, ModelValue]:
    """The defined values of a measure, or of an average of it, in the order of ``metrics``."""
    return dict(_by_measure(metrics).get((measure, average), {}))


@once_per_frame
def _by_measure(metrics: pl.DataFrame) -> dict[tuple[str, str | None], dict[str, ModelValue]]:
    """The same of every measure and average: conclusions read many."""
    rows = metrics.filter(
        pl.all_horizontal(pl.col("slice", "class").is_null()), pl.col("value").is_not_null()
    )
    values: dict[tuple[str, str | None], dict[str, ModelValue]] = {}
    columns = rows.select("metric", "average", "model", "value", "low", "high")
    for metric, average, model, *value in columns.iter_rows():
        values.setdefault((metric, average), {})[model] = ModelValue(*value)
    return values


IMPOSSIBLE = "an observed outcome had probability 0"


def of_infinite_loss(metrics: pl.DataFrame, metric: str | None) -> list[str]:
    """The models whose loss is infinite: they gave what came a probability of 0."""
    of_all = pl.all_horizontal(pl.col("slice", "class", "average").is_null())
    return metrics.filter(of_all, metric=metric or "", undefined=IMPOSSIBLE)["model"].to_list()


def undefined_reasons(metrics: pl.DataFrame, metric: str, average: str | None) -> dict[str, str]:
    """By model without a value on all rows the reason why it has none."""
    of_all = pl.all_horizontal(pl.col("slice", "class").is_null())
    named = pl.col("average").eq_missing(pl.lit(average, pl.String))
    rows = metrics.filter(of_all, named, pl.col("undefined").is_not_null(), metric=metric)
    return dict(rows.select("model", "undefined").iter_rows())


def limited(difference: ModelValue | None) -> tuple[float, float, float] | None:
    """A difference with its limits; null where it has none."""
    if difference is None or difference.low is None or difference.high is None:
        return None
    return difference.value, difference.low, difference.high
