"""Several labels at once: what the results hold of each model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.clusters import Effect, Groups
from reportgen.comparisons import Comparison, Question
from reportgen.counting import counts
from reportgen.curves import precision_recall, roc
from reportgen.metrics import REGISTRY, Metric
from reportgen.predictions import ModelColumns
from reportgen.results import class_areas, class_averages, class_calibration
from reportgen.results.bootstrap_intervals import of_rows, without_limits
from reportgen.results.class_averages import averages
from reportgen.results.compare import compared_decisions
from reportgen.results.context import EvaluationContext, TaskResults, rows_with_output
from reportgen.results.curve_tables import SMALL, thinned
from reportgen.results.grouped import CellTable, area_effect, share_effect
from reportgen.results.interval_methods import DEFAULT, chosen
from reportgen.results.losses import Losses
from reportgen.results.metric_rows import MetricRows
from reportgen.results.multiclass import NO_SCORES, of_classes
from reportgen.results.permutation_tests import (
    NOT_DRAWN,
    Make,
    metric_of,
    of_labels,
    of_pair,
    permutation_tests,
    rowwise,
    undefined,
)
from reportgen.results.row_means import rows_in_groups
from reportgen.results.thresholds import Threshold, choose
from reportgen.results.unpaired import sample, unpaired
from reportgen.small_queries import total
from reportgen.spec import Choice, Costs
from reportgen.spec.intervals import Intervals
from reportgen.sweeping import bins, sweep
from reportgen.tables import CURVES, Bins, Curve, Sweep

Record = dict[str, Any]
Floats = npt.NDArray[np.float64]

CHUNK = 20_000_000
"""Numbers held at a time when the rankings of the rows are compared."""

RANKED = ("coverage", "precision_of_ranking", "wrong_pairs", "wrong_first")
"""What the ranking of a row's labels gives."""


