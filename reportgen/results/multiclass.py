"""Several classes: what the results hold of each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparing import class_differences, delta_tests
from reportgen.comparing.compare import compared_decisions
from reportgen.comparing.cost_tests import POINT, ROWS, compared_costs
from reportgen.comparing.mean_areas import MeanAreas, is_mean_area
from reportgen.comparing.permutation_tests import (
    NOT_DRAWN,
    MakeTests,
    metric_of,
    of_cells,
    of_class_losses,
    of_pair,
    permutation_tests,
    rowwise,
    undefined,
    with_distances,
)
from reportgen.comparing.unpaired import sample, unpaired
from reportgen.comparisons import Comparison, Question
from reportgen.curves import calibration, precision_recall, roc
from reportgen.freed_memory import each_alone, give_back
from reportgen.intervals.method_names import Allowance
from reportgen.measuring import class_calibration, time_blocks
from reportgen.measuring.bootstrap_intervals import of_matrix, of_rows
from reportgen.measuring.cell_slopes import TableCells
from reportgen.measuring.class_averages import one_interval
from reportgen.measuring.class_values import together
from reportgen.measuring.compared_by_fold import measures_of
from reportgen.measuring.context import (
    EvaluationContext,
    Losses,
    RowsOfSlice,
    TaskResults,
    rows_with_output,
)
from reportgen.measuring.curve_tables import SMALL, joined, thinned
from reportgen.measuring.multiclass_metrics import evaluate_metrics, named_metrics
from reportgen.measuring.multiclass_model import MulticlassModel
from reportgen.measuring.table_limits import with_closed_limits
from reportgen.measuring.time_blocks import in_blocks
from reportgen.metrics.class_scores import are_probabilities
from reportgen.metrics.settings import CostMatrix, MetricSettings
from reportgen.predictions import ModelColumns
from reportgen.records.rows import ClassSize, ModelOutput, ModelRecord, SkippedRecord
from reportgen.resampling import shared_draws
from reportgen.results.evaluators import evaluates
from reportgen.spec import Spec
from reportgen.tables import CURVES, Confusion, Curve
from reportgen.tables.results import MetricRow
from reportgen.text.reasons import NO_SCORES, ONE_WITHOUT_SCORES


@evaluates("multiclass")
def evaluate_multiclass(context: EvaluationContext) -> TaskResults:
    """Everything that several classes have."""
    models = [_model(context, columns, context.rows) for columns in context.predictions.models]
    measured = in_blocks(context)
    by_row = time_blocks.of_independent_rows(context)
    evaluated = [_evaluated(by_row, model) for model in each_alone(models, context.rows)]
    numbers = [row for one in evaluated for row in one.numbers]
    by_block = numbers
    if measured is not context:
        in_blocks_of_time = (_model(context, m.columns, measured.rows) for m in models)
        by_block = [row for m in in_blocks_of_time for row in _with_limits(measured, [m])]

    def measure(of: EvaluationContext) -> time_blocks.Measured:
        def of_slices(parts: Sequence[RowsOfSlice]) -> list[MetricRow]:
            in_parts = (_model(of, m.columns, rows, label) for rows, label in parts for m in models)
            batches = together(m for m in in_parts if m.rows.height)
            return [row for batch in batches for row in _with_limits(of, batch)]

        in_slices, unsliced = of.sliced(of_slices)
        return [*(by_block if of is measured else numbers), *in_slices], unsliced

    metrics, unsliced = time_blocks.limited(context, measured, measure)
    decisions = {m.name: m.predicted for m in models}
    return TaskResults(
        of_parts=partial(_of_parts, context, models),
        metrics=metrics,
        curves=joined([one.curves for one in evaluated]),
        comparisons=_comparisons(context, models),
        differences=class_differences.of_classes(context, decisions),
        models=[one.record for one in evaluated],
        truth={"classes": class_sizes(_sizes(context.rows), context.predictions.classes)},
        skipped=[*without_scores(models), *unsliced],
        losses=Losses(
            "accuracy",
            "error_rate",
            "zero_one",
            of={m.name: m.predicted != pl.col("truth") for m in models},
            predicted=decisions,
            costs={}
            if (costs := context.class_costs) is None
            else {name: cost_of_decision(decision, costs) for name, decision in decisions.items()},
        ),
    )


@dataclass(frozen=True, slots=True)
class _EvaluatedModel:
    """What all rows give of a model: its measures with limits, its curves and its record."""

    numbers: list[MetricRow]
    curves: dict[str, DataFrame[Curve]]
    record: ModelRecord


def _evaluated(context: EvaluationContext, model: MulticlassModel) -> _EvaluatedModel:
    """All of it from the same tables, which are then let go."""
    record = _record(context.rows, model)
    if context.only_compared:
        return _EvaluatedModel([], {}, record)
    numbers = _with_limits(context, [model])
    give_back(context.rows)
    evaluated = _EvaluatedModel(numbers, curves(model), record)
    model.forget()
    return evaluated


def _of_parts(
    context: EvaluationContext,
    models: Sequence[MulticlassModel],
    parts: Sequence[RowsOfSlice],
) -> list[MetricRow]:
    """The measures that a spec compares, of each model on parts of the rows, without limits."""
    in_parts = [_model(context, m.columns, rows, label) for rows, label in parts for m in models]
    valued = [model for model in in_parts if model.rows.height]
    numbers = named_metrics(valued, context.class_costs, set(measures_of(context.spec)))
    return [row for of_model in numbers for row in of_model]


def _model(
    context: EvaluationContext, columns: ModelColumns, rows: pl.DataFrame, label: str | None = None
) -> MulticlassModel:
    """A model on those of some rows that it has an output for; ``label`` names their slice."""
    rows = rows_with_output(rows, columns)
    grouped = "group" in rows.columns
    return MulticlassModel(
        columns,
        rows,
        context.predictions.classes,
        context.weight,
        label,
        1 if grouped else context.repeats,
        context.spec.intervals,
        grouped,
        context.spec.confidence,
    )


def _comparisons(context: EvaluationContext, models: Sequence[MulticlassModel]) -> list[Comparison]:
    """The tests over rows: of accuracy, and of each measure that the spec names."""
    settings = context.test_settings
    correct = {m.name: m.predicted == pl.col("truth") for m in models}
    names = [m.name for m in models]
    return [
        *compared_decisions(context.rows, correct, settings),
        *_of_costs(context, models),
        *unpaired((sample(context, m, correct[m.name]) for m in models), settings),
        *permutation_tests(context, settings, names, _exchange(context, models)),
    ]


def _of_costs(context: EvaluationContext, models: Sequence[MulticlassModel]) -> list[Comparison]:
    """The tests of what the rows cost, where costs are declared."""
    if (costs := context.class_costs) is None:
        return []
    lost = costs_of_rows(context.rows, {m.name: m.predicted for m in models}, costs)
    settings = context.test_settings
    return compared_costs(lost, [m.name for m in models], settings, settings.design(context.rows))


def costs_of_rows(
    rows: pl.DataFrame, predicted: Mapping[str, pl.Expr], costs: CostMatrix
) -> pl.DataFrame:
    """What the decisions of every model about the rows cost, and what the costliest error would.

    Of lines that stand for several rows with how many.
    """
    costliest = pl.lit(pl.Series([float(max(of_class)) for of_class in costs]))
    truth = pl.col("truth").cast(pl.UInt32)
    return rows.select(
        POINT,
        ROWS,
        costliest=costliest.gather(truth),
        **{name: cost_of_decision(decision, costs) for name, decision in predicted.items()},
    )


def cost_of_decision(predicted: pl.Expr, costs: CostMatrix) -> pl.Expr:
    """What a row costs under a decision."""
    by_cell = pl.lit(pl.Series([float(cost) for of_class in costs for cost in of_class]))
    return by_cell.gather(pl.col("truth").cast(pl.UInt32) * len(costs) + predicted)


def _exchange(context: EvaluationContext, models: Sequence[MulticlassModel]) -> MakeTests:
    """What makes the tests of a pair in a measure that the spec names."""
    areas = MeanAreas(context)
    decided = delta_tests.of_classes(context, {m.name: m.predicted for m in models})

    def make(metric: str, question: Question) -> list[Comparison]:
        pair = [m for name in question.models for m in models if m.name == name]
        if is_mean_area(metric):
            return areas.compared([m.columns for m in pair], question)
        definition = metric_of("multiclass", metric)
        if definition is None or definition.on not in ("classes", "matrix", "rows"):
            return undefined(question, NOT_DRAWN)
        question = replace(question, metric=definition.name)
        if definition.on != "rows":
            decisions = [m.predicted for m in pair]
            size = len(context.predictions.classes)
            costs, groups = context.class_costs, context.groups
            cells = of_cells(context.rows, size, decisions, definition, costs, groups)
            tests = [*of_pair(context, question, cells), decided.test(definition, question)]
            return with_distances(tests, context.rows, decisions, definition)
        scored = [m.scored for m in pair if m.scored is not None]
        if len(scored) < 2:
            return undefined(question, ONE_WITHOUT_SCORES)
        tests = rowwise(context, question, scored, definition)
        return [*tests, *of_class_losses(context, question, scored, definition)]

    return make


def _with_limits(context: EvaluationContext, models: Sequence[MulticlassModel]) -> list[MetricRow]:
    """The measures; what has no closed interval is resampled, of a slice what the spec names."""
    evaluated = zip(models, evaluate_metrics(models, context.class_costs), strict=True)
    with shared_draws():
        return [row for model, numbers in evaluated for row in _limited(context, model, numbers)]


def _limited(
    context: EvaluationContext, model: MulticlassModel, numbers: list[MetricRow]
) -> list[MetricRow]:
    if model.repeats > 1:
        return numbers
    of_slice, spec = model.slice is not None, context.spec
    give_back(model.rows)
    numbers = with_limits_of_table(model, numbers, context.class_costs, spec)
    group = model.rows["group"] if model.grouped else None
    scored = model.scored
    numbers = of_rows(numbers, scored, "multiclass", "rows", spec, group, of_slice=of_slice)
    return numbers if of_slice else one_interval(numbers)


def with_limits_of_table(
    model: MulticlassModel,
    numbers: Sequence[MetricRow],
    costs: CostMatrix | None,
    spec: Spec,
) -> list[MetricRow]:
    """The numbers of all rows, or of a slice, those of the table with limits.

    Slices of which there may be many are resampled for core measures and those of the spec alone.
    """
    if model.repeats > 1:
        return list(numbers)
    allows: Allowance | None = "squared weights" if model.weight else None
    allows = "groups" if model.grouped else allows
    if model.methods.ratios != "bootstrap":
        cells = TableCells.of(model.matrix, model.groups)
        numbers = with_closed_limits(numbers, cells, spec, costs, allows)
    of_part = model.slice is not None
    settings: MetricSettings = {"costs": costs}
    return of_matrix(numbers, model.matrix, spec, settings, model.groups, of_part=of_part)


def _sizes(rows: pl.DataFrame) -> dict[int, int]:
    return dict(rows["truth"].value_counts().iter_rows())


def class_sizes(rows: Mapping[int, int], classes: Sequence[str]) -> list[ClassSize]:
    """Rows of each class, from those of each position."""
    return [{"class": name, "rows": rows.get(k, 0)} for k, name in enumerate(classes)]


def _record(rows: pl.DataFrame, model: MulticlassModel) -> ModelRecord:
    columns = model.columns
    disagreements = None
    if columns.scores and columns.label:
        disagreements = rows.select((pl.col(str(columns.highest)) != model.predicted).sum()).item()
    sums = model.scored is not None and bool(model.scored.select(are_probabilities()).item())
    return model_record(columns, disagreements, probability=sums)


def model_record(
    columns: ModelColumns, disagreements: int | None, *, probability: bool
) -> ModelRecord:
    """What a model gives, and how it decides."""
    given: dict[ModelOutput, object] = {"scores": columns.scores, "label": columns.label}
    return {
        "name": columns.name,
        "outputs": [output for output, column in given.items() if column],
        "probability": probability,
        "threshold": None,
        "threshold_rule": "labels supplied by the model"
        if columns.label is not None
        else "the class with the highest score",
        "threshold_role": None,
        "disagreements": disagreements,
    }


def without_scores(models: Sequence[MulticlassModel]) -> list[SkippedRecord]:
    """What models that give no scores do not have."""
    what = "ranking and calibration"
    return [
        {"what": what, "model": m.name, "reason": NO_SCORES} for m in models if not m.columns.scores
    ]


def curves(model: MulticlassModel) -> dict[str, DataFrame[Curve]]:
    """Confusion, calibration of the highest score and of each class, and each against the rest."""
    tables: dict[str, list[pl.DataFrame]] = {name: [] for name in CURVES}
    tables["confusion"].append(_confusion(model))
    if model.bins is not None and model.bins.height:
        weighted_rows = model.weight is not None
        tables["calibration"].append(
            calibration(model.bins, model.name, confidence=model.confidence, weighted=weighted_rows)
        )
    if model.one_vs_rest is not None:
        tables["calibration"] += class_calibration.lines(model, model.one_vs_rest.bins)
    for label, steps in zip(model.classes, model.sweeps(), strict=False):
        if steps["tp"][-1] == 0 or steps["fp"][-1] == 0:
            continue
        of_class = pl.lit(label).alias("class")
        lines = {
            "roc": thinned(roc(steps, model.name), "false_positive_rate", "recall", SMALL),
            "precision_recall": thinned(
                precision_recall(steps, model.name), "recall", "precision", SMALL
            ),
        }
        for name, line in lines.items():
            tables[name].append(line.with_columns(of_class))
    return {
        name: CURVES[name].table.validate(pl.concat(parts))
        for name, parts in tables.items()
        if parts
    }


def _confusion(model: MulticlassModel) -> DataFrame[Confusion]:
    names = pl.Series(list(model.classes), dtype=pl.String)
    whole = pl.col("count").sum().over("truth")
    nothing = pl.lit(None, pl.String)
    return Confusion.validate(
        model.matrix.select(
            model=pl.lit(model.name),
            slice=pl.lit(model.slice, pl.String),
            **{"class": nothing},
            truth=pl.lit(names).gather("truth"),
            predicted=pl.lit(names).gather("predicted"),
            count="count",
            share=pl.when(whole > 0).then(pl.col("count") / whole),
        )
    )
