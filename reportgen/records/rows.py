"""The records of the results that are not tables: a misspelt key fails the type check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, TypeVar, cast

import polars as pl

from reportgen.predictions.evaluation import EvaluationRecord
from reportgen.tasks import TaskName

Record: TypeAlias = dict[str, Any]

BlockRow: TypeAlias = Mapping[str, Any]
"""A data set or fold under ``block``, and a number under the name of each model."""
"""Plain values by name, where no class has them yet."""

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


class CheckRecord(TypedDict):
    """A check of the data: what it showed, and whether it is a warning."""

    name: str
    detail: str
    warning: bool


class CertaintyRecord(TypedDict):
    """How sure the choice of a threshold is: where resampled choices lie, and what they reach."""

    chosen: float
    loosest: float | None
    strictest: float | None
    optimism: float
    corrected: float
    low: float
    high: float
    replicates: int


class ChoiceRecord(TypedDict):
    """The measure that a threshold was chosen by, its best value, and how sure the choice is."""

    metric: str
    value: float
    certainty: CertaintyRecord | None
    uncertain: str | None


ThresholdRecord = TypedDict(
    "ThresholdRecord",
    {"class": str, "threshold": float | None, "threshold_choice": ChoiceRecord | None},
)
"""The threshold of one label, and how it was chosen."""


class ModelRecord(TypedDict, total=False):
    """A model: what it gives, how it decides, and where its label and threshold disagree.

    ``quantile`` is that of an estimate of one; ``thresholds`` are those chosen by label.
    """

    name: str
    outputs: Sequence[ModelOutput]
    quantile: float | None
    probability: bool
    threshold: float | None
    threshold_rule: str
    threshold_role: str | None
    threshold_choice: ChoiceRecord | None
    thresholds: Sequence[ThresholdRecord]
    disagreements: int | None


class EngineRecord(TypedDict, total=False):
    """Which engine computed the numbers, why, and what is known of its work."""

    name: str
    why: str
    cells: int
    leaves: int
    counted: int


class GroupMeasure(TypedDict):
    """What dependence within groups does to a measure of a model."""

    model: str
    metric: str
    design_effect: float | None
    intraclass_correlation: float | None
    effective_rows: float | None
    degrees_of_freedom: float | None


class GroupsRecord(TypedDict):
    """The groups of the evaluated rows."""

    number: int
    largest: int
    mean_rows: float | None
    few: bool
    measures: Sequence[GroupMeasure]


class SliceValue(TypedDict):
    """A value of a slice column, and how many rows have it."""

    value: Any
    rows: int


class SliceRecord(TypedDict):
    """A slice column and its values."""

    name: str
    values: Sequence[SliceValue]


ClassSize = TypedDict("ClassSize", {"class": str, "rows": int})
"""A class or label, and how many rows have it."""


class DataRecord(TypedDict, total=False):
    """The data: files, rows, truth, roles, folds, checks, and how each model is read.

    Of the truth two classes have ``positive`` to ``prevalence``, several ``classes``, numbers
    their ``distribution``. A comparison of values that are already there has ``measure`` to
    ``ranks``. ``rows`` is null where the rows that are not evaluated are too few to be counted.
    """

    positive: str
    negative: str
    positives: int
    negatives: int
    prevalence: float
    classes: Sequence[ClassSize]
    distribution: Mapping[str, float | None]
    task: TaskName
    files: Sequence[FileRecord]
    reference: Sequence[FileRecord]
    rows: int | None
    rows_evaluated: int
    roles: Mapping[str, int] | None
    truth: str | Mapping[str, str]
    weighted: bool
    weight_total: float | None
    evaluation: EvaluationRecord | None
    folds: int | None
    repeats: int | None
    timed: bool
    slices: Sequence[SliceRecord]
    groups: GroupsRecord | None
    identical_rows: int | None
    checks: Sequence[CheckRecord]
    unpaired: str | None
    models: Sequence[ModelRecord]
    engine: EngineRecord
    measure: str
    better: str
    unit: str
    datasets: int
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


class DifferenceRow(TypedDict, total=False):
    """How far two models differ in a measure: a row of ``Differences``."""

    metric: str
    models: Sequence[str]
    value: float | None
    low: float | None
    high: float | None
    interval: str | None
    undefined: str | None
    basis: str


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
    verdict: str | None
    relative: float | None
    trained_on: float | None


@dataclass(frozen=True, slots=True)
class Gap:
    """The slices with the lowest and the highest value of one measure: a row of ``Gaps``."""

    slicing: Sequence[str]
    model: str
    metric: str
    average: str | None
    lowest: str
    highest: str
    lowest_value: float
    highest_value: float
    gap: float
    slices: float
    p_value: float | None = None
    p_adjusted: float | None = None
    p_report: float | None = None
    rough: bool = False
    untested: str | None = None
    left_out: Sequence[str] = ()


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
    state: str
    why: str | None
    against: str | None
    confidence: float | None
    cusum: float | None
    cusum_limit: float | None
    night: float | None
    usual: float | None
    fresh: float | None
    fresh_error: float | None


class DominanceRow(TypedDict):
    """Whether one curve lies nowhere below another: a row of ``Dominance``."""

    curve: str
    models: Sequence[str]
    slice: str | None
    relation: str
    crossings: Sequence[float]
    region_low: Sequence[float]
    region_high: Sequence[float]
    region_better: Sequence[str | None]
    stability: float | None
    replicates: float | None
    verdict: str


class SliceSizeRow(TypedDict):
    """A slice of the evaluated rows and its size: a row of ``Slices``."""

    slicing: Sequence[str]
    slice: str
    values: Sequence[str]
    rows: float
    positives: float | None
    small: bool


class SkippedRecord(TypedDict):
    """A part that was left out, of one model or of all, and why; ``names`` those of its kind."""

    what: str
    names: NotRequired[Sequence[str]]
    model: str | None
    reason: str


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
    },
)
"""A number of a model with its interval, or why it has none: a row of ``Metrics``.

