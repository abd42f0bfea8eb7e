"""Two classes: what the results hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from reportgen.comparing import differences
from reportgen.comparing.binary_exchanges import Binary
from reportgen.comparing.compare import compared, of_rows, several
from reportgen.comparing.dominances import dominances
from reportgen.comparing.permutation_tests import permutation_tests
from reportgen.comparing.share_of_positives import brier_difference
from reportgen.comparing.unpaired import Sample, unpaired
from reportgen.comparisons import Comparison, area_covariance
from reportgen.comparisons.grouped_samples import GroupedMean, mean_in_groups
from reportgen.freed_memory import each_alone, give_back
from reportgen.measuring import time_blocks
from reportgen.measuring.binary_model import (
    BinaryModel,
    evaluate_model,
    predicted_positive,
    ranking,
)
from reportgen.measuring.bootstrap_intervals import bootstrap_settings
from reportgen.measuring.context import (
    EvaluationContext,
    Losses,
    TaskResults,
    TestSettings,
    rows_with_output,
)
from reportgen.measuring.costed_rows import CostRows
from reportgen.measuring.costs import (
    OWN_COSTS,
    cost_rows,
    row_cost,
)
from reportgen.measuring.curve_tables import CurveOptions, curves
from reportgen.measuring.decision_bits import DecisionBits
from reportgen.measuring.grouped import GroupedRows
from reportgen.measuring.threshold_change import cost_at_each, threshold_change
from reportgen.measuring.thresholds import Threshold, choose
from reportgen.measuring.time_blocks import by_block, in_blocks
from reportgen.measuring.validation_rows import validation_rows
from reportgen.metric_names import BRIER
from reportgen.metrics import METRICS
from reportgen.metrics.settings import ErrorCosts
from reportgen.predictions import ModelColumns
from reportgen.records.decision import ThresholdChange
from reportgen.records.rows import OTHER_FITS, SAME_ROWS, SkippedRecord
from reportgen.results.binary_parts import (
    numbers_of_parts,
    numbers_of_slices,
    numbers_with_limits_of,
)
from reportgen.results.binary_records import (
    disagreements,
    model_record,
    skipped_parts,
    truth_record,
    without_bands,
)
from reportgen.results.evaluators import evaluates
from reportgen.spec import Choice, Spec
from reportgen.spec.measures import further_measures
from reportgen.sweeping import sweep
from reportgen.tables.comparisons import DifferenceRow

FEW_MODELS = 1
"""Of more models each lets go of what its rows in groups are sorted into until it is measured."""


def _skipped(context: EvaluationContext, models: Sequence[BinaryModel]) -> list[SkippedRecord]:
    """What has nothing to show; of graded answers no reader expects scores."""
    return [] if context.task.graded else skipped_parts(models)


@evaluates("binary")
def evaluate_binary(context: EvaluationContext) -> TaskResults:
    """Everything that two classes have: sweeps, curves, costs, tests, dominance."""
    spec, predictions = context.spec, context.predictions
    models = _models(context)
    measured = in_blocks(context)
    limited = models if measured is context else [_again(measured, model) for model in models]

    def measure(of: EvaluationContext) -> time_blocks.Measured:
        numbers = numbers_with_limits_of(of, limited if of is measured else models)
        in_slices, unsliced = of.sliced(lambda parts: numbers_of_slices(of, models, parts))
        return [*numbers, *in_slices], unsliced

    def between(of: EvaluationContext) -> list[DifferenceRow]:
        compared_models = limited if of is measured else models
        return differences.of_rows(of, compared_models, decisions)

    metrics, unsliced = time_blocks.limited(context, measured, measure)
    labels = (predictions.positive, predictions.negative)
    weighted = context.weight is not None
    terms = with_declared_costs(context.test_settings, spec, context.error_costs)
    single = context.no_bootstrap_reason is None
    decisions = None if weighted else _decision_bits(context, models)
    return TaskResults(
        of_parts=partial(numbers_of_parts, context, models),
        metrics=metrics,
        curves={}
        if context.only_compared
        else curves(
            models,
            curve_options(spec, labels, context.error_costs, single=single, weighted=weighted),
        ),
        comparisons=_comparisons(context, models, terms, decisions),
        differences=[
            row | {"interval": by_block(row["interval"], context)}
            for row in time_blocks.differences_in_time(context, measured, between)
        ],
        dominance=dominances(models, _rows_to_resample(context), spec.bootstrap.seed),
        models=[
            model_record(m, disagreements(context.rows, m))
            | {"brier_above_share": brier_difference(context, m)}
            for m in models
        ],
        truth=truth_record(labels, int(context.rows["truth"].sum()), context.rows.height),
        skipped=[*_skipped(context, models), *without_bands(models), *unsliced],
        losses=_losses(context, models),
        area_effects={m.name: m.grouped.area for m in models if m.grouped is not None},
        threshold_changes=_threshold_changes(context, models),
    )


def _comparisons(
    context: EvaluationContext,
    models: Sequence[BinaryModel],
    terms: TestSettings,
    decisions: DecisionBits | None,
) -> list[Comparison]:
    """The tests of all models, of each pair, of models on other rows, and of chosen measures."""
    give_back(context.rows)
    names, exchanges = [m.name for m in models], Binary(context, terms, models)
    return [
        *several(context.rows, _correct(models, terms.baseline), terms),
        *compared(models, terms, of_rows(context.rows, terms, decisions)),
        *unpaired((_sample(context, model) for model in models), terms),
        *permutation_tests(context, terms, names, exchanges, exchanges.of_examples),
    ]


def _threshold_changes(
    context: EvaluationContext, models: Sequence[BinaryModel]
) -> list[ThresholdChange]:
    """What the threshold of least cost would save, where costs are declared."""
    if context.spec.costs is None or context.predictions.unpaired is not None:
        return []
    chosen_on, role = validation_rows(context.predictions.frame) or (None, None)
    changes = []
    for model in models:
        score, threshold = model.columns.score, model.threshold
        if score is None or threshold is None or model.columns.label is not None:
            continue

        def costed(rows: pl.DataFrame, score: str = score) -> CostRows:
            return cost_rows(context, rows, score)

        change = threshold_change(
            model.name,
            costed(context.rows_with_output(model.columns)),
            threshold.value,
            validation=None
            if chosen_on is None or role == OTHER_FITS
            else costed(rows_with_output(chosen_on, model.columns)),
            options=bootstrap_settings(context.spec),
        )
        changes += [change] if change is not None else []
    return changes


def _decision_bits(context: EvaluationContext, models: Sequence[BinaryModel]) -> DecisionBits:
    return DecisionBits.of(
        context.rows, {m.name: predicted_positive(m.columns, m.threshold) for m in models}
    )


def _rows_to_resample(context: EvaluationContext) -> pl.DataFrame | None:
    """The rows to resample, alone or by group; none where they cannot be, for both models."""
    able = (
        context.weight is None and context.repeats == 1 and context.test_settings.unpaired is None
    )
    return context.rows if able and context.spec.bootstrap.replicates > 0 else None


def _correct(models: Sequence[BinaryModel], baseline: str | None) -> dict[str, pl.Expr]:
    """Whether each model is right about a row, the baseline last."""
    ordered = sorted(models, key=lambda model: model.name == baseline)
    return {m.name: predicted_positive(m.columns, m.threshold) == pl.col("truth") for m in ordered}


def _sample(context: EvaluationContext, model: BinaryModel) -> Sample:
    """The model on rows of its own, for tests of models that are not paired."""
    rows, score = context.rows_with_output(model.columns), model.columns.score
    groups, in_groups, area = context.groups_of(rows), {}, None
    correct = rows.select(
        predicted_positive(model.columns, model.threshold) == pl.col("truth")
    ).to_series()
    if groups is not None:
        in_groups["accuracy"] = mean_in_groups(correct.to_numpy(), groups)
    if score is not None:
        estimates = area_covariance(rows, [score], groups=groups)
        area = float(estimates.areas[0]), float(estimates.covariance[0, 0])
        if estimates.sums is not None:
            in_groups["auc"] = GroupedMean(*area, estimates.sums[:, 0])
    successes = int(correct.sum())
    return Sample(
        model.name, rows.height, successes, area, ids=context.ids(rows), in_groups=in_groups
    )


def _losses(context: EvaluationContext, models: Sequence[BinaryModel]) -> Losses:
    """A wrong decision loses 1, and what it costs where costs are declared."""
    decisions = {m.name: predicted_positive(m.columns, m.threshold) for m in models}
    declared = decisions if context.spec.costs is not None else {}
    return Losses(
        "accuracy",
        "error_rate",
        "zero_one",
        of={name: predicted != pl.col("truth") for name, predicted in decisions.items()},
        predicted=decisions,
        scores={m.name: m.columns.score for m in models if m.columns.score is not None},
        probable=frozenset(m.name for m in models if m.probability),
        costs={
            name: row_cost(context.rows, predicted, context.error_costs)
            for name, predicted in declared.items()
        },
        further=_of_probabilities(context, models),
    )


def _of_probabilities(
    context: EvaluationContext, models: Sequence[BinaryModel]
) -> dict[str, dict[str, pl.Expr]]:
    """What probabilities lose on a row, where the spec asks for a test of the Brier score."""
    if BRIER not in further_measures(context.spec):
        return {}
    truth = pl.col("truth").cast(pl.Float64)
    scores = {m.name: m.columns.score for m in models if m.probability}
    return {BRIER: {name: (pl.col(str(score)) - truth) ** 2 for name, score in scores.items()}}


def curve_options(
    spec: Spec,
    labels: tuple[str, str],
    costs: ErrorCosts,
    *,
    single: bool,
    weighted: bool,
) -> CurveOptions:
    """What the curves are made under; named measures of counts are drawn too."""
    named = () if isinstance(spec.measures, str) else spec.measures
    return CurveOptions(
        labels,
        spec.confidence,
        costs,
        weighted=weighted,
        single=single,
        measures=[name for name in named if name in METRICS and METRICS[name].on == "counts"],
    )


def with_declared_costs(settings: TestSettings, spec: Spec, costs: ErrorCosts) -> TestSettings:
    """The terms of the tests, with the costs where the spec declares them."""
    return replace(settings, costs=None if spec.costs is None else costs)


def _models(context: EvaluationContext) -> list[BinaryModel]:
    """The models on all rows; of many, each without what it takes a moment to make again."""
    models = []
    for columns in each_alone(context.predictions.models, context.rows):
        model = binary_model(context, columns)
        if isinstance(model.grouped, GroupedRows) and len(context.predictions.models) > FEW_MODELS:
            model.grouped.forget()
        models.append(model)
    return models


def binary_model(context: EvaluationContext, columns: ModelColumns) -> BinaryModel:
    """A model with its threshold, on all rows."""
    rows, weight, rule = context.rows_with_output(columns), context.weight, context.spec.threshold
    if columns.score is None:
        return evaluate_model(rows, columns, None, weight=weight, repeats=context.repeats)
    grouped = GroupedRows.of(rows, columns.score, weight) if "group" in rows.columns else None
    steps = ranking(rows, columns.score, weight, grouped)
    if isinstance(rule, Choice):
        basis, role, chosen_on = steps.table(), SAME_ROWS, rows
        if (validation := validation_rows(context.predictions.frame)) is not None:
            chosen_on, role = validation
            basis = sweep(chosen_on, score=columns.score, weight=weight)
        has_own_costs = bool(OWN_COSTS & set(rows.columns))
        threshold = choose(
            basis,
            context.spec,
            rule,
            role,
            context.error_costs,
            of=repr(columns.name),
            bootstrap=context.no_bootstrap_reason or context.spec.bootstrap,
            own_costs=cost_at_each(cost_rows(context, chosen_on, columns.score))
            if has_own_costs
            else None,
        )
    else:
        threshold = Threshold.in_spec(context.spec)
    return evaluate_model(
        rows,
        columns,
        threshold,
        weight=weight,
        steps=steps,
        repeats=context.repeats,
        grouped=grouped,
    )


def _again(context: EvaluationContext, model: BinaryModel) -> BinaryModel:
    """The model at its threshold on rows that are grouped in another way."""
    rows = context.rows_with_output(model.columns)
    return evaluate_model(
        rows, model.columns, model.threshold, weight=context.weight, repeats=context.repeats
    )
