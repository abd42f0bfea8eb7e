"""One evaluation: its rows and terms, and what each kind of task finds in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal, TypeAlias

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.clusters import Effect, Groups
from reportgen.comparisons import Comparison, Question
from reportgen.errors import EmptyError, Problem
from reportgen.measuring import slices
from reportgen.metrics.settings import ErrorCosts
from reportgen.predictions import ModelColumns, Predictions
from reportgen.predictions.column_names import MOST_SLICE_VALUES
from reportgen.predictions.evaluation_scheme import over_folds
from reportgen.records.decision import ThresholdChange
from reportgen.records.model import typed
from reportgen.records.rows import DataRecord, ModelRecord, SkippedRecord
from reportgen.sample_design import SampleDesign
from reportgen.spec import Costs, Spec, class_costs
from reportgen.spec.costs import CostColumn
from reportgen.spec.measures import margin_in
from reportgen.spec.option_groups import Resampling
from reportgen.tables import Curve, Dominance
from reportgen.tables.comparisons import DifferenceRow
from reportgen.tables.results import MetricRow
from reportgen.tasks import TASKS, TaskInfo
from reportgen.tasks.binary import GRADED

UNDECLARED_COSTS = Costs(false_negative=1, false_positive=1)

UNLIKE_ROWS = "the models were not evaluated on the same rows"
WEIGHTS_COUNTED = "the test needs the weight of each row, but only counts are available"


def no_margin(_measure: str) -> None:
    """In no measure a margin is declared."""


@dataclass(frozen=True, slots=True)
class TestSettings:
    """What the tests are made under.

    ``unpaired`` says why the models cannot be paired; every test is then undefined with that
    reason. ``costs`` are those of each kind of error where they are declared. ``margin_in`` gives
    the largest difference in a measure that does not matter, for tests over rows, null where none
    is declared, and ``primary`` is the measure that the spec declares to decide. ``groups`` are
    those of the rows, where rows of a group depend on each other: the tests then are those that
    allow for it. ``prevalence`` is that of the population that the spec states.
    """

    baseline: str | None = None
    alpha: float = 0.05
    correction: str = "holm"
    confidence: float = 0.95
    weight: str | None = None
    unpaired: str | None = None
    costs: ErrorCosts | None = None
    margin_in: Callable[[str], float | None] = no_margin
    primary: str | None = None
    groups: Groups | None = None
    difference: str = "midp_paired"
    prevalence: float | None = None

    def design(self, rows: pl.DataFrame, counts: Floats | None = None) -> SampleDesign:
        """What these rows are worth, and their groups."""
        weights = None if self.weight is None else rows[self.weight].cast(pl.Float64).to_numpy()
        return SampleDesign(weights, self.groups, counts)

    def question(
        self, models: tuple[str, ...], metric: str, *, few_units: tuple[str, ...] = ()
    ) -> Question:
        """The question of a test of these models under these terms."""
        return Question(models, metric, self.alpha, self.confidence, few_units=few_units)


@dataclass(frozen=True)
class Losses:
    """The loss of every model on a row, and what it predicted.

    ``measure`` is what the report's tests speak of, ``error`` its mean loss;
    they are the same where less is better. ``of`` gives each model's loss on a
    row: 1 for a wrong decision, or a squared error. ``predicted`` is its decision
    or estimate, empty where that is not one column. ``scores`` are scores of
    the positive class, ``probable`` those of them that are probabilities.
    ``labels`` are the decisions on several labels, one for each. ``further`` are losses of other
    measures by their names: those of quantiles, or of prediction intervals. ``costs`` are what
    its decision about a row costs, where costs are declared.
    """

    measure: str
    error: str
    kind: Literal["zero_one", "squared"]
    of: Mapping[str, pl.Expr]
    predicted: Mapping[str, pl.Expr] = field(default_factory=dict)
    scores: Mapping[str, str] = field(default_factory=dict)
    probable: frozenset[str] = frozenset()
    labels: Mapping[str, Sequence[pl.Expr]] = field(default_factory=dict)
    further: Mapping[str, Mapping[str, pl.Expr]] = field(default_factory=dict)
    costs: Mapping[str, pl.Expr] = field(default_factory=dict)

    @property
    def models(self) -> list[str]:
        """The models in the order of the report."""
        return list(self.of)


def mean(loss: pl.Expr, weight: str | None) -> pl.Expr:
    """The mean loss of the rows that have one, weighted if rows are; null without rows."""
    if weight is None:
        return loss.cast(pl.Float64).mean()
    w = pl.col(weight).filter(loss.is_not_null())
    total = (loss.cast(pl.Float64) * pl.col(weight)).sum()
    return pl.when(w.sum() > 0).then(total / w.sum())


def area(score: str) -> pl.Expr:
    """AUC of some rows from the ranks of their scores; null with one class only.

    (R₊ − P(P + 1)/2) / (P·N), R₊ the sum of the positives' mid-ranks: 1 − rank
    loss (Zhou 2.21, 2.22). Hanley & McNeil (1982),
    doi:10.1148/radiology.143.1.7063747.
    """
    truth = pl.col("truth") & pl.col(score).is_not_null()
    positives = truth.sum().cast(pl.Float64)
    negatives = pl.col(score).count().cast(pl.Float64) - positives
    ranks = pl.col(score).rank("average").filter(truth).sum()
    pairs = positives * negatives
    return pl.when(pairs > 0).then((ranks - positives * (positives + 1) / 2) / pairs)


RowsOfSlice: TypeAlias = tuple[pl.DataFrame, str]
"""The rows of a slice, and its name."""

TOGETHER = 100_000
"""Rows of small slices that are measured in one go: more only take memory."""


@dataclass(frozen=True)
class TaskResults:
    """What a task computes: the parts of the results that depend on it.

    ``comparisons`` are those over rows, not yet adjusted. ``models`` and
    ``truth`` go into the data section. ``threshold_changes`` say of each model
    what the threshold of least cost would save; ``area_effects`` are those of
    groups on each model's AUC. ``of_parts`` gives the measures that the spec names, without limits,
    of every model on some of the rows; null where no rows are held.
    """

    metrics: Sequence[MetricRow]
    curves: Mapping[str, DataFrame[Curve]]
    comparisons: Sequence[Comparison]
    models: Sequence[ModelRecord]
    truth: DataRecord
    losses: Losses
    differences: Sequence[DifferenceRow] = ()
    dominance: DataFrame[Dominance] = field(default_factory=lambda: typed(Dominance, []))
    skipped: Sequence[SkippedRecord] = ()
    threshold_changes: Sequence[ThresholdChange] = ()
    area_effects: Mapping[str, Effect] = field(default_factory=dict)
    of_parts: Callable[[Sequence[RowsOfSlice]], list[MetricRow]] | None = None


@dataclass(frozen=True)
class EvaluationContext:
    """Predictions and the spec that they are evaluated by.

    Of models that are ``only_compared`` the measures and curves of each are evaluated elsewhere.
    """

    predictions: Predictions
    spec: Spec
    only_compared: bool = False

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The rows that models are evaluated on: those with role test, where there are roles.

        Rows of weight 0 are as good as not there. Groups are numbered; where
        each row is a group of its own the rows are independent, and have none.
        """
        rows = self.predictions.frame
        if "role" in rows.columns:
            rows = rows.filter(role="test")
            if rows.is_empty():
                hint = (
                    "models are evaluated on rows with role test; remove columns.role to evaluate "
                    "all rows"
                )
                raise EmptyError(Problem("no-test-rows", "no row has the role test", hint=hint))
        if "weight" in rows.columns and (rows["weight"] == 0).any():
            rows = rows.filter(pl.col("weight") > 0)
            if rows.is_empty():
                hint = "give rows with role test a positive weight"
                raise EmptyError(
                    Problem("no-weight", "all evaluated rows have weight 0", hint=hint)
                )
        if "group" not in rows.columns:
            return rows
        groups = Groups.of(rows["group"])
        return rows.drop("group") if groups.single else rows.with_columns(group=groups.code)

    @property
    def weight(self) -> str | None:
        """The column of weights, where rows are weighted."""
        return "weight" if "weight" in self.rows.columns else None

    def weights_of(self, rows: pl.DataFrame) -> Floats | None:
        """The weights of some of the rows, where rows are weighted."""
        return rows["weight"].cast(pl.Float64).to_numpy() if self.weight else None

    @property
    def baseline(self) -> str:
        """The model that the others are compared with: the first one, unless the spec names it."""
        return self.spec.baseline or self.predictions.models[0].name

    @cached_property
    def repeats(self) -> float:
        """How often a row is evaluated: once, or as often as its id returns, on average."""
        rows = self.rows
        if self.predictions.unpaired is not None:
            rows = self.rows_with_output(
                self.predictions.models[0]
            )  # each model has rows of its own
        if "id" in rows.columns:
            names = [name for name in ("dataset", "id") if name in rows.columns]
            return rows.height / rows.select(names).n_unique()
        return rows["repeat"].n_unique() if "repeat" in rows.columns else 1

    @property
    def unit(self) -> str | None:
        """The column of what may be taken as independent; null: single rows."""
        if "group" in self.rows.columns:
            return "group"
        return "id" if self.repeats > 1 and "id" in self.rows.columns else None

    @cached_property
    def error_costs(self) -> ErrorCosts:
        """The cost of each kind of error of two classes; of rows' own, the mean over their class.

        It is 1 where none is declared. With the means, the cost curve and P(+)cost are those of
        the sums.
        """
        declared = self.spec.costs
        costs = declared if isinstance(declared, Costs) else UNDECLARED_COSTS
        w = pl.col(self.weight) if self.weight else pl.lit(1.0)

        def mean(cost: float | CostColumn, column: str, of_class: pl.Expr) -> float:
            if not isinstance(cost, CostColumn):
                return float(cost)
            class_rows = self.rows.filter(of_class)
            value = (pl.col(column) * w).sum() / (w.sum() if self.weight else pl.len())
            return float(class_rows.select(value).item()) if class_rows.height else 0.0

        return {
            "false_negative": mean(costs.false_negative, "cost_false_negative", pl.col("truth")),
            "false_positive": mean(costs.false_positive, "cost_false_positive", ~pl.col("truth")),
        }

    @cached_property
    def class_costs(self) -> list[list[float]] | None:
        """The cost of each class predicted as each, where costs of several classes are declared."""
        return class_costs(self.spec, self.predictions.classes)

    def rows_with_output(self, columns: ModelColumns) -> pl.DataFrame:
        """The rows that a model has something to say about."""
        return rows_with_output(self.rows, columns)

    def ids(self, rows: pl.DataFrame) -> pl.Series | None:
        """What names the examples of some rows, where anything does."""
        if "id" not in rows.columns:
            return None
        names = [name for name in ("dataset", "id") if name in rows.columns]
        return rows.select(name=pl.concat_str(names, separator="\x1f")).to_series()

    @cached_property
    def groups(self) -> Groups | None:
        """The groups of the rows; nothing where rows are independent."""
        if "group" not in self.rows.columns:
            return None
        code = self.rows["group"].to_numpy()
        return Groups(code, int(code.max()) + 1)

    @cached_property
    def returning(self) -> Groups | None:
        """The rows of each example, where examples return; nothing where each has one row."""
        ids = self.ids(self.rows)
        if ids is None or self.predictions.unpaired is not None or self.repeats == 1:
            return None
        return Groups.of(ids)

    def groups_of(self, rows: pl.DataFrame) -> Groups | None:
        """The groups of some of the rows, numbered as those of all."""
        if self.groups is None:
            return None
        return Groups(rows["group"].to_numpy(), self.groups.number)

    @property
    def _why_unpaired(self) -> str | None:
        """Why rows of models are not compared: of several what holds for any two of them."""
        why, several = self.predictions.unpaired, len(self.predictions.models) > 2
        return UNLIKE_ROWS if why and several and "id" in self.rows.columns else why

    @property
    def test_settings(self) -> TestSettings:
        """What the tests are made under."""
        base = settings_of(self.spec, self.baseline)
        over = over_folds(self.predictions.evaluation)
        return replace(
            base,
            weight=self.weight,
            unpaired=self._why_unpaired,
            groups=self.returning if self.groups is None else self.groups,
            margin_in=no_margin if over else partial(margin_in, spec=self.spec),
            primary=self.spec.comparisons.primary,
        )

    @property
    def bootstrap_settings(self) -> Resampling | None:
        """How rows are resampled one by one; null where they cannot be."""
        return self.spec.bootstrap if self.no_bootstrap_reason is None else None

    @property
    def task(self) -> TaskInfo:
        """What is evaluated."""
        return GRADED if self.spec.graded else TASKS[self.predictions.task]

    @property
    def no_bootstrap_reason(self) -> str | None:
        """Why rows cannot be resampled one by one."""
        if self.weight is not None:
            return "rows are weighted"
        if self.repeats > 1:
            return "rows are evaluated more than once"
        return "rows come in groups" if "group" in self.rows.columns else None

    @property
    def slicings(self) -> list[tuple[str, ...]]:
        """The columns of each declared slicing."""
        return self.spec.slicings

    def sliced(
        self, measure: Callable[[Sequence[RowsOfSlice]], list[MetricRow]]
    ) -> tuple[list[MetricRow], list[SkippedRecord]]:
        """What ``measure`` gives for the values of each slice, and what was left out and why."""
        result: list[MetricRow] = []
        skipped: list[SkippedRecord] = []
        for names in self.slicings:
            parts = slices.parts(self.rows, names)
            if parts.height > MOST_SLICE_VALUES:
                reason = f"{parts.height:,} values; at most {MOST_SLICE_VALUES} are reported"
                what = f"slice {', '.join(names)}"
                skipped.append({"what": what, "model": None, "reason": reason})
                continue
            rows_of = dict(zip(parts.drop("rows").iter_rows(), parts["rows"], strict=True))
            for keys in _batches({key: len(places) for key, places in rows_of.items()}):
                result += measure(
                    [(self.rows[rows_of[key]], slices.label(names, key)) for key in keys]
                )
        return result, skipped