``least`` and ``most`` bound what is counted in cells of scores.
"""


class ComparisonRow(TypedDict):
    """A test of significance: a row of ``Comparisons``, which says what each is."""

    comparison: str
    label: str
    short: str
    symbol: str
    shows: str
    metric: str
    models: Sequence[str]
    slice: str | None
    unit: str
    recommendation: str
    why: str | None
    null_hypothesis: str
    statistic: float | None
    df: float | None
    df_denominator: float | None
    critical_statistic: float | None
    p_value: float | None
    p_adjusted: float | None
    p_report: float | None
    reachable: float | None
    correction: str | None
    family: str | None
    family_size: float | None
    effect: str
    estimate: float | None
    low: float | None
    high: float | None
    interval: str | None
    simultaneous_low: float | None
    simultaneous_high: float | None
    against: float | None
    side: str | None
    critical: float | None
    detectable: float | None
    probabilities: Sequence[float] | None
    cross_table: Sequence[float] | None
    alpha: float
    reject: bool | None
    better: str | None
    undefined: str | None
    verdict: str
    evidence: str | None
    assumptions: Sequence[str]
    caveats: Sequence[str]


def evaluation_of(data: DataRecord) -> EvaluationRecord:
    """How the models were tested; empty where the results do not say."""
    return data.get("evaluation") or {}


RowType = TypeVar("RowType")


def rows_of(table: pl.DataFrame, row: type[RowType]) -> list[RowType]:
    """The rows of a table of the results, as the type of its rows."""
    missing = row.__annotations__.keys() - set(table.columns)
    if missing:
        raise KeyError(f"{row.__name__} has columns that the table lacks: {sorted(missing)}")
    return cast("list[RowType]", table.to_dicts())
