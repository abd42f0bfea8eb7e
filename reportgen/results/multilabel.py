"""Several labels at once: what the results hold of each model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.clusters import Effect, Groups
from reportgen.comparing import class_differences, delta_tests
from reportgen.comparing.compare import compared_decisions
from reportgen.comparing.mean_areas import MeanAreas, is_mean_area
from reportgen.comparing.permutation_tests import (
    NOT_DRAWN,
    MakeTests,
    metric_of,
    of_labels,
    of_pair,
    permutation_tests,
    rowwise,
    undefined,
)
from reportgen.comparing.unpaired import sample, unpaired
from reportgen.comparisons import Comparison, Question
from reportgen.freed_memory import each_alone
from reportgen.measuring import class_areas, class_calibration, time_blocks
from reportgen.measuring.bootstrap_intervals import of_rows, without_limits
from reportgen.measuring.class_averages import averages
from reportgen.measuring.class_values import (
    ARE_AVERAGES,
    ClassValues,
    MeasuresOfClass,
    added,
    averages_alone,
    class_values,
    rows_of_classes,
    together,
)
from reportgen.measuring.compared_by_fold import measures_of
from reportgen.measuring.context import (
    EvaluationContext,
    Losses,
    RowsOfSlice,
    TaskResults,
    rows_with_output,
)
from reportgen.measuring.costs import fixed_costs
from reportgen.measuring.independent_means import independent_rows
from reportgen.measuring.interval_methods import chosen
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.multilabel_model import MultilabelModel
from reportgen.measuring.row_means import rows_in_groups
from reportgen.measuring.row_shares import share_effect
from reportgen.measuring.thresholds import Threshold, choice_record, choose
from reportgen.measuring.time_blocks import in_blocks
from reportgen.measuring.validation_rows import validation_rows
from reportgen.metrics import REGISTRY, Metric
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import truth_column
from reportgen.records.rows import (
    SAME_ROWS,
    ClassSize,
    ModelOutput,
    ModelRecord,
    SkippedRecord,
)
from reportgen.resampling import shared_draws
from reportgen.results.evaluators import evaluates
from reportgen.spec import Choice
from reportgen.sweeping import sweep
from reportgen.tables import CURVES, Curve
from reportgen.tables.results import MetricRow
from reportgen.text.reasons import NO_SCORES, ONE_WITHOUT_SCORES


@evaluates("multilabel")
def evaluate_multilabel(context: EvaluationContext) -> TaskResults:
    """Everything that several labels have."""
    classes = context.predictions.classes
    models = [
        _model(context, columns, context.rows, thresholds_of(context, columns))
        for columns in context.predictions.models
    ]
    measured = in_blocks(context)
    limited = models
    if measured is not context:
        limited = [_model(context, m.columns, measured.rows, m.thresholds) for m in models]

    def measure(of: EvaluationContext) -> time_blocks.Measured:
        def of_slices(parts: Sequence[RowsOfSlice]) -> list[MetricRow]:
            in_parts = (
                _model(of, m.columns, rows, m.thresholds, label)
                for rows, label in parts
                for m in models
            )
            batches = together(m for m in in_parts if m.rows.height)
            return [row for batch in batches for row in _with_limits(of, batch)]

        in_slices, unsliced = of.sliced(of_slices)
        whole = each_alone(limited if of is measured else models, of.rows)
        return [*(row for m in whole for row in _with_limits(of, [m])), *in_slices], unsliced

    metrics, unsliced = time_blocks.limited(context, measured, measure)
    sizes = [int(context.rows[truth_column(k)].sum()) for k in range(len(classes))]
    truth: list[ClassSize] = [{"class": c, "rows": n} for c, n in zip(classes, sizes, strict=True)]
    return TaskResults(
        of_parts=partial(_of_parts, context, models),
        metrics=metrics,
        curves={} if context.only_compared else curves(models),
        comparisons=_comparisons(context, models),
        differences=class_differences.of_labels(context, {m.name: m.predicted for m in models}),
        models=[model_record(model) for model in models],
        truth={"classes": truth, "share_without_labels": _share_without_labels(context.rows)},
        skipped=[*without_scores(models), *unsliced],
        losses=Losses(
            "subset_accuracy",
            "zero_one_loss",
            "zero_one",
            of={m.name: ~m.correct for m in models},
            labels={m.name: m.predicted for m in models},
        ),
    )


def _share_without_labels(rows: pl.DataFrame) -> float:
    """In what share of the rows, by weight, no label is true."""
    none = rows.select(~pl.any_horizontal(pl.col("^truth:.*$").cast(pl.Boolean))).to_series()
    weight = rows["weight"].to_numpy() if "weight" in rows.columns else None
    return float(np.average(none.to_numpy(), weights=weight)) if len(none) else 0.0


def _of_parts(
    context: EvaluationContext, models: Sequence[MultilabelModel], parts: Sequence[RowsOfSlice]
) -> list[MetricRow]:
    """The measures that a spec compares, of each model on parts of the rows, without limits."""
    in_parts = [
        _model(context, m.columns, rows, m.thresholds, label)
        for rows, label in parts
        for m in models
    ]
    valued = [model for model in in_parts if model.rows.height]
    numbers = _named_metrics(valued, set(measures_of(context.spec)))
    return [row for of_model in numbers for row in of_model]


def _model(
    context: EvaluationContext,
    columns: ModelColumns,
    rows: pl.DataFrame,
    thresholds: Sequence[Threshold],
    label: str | None = None,
) -> MultilabelModel:
    """A model on those of some rows that it has an output for; ``label`` names their slice."""
    rows = rows_with_output(rows, columns)
    return MultilabelModel(
        columns,
        rows,
        context.predictions.classes,
        context.weight,
        label,
        methods=context.spec.intervals,
        grouped="group" in rows.columns,
        confidence=context.spec.confidence,
        thresholds=thresholds,
    )


def _comparisons(context: EvaluationContext, models: Sequence[MultilabelModel]) -> list[Comparison]:
    """The tests over rows: of subset accuracy, and of each measure that the spec names."""
    settings, metric = context.test_settings, "subset_accuracy"
    correct = {m.name: m.correct for m in models}
    return [
        *compared_decisions(context.rows, correct, settings, metric),
        *unpaired((sample(context, m, m.correct, metric) for m in models), settings, metric),
        *permutation_tests(context, settings, [*correct], _exchange(context, models)),
    ]


def _exchange(context: EvaluationContext, models: Sequence[MultilabelModel]) -> MakeTests:
    """What makes the tests of a pair in a measure that the spec names."""
    areas = MeanAreas(context)
    decided = delta_tests.of_labels(context, {m.name: m.predicted for m in models})

    def make(metric: str, question: Question) -> list[Comparison]:
        pair = [m for name in question.models for m in models if m.name == name]
        if is_mean_area(metric):
            return areas.compared([m.columns for m in pair], question)
        definition = metric_of("multilabel", metric)
        if definition is None:
            return undefined(question, NOT_DRAWN)
        question = replace(question, metric=definition.name)
        if definition.on != "rows":
            size, decisions = len(context.predictions.classes), [m.predicted for m in pair]
            cells = of_labels(context.rows, size, decisions, definition, context.groups)
            return [*of_pair(context, question, cells), decided.test(definition, question)]
        if definition.group == "ranking" and not all(m.columns.scores for m in pair):
            return undefined(question, ONE_WITHOUT_SCORES)
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
        return (Threshold.in_spec(context.spec),) * len(columns.scores)
    rows, role = context.rows_with_output(columns), SAME_ROWS
    if (validation := validation_rows(context.predictions.frame)) is not None:
        rows, role = rows_with_output(validation[0], columns), validation[1]
    return tuple(
        choose(
            sweep(rows, truth=truth_column(k), score=score, weight=context.weight),
            context.spec,
            rule,
            role,
            fixed_costs(context.spec),
            of=f"{columns.name!r}, {label!r},",
            bootstrap=context.no_bootstrap_reason or context.spec.bootstrap,
        )
        for k, (label, score) in enumerate(
            zip(context.predictions.classes, columns.scores, strict=True)
        )
    )


def _with_limits(context: EvaluationContext, models: Sequence[MultilabelModel]) -> list[MetricRow]:
    """The measures; what has no closed interval is resampled, of a slice what the spec names."""
    evaluated = zip(models, evaluate_metrics(models), strict=True)
    with shared_draws():
        return [row for model, numbers in evaluated for row in _limited(context, model, numbers)]


def _limited(
    context: EvaluationContext, model: MultilabelModel, numbers: list[MetricRow]
) -> list[MetricRow]:
    """The numbers with the limits that are resampled; with none at all where rows return."""
    if context.repeats > 1 and not model.grouped:
        return [without_limits(row) for row in numbers]
    group = model.rows["group"] if model.grouped else None
    of_slice = model.slice is not None
    return of_rows(
        numbers, model.sets, "multilabel", "rows", context.spec, group, of_slice=of_slice
    )


def model_record(model: MultilabelModel) -> ModelRecord:
    """What a model gives, and how it decides."""
    columns = model.columns
    given: dict[ModelOutput, object] = {"scores": columns.scores, "labels": columns.labels}
    at = model.thresholds
    one = at[0] if at else None
    return {
        "name": model.name,
        "outputs": [output for output, column in given.items() if column],
        "probability": bool(model.class_bins)
        and all(bin_table.height for bin_table in model.class_bins),
        "threshold": one.value if one and one.choice is None else None,
        "threshold_rule": one.rule if one else "labels supplied by the model",
        "threshold_role": one.role if one else None,
        "disagreements": None,
        "thresholds": [
            {"class": label, "threshold": t.value, "threshold_choice": choice_record(t.choice)}
            for label, t in zip(model.classes, at, strict=False)
            if t.choice is not None
        ],
    }


def without_scores(models: Sequence[MultilabelModel]) -> list[SkippedRecord]:
    """What models that give no scores do not have."""
    what = "measures of the ranking of labels"
    return [
        {"what": what, "model": m.name, "reason": NO_SCORES} for m in models if not m.columns.scores
    ]


def evaluate_metrics(models: Sequence[MultilabelModel]) -> list[list[MetricRow]]:
    """Every metric of sets of labels, of each label, and its averages, of each model."""
    of_rows, of_ranking = _of_rows(models, MEASURES)
    evaluated = zip(models, of_rows, of_ranking, class_values(models), strict=True)
    return [_of_model(*of_model) for of_model in evaluated]


MEASURES = REGISTRY["multilabel"]


def _named_metrics(
    models: Sequence[MultilabelModel], names: Collection[str]
) -> list[list[MetricRow]]:
    """The measures of sets and the averages that are named; every one where more are."""
    if not set(names) - set(MEASURES) <= ARE_AVERAGES:
        return evaluate_metrics(models)
    of_models = zip(*_of_rows(models, names), averages_alone(models, names), strict=True)
    return [[*sets, *ranking, *of_model] for sets, ranking, of_model in of_models]


def _of_rows(
    models: Sequence[MultilabelModel], names: Collection[str]
) -> tuple[list[list[MetricRow]], list[list[MetricRow]]]:
    """The named metrics of sets of labels, and those of rankings, of each model."""
    metrics = chosen((m for m in MEASURES.values() if m.name in names), models[0].methods)
    of_sets = _of_sets(models, [m for m in metrics if m.group != "ranking"])
    of_scores = [m for m in metrics if m.group == "ranking"]
    scored = iter(_of_sets([m for m in models if m.columns.scores], of_scores))
    of_ranking = [
        next(scored) if m.columns.scores else m.number.rows(None, of_scores, NO_SCORES)
        for m in models
    ]
    return of_sets, of_ranking


def _of_model(
    model: MultilabelModel,
    of_sets: Sequence[MetricRow],
    of_ranking: Sequence[MetricRow],
    values: ClassValues,
) -> list[MetricRow]:
    number = model.number
    by_label = rows_of_classes(model.counts, number, model.methods, values.of_counts)
    return [
        number.rows_counted(model.sets["weight"]),
        *of_sets,
        *of_ranking,
        *by_label,
        *averages(
            model.counts,
            number,
            model.variance,
            added(by_label, model.methods),
            model.tables,
            values.averages,
        ),
        *areas_of_labels(model, number, values.areas),
        *class_calibration.errors(values.calibration, model.classes, number, NO_SCORES),
    ]


def _of_sets(models: Sequence[MultilabelModel], metrics: Sequence[Metric]) -> list[list[MetricRow]]:
    """The measures of sets of labels, with limits by group where rows come in groups."""
    if not models or not metrics:
        return [[] for _ in models]
    if models[0].grouped:
        return [
            rows_in_groups(m.number, m.sets, metrics, groups, _effects(m, groups))
            for m in models
            if (groups := m.by_group) is not None
        ]
    limits = models[0].number.limits_of(metrics)
    of_models = zip(models, limits.values_of_frames(m.sets for m in models), strict=True)
    return [independent_rows(m.number, m.sets, metrics, values=values) for m, values in of_models]


def _effects(model: MultilabelModel, groups: Groups) -> dict[str, Effect]:
    exact = model.rows.select(model.correct).to_series().to_numpy()
    return {"subset_accuracy": share_effect(exact, groups, model.weights)}


def curves(models: Sequence[MultilabelModel]) -> dict[str, DataFrame[Curve]]:
    """Calibration of each label, ROC and P-R of each that has both truths."""
    tables: dict[str, list[pl.DataFrame]] = {"roc": [], "precision_recall": [], "calibration": []}
    for model in models:
        tables["calibration"] += class_calibration.lines(model, model.class_bins)
        for label, lines in zip(model.classes, model.curves(), strict=False):
            of_label = pl.lit(label).alias("class")
            if lines.roc is not None and lines.precision_recall is not None:
                tables["roc"].append(lines.roc.with_columns(of_label))
                tables["precision_recall"].append(lines.precision_recall.with_columns(of_label))
    return {n: CURVES[n].table.validate(pl.concat(parts)) for n, parts in tables.items() if parts}


def areas_of_labels(
    model: MultilabelModel, number: MetricSubject, by_label: Iterable[MeasuresOfClass]
) -> list[MetricRow]:
    """AUC and average precision of each label, averaged, and pooled."""
    support = model.counts.select(pl.col("tp") + pl.col("fn")).to_series().to_numpy()
    return class_areas.areas(
        model.classes,
        by_label,
        model.pooled_areas(),
        number,
        support=support,
        methods=model.methods,
        missing=NO_SCORES,
        noun="label",
        spread=model.area_spread,
    )
