"""Curves of a regression: rows, also over time, residual quantiles, error characteristic."""

from __future__ import annotations

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import ndtri

from reportgen.array_types import Floats, Indices, Integers
from reportgen.curves.ranking import line
from reportgen.integer_sort import in_order_of_rows
from reportgen.tables import ErrorCharacteristic, Estimates, EstimatesInTime, ResidualQuantiles

MOST_ROWS = 1500
"""More rows than this are sampled for drawing."""


def estimates(
    pairs: pl.DataFrame,
    model: str = "model",
) -> DataFrame[Estimates]:
    """Truth and estimate of the rows in the order of the truth, an even sample of many.

    Args:
        pairs: one row per example: ``truth`` and ``estimate``, numbers of one unit.
        model: name of the model, for the column of that name.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``truth`` and ``estimate``. Both have the
        unit of the truth. Defined for every frame.

    >>> pairs = pl.DataFrame({"truth": [1.0, 2.0, 3.0, 4.0], "estimate": [1.5, 2.0, 2.0, 4.0]})
    >>> estimates(pairs).select("truth", "estimate").rows()
    [(1.0, 1.5), (2.0, 2.0), (3.0, 2.0), (4.0, 4.0)]
    """
    ordered = in_order_of_rows(pairs.select("truth", "estimate"))
    indices = np.unique(np.linspace(0, max(ordered.height - 1, 0), MOST_ROWS).astype(np.intp))
    sample = ordered.select(pl.all().gather(indices)) if ordered.height > MOST_ROWS else ordered
    return Estimates.validate(line(model, sample.select("truth", "estimate")))


def residual_quantiles(
    pairs: pl.DataFrame,
    model: str = "model",
    *,
    points: int = 200,
) -> DataFrame[ResidualQuantiles]:
    """Residuals (truth minus estimate) at even ranks, against normal quantiles.

    ``expected`` is the normal quantile scaled to the residuals' mean and standard
    deviation. A line stands for ``rows`` rows where there is such a column.

    Args:
        pairs: one row per example: ``truth`` and ``estimate``, numbers of one unit.
        model: name of the model, for the column of that name.
        points: how many ranks at most.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``expected`` and ``residual``. Both have the
        unit of the truth. Defined for every frame.

    Wilk & Gnanadesikan (1968), doi:10.1093/biomet/55.1.1.

    >>> pairs = pl.DataFrame({"truth": [1.0, 2.0, 3.0, 4.0], "estimate": [1.5, 2.0, 2.0, 4.0]})
    >>> residual_quantiles(pairs)["residual"].to_list()
    [-0.5, 0.0, 0.0, 1.0]
    """
    residuals, rows = _ordered(pairs, (pairs["truth"] - pairs["estimate"]).to_numpy())
    n, ranks, at = _spaced(residuals, rows, points)
    normal = ndtri((ranks + 0.5) / max(n, 1))
    centre, spread = _moments(residuals, rows)
    frame = pl.DataFrame({"expected": centre + spread * normal, "residual": residuals[at]})
    return ResidualQuantiles.validate(line(model, frame.cast(pl.Float64)))


def error_characteristic(
    pairs: pl.DataFrame,
    model: str = "model",
    *,
    points: int = 400,
) -> DataFrame[ErrorCharacteristic]:
    """Share of the rows whose absolute error is at most the tolerance, from tolerance 0.

    A line stands for ``rows`` rows where there is such a column.

    Args:
        pairs: one row per example: ``truth`` and ``estimate``, numbers of one unit.
        model: name of the model, for the column of that name.
        points: how many points at most.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``tolerance`` and ``share``. ``tolerance``
        has the unit of the truth. Without rows the share is 0: defined for every frame.

    Bi & Bennett (2003), ICML, 43-50.

    >>> pairs = pl.DataFrame({"truth": [1.0, 2.0, 3.0, 4.0], "estimate": [1.5, 2.0, 2.0, 4.0]})
    >>> error_characteristic(pairs).select("tolerance", "share").rows()
    [(0.0, 0.5), (0.0, 0.5), (0.0, 0.5), (0.5, 0.75), (1.0, 1.0)]
    """
    errors, rows = _ordered(pairs, (pairs["truth"] - pairs["estimate"]).abs().to_numpy())
    n, _, at = _spaced(errors, rows, points)
    tolerance = np.concatenate([[0.0], errors[at]])
    within = np.searchsorted(errors, tolerance, side="right")
    if rows is not None:
        within = np.concatenate([[0], rows])[within]
    frame = pl.DataFrame({"tolerance": tolerance, "share": within / max(n, 1)})
    return ErrorCharacteristic.validate(line(model, frame))


def _ordered(pairs: pl.DataFrame, values: Floats) -> tuple[Floats, Integers | None]:
    """The values in order, and how many rows there are up to each; None where each is one row."""
    if "rows" not in pairs.columns:
        return np.sort(values), None
    order = np.argsort(values, kind="stable")
    return values[order], np.cumsum(pairs["rows"].to_numpy()[order])


def _spaced(values: Floats, rows: Integers | None, points: int) -> tuple[int, Indices, Indices]:
    """How many rows there are, so many ranks among them, and the places of their values."""
    n = len(values) if rows is None else int(rows[-1])
    ranks = np.unique(np.linspace(0, max(n - 1, 0), min(points, n)).astype(np.intp))
    return n, ranks, ranks if rows is None else np.searchsorted(rows, ranks, side="right")


def _moments(values: Floats, rows: Integers | None) -> tuple[float, float]:
    """Mean and standard deviation; 0 where they are undefined."""
    if rows is None:
        spread = values.std(ddof=1) if len(values) > 1 else 0.0
        return (float(values.mean()) if len(values) else 0.0), float(spread)
    n, weights = int(rows[-1]), np.diff(rows, prepend=0)
    centre = float(np.average(values, weights=weights))
    away = float((weights * np.square(values - centre)).sum())
    return centre, float(np.sqrt(away / (n - 1))) if n > 1 else 0.0


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
    """Where time points stand on an axis: numbers and dates as they are, others in order.

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
