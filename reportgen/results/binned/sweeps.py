"""Sweeps of cells: the counts at the lowest score of each, and extremes of the scores within.

A sweep at the lowest scores holds points of the exact sweep: no score lies
between two cells. What order the rows of a cell are in is not known. With
the positives of each cell at their highest score and the negatives at their
lowest no order is better; the other way round, none is worse. Of the rows of
each class in a cell the least, the greatest and the sum of the scores are
known, so that no sum of a convex function of them is below that of rows at
their mean, or above that of rows at the two ends with the same mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.engines.partial import SMALLEST
from reportgen.engines.score_bins import coarse
from reportgen.tables import Sweep

_ROUNDING = 2.0**-51
"""Relative error of a mean of numbers that were added up exactly, with room to spare."""


@dataclass(frozen=True)
class Sweeps:
    """Sweeps of one model on some rows.

    ``cells`` has one row per cell and class: ``key positive rows low high
    mean off``, and ``squares`` where ``rows`` are sums of weights; ``mean`` is
    the mean score within ``off``.
    """

    cells: pl.DataFrame

    @cached_property
    def _whole(self) -> pl.DataFrame:
        """The cells with both classes together, highest scores first."""
        weighted = (pl.col("rows") * pl.col("mean")).sum() / pl.col("rows").sum()
        whole = self.cells.group_by("key").agg(
            pl.col("low").min(), pl.col("high").max(), *_sums(self.cells), mean=weighted
        )
        return whole.sort("key", descending=True)

    @property
    def keys(self) -> pl.Series:
        """The cells of ``at`` without its first row."""
        return self._whole["key"]

    @property
    def merged(self) -> bool:
        """Whether some cell holds several scores."""
        return bool((self._whole["low"] < self._whole["high"]).any())

    def merged_in(self, bits: int) -> bool:
        """Whether some larger cell of 2^bits neighbouring cells holds several scores."""
        larger = self._whole.select(coarse(pl.col("key"), bits)).to_series()
        return self.merged or larger.n_unique() < len(larger)

    @cached_property
    def at(self) -> DataFrame[Sweep]:
        """The sweep with the lowest score of each cell."""
        return _swept(self._whole, pl.col("low"))

    @cached_property
    def middle(self) -> DataFrame[Sweep]:
        """The sweep with the mean score of each cell."""
        return _swept(self._whole, pl.col("mean").clip("low", "high").fill_nan(pl.col("low")))

    def near(self, shift: int | pl.Expr = 0) -> DataFrame[Sweep]:
        """The sweep of rows at the mean score of their class in their cell.

        ``shift`` of 1 or −1 takes the mean up or down by what it may be off.
        """
        return _placed(self.cells, _mean(shift))

    def far(self, shift: int | pl.Expr = 0) -> DataFrame[Sweep]:
        """The sweep of rows at the two ends of their class in their cell, with the same mean."""
        wide = pl.col("low") < pl.col("high")
        share = (_mean(shift) - pl.col("low")) / (pl.col("high") - pl.col("low"))
        least = SMALLEST / pl.col("rows")  # some row is at each end
        split = self.cells.with_columns(share=pl.when(wide).then(share.clip(least, 1 - least)))
        counts = pl.col("^(rows|squares)$")
        upper = split.filter(wide).with_columns(counts * pl.col("share"), low="high")
        lower = split.with_columns(counts * (1 - pl.col("share").fill_null(0.0)))
        return _placed(pl.concat([lower, upper]), pl.col("low"))

    @cached_property
    def best(self) -> DataFrame[Sweep]:
        """The sweep of the best order."""
        return _placed(self.cells, pl.when("positive").then("high").otherwise("low"))

    @cached_property
    def worst(self) -> DataFrame[Sweep]:
        """The sweep of the worst order."""
        return _placed(self.cells, _TO_WORST)

    @property
    def tied(self) -> pl.Series:
        """Of each row of ``worst`` but the first, whether its positives all have one score."""
        one_score = (pl.col("low") == pl.col("high")) | ~pl.col("positive")
        table = self.cells.group_by(score=_TO_WORST).agg(one_score.all())
        return table.sort("score", descending=True).to_series(1)


_TO_WORST = pl.when("positive").then("low").otherwise("high")

BETTER = pl.when("positive").then(1).otherwise(-1)
"""The shift of means that no loss of a forecast is smaller for."""


def _mean(shift: int | pl.Expr) -> pl.Expr:
    return (pl.col("mean") + shift * pl.col("off")).clip("low", "high")


def sweeps(cells: pl.DataFrame) -> Sweeps:
    """Return the sweeps of ``key positive rows low high scores cut``, a row per cell and class.

    ``rows`` may be sums of weights; ``squares`` then are those of squared ones,
    and ``scores`` are sums of scores times their weights, ``cut`` what they
    lack at most.
    """
    some = pl.col("rows") > 0
    mean = pl.when(some).then(pl.col("scores") / pl.col("rows")).otherwise("low")
    cut = pl.when(some).then(pl.col("cut") / pl.col("rows")).otherwise(0.0)
    table = cells.with_columns(mean=mean.clip("low", "high"), off=cut + mean.abs() * _ROUNDING)
    return Sweeps(table.drop("scores", "cut"))


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
    sweep = pl.concat([start, steps], rechunk=True).with_columns(
        fn=pl.col("tp").last() - pl.col("tp"), tn=pl.col("fp").last() - pl.col("fp")
    )
    return Sweep.validate(sweep.select("threshold", "tp", "fp", "fn", "tn", *counts[2:]))


def _sums(cells: pl.DataFrame) -> list[pl.Expr]:
    """The rows of each class in a group of cells, and their squared weights."""
    columns = {"": "rows", "2": "squares"} if "squares" in cells.columns else {"": "rows"}
    return [
        pl.col(column).filter(side).sum().alias(name + power)
        for power, column in columns.items()
        for name, side in (("tp", pl.col("positive")), ("fp", ~pl.col("positive")))
    ]
