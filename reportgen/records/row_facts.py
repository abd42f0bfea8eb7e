"""What the rows show that no spec declares: typed parts of the record of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict


class ValueOnCommonRows(TypedDict):
    """A model's value of one measure on the rows that all models have."""

    model: str
    measure: str
    value: float


class CommonRows(TypedDict):
    """Models with rows of their own on those that all have.

    No difference has limits there: a model may have chosen these rows, as one that abstains from
    those that it is unsure of. ``complete`` are two or more models that have every row of any
    model; none where fewer have.
    """

    rows: int
    complete: Sequence[str]
    models: Sequence[ValueOnCommonRows]


class UnlikeTruths(TypedDict):
    """Two models on rows of their own whose classes have other shares, or whose truths differ.

    ``rows`` of each class for either model; of numbers null, with the ``distance`` of their
    distribution functions.
    """

    models: Sequence[str]
    rows: Sequence[Mapping[str, int]] | None
    distance: float | None


class MedianGain(TypedDict):
    """Two models that estimate the mean, and whether absolute errors favour the first of them.

    It has the lower mean absolute error; by estimating the median in place of the mean the second
    would lower its own by a ``share`` of it.
    """

    models: Sequence[str]
    share: float


class UndeclaredSeries(TypedDict):
    """A column that nobody declared, of which each time point has one row of each value."""

    column: str
    values: int


class UndeclaredInFolds(TypedDict):
    """A column of units that nobody declared; of its ``values`` so many lie ``across`` folds."""

    column: str
    values: int
    across: int


class IsolatedValue(TypedDict):
    """A value that several rows share, and the limits of all others, which are far from it.

    Of the outputs of a model, or of the truth, whose ``model`` is null.
    """

    model: str | None
    value: float
    rows: int
    low: float
    high: float


class UnlikeRows(TypedDict):
    """In how few rows two models give different outputs; ``units`` are their groups, if any."""

    models: Sequence[str]
    rows: int
    units: int


class SharesOfPositives(TypedDict):
    """The shares of positives in validation and in test rows, where they differ beyond chance."""

    validation: float
    test: float


class SuccessiveErrors(TypedDict):
    """How errors correlate that are ``lag`` time points apart.

    Independent ones do by no more than ``expected``, above and below 0.
    """

    lag: int
    value: float
    pairs: int
    expected: float


class CertainScores(TypedDict):
    """How many rows have a score of exactly 0 or 1, and of how many of them it is wrong."""

    rows: int
    positives_at_0: int
    negatives_at_1: int
