"""The other rows and tables of the results: metrics, errors on new rows, slices, gates, rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

import pandera.polars as pa
import polars as pl

from reportgen.tables.checked import (
    AtLeastOne,
    Checked,
    NotNegative,
    Positive,
    Proportion,
    ResultTable,
)

GapVerdict = Literal["overfitting", "gap", "no significant gap", "underfitting"]
GateState = Literal["pass", "fail", "inconclusive"]
WORST_FIRST: tuple[GateState, ...] = ("fail", "inconclusive", "pass")
ListKind = Literal["error", "residual", "disagreement"]


MetricRow = TypedDict(
    "MetricRow",
    {
        "metric": str,
        "model": str,
        "slice": str | None,
        "class": str | None,
        "average": str | None,
        "threshold": float | None,
        "value": float | None,
        "low": float | None,
        "high": float | None,
        "interval": str | None,
        "undefined": str | None,
        "least": NotRequired[float | None],
        "most": NotRequired[float | None],
        "no_interval": NotRequired[str | None],
    },
)
"""A number of a model with its interval, or why it has none: a row of ``Metrics``.

``least`` and ``most`` bound what is counted in cells of scores.
"""


class Metrics(ResultTable, row=MetricRow):
    """One row per number: its value or why it has none, its interval and how that was made.

    ``no_interval`` says why a value has no limits; it is null where it has.

    ``least`` and ``most`` are certain: where scores were counted in cells, the
    value of all rows lies between them. They are null where the value is
    exact, and where there is no such bound.
    """


class GeneralisationRow(TypedDict, total=False):
    """A quantity of a model's error beyond the rows that it was trained on."""

    quantity: str
    metric: str
    model: str
    value: float | None
    low: float | None
    high: float | None
    interval: str | None
    undefined: str | None
    verdict: GapVerdict | None
    relative: float | None
    trained_on: Proportion | None


class Generalisation(ResultTable, row=GeneralisationRow):
    """How a model errs on rows that it was not trained on: one row per quantity and error.

    ``verdict`` stands with the gap: "overfitting" where it is significant and more
    than half of the test error, "gap" where it is significant but smaller, "no
    significant gap", or "underfitting". ``relative`` is the gap as a share of the test error,
    ``trained_on`` the share of the examples that a fit was trained on.
    """


class SliceSizeRow(TypedDict):
    """A slice of the evaluated rows and its size: a row of ``Slices``."""

    slicing: Sequence[str]
    slice: str
    values: Sequence[str]
    rows: Positive
    positives: NotNegative | None
    small: bool


class Slices(ResultTable, row=SliceSizeRow):
    """The slices of the evaluated rows and their sizes: one row per slice.

    ``slicing`` has the columns, ``values`` what they are in this slice, and
    ``slice`` is its name in the other tables. Rows count once each, whatever
    their weight; ``positives`` are those of two classes. ``small`` ones say
    little, and no gap is read off them.
    """


class GateRow(TypedDict, total=False):
    """A condition of the build and whether it holds: a row of ``Gates``."""

    gate: str
    slice: str | None
    observed: float | None
    low: float | None
    high: float | None
    limit: float | None
    margin: float | None
    basis: str
    state: GateState
    why: str | None
    against: str | None
    confidence: float | None
    cusum: float | None
    cusum_limit: float | None
    night: AtLeastOne | None
    usual: NotNegative | None
    fresh: float | None
    fresh_error: Positive | None


class Gates(ResultTable, row=GateRow):
    """One row per gate: the observed value with its interval, the limit, and whether it holds.

    ``margin`` is how far the value is on the right side of the limit, negative
    on the wrong one. ``basis`` is what value and interval are computed from, ``why``
    what leaves an inconclusive gate open, or which rule raised an alarm.

    A gate by a column has a row for each ``slice``. Of a gate against earlier builds ``against``
    names the build, or says how many; ``observed`` is the difference to it, or the value
    that has its ``limit`` from history; ``confidence`` is the level of its interval, ``cusum``
    the sum beside the limit. ``night`` counts the builds of one alarm, from 1. ``usual`` is the
    median change between accepted builds on the same rows, beside a paired difference. Of a gate on
    the rows of all builds ``fresh`` is the difference on those of this one, with its error.
    """


NotableRow = TypedDict(
    "NotableRow",
    {
        "kind": ListKind,
        "models": Sequence[str],
        "rank": AtLeastOne,
        "file": str | None,
        "row": AtLeastOne,
        "id": str | None,
        "dataset": str | None,
        "slices": Sequence[str],
        "truth": str | None,
        "truth_value": float | None,
        "class": str | None,
        "predicted": Sequence[str],
        "outputs": Sequence[float | None],
        "truth_outputs": Sequence[float | None],
        "measure": str,
        "value": float | None,
        "unit_rows": AtLeastOne | None,
        "unit_errors": NotNegative | None,
        "shown": Sequence[str | None],
    },
    total=False,
)
"""A single row to look at: a row of ``NotableRows``, or some of its fields."""


class NotableRows(ResultTable, row=NotableRow):
    """Single rows to look at: one record per row and list, the worst first.

    ``kind`` is "error" (wrong decisions of one model, the most confident first), "residual"
    (estimates of one model, the largest loss first) or "disagreement" (rows on which ``models``
    differ most). ``measure`` names what orders the list, and ``value`` is that of the row. ``row``
    counts from 1 within ``file`` (null: a data frame); ``id`` is there as ``privacy.ids`` says.
    ``truth`` and ``predicted`` are labels, of several labels "1" or "0" for the label ``class``;
    ``truth_value`` is a number. ``outputs`` has the score of the positive class, of the predicted
    class or of the label, or the estimate, by model; ``truth_outputs`` the score of the true one of
    several classes. Of rows that belong together (a group, or the repeats of an example) the first
    one stands for all: ``unit_rows`` says how many there are, ``unit_errors`` in how many of them
    the decision is wrong. ``shown`` are the values of the columns that ``privacy.show`` names.
    """


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
