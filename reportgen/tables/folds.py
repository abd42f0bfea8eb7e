"""The tables of folds: what the tests over folds read, and the measures of each part."""

from __future__ import annotations

import pandera.polars as pa
import polars as pl

from reportgen.tables.checked import Checked, ResultTable


class FoldScores(Checked):
    """A measure of each model in each fold: what the tests over folds read.

    ``value`` is null where the measure is undefined in that fold; the two
    sizes are rows of the training and of the test part.
    """

    repeat: str
    fold: str
    model: str
    value: pl.Float64 = pa.Field(nullable=True)
    train_rows: pl.Float64 = pa.Field(gt=0, nullable=True)
    test_rows: pl.Float64 = pa.Field(gt=0, nullable=True)


class FoldPairs(Checked):
    """A measure of two models, fold by fold, in the order of repeats and folds."""

    repeat: str
    fold: str
    first: pl.Float64 = pa.Field(nullable=True)
    second: pl.Float64 = pa.Field(nullable=True)
    train_rows: pl.Float64 = pa.Field(gt=0, nullable=True)
    test_rows: pl.Float64 = pa.Field(gt=0, nullable=True)


class BlockScores(Checked):
    """A measure of each model on each block: a data set, or a fold that stands for itself."""

    block: str
    model: str
    value: pl.Float64 = pa.Field(nullable=True)


class FoldMetrics(ResultTable):
    """A measure of each model on the test rows of each fit, and on its training rows if known.

    ``value`` is null where the measure is undefined there. Data set, repeat and
    fold are null where the predictions have none, ``rows`` where a table of
    values does not tell them.
    """

    metric: str
    model: str
    dataset: str = pa.Field(nullable=True)
    repeat: str = pa.Field(nullable=True)
    fold: str = pa.Field(nullable=True)
    role: str = pa.Field(isin=["train", "test"])
    rows: pl.Float64 = pa.Field(gt=0, nullable=True)
    value: pl.Float64 = pa.Field(nullable=True)


FOLD_KEYS = ("metric", "model", "role")
"""The columns that name one line of ``FoldMetrics``; a fold is a place along it."""
