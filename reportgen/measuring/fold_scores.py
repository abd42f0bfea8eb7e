"""The measure of each fold, with the sizes of its parts."""

from __future__ import annotations

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.predictions.evaluation import Evaluation
from reportgen.tables import FoldScores


def fold_scores(
    tested: pl.DataFrame, parts: pl.DataFrame, evaluation: Evaluation
) -> DataFrame[FoldScores]:
    """The measure of each fold with the sizes of its two parts."""
    text = pl.lit("1")
    if evaluation.scheme == "data_sets":
        units = tested.group_by("model", "dataset", maintain_order=True).agg(pl.col("value").mean())
        nothing = pl.lit(None, pl.Float64)
        units = units.with_columns(repeat=text, fold="dataset", rows=nothing, train=nothing)
    else:
        units = tested.with_columns(train=_training(tested, parts, evaluation))
    return FoldScores.validate(
        units.select(
            repeat=_named("repeat"),
            fold=_named("fold"),
            model="model",
            value="value",
            train_rows="train",
            test_rows="rows",
        )
    )


def _named(column: str) -> pl.Expr:
    """The names of repeats or folds; where there is one alone, or rows have none, a stand-in."""
    name = pl.col(column)
    return name.fill_null(pl.when(name.is_null().all()).then(pl.lit("1")).otherwise(pl.lit("–")))


def _training(tested: pl.DataFrame, parts: pl.DataFrame, evaluation: Evaluation) -> pl.Series:
    """The size of each fold's training part: as it is in the data, or the other folds."""
    if evaluation.implied:
        whole = pl.col("rows").sum().over("model", "repeat")
        return tested.select(train=whole - pl.col("rows")).to_series()
    keys = ["model", "metric", "dataset", "repeat", "fold"]
    trained = parts.filter(role="train").select(*keys, train="rows")
    joined = tested.join(trained, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return joined["train"]
