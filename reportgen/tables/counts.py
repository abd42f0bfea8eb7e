"""Counts and their like: what metrics and curves are made from."""

from __future__ import annotations

import pandera.polars as pa
import polars as pl

from reportgen.tables.checked import Checked


class Counts(Checked):
    """Confusion counts of one decision rule; sums of weights where rows are weighted.

    More columns may stand beside them (model, slice, fold, threshold).
    """

    tp: pl.Float64 = pa.Field(ge=0)
    fp: pl.Float64 = pa.Field(ge=0)
    fn: pl.Float64 = pa.Field(ge=0)
    tn: pl.Float64 = pa.Field(ge=0)


class Sweep(Checked):
    """Counts at every distinct threshold of one model, strictest first.

    The first row is +∞ (nothing positive), the last one predicts everything
    positive. A score equal to the threshold is positive, so tied scores share
    a row. Only the column types are checked; the values follow from how it is made.
    """

    threshold: pl.Float64
    tp: pl.Float64
    fp: pl.Float64
    fn: pl.Float64
    tn: pl.Float64


class Bins(Checked):
    """Scores grouped into intervals of the unit interval: [low, high), the last one closed.

    ``count`` and ``positives`` are sums of weights, ``count2`` that of squared weights,
    ``mean_score`` the weighted mean forecast, ``observed`` the share of positives. Empty
    bins are left out.
    """

    low: pl.Float64
    high: pl.Float64
    count: pl.Float64 = pa.Field(gt=0)
    count2: pl.Float64 = pa.Field(ge=0)
    positives: pl.Float64 = pa.Field(ge=0)
    mean_score: pl.Float64 = pa.Field(ge=0, le=1)
    observed: pl.Float64 = pa.Field(ge=0, le=1)


class Isotonic(Checked):
    """Each distinct score of a sweep, highest first, and its isotonic estimate.

    ``positives`` and ``negatives`` are the rows that have it, or their weight.
    """

    score: pl.Float64
    positives: pl.Float64 = pa.Field(ge=0)
    negatives: pl.Float64 = pa.Field(ge=0)
    calibrated: pl.Float64 = pa.Field(ge=0, le=1)


class Recalibration(Checked):
    """One row: the logistic fit of the outcome to the forecasts' log odds, with variances.

    ``in_the_large`` is the intercept where the slope is kept at 1.
    """

    intercept: pl.Float64 = pa.Field(nullable=True)
    slope: pl.Float64 = pa.Field(nullable=True)
    in_the_large: pl.Float64 = pa.Field(nullable=True)
    intercept_variance: pl.Float64 = pa.Field(ge=0, nullable=True)
    slope_variance: pl.Float64 = pa.Field(ge=0, nullable=True)
    in_the_large_variance: pl.Float64 = pa.Field(ge=0, nullable=True)


class Splits(Checked):
    """What each row is used for in each fit: one row per example, repeat and fold.

    ``draws`` is how often a training row was drawn: 1, or more in a bootstrap;
    0 where the row is not trained on. Rows that a fit does not use are left out.
    Groups, times, weights and slices may stand beside them, each in a column of its name.
    """

    id: str
    repeat: pl.UInt32 = pa.Field(ge=1)
    fold: pl.UInt32 = pa.Field(ge=1)
    role: str = pa.Field(isin=["train", "validation", "test"])
    draws: pl.UInt32


class Matrix(Checked):
    """Truth × prediction counts of several classes by their positions, zeros included."""

    truth: pl.UInt16
    predicted: pl.UInt16
    count: pl.Float64 = pa.Field(ge=0)
    count2: pl.Float64 = pa.Field(ge=0)


class ClassCounts(Checked):
    """Counts of each class against the rest; ``correct_rows`` and ``error_rows`` count all rows.

    Names that end in 2 are sums of squared weights.
    """

    class_: str = pa.Field(alias="class")
    tp: pl.Float64 = pa.Field(ge=0)
    fp: pl.Float64 = pa.Field(ge=0)
    fn: pl.Float64 = pa.Field(ge=0)
    tn: pl.Float64 = pa.Field(ge=0)
    correct_rows: pl.Float64 = pa.Field(ge=0)
    error_rows: pl.Float64 = pa.Field(ge=0)
    tp2: pl.Float64 = pa.Field(ge=0)
    fp2: pl.Float64 = pa.Field(ge=0)
    fn2: pl.Float64 = pa.Field(ge=0)
    tn2: pl.Float64 = pa.Field(ge=0)
    correct_rows2: pl.Float64 = pa.Field(ge=0)
    error_rows2: pl.Float64 = pa.Field(ge=0)
