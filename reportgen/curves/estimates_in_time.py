"""Truth and estimates of a regression over time: means of steps, few enough to be drawn."""

from __future__ import annotations

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.curves.ranking import line
from reportgen.tables import EstimatesInTime

MOST_STEPS = 300
"""Steps of equal length that time is divided into, where it has more points."""


def estimates_in_time(rows: pl.DataFrame, model: str = "model") -> DataFrame[EstimatesInTime]:
    """Means of truth and estimate in each step of time that has rows, and the range of the truth.

    Up to ``MOST_STEPS`` distinct points each are a step; more are put into as many of equal length.
    Weights do not count.

    Args:
        rows: ``time`` as text, ``point`` (its place among all points), ``truth`` and ``estimate``.
        model: name of the model, for the column of that name.

    Returns:
        A table with ``model``, ``slice``, ``class``, the first ``time`` of the step, its
        ``position`` (seconds from 1970 of dates, the number of numbers, else the place among all
        points), ``rows``, ``truth``, ``lowest`` and ``highest`` truth, and ``estimate``. No row is
        null: a step without rows is left out.

    Reference: Hyndman & Athanasopoulos (2021), *Forecasting: Principles and Practice*, 2.2

    >>> rows = pl.DataFrame({"time": ["1", "3", "1"], "point": [0, 1, 0]})
    >>> rows = rows.with_columns(truth=pl.Series([1.0, 2.0, 2.0]), estimate=pl.lit(1.0))
    >>> estimates_in_time(rows).select("position", "rows", "truth", "highest").rows()
    [(1.0, 2.0, 1.5, 2.0), (3.0, 1.0, 2.0, 2.0)]
    """
    times = rows.select("time", "point").unique("point").sort("point")
    times = times.with_columns(position=positions(times["time"], times["point"]))
    at = times["position"].to_numpy()
    step = np.arange(len(at))
    if len(at) > MOST_STEPS:
        step = np.minimum((at - at[0]) / (at[-1] - at[0]) * MOST_STEPS, MOST_STEPS - 1).astype(int)
    times = times.with_columns(step=pl.Series(step))
    steps = (
        rows.select("point", "truth", "estimate")
        .join(times, on="point")
        .sort("point", "truth", "estimate")
        .group_by("step", maintain_order=True)
        .agg(
            pl.col("time", "position").first(),
            pl.len().cast(pl.Float64).alias("rows"),
            pl.col("truth").mean(),
            lowest=pl.col("truth").min(),
            highest=pl.col("truth").max(),
            estimate=pl.col("estimate").mean(),
        )
        .sort("position")
        .drop("step")
    )
    return EstimatesInTime.validate(line(model, steps))


def positions(time: pl.Series, point: pl.Series) -> pl.Series:
    """Where points of time stand on an axis: numbers and dates as they are, others in order.

    >>> positions(pl.Series(["2024-01-01", "2024-01-03"]), pl.Series([0, 1])).diff()[1] / 86_400
    2.0
    >>> positions(pl.Series(["2024W01", "2024W03"]), pl.Series([0, 1])).to_list()
    [0.0, 1.0]
    """
    numbers = time.cast(pl.Float64, strict=False)
    if not numbers.null_count():
        return numbers
    dates = time.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    clock = time.str.slice(11, 8).str.to_time("%H:%M:%S", strict=False)
    lengths = time.str.len_chars()
    if not dates.null_count() and (lengths == 10).all():
        return dates.cast(pl.Int32).cast(pl.Float64) * 86_400
    if not dates.null_count() and not clock.null_count():
        seconds = clock.cast(pl.Int64).cast(pl.Float64) / 1e9
        return dates.cast(pl.Int32).cast(pl.Float64) * 86_400 + seconds
    return point.cast(pl.Float64)
