"""The class, or label, that a model is worst at."""

from __future__ import annotations

import polars as pl

from reportgen.concluding.few_units import FEW
from reportgen.records.decision import LowestClass
from reportgen.records.rows import DataRecord
from reportgen.tasks import TASKS


def lowest_class(metrics: pl.DataFrame, data: DataRecord, model: str | None) -> LowestClass | None:
    """The class of the lowest recall, or the label of the lowest F1, of a model on all rows.

    ``data`` is the data section of the results. None for other tasks, without a
    value, and where several classes have the lowest one. Classes of few rows, of which another
    caveat speaks, are passed over where others have more.
    """
    measure = TASKS[data["task"]].class_measure
    if measure is None or model is None:
        return None
    rows = metrics.filter(
        pl.all_horizontal(pl.col("slice", "average").is_null()),
        pl.col("class").is_not_null() & pl.col("value").is_not_null(),
        metric=measure,
        model=model,
    ).sort("value")
    if rows.is_empty():
        return None
    large = [one["class"] for one in data.get("classes") or () if one["rows"] >= FEW]
    rows = rows.filter(pl.col("class").is_in(large)) if large else rows
    if rows.is_empty():
        return None
    lowest = rows.row(0, named=True)
    if (rows["value"] == lowest["value"]).sum() > 1:
        return None
    limits = lowest["low"], lowest["high"]
    return LowestClass(lowest["class"], model, measure, lowest["value"], *limits)
