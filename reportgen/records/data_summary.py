"""The data at a glance: missing values, base rates of slices, scores over folds and time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Over = Literal["fold", "time"]
"""What parts of the rows are: cross-validation folds, or periods of time."""


@dataclass(frozen=True, slots=True)
class MissingValues:
    """In how many rows of the data a column has no value; ``role`` is what the column is."""

    column: str
    role: str
    rows: int


@dataclass(frozen=True, slots=True)
class SliceBase:
    """The rows of a slice and their base rates, which do not count weights.

    ``rates`` has the share of positives of two classes, that of each class or label of several,
    and the mean of a number; it is empty where they are unknown.
    """

    slicing: str
    slice: str
    rows: int
    rates: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Distribution:
    """Quantiles of a model's scores in a part of the rows: a fold, or a period of time.

    ``group`` says of which rows: a true class, right or wrong predictions, rows with or without a
    label; of a regression it says what the numbers are, the truth (``model`` is null) or residuals.
    ``place`` counts the parts from 1. The quantiles are those of 10, 25, 50, 75 and 90 %.
    """

    over: Over
    part: str
    place: int
    model: str | None
    group: str
    rows: int
    low: float
    lower_quartile: float
    median: float
    upper_quartile: float
    high: float


@dataclass(frozen=True, slots=True)
class DataSummary:
    """The data at a glance; ``missing`` has every column that was read."""

    missing: tuple[MissingValues, ...]
    base_rates: tuple[SliceBase, ...]
    distributions: tuple[Distribution, ...]
