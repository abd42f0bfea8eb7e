"""The values of a measure on all rows, by model."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

RELEVANT_RATIO = 1.25
"""Quantities of which one is so many times the other, or more, differ enough to be named."""


@dataclass(frozen=True, slots=True)
class ModelValue:
    """A model's value of a measure, and its limits where it has some."""

    value: float
    low: float | None = None
    high: float | None = None
    mean_rank: float | None = None


def on_all_rows(
    metrics: pl.DataFrame, measure: str, average: str | None = None
) -> dict[str, ModelValue]:
    """The defined values of a measure, or of an average of it, in the order of ``metrics``."""
    rows = metrics.filter(
        pl.all_horizontal(pl.col("slice", "class").is_null()),
        pl.col("average").eq_missing(average),
        pl.col("value").is_not_null(),
        metric=measure,
    )
    values = rows.select("model", "value", "low", "high").iter_rows()
    return {model: ModelValue(*value) for model, *value in values}