@dataclass(frozen=True)
class MultilabelModel:
    """One model on one set of rows; without ``thresholds`` a label is given from a half up."""

    columns: ModelColumns
    rows: pl.DataFrame
    classes: Sequence[str]
    thresholds: Sequence[Threshold] = ()
    weight: str | None = None
    slice: str | None = None
    methods: Intervals = DEFAULT
    grouped: bool = False

    @property
    def name(self) -> str:
        """The model's name."""
        return self.columns.name

    @property
    def predicted(self) -> list[pl.Expr]:
        """Whether each label is given: as supplied, else score ≥ threshold."""
        if self.columns.labels:
            return [pl.col(name) for name in self.columns.labels]
        limits = [t.value for t in self.thresholds] or [0.5] * len(self.columns.scores)
        pairs = zip(self.columns.scores, limits, strict=True)
        return [pl.col(name) >= limit for name, limit in pairs]

    @property
    def correct(self) -> pl.Expr:
        """Whether all labels of a row are right."""
        truths = (pl.col(f"truth:{k}") for k in range(len(self.classes)))
        return pl.all_horizontal(*(t == c for t, c in zip(truths, self.predicted, strict=True)))

    @cached_property
    def counts(self) -> pl.DataFrame:
        """The counts of each label, one row per label."""
        parts = [
            counts(self.rows, truth=f"truth:{k}", predicted={label: call}, weight=self.weight)
            for k, (label, call) in enumerate(zip(self.classes, self.predicted, strict=True))
        ]
        return pl.concat(parts).rename({"model": "class"})

    @cached_property
    def sets(self) -> pl.DataFrame:
        """How each row's set of labels was met: the frame that ``metrics.multilabel`` reads."""
        truths = [pl.col(f"truth:{k}") for k in range(len(self.classes))]
        both = [t & c for t, c in zip(truths, self.predicted, strict=True)]
        table = self.rows.select(
            hits=pl.sum_horizontal(*both),
            given=pl.sum_horizontal(*self.predicted),
            true=pl.sum_horizontal(*truths),
            labels=pl.lit(len(self.classes)),
            weight=pl.col(self.weight).cast(pl.Float64) if self.weight else pl.lit(1.0),
        )
        right = (pl.col("hits") == pl.col("given")) & (pl.col("hits") == pl.col("true"))
        w = pl.col("weight")
        sums = {"right": (w, right), "wrong": (w, ~right)}
        squares = {"right2": (w**2, right), "wrong2": (w**2, ~right)}
        added = {n: total(v.filter(c)) for n, (v, c) in {**sums, **squares}.items()}
        if self.columns.scores:
            return table.with_columns(**added).hstack(self._ranked())
        return table.with_columns(**added, **dict.fromkeys(RANKED, pl.lit(None, pl.Float64)))

    def _ranked(self) -> pl.DataFrame:
        size = len(self.classes)
        truth = self.rows.select(f"truth:{k}" for k in range(size)).to_numpy().astype(bool)
        score = self.rows.select(self.columns.scores).to_numpy()
        step = max(1, CHUNK // size**2)
        pieces = [
            ranking(truth[i : i + step], score[i : i + step]) for i in range(0, len(truth), step)
        ]
        whole = np.concatenate(pieces) if pieces else np.empty((0, len(RANKED)))
        return pl.DataFrame(whole, schema=dict.fromkeys(RANKED, pl.Float64)).fill_nan(None)

    @cached_property
    def by_group(self) -> Groups | None:
        """The groups of the rows, where the rows of a group depend on each other."""
        return Groups.of(self.rows["group"]) if self.grouped else None

    @property
    def weights(self) -> Floats | None:
        """The weights of the rows, where they have any."""
        return self.rows[self.weight].cast(pl.Float64).to_numpy() if self.weight else None

    @cached_property
    def tables(self) -> list[CellTable]:
        """The cells of each label by group; nothing of independent rows."""
        if self.by_group is None:
            return []
        given = self.rows.select(call.alias(str(k)) for k, call in enumerate(self.predicted))
        return [
            CellTable.of(
                self.rows[f"truth:{k}"].to_numpy(), column.to_numpy(), self.by_group, self.weights
            )
            for k, column in enumerate(given.iter_columns())
        ]

    @property
    def area_effects(self) -> list[Effect]:
        """The effect of the groups on the AUC of each label; nothing of independent rows."""
        if self.by_group is None:
            return []
        return [
            area_effect(
                self.rows[score].cast(pl.Float64).to_numpy(),
                self.rows[f"truth:{k}"].to_numpy(),
                self.by_group,
                self.weights,
            )
            for k, score in enumerate(self.columns.scores)
        ]

    def variance(self, confidence: float) -> class_averages.Variance:
        """The variance of averages over the labels."""
        truths = self.rows.select(f"truth:{k}" for k in range(len(self.classes)))
        given = self.rows.select(call.alias(str(k)) for k, call in enumerate(self.predicted))
        weight = self.rows[self.weight].to_numpy() if self.weight else np.ones(self.rows.height)
        return class_averages.of_labels(
            truths.to_numpy().astype(bool),
            given.to_numpy().astype(bool),
            weight,
            self.by_group,
            confidence,
        )

    @cached_property
    def bins(self) -> list[DataFrame[Bins]]:
        """The scores of each label in bins; nothing without scores."""
        return [bins(steps) for steps in self.sweeps]

    @cached_property
    def sweeps(self) -> list[DataFrame[Sweep]]:
        """One sweep per label; nothing without scores."""
        return [
            sweep(self.rows, truth=f"truth:{k}", score=score, weight=self.weight)
            for k, score in enumerate(self.columns.scores)
        ]

    @property
    def pooled(self) -> DataFrame[Sweep] | None:
        """The sweep of the scores of all labels together; nothing without scores."""
        if not self.columns.scores:
            return None
        given = [self.weight] if self.weight else []
        parts = (
            self.rows.select(f"truth:{k}", score, *given)
            for k, score in enumerate(self.columns.scores)
        )
        return sweep(class_areas.pooled(parts, self.weight), weight=self.weight and "weight")


def evaluate_multilabel(context: EvaluationContext) -> TaskResults:
    """Everything that several labels have."""
    spec, classes = context.spec, context.predictions.classes
    thresholds = {m.name: thresholds_of(context, m) for m in context.predictions.models}

    def labelled(columns: ModelColumns, rows: pl.DataFrame, label: str | None) -> MultilabelModel:
        rows, at = rows_with_output(rows, columns), thresholds[columns.name]
        grouped = "group" in rows.columns
        return MultilabelModel(
            columns, rows, classes, at, context.weight, label, spec.intervals, grouped
        )

    models = [labelled(columns, context.rows, None) for columns in context.predictions.models]

    def of_slice(part: pl.DataFrame, label: str) -> list[Record]:
        parts = [labelled(model.columns, part, label) for model in models]
        return [r for m in parts if m.rows.height for r in evaluate_metrics(m, spec.confidence)]

    in_slices, unsliced = context.sliced(of_slice)
    sizes = [int(context.rows[f"truth:{k}"].sum()) for k in range(len(classes))]
    truth = [{"class": c, "rows": n} for c, n in zip(classes, sizes, strict=True)]
    return TaskResults(
        metrics=[*(r for m in models for r in _with_limits(context, m)), *in_slices],
        curves=curves(models, spec.confidence),
        comparisons=[
            *compared_decisions(
                context.rows,
                {m.name: m.correct for m in models},
                context.test_settings,
                "subset_accuracy",
            ),
            *unpaired(
                [sample(context, m, m.correct, "subset_accuracy") for m in models],
                context.test_settings,
                "subset_accuracy",
            ),
            *permutation_tests(
                context, context.test_settings, [m.name for m in models], _exchange(context, models)
            ),
        ],
        models=[_record(model) for model in models],
        truth={"classes": truth},
        skipped=[*_skipped(models), *unsliced],
        losses=Losses(
            "subset_accuracy", "zero_one_loss", "zero_one", of={m.name: ~m.correct for m in models}
        ),
    )


def _exchange(context: EvaluationContext, models: Sequence[MultilabelModel]) -> Make:
    """What makes the tests of a pair in a measure that the spec names."""

    def make(metric: str, question: Question) -> list[Comparison]:
        pair = [m for name in question.models for m in models if m.name == name]
        definition = metric_of("multilabel", metric)
        if definition is None:
            return undefined(question, NOT_DRAWN)
        question = replace(question, metric=definition.name)
        if definition.on != "rows":
            size, calls = len(context.predictions.classes), [m.predicted for m in pair]
            cells = of_labels(context.rows, size, calls, definition, context.groups)
            return of_pair(context, question, cells)
        if definition.group == "ranking" and not all(m.columns.scores for m in pair):
            return undefined(question, NO_SCORES)
        return rowwise(context, question, [m.sets for m in pair], definition)

    return make


def thresholds_of(context: EvaluationContext, columns: ModelColumns) -> tuple[Threshold, ...]:
    """The threshold of each label, chosen for each by itself where the spec asks for that.

    Raises:
        UndefinedError: no threshold of a label keeps the limits.
    """
    rule = context.spec.threshold
    if not columns.scores or columns.labels:
        return ()
    if not isinstance(rule, Choice):
        return (Threshold(float(rule), "fixed in the spec"),) * len(columns.scores)
    rows, role = context.rows_with_output(columns), "same rows"
    frame = context.predictions.frame
    if "role" in frame.columns and (frame["role"] == "validation").any():
        rows, role = rows_with_output(frame.filter(role="validation"), columns), "validation"
    given = context.spec.costs.fixed() if isinstance(context.spec.costs, Costs) else {}
    return tuple(
        choose(
            sweep(rows, truth=f"truth:{k}", score=score, weight=context.weight),
            context.spec,
            rule,
            role,
            given,
            of=f"{columns.name!r}, {label!r},",
            bootstrap=context.bootstrap_settings,
            undrawable=context.no_bootstrap_reason,
        )
        for k, (label, score) in enumerate(
            zip(context.predictions.classes, columns.scores, strict=True)
        )
    )


def _with_limits(context: EvaluationContext, model: MultilabelModel) -> list[Record]:
    """The measures on all rows; what has no closed interval is resampled."""
    numbers = evaluate_metrics(model, context.spec.confidence)
    if context.repeats > 1 and not model.grouped:
        return [without_limits(row) for row in numbers]
    group = model.rows["group"] if model.grouped else None
    return of_rows(numbers, model.sets, "multilabel", "rows", context.spec, group)


def _record(model: MultilabelModel) -> Record:
    columns = model.columns
    kinds = [k for k, c in (("scores", columns.scores), ("labels", columns.labels)) if c]
    at = model.thresholds
    one = at[0] if at else None
    return {
        "name": model.name,
        "kind": " and ".join(kinds),
        "probability": bool(model.bins) and all(bin_table.height for bin_table in model.bins),
        "threshold": one.value if one and one.choice is None else None,
        "threshold_rule": one.rule if one else "labels supplied by the model",
        "threshold_role": one.role if one else None,
        "disagreements": None,
        "thresholds": [
            {"class": label, "threshold": t.value, "threshold_choice": asdict(t.choice)}
            for label, t in zip(model.classes, at, strict=False)
            if t.choice is not None
        ],
    }


def _skipped(models: Sequence[MultilabelModel]) -> list[Record]:
    what = "measures of the ranking of labels"
    without = [m for m in models if not m.columns.scores]
    return [{"what": what, "model": m.name, "reason": NO_SCORES} for m in without]


def ranking(truth: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Coverage, average precision, ranking loss and one-error of each row, as columns.

    A row without a true label, or with true ones only, is fully ranked: coverage
    0 or the number of labels, precision 1, loss 0. Without a true label there is
    no one-error (NaN).
    """
    as_high = score[:, :, None] <= score[:, None, :]  # [row, label, other]: other is as high
    rank = as_high.sum(axis=2)
    true_above = (as_high & truth[:, None, :]).sum(axis=2)
    number = truth.sum(axis=1)
    others = truth.shape[1] - number
    coverage = np.where(truth, rank, 0).max(axis=1, initial=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(truth, true_above / rank, 0.0).sum(axis=1) / number
        wrong = np.where(truth, rank - true_above, 0).sum(axis=1) / (number * others)
    whole = (number == 0) | (others == 0)
    first = score == score.max(axis=1, keepdims=True, initial=-np.inf)
    wrong_first = np.where(number > 0, (first & ~truth).sum(axis=1) / first.sum(axis=1), np.nan)
    ranked = np.where(whole, 1.0, precision), np.where(whole, 0.0, wrong)
    return np.column_stack([coverage, *ranked, wrong_first])


def evaluate_metrics(model: MultilabelModel, confidence: float) -> list[Record]:
    """Every metric of sets of labels, of each label, and its averages."""
    weighted = model.weight is not None
    number = MetricRows(model.name, model.slice, weighted=weighted, grouped=model.grouped)
    metrics = chosen(REGISTRY["multilabel"].values(), model.methods)
    of_rows = [m for m in metrics if m.group != "ranking"]
    of_scores = [m for m in metrics if m.group == "ranking"]
    sets = model.sets
    return [
        number.rows_counted(sets["weight"]),
        *_of_sets(model, number, of_rows, confidence),
        *(
            _of_sets(model, number, of_scores, confidence)
            if model.columns.scores
            else number.rows(None, of_scores, confidence, NO_SCORES)
        ),
        *of_classes(model.counts, number, confidence, model.methods, model.tables),
        *averages(model.counts, number, confidence, model.variance(confidence)),
        *_areas(model, number, confidence),
        *class_calibration.errors(model.bins, model.classes, number, confidence, NO_SCORES),
    ]


def _of_sets(
    model: MultilabelModel, number: MetricRows, metrics: Sequence[Metric], confidence: float
) -> list[Record]:
    """The measures of sets of labels, with limits by group where rows come in groups."""
    if model.by_group is None:
        return number.rows(model.sets, metrics, confidence)
    right = model.rows.select(model.correct).to_series().to_numpy()
    effects = {"subset_accuracy": share_effect(right, model.by_group, model.weights)}
    return rows_in_groups(number, model.sets, metrics, confidence, model.by_group, effects)


def curves(models: Sequence[MultilabelModel], confidence: float) -> dict[str, DataFrame[Curve]]:
    """Calibration of each label, ROC and P-R of each that has both truths."""
    tables: dict[str, list[pl.DataFrame]] = {"roc": [], "precision_recall": [], "calibration": []}
    for model in models:
        tables["calibration"] += class_calibration.lines(
            model.bins, model.classes, model.name, confidence, weighted=model.weight is not None
        )
        for label, steps in _with_both(model):
            of_label = pl.lit(label).alias("class")
            line = thinned(roc(steps, model.name), "false_positive_rate", "recall", SMALL)
            tables["roc"].append(line.with_columns(of_label))
            line = thinned(precision_recall(steps, model.name), "recall", "precision", SMALL)
            tables["precision_recall"].append(line.with_columns(of_label))
    return {n: CURVES[n].validate(pl.concat(parts)) for n, parts in tables.items() if parts}


def _with_both(model: MultilabelModel) -> Iterator[tuple[str, DataFrame[Sweep]]]:
    for label, steps in zip(model.classes, model.sweeps, strict=False):
        if steps["tp"][-1] and steps["fp"][-1]:
            yield label, steps


def _areas(model: MultilabelModel, number: MetricRows, confidence: float) -> list[Record]:
    support = model.counts.select(pl.col("tp") + pl.col("fn")).to_series().to_numpy()
    return class_areas.areas(
        model.classes,
        model.sweeps,
        model.pooled,
        number,
        confidence,
        support=support,
        methods=model.methods,
        missing=NO_SCORES,
        noun="label",
        effects=model.area_effects,
    )
