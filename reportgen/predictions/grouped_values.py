"""Values of data sets that share something, as the questions on one text: a mean for each group."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.errors import EmptyError, Problem
from reportgen.predictions.source import Source, counted, row_problems
from reportgen.tables import BlockScores


def faults(frame: pl.DataFrame, column: str, source: Source) -> list[Problem]:
    """The rows that give a data set another group than its first row does."""
    first = pl.col("group").first().over("dataset")
    return row_problems(
        "contradiction",
        lambda n: counted(n, "row gives", "rows give") + " a data set another group",
        "each data set lies in one group",
        column=column,
        wrong=frame.select(pl.col("group").ne_missing(first)).to_series(),
        source=source,
        values=frame["group"],
    )


def groups_of(frame: pl.DataFrame) -> dict[str, str]:
    """The group of each data set, in file order."""
    return dict(frame.select("dataset", "group").unique(maintain_order=True).iter_rows())


def means(
    scores: DataFrame[BlockScores], groups: Mapping[str, str], source: Source
) -> DataFrame[BlockScores]:
    """The mean of each model in each group; every model has a value on each block of ``scores``.

    Raises ``EmptyError`` where there are fewer than two groups.
    """
    within = pl.col("block").replace_strict(groups, return_dtype=pl.String)
    table = (
        scores.with_columns(block=within)
        .group_by("block", "model", maintain_order=True)
        .agg(pl.col("value").mean())
    )
    if (number := table["block"].n_unique()) < 2:
        message = f"{counted(number, 'group has', 'groups have')} a value of every model"
        hint = "at least two are needed; without columns.group each data set counts by itself"
        raise EmptyError(Problem("too-few", message, source.title, hint))
    return BlockScores.validate(table)
