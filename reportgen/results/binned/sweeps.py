"""Sweeps of cells: the counts at the lowest score of each, and the best and worst that fit.

A sweep at the lowest scores holds points of the exact sweep: no score lies
between two cells. What order the rows of a cell are in is not known. With
the positives of each cell at their highest score and the negatives at their
lowest no order is better; the other way round, none is worse.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.tables import Sweep


@dataclass(frozen=True)
class Sweeps:
    """Sweeps of one model on some rows.

    ``at`` has the lowest score of each cell, ``middle`` the middle of its
    scores as forecast, ``best`` and ``worst`` bound every measure that gains
    when a positive moves up or a negative down. ``keys`` are the cells of
    ``at`` without its first row; ``tied`` says of each row of ``worst`` but the
    first whether its positives all have one score.
    """

    at: DataFrame[Sweep]
    middle: DataFrame[Sweep]
    best: DataFrame[Sweep]
    worst: DataFrame[Sweep]
    keys: pl.Series
    tied: pl.Series


def sweeps(cells: pl.DataFrame) -> Sweeps:
    """Return the sweeps of cells: ``key positive rows low high``, one row per cell and class."""
    whole = cells.group_by("key").agg(
        pl.col("low").min(),
        pl.col("high").max(),
        rows=pl.col("rows").sum(),
        hits=pl.col("rows").filter("positive").sum(),
    )
    ordered = whole.sort("key", descending=True)
    up = pl.when("positive")
    to_worst = up.then("low").otherwise("high")
    one_score = (pl.col("low") == pl.col("high")) | ~pl.col("positive")
    tied = cells.group_by(score=to_worst).agg(one_score.all()).sort("score", descending=True)
    return Sweeps(
        _swept(ordered, pl.col("low")),
        _swept(ordered, pl.col("low") + (pl.col("high") - pl.col("low")) / 2),
        _placed(cells, up.then("high").otherwise("low")),
        _placed(cells, to_worst),
        ordered["key"],
        tied[:, 1],
    )


def _placed(cells: pl.DataFrame, score: pl.Expr) -> DataFrame[Sweep]:
    groups = cells.group_by(score=score).agg(
        rows=pl.col("rows").sum(), hits=pl.col("rows").filter("positive").sum()
    )
    return _swept(groups.sort("score", descending=True), pl.col("score"))


def _swept(groups: pl.DataFrame, threshold: pl.Expr) -> DataFrame[Sweep]:
    """Running counts of groups of rows, highest score first, from +∞ on."""
    hits, rows = pl.col("hits").cum_sum(), pl.col("rows").cum_sum()
    steps = groups.select(
        threshold=threshold, tp=hits.cast(pl.Float64), fp=(rows - hits).cast(pl.Float64)
    )
    start = pl.DataFrame({"threshold": [float("inf")], "tp": [0.0], "fp": [0.0]})
    found = pl.concat([start, steps], rechunk=True).with_columns(
        fn=pl.col("tp").last() - pl.col("tp"), tn=pl.col("fp").last() - pl.col("fp")
    )
    return Sweep.validate(found)
