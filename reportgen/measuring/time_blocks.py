"""Limits of single measures where rows are in order of time: blocks of points are groups.

Errors follow each other, so that rows are no independent ones; those of long blocks of
consecutive points of time nearly are. Carlstein (1986), doi:10.1214/aos/1176350057.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import polars as pl

from reportgen.intervals.method_names import MethodName
from reportgen.measuring.context import EvaluationContext
from reportgen.records.rows import MetricRow

FEWEST, FEW, MOST = 5, 8, 30
"""Blocks of a short series, of 200 points of time, and of a very long one."""

SHORT, LONG = 25, 60
"""Points of time in a block: of a short series, and of one of more than eight blocks."""


def number_of_blocks(points: int) -> int:
    """Into how many blocks a series is divided: few long ones, as errors may depend on many before.

    >>> [number_of_blocks(points) for points in (6, 100, 200, 1_000, 100_000)]
    [3, 5, 8, 16, 30]
    """
    number = max(min(points // SHORT, FEW), points // LONG, FEWEST)
    return max(min(number, MOST, points // 2), 1)


def time_blocks(time: pl.Series) -> pl.Series:
    """The block of each row; rows of one point of time are in one.

    >>> time_blocks(pl.Series("time", ["9", "10", "8", "11"])).to_list()
    [0, 1, 0, 1]
    """
    points = pl.DataFrame({"time": time}).unique().sort(*in_order(time)).with_row_index("place")
    block = pl.col("place").cast(pl.Int64) * number_of_blocks(points.height) // points.height
    places = points.select("time", block=block)
    return pl.DataFrame({"time": time}).join(
        places, on="time", how="left", maintain_order="left", nulls_equal=True
    )["block"]


def in_order(time: pl.Series) -> Iterator[pl.Expr]:
    """What sorts points of time: as numbers where all are, else as text, which suits ISO dates.

    >>> names = ["10:00:00Z", "10:00:00,5Z", "10:00:00.25Z"]
    >>> pl.DataFrame({"time": names}).sort(*in_order(pl.Series(names)))["time"].to_list()
    ['10:00:00Z', '10:00:00.25Z', '10:00:00,5Z']
    """
    for dtype in (pl.Int128, pl.Float64):  # whole nanoseconds are beyond the exact floats
        if time.cast(dtype, strict=False).null_count() == time.null_count():
            yield pl.col("time").cast(dtype, strict=False)
            break
    # a fraction of a second comes after none, whatever its mark
    yield pl.col("time").str.replace(r"Z$", "").str.replace(",", ".", literal=True)
    yield pl.col("time")


def in_blocks(context: EvaluationContext) -> EvaluationContext:
    """The evaluation of which limits of single measures are computed.

    Where rows have a time and no group it has their blocks as groups, and nothing is
    resampled: few blocks say too little of how much they vary. Else it is the same.
    """
    rows = context.rows
    if "time" not in rows.columns or "group" in rows.columns:
        return context
    frame = rows.with_columns(group=time_blocks(rows["time"]))
    bootstrap = context.spec.bootstrap.model_copy(update={"replicates": 0})
    return EvaluationContext(
        replace(context.predictions, frame=frame),
        context.spec.model_copy(update={"bootstrap": bootstrap}),
    )


def named(records: Iterable[MetricRow], context: EvaluationContext) -> list[MetricRow]:
    """The records with the interval named after blocks of time, where groups are those."""
    columns = context.rows.columns
    if "time" not in columns or "group" in columns:
        return list(records)
    return [{**row, "interval": by_block(row["interval"], context)} for row in records]


def by_block(interval: str | None, context: EvaluationContext) -> str | None:
    """The name of an interval, after blocks of time where groups are those."""
    if interval is None or "time" not in context.rows.columns or "group" in context.rows.columns:
        return interval
    written = MethodName.read(interval)
    by_group = written.allows == "groups" or written == MethodName("t")  # of losses by row
    return str(MethodName(written.method, "blocks of time")) if by_group else interval