def _batches(sizes: Mapping[tuple[str, ...], int]) -> Iterator[list[tuple[str, ...]]]:
    """The keys in order, in lists of at most ``TOGETHER`` rows, or one."""
    batch: list[tuple[str, ...]] = []
    for key in sorted(sizes, key=lambda values: tuple(map(str, values))):
        if batch and sum(sizes[k] for k in (*batch, key)) > TOGETHER:
            yield batch
            batch = []
        batch.append(key)
    if batch:
        yield batch


def settings_of(spec: Spec, baseline: str) -> TestSettings:
    """The terms of tests of unweighted, paired rows."""
    return TestSettings(
        baseline=baseline,
        alpha=spec.comparisons.alpha,
        correction=spec.comparisons.correction,
        confidence=spec.confidence,
        difference=spec.intervals.differences,
        prevalence=None if spec.prevalence is None else float(spec.prevalence),
    )


def rows_with_output(rows: pl.DataFrame, columns: ModelColumns) -> pl.DataFrame:
    """The rows in which all of a model's columns have a value."""
    single = (columns.score, columns.label, columns.estimate)
    needed = [c for c in (*single, *columns.scores, *columns.labels) if c is not None]
    if not any(rows[c].null_count() for c in needed):
        return rows
    return rows.drop_nulls(needed)
