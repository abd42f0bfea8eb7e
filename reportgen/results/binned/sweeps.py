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
    """Return the sweeps of cells: ``key positive rows low high``, one row per cell and class.

    ``rows`` may be sums of weights; ``squares`` then are those of squared ones.
    """
    whole = cells.group_by("key").agg(pl.col("low").min(), pl.col("high").max(), *_sums(cells))
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
    groups = cells.group_by(score=score).agg(_sums(cells))
    return _swept(groups.sort("score", descending=True), pl.col("score"))


def _swept(groups: pl.DataFrame, threshold: pl.Expr) -> DataFrame[Sweep]:
    """Running counts of groups of rows, highest score first, from +∞ on."""
    counts = [c for c in ("tp", "fp", "tp2", "fp2") if c in groups.columns]
    steps = groups.select(
        *(pl.col(c).cum_sum().cast(pl.Float64) for c in counts), threshold=threshold
    )
    start = steps.clear(1).with_columns(pl.col(counts).fill_null(0.0), threshold=float("inf"))
    found = pl.concat([start, steps], rechunk=True).with_columns(
        fn=pl.col("tp").last() - pl.col("tp"), tn=pl.col("fp").last() - pl.col("fp")
    )
    return Sweep.validate(found.select("threshold", "tp", "fp", "fn", "tn", *counts[2:]))


def _sums(cells: pl.DataFrame) -> list[pl.Expr]:
    """The rows of each class in a group of cells, and their squared weights."""
    columns = {"": "rows", "2": "squares"} if "squares" in cells.columns else {"": "rows"}
    return [
        pl.col(column).filter(side).sum().alias(name + power)
        for power, column in columns.items()
        for name, side in (("tp", pl.col("positive")), ("fp", ~pl.col("positive")))
    ]
