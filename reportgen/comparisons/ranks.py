"""Ranks of several models on the same blocks: data sets, or folds that stand for themselves."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons.paired import NOISE
from reportgen.comparisons.records import Question
from reportgen.tables import BlockScores

STEP = NOISE * pl.col("value").abs().max()
"""Values closer than this are tied: binary rounding of decimal numbers."""

WHOLE = pl.when(STEP > 0).then((pl.col("value") / STEP).round()).otherwise(0.0)
"""Values in whole steps."""


@dataclass(frozen=True, slots=True)
class MeanRanks:
    """Mean rank of each model over ``blocks``, 1 the best, and the sum of all squared ranks."""

    models: tuple[str, ...]
    mean: tuple[float, ...]
    blocks: int
    squares: float

    @property
    def k(self) -> int:
        """Number of models."""
        return len(self.models)

    @property
    def between(self) -> float:
        """Σ of the squared deviations of the rank sums from their common mean."""
        return sum((self.blocks * (m - (self.k + 1) / 2)) ** 2 for m in self.mean)

    @property
    def variation(self) -> float:
        """Σr² less what it is when all are tied: 0 when nothing is distinguished."""
        return self.squares - self.blocks * self.k * (self.k + 1) ** 2 / 4

    @property
    def error(self) -> float:
        """Standard error of the difference of two mean ranks, √(k(k + 1)/6N)."""
        return sqrt(self.k * (self.k + 1) / (6 * self.blocks))


def ranks(scores: DataFrame[BlockScores], question: Question) -> pl.DataFrame:
    """Rank of each model in its block, 1 the best, ties their mean.

    Returns ``block model value rank``, the models of the question only.
    """
    chosen = scores.filter(pl.col("model").is_in(question.models))
    rank = WHOLE.rank("average", descending=not question.lower_is_better)
    return chosen.with_columns(rank=rank.over("block"))


def rank_models(scores: DataFrame[BlockScores], question: Question) -> MeanRanks | str:
    """Mean ranks of the models of a question, or why there are none."""
    if reason := incomplete(scores, question):
        return reason
    rank_table = ranks(scores, question)
    means = rank_table.group_by("model").agg(pl.col("rank").mean())
    order = pl.DataFrame({"model": list(question.models)})
    ordered = order.join(means, on="model", how="left", maintain_order="left")["rank"]
    squares: float = rank_table.select((pl.col("rank") ** 2).sum()).item()
    return MeanRanks(question.models, tuple(ordered), scores["block"].n_unique(), squares)


def incomplete(scores: DataFrame[BlockScores], question: Question) -> str | None:
    """Why the models cannot be ranked: fewer than two of them or of blocks, or a hole."""
    k = len(question.models)
    if k < 2:
        return "fewer than two models"
    per_block = (
        scores.filter(pl.col("model").is_in(question.models), pl.col("value").is_not_null())
        .group_by("block")
        .agg(seen=pl.col("model").n_unique(), rows=pl.len())
    )
    blocks = scores["block"].n_unique()
    whole = per_block.filter(pl.col("seen") == k, pl.col("rows") == k).height
    if blocks < 2:
        return "fewer than two blocks"
    if whole == blocks:
        return None
    units = "blocks" if question.unit == "rows" else question.unit
    of_all = f"{blocks - whole} of {blocks} {units}"
    if per_block.filter(pl.col("rows") > pl.col("seen")).height:
        return f"{of_all} lack a value for a model or have two"
    return f"{of_all} {'lacks' if blocks - whole == 1 else 'lack'} a value for a model"
