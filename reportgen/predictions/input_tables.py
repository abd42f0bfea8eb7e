"""The tables of predictions: one row per example, the columns of every model side by side."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, Optional

import pandera.polars as pa
import polars as pl
from pandera.api.polars.model_config import BaseConfig
from pandera.polars import PolarsData

from reportgen.scheme_names import ROLES
from reportgen.tables.checked import BREAKS
from reportgen.tasks.record import TruthKind

LARGEST, SMALLEST = 1e60, 1e-60
"""Sizes of numbers between which fourth powers, their sums and those weighted twice are floats."""

WEIGHTS = {"min_value": 1e-30, "max_value": 1e30}
"""Products of four sums of such weights are floats with all their digits; 0 leaves a row out."""

SIZED: dict[str, Any] = {"gt": -inf, "lt": inf, "ge": -LARGEST, "le": LARGEST}


SPELT_ROLES: dict[str, str] = {
    **{role: role for role in ROLES},
    **dict.fromkeys(("training", "trn"), "train"),
    **dict.fromkeys(("val", "valid", "dev", "development"), "validation"),
    **dict.fromkeys(("testing", "tst", "holdout", "hold-out", "hold_out"), "test"),
}
"""Roles by the words that data has for them, in small letters."""


class PredictionRows(pa.DataFrameModel):
    """What the predictions of every task may say about a row.

    The declaration is what is checked when data is read: its nullability and
    checks are compiled into one pass of aggregates
    (``reportgen.predictions.checks``). After that groups are numbered.
    """

    weight: Optional[pl.Float64] = pa.Field(ge=0, lt=inf, description="weight of the row")
    id: Optional[str] = pa.Field(description="name of the example, unique within a repeat")
    fold: Optional[str] = pa.Field(nullable=True, description="cross-validation fold")
    repeat: Optional[str] = pa.Field(nullable=True, description="repetition of the evaluation")
    role: Optional[str] = pa.Field(isin=ROLES, description="what the row is used for")
    group: str | None = pa.Field(
        nullable=True, description="group of dependent rows, such as the patient"
    )
    dataset: Optional[str] = pa.Field(description="data set that the row is from")
    time: Optional[str] = pa.Field(description="when the example is from")
    slices: Optional[str] = pa.Field(
        alias=r"^slice:.+$", regex=True, nullable=True, description="value of a slice column"
    )
    shown: Optional[str] = pa.Field(
        alias=r"^shown:.+$", regex=True, nullable=True, description="value that is only shown"
    )

    class Config(BaseConfig):
        strict = True

    @pa.check("^(weight|cost_.+)$", regex=True, statistics=WEIGHTS)
    @classmethod
    def zero_or_within(cls, data: PolarsData) -> pl.LazyFrame:
        """Weights and costs are 0, or from 1e-30 to 1e30: four sums of them can be multiplied."""
        return data.lazyframe.select(BREAKS["zero_or_within"](pl.col(data.key), WEIGHTS).not_())


def _cost(description: str) -> Any:
    """A column of costs of an error, which may differ from example to example."""
    return pa.Field(ge=0, lt=inf, description=description)


class BinaryPredictions(PredictionRows):
    """Predictions of two classes under their canonical names, in wide form.

    Models are numbered in the order of the spec. Models in long form that
    could not be paired have nulls in each other's columns. A cost stands in
    a column of its own where it differs from example to example.
    """

    truth: pl.Boolean = pa.Field(description="whether the example is positive")
    score: Optional[pl.Float64] = pa.Field(
        alias=r"^score:\d+$", regex=True, gt=-inf, lt=inf, description="score of the positive class"
    )
    label: Optional[pl.Boolean] = pa.Field(
        alias=r"^label:\d+$", regex=True, description="whether the model predicts positive"
    )
    cost_false_negative: Optional[pl.Float64] = _cost(
        "cost of predicting this example as negative if it is positive"
    )
    cost_false_positive: Optional[pl.Float64] = _cost(
        "cost of predicting this example as positive if it is negative"
    )


class ClassPredictions(PredictionRows):
    """Predictions of several classes; a class is its place in the list of classes.

    ``score:M:K`` is the score of model M for class K.
    """

    truth: pl.UInt16 = pa.Field(description="the true class")
    score: Optional[pl.Float64] = pa.Field(
        alias=r"^score:\d+:\d+$", regex=True, gt=-inf, lt=inf, description="score of one class"
    )
    label: Optional[pl.UInt16] = pa.Field(
        alias=r"^label:\d+$", regex=True, description="the class that the model predicts"
    )


class LabelPredictions(PredictionRows):
    """Predictions of several labels per example; K is a label's place in their list."""

    truth: pl.Boolean = pa.Field(
        alias=r"^truth:\d+$", regex=True, description="whether the example has the label"
    )
    score: Optional[pl.Float64] = pa.Field(
        alias=r"^score:\d+:\d+$", regex=True, gt=-inf, lt=inf, description="score of one label"
    )
    label: Optional[pl.Boolean] = pa.Field(
        alias=r"^label:\d+:\d+$", regex=True, description="whether the model predicts the label"
    )
    cost_false_negative: Optional[pl.Float64] = _cost("cost of missing a label of this example")
    cost_false_positive: Optional[pl.Float64] = _cost(
        "cost of predicting a label that this example does not have"
    )


class EstimatePredictions(PredictionRows):
    """Predictions of a number, with prediction intervals where a model gives them.

    Fourth powers of numbers beyond ±1e60, which variances of squared errors need, and their
    weighted sums leave the range of floats.
    """

    truth: pl.Float64 = pa.Field(**SIZED, description="the true number")
    estimate: Optional[pl.Float64] = pa.Field(
        alias=r"^estimate:\d+$", regex=True, **SIZED, description="the model's estimate"
    )
    low: Optional[pl.Float64] = pa.Field(
        alias=r"^low:\d+$", regex=True, **SIZED, description="lower end of its interval"
    )
    high: Optional[pl.Float64] = pa.Field(
        alias=r"^high:\d+$", regex=True, **SIZED, description="upper end of its interval"
    )


TABLES: Mapping[TruthKind, type[PredictionRows]] = {
    "two classes": BinaryPredictions,
    "classes": ClassPredictions,
    "labels": LabelPredictions,
    "number": EstimatePredictions,
}
"""The table of predictions by what the truth of a row is."""
