"""The records of the results that are not tables: a misspelt key fails the type check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict, TypeVar, cast

import polars as pl

from reportgen.once_per_frame import once_per_frame
from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.records.groups import GroupsRecord
from reportgen.records.limit_widths import CloserOnRows, LimitedDifference, UndeclaredGroup
from reportgen.records.row_facts import (
    CertainScores,
    CommonRows,
    IsolatedValue,
    MedianGain,
    SharesOfPositives,
    SuccessiveErrors,
    UndeclaredInFolds,
    UndeclaredSeries,
    UnlikeRows,
    UnlikeTruths,
)
from reportgen.records.slice_tests import PairsBySlice, SliceLevels
from reportgen.records.threshold_choice import ChoiceRecord, ThresholdRecord
from reportgen.tasks import TaskName

Record: TypeAlias = dict[str, Any]
"""Plain values by name, where no class has them yet."""

BlockRow: TypeAlias = Mapping[str, Any]
"""A data set or fold under ``block``, and a number under the name of each model."""

ModelOutput = Literal["score", "scores", "label", "labels", "estimate", "interval", "values"]
"""What a model gives."""


class FileRecord(TypedDict):
    """An input file, and what shows that its bytes are those that were written.

    Sizes are null where they would tell small counts.
    """

    path: str
    sha256: str
    bytes: int | None
    rows: int | None
    verified: str


class ImproperScoresRecord(TypedDict):
    """What ``ImproperScores`` holds."""

    model: str
    rows: int | None
    least: float | None
    most: float | None


class CheckRecord(TypedDict):
    """A check of the data: what it showed, and whether it is a warning, as in ``Check``."""

    name: str
    detail: str
    warning: bool
    uncounted: NotRequired[str]
    improper: NotRequired[ImproperScoresRecord]
    model: NotRequired[str]


class ModelRecord(TypedDict, total=False):
    """A model: what it gives, how it decides, and where its label and threshold disagree.

    ``quantile`` is that of an estimate of one, ``level`` that of prediction intervals;
    ``thresholds`` are those chosen by label, ``effective_scores`` how many equally frequent scores
    its own are worth; ``fitted_levels``: at how many distinct ones the share of positives equals
    the score, null where they do not look fitted on these rows; ``certain_scores`` are null where
    there are none;
    ``successive_errors`` are null of rows that have no order of time; ``brier_above_share``: the
    Brier score less that of always stating the share of positives. ``outside_interval``: the rows
    whose estimate is not within the model's own prediction interval.
    """

    name: str
    outputs: Sequence[ModelOutput]
    quantile: float | None
    level: float | None
    probability: bool
    threshold: float | None
    threshold_rule: str
    threshold_role: str | None
    threshold_choice: ChoiceRecord | None
    thresholds: Sequence[ThresholdRecord]
    disagreements: int | None
    effective_scores: float | None
    fitted_levels: int | None
    certain_scores: CertainScores | None
    successive_errors: SuccessiveErrors | None
    brier_above_share: LimitedDifference | None
    outside_interval: int | None


class EngineRecord(TypedDict, total=False):
    """Which engine computed the numbers, why, and what is known of its work."""

    name: str
    why: str
    cells: int
    leaves: int


def too_unequal(data: DataRecord) -> str | None:
    """Why limits and tests by group do not hold their level; null where they do, or without."""
    groups = data.get("groups")
    return None if groups is None else groups["too_unequal"]


SHARED_IN_TIME = (
    "groups share what happens at a time point, and limits by group would be too narrow"
)
"""Why limits of single models are not given."""

WIDER = 1.25
"""Limits that would have to be so many times as wide are not given."""


def shared_in_time(data: DataRecord) -> str | None:
    """Why limits of single models by group are too narrow; null where they are not."""
    groups = data.get("groups")
    factor = None if groups is None else groups.get("in_time")
    if factor is None or factor < WIDER:
        return None
    return SHARED_IN_TIME


class SliceValue(TypedDict):
    """A value of a slice column, and how many rows have it."""

    value: Any
    rows: int


class SliceRecord(TypedDict):
    """A slice column and its values."""

    name: str
    values: Sequence[SliceValue]


class LabelLeftOut(TypedDict):
    """A label of the truth that is no class, and how many rows have it."""

    label: str
    rows: int


class PartLeftOut(TypedDict):
    """How many rows are left out ``of`` those of a part: a slice, or a model in long form."""

    part: str
    rows: int
    of: int


class RowsLeftOut(TypedDict):
    """The rows that ``leave_out`` leaves out ``of`` all that were read."""

    rows: int
    of: int
    labels: Sequence[LabelLeftOut]
    slices: Sequence[PartLeftOut]
    models: Sequence[PartLeftOut]


ClassSize = TypedDict("ClassSize", {"class": str, "rows": int})
"""A class or label, and how many rows have it."""


class WeightsRecord(TypedDict):
    """Weights of rows: ``effective`` is how many of equal weight they are worth, (Σw)²/Σw² (Kish).

    ``part`` is the class that is worth least; null where the truth is no class. ``rows_of_zero``
    are left out of the rows that are evaluated; null where they are too few to be counted. Weights
    that are ``whole_numbers``, of which most are above 1, may be counts.
    """

    rows_of_zero: int | None
    effective: float
    part: str | None
    part_effective: float | None
    whole_numbers: NotRequired[bool]


class DataRecord(TypedDict, total=False):
    """The data: files, rows, truth, roles, folds, checks, and how each model is read.

    Of the truth two classes have ``positive`` to ``prevalence``, several ``classes``, numbers
    their ``distribution``. A comparison of values that are already there has ``measure`` to
    ``ranks``; ``averaged`` is of how many data sets the values of groups are means.
    ``rows`` is null where the rows that are not evaluated are too few to count.
    ``points_of_time`` is how many there are where rows have an order of time,
    ``undeclared_series`` the column that tells the rows of one of them apart,
    ``undeclared_in_folds`` one of units that lie in several folds. ``unpaired`` says why
    models in long form have rows of their own, of which two share ``rows_in_common``;
    ``on_common_rows`` are the models on the rows that all have, ``paired_models`` those that have
    every row and are compared on these. ``grouping_slices`` are slices that errors depend on as
    they do on ``undeclared_groups``. ``same_rankings`` are the models whose scores rank every row
    alike, ``same_outputs`` those that give the same outputs for every row, null where rows were
    counted. ``slice_levels`` are null without slices or rows; there are no ``pairs_by_slice`` then.
    """

    positive: str
    negative: str
    positives: int
    negatives: int
    prevalence: float
    classes: Sequence[ClassSize]
    distribution: Mapping[str, float | None]
    closer_on_rows: Sequence[CloserOnRows]
    median_gains: NotRequired[Sequence[MedianGain]]
    task: TaskName
    files: Sequence[FileRecord]
    reference: Sequence[FileRecord]
    rows: int | None
    rows_evaluated: int
    roles: Mapping[str, int] | None
    truth: str | Mapping[str, str]
    weighted: bool
    weight_total: float | None
    weights: WeightsRecord | None
    evaluation: Annotated[Record, Evaluation] | None
    folds: int | None
    repeats: int | None
    timed: bool
    points_of_time: NotRequired[int]
    undeclared_series: NotRequired[UndeclaredSeries]
    undeclared_in_folds: NotRequired[UndeclaredInFolds]
    slices: Sequence[SliceRecord]
    slice_levels: SliceLevels | None
    pairs_by_slice: Sequence[PairsBySlice]
    groups: GroupsRecord | None
    share_without_labels: NotRequired[float]
    identical_rows: int | None
    isolated_values: NotRequired[Sequence[IsolatedValue]]
    unlike_rows: NotRequired[Sequence[UnlikeRows]]
    unlike_truths: NotRequired[Sequence[UnlikeTruths]]
    counts: NotRequired[bool]
    shares_of_positives: NotRequired[SharesOfPositives]
    same_outputs: Sequence[Sequence[str]] | None
    same_rankings: NotRequired[Sequence[Sequence[str]]]
    undeclared_groups: Sequence[UndeclaredGroup]
    grouping_slices: NotRequired[Sequence[UndeclaredGroup]]
    checks: Sequence[CheckRecord]
    rows_left_out: RowsLeftOut
    unpaired: str | None
    rows_in_common: NotRequired[int]
    on_common_rows: NotRequired[CommonRows]
    paired_models: NotRequired[Sequence[str]]
    models: Sequence[ModelRecord]
    engine: EngineRecord
    measure: str
    better: str
    unit: str
    datasets: int
    averaged: NotRequired[int]
    left_out: Sequence[str]
    values: Sequence[BlockRow]
    ranks: Sequence[BlockRow]


class BuildRecord(TypedDict, total=False):
    """The spec's name, the moment and the hash of all that the results are made of.

    A build says which earlier ones it was compared with, and which test set it has.
    """

    name: str
    id: str
    date: str
    inputs_sha256: str
    created: str
    earlier: str | None
    test_set: str | None


LIKE_PERCENTAGES = "the scores look like percentages: divide them by 100"
"""Why a model has no calibration whose scores go from 0 to 100."""


class SkippedRecord(TypedDict):
    """A part that was left out, of one model or of all, and why; ``names`` those of its kind."""

    what: str
    names: NotRequired[Sequence[str]]
    model: str | None
    reason: str


def fitted_levels(models: Sequence[ModelRecord]) -> dict[str, int]:
    """The models that look fitted on these rows: at how many scores the share equals the score."""
    levels = {model["name"]: model.get("fitted_levels") for model in models}
    return {name: count for name, count in levels.items() if count is not None}


def one_quantile(models: Sequence[ModelRecord]) -> float | None:
    """The quantile that all models estimate; None where they estimate the mean, or several."""
    levels = {model.get("quantile") for model in models}
    return next(iter(levels)) if len(levels) == 1 else None


def quantile_levels(models: Sequence[ModelRecord]) -> dict[float, list[str]]:
    """The models of each quantile, the lowest first; empty where a model estimates the mean.

    >>> quantile_levels([{"name": "b", "quantile": 0.9}, {"name": "a", "quantile": 0.1}])
    {0.1: ['a'], 0.9: ['b']}
    """
    levels: dict[float, list[str]] = {}
    for model in models:
        level = model.get("quantile")
        if level is None:
            return {}
        levels.setdefault(level, []).append(model["name"])
    return dict(sorted(levels.items()))


SAME_ROWS, VALIDATION_ROWS, OTHER_FITS = "same rows", "validation", "other fits"
"""On which rows a threshold was chosen; the last are validation rows that other fits test."""


def chosen_on_tested_rows(models: Sequence[ModelRecord]) -> frozenset[str]:
    """The models that decide by a threshold that was chosen on the rows that they are tested on.

    >>> model = {"name": "a", "outputs": ["score"], "threshold_role": "same rows"}
    >>> chosen_on_tested_rows([model, {**model, "name": "b", "outputs": ["label"]}])
    frozenset({'a'})
    """
    return frozenset(
        model["name"]
        for model in models
        if model.get("threshold_role") in (SAME_ROWS, OTHER_FITS)
        and not {"label", "labels"} & set(model["outputs"])
    )


def evaluation_of(data: DataRecord) -> Evaluation:
    """How the models were tested; all null where the results do not say."""
    return Evaluation.read(data.get("evaluation") or {})


def has_narrow_limits(data: DataRecord) -> bool:
    """Whether limits on all rows are too narrow, as these pool fits whose training parts overlap.

    >>> pooled = {"pooled_fits": True, "training_overlap": "known"}
    >>> has_narrow_limits({"evaluation": pooled}), has_narrow_limits({})
    (True, False)
    """
    evaluation = evaluation_of(data)
    pooled = bool(evaluation.pooled_fits) and not evaluation.datasets
    return pooled and evaluation.training_overlap != "zero"


def class_sizes(data: DataRecord) -> dict[str, int]:
    """How many rows each class, or label, has: of several, or of two."""
    if "positives" in data:
        return {data["positive"]: data["positives"], data["negative"]: data["negatives"]}
    return {one["class"]: one["rows"] for one in data.get("classes") or ()}


RowType = TypeVar("RowType")


def rows_of(table: pl.DataFrame, row: type[RowType]) -> list[RowType]:
    """The rows of a table of the results, as the type of its rows: a dictionary, or a dataclass."""
    missing = row.__annotations__.keys() - set(table.columns)
    if missing:
        raise KeyError(f"{row.__name__} has columns that the table lacks: {sorted(missing)}")
    if is_dataclass(row):
        return list(_frozen_lines(table, row))
    return cast("list[RowType]", [dict(line) for line in _lines(table)])


@once_per_frame
def _lines(table: pl.DataFrame) -> list[Record]:
    """The rows, which each part of a report reads."""
    return table.to_dicts()


@once_per_frame
def _frozen_lines(table: pl.DataFrame, row: type[RowType]) -> list[RowType]:
    """The same as a frozen dataclass; lists are tuples."""
    lists = [name for name, dtype in table.schema.items() if dtype == pl.List]
    return [row(**line | {name: tuple(line[name]) for name in lists}) for line in _lines(table)]
