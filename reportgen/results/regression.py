"""Estimates of a number: what the results hold of each model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

import polars as pl

from reportgen.column_statistics import as_float
from reportgen.comparing.error_tests import tests_of_errors
from reportgen.comparing.permutation_tests import (
    MakeTests,
    on_one_scale,
    permutation_tests,
    rowwise,
    undefined,
)
from reportgen.comparing.unpaired import Sample, unpaired
from reportgen.comparisons import Comparison, Question, undefined_errors
from reportgen.comparisons.grouped_samples import mean_in_groups
from reportgen.comparisons.paired_losses import SQUARED
from reportgen.freed_memory import each_alone
from reportgen.integer_sort import in_order_of_rows
from reportgen.measuring.compared_by_fold import measures_of
from reportgen.measuring.context import (
    EvaluationContext,
    Losses,
    RowsOfSlice,
    TaskResults,
    TestSettings,
    rows_with_output,
)
from reportgen.measuring.curve_tables import curves_of_model, joined
from reportgen.measuring.errors_by_row import closer_on_rows, in_order
from reportgen.measuring.median_gains import median_gains
from reportgen.measuring.time_blocks import in_blocks, named
from reportgen.metric_names import WINKLER_SCORE
from reportgen.metrics import REGISTRY
from reportgen.metrics.regression_intervals import OF_INTERVALS, interval_loss
from reportgen.metrics.regression_quantiles import quantile_loss
from reportgen.predictions import ModelColumns
from reportgen.predictions.compared_outputs import compared_outputs
from reportgen.records.rows import ModelOutput, ModelRecord
from reportgen.resampling import shared_draws
from reportgen.results.estimate_measures import (
    FEW_ROWS,
    RegressionModel,
    evaluate_metrics,
    numbers_with_limits,
    unavailable,
    with_resampled_limits,
)
from reportgen.results.evaluated_rows import distribution
from reportgen.results.evaluators import evaluates
from reportgen.tables.results import MetricRow

OTHER_LEVEL = "their prediction intervals have different nominal levels"


@evaluates("regression")
def evaluate_regression(context: EvaluationContext) -> TaskResults:
    """Everything that a regression has."""
    measured = in_blocks(context)
    blocks = measured is not context

    def estimated(columns: ModelColumns, rows: pl.DataFrame, label: str | None) -> RegressionModel:
        given = rows_with_output(rows, columns)
        return RegressionModel(columns, given, context.weight, label, blocks and "group" in rows)

    models = [estimated(columns, context.rows, None) for columns in context.predictions.models]
    limited = models
    if blocks:
        limited = [estimated(m.columns, measured.rows, None) for m in models]

    def of_slices(parts: Sequence[RowsOfSlice]) -> list[MetricRow]:
        in_parts = [estimated(m.columns, rows, label) for rows, label in parts for m in models]
        in_parts = [m for m in in_parts if m.rows.height]
        numbers = numbers_with_limits(measured, in_parts)
        resampled = (
            with_resampled_limits(measured, m, rows)
            for m, rows in zip(in_parts, numbers, strict=True)
        )
        with shared_draws():
            return list(chain(*resampled))

    in_slices, unsliced = ([], []) if context.only_compared else measured.sliced(of_slices)
    pairs = (
        () if context.only_compared else zip(each_alone(limited, context.rows), models, strict=True)
    )
    with shared_draws():
        evaluated = [_numbers_and_curves(measured, *two) for two in pairs]
    numbers = [row for of_model, _ in evaluated for row in of_model]
    of_means = {m.columns.name: _of_mean(m.columns) for m in models}
    gains = [] if context.test_settings.unpaired else median_gains(context, of_means)

    def of_parts(parts: Sequence[RowsOfSlice]) -> list[MetricRow]:
        in_parts = [estimated(m.columns, rows, label) for rows, label in parts for m in models]
        compared = set(measures_of(context.spec))
        valued = (m for m in in_parts if m.rows.height)
        numbers = (evaluate_metrics(m, context.spec, only=compared) for m in valued)
        return [row for of_model in numbers for row in of_model]

    return TaskResults(
        of_parts=of_parts,
        metrics=named([*numbers, *in_slices], context),
        curves=joined([curves for _, curves in evaluated]),
        comparisons=[
            *compared(context.rows, models, context.test_settings),
            *unpaired((_sample(context, m) for m in models), context.test_settings),
            *permutation_tests(
                context, context.test_settings, [m.name for m in models], _exchange(context, models)
            ),
        ],
        models=[
            {
                **model_record(m.columns),
                **in_order(context, m.columns, m.rows),
                "outside_interval": _outside_interval(context, m),
            }
            for m in models
        ],
        truth={
            "distribution": distribution(context.rows["truth"]),
            "closer_on_rows": closer_on_rows(context, of_means),
            **({"median_gains": gains} if gains else {}),
        },
        skipped=unsliced,
        losses=_losses(models),
    )


def _outside_interval(context: EvaluationContext, model: RegressionModel) -> int | None:
    """The rows whose estimate lies outside its own interval; null without, or of small cells."""
    columns = model.columns
    if columns.low is None or columns.high is None or context.spec.privacy.small_cells:
        return None
    within = pl.col(str(columns.estimate)).is_between(pl.col(columns.low), pl.col(columns.high))
    return int(model.rows.select((~within).sum()).item())


def _of_mean(columns: ModelColumns) -> str | None:
    """The column of estimates that are no quantile."""
    return columns.estimate if columns.quantile is None else None


def _exchange(context: EvaluationContext, models: Sequence[RegressionModel]) -> MakeTests:
    """What makes the tests of a pair in a measure that the spec names."""

    def make(metric: str, question: Question) -> list[Comparison]:
        pair = [m for name in question.models for m in models if m.name == name]
        definition = REGISTRY["regression"][metric]
        if any(metric in unavailable(m.columns) for m in pair):
            return undefined(question, definition.undefined)
        levels = {m.level or context.spec.confidence for m in pair}
        if metric == "winkler_score" and len(levels) > 1:
            return undefined(question, OTHER_LEVEL)
        pairs = [m.pairs for m in pair]
        if metric not in OF_INTERVALS:  # which only some models may have
            pairs = [frame.drop("low", "high", strict=False) for frame in pairs]
        pairs = [on_one_scale(frame, metric) for frame in pairs]
        return rowwise(context, question, pairs, definition, level=min(levels))

    return make


def _sample(context: EvaluationContext, model: RegressionModel) -> Sample:
    """The model on rows of its own, for tests of models that are not paired."""
    errors = model.pairs.select((pl.col("truth") - pl.col("estimate")) ** 2).to_series()
    groups = context.groups_of(model.rows)
    ids = context.ids(model.rows)
    in_groups = {} if groups is None else {SQUARED: mean_in_groups(errors.to_numpy(), groups)}
    return Sample(model.name, model.rows.height, errors=errors, ids=ids, in_groups=in_groups)


def _losses(models: Sequence[RegressionModel]) -> Losses:
    predicted = {m.name: pl.col(str(m.columns.estimate)) for m in models}
    squared = {name: (pl.col("truth") - number) ** 2 for name, number in predicted.items()}
    error = "mean_squared_error"
    return Losses(
        error, error, "squared", of=squared, predicted=predicted, further=_further_losses(models)
    )


def _further_losses(models: Sequence[RegressionModel]) -> dict[str, dict[str, pl.Expr]]:
    """The losses of each quantile, and those of prediction intervals."""
    columns = {m.name: m for m in (model.columns for model in models)}
    return {
        measure: {name: _loss_of_output(columns[name], measure) for name in names}
        for measure, names in compared_outputs([*columns.values()]).items()
    }


def _loss_of_output(columns: ModelColumns, measure: str) -> pl.Expr:
    """What a model loses on a row in its quantile, or its prediction interval."""
    truth, estimate = pl.col("truth"), pl.col(str(columns.estimate))
    if measure == WINKLER_SCORE:
        low, high = pl.col(str(columns.low)), pl.col(str(columns.high))
        return interval_loss(truth, low, high, as_float(columns.level))
    return quantile_loss(truth - estimate, as_float(columns.quantile))


def _numbers_and_curves(
    context: EvaluationContext, model: RegressionModel, of_curves: RegressionModel
) -> tuple[list[MetricRow], dict[str, pl.DataFrame]]:
    """The measures on all rows, the core ones that have no closed form resampled, and curves."""
    ordered = None if model.groups is not None else in_order_of_rows(model.pairs)
    few = model.pairs.height <= FEW_ROWS
    (numbers,) = numbers_with_limits(context, [model], ordered, means=few)
    pairs = of_curves.pairs if ordered is None else ordered
    curves = curves_of_model(model.name, pairs, of_curves.in_time)
    return with_resampled_limits(context, model, numbers, ordered), curves


def model_record(columns: ModelColumns) -> ModelRecord:
    """What a model gives."""
    outputs: list[ModelOutput] = ["estimate"] if columns.low is None else ["estimate", "interval"]
    return {
        "name": columns.name,
        "outputs": outputs,
        "quantile": columns.quantile,
        "level": columns.level,
        "probability": False,
        "threshold": None,
        "threshold_rule": "",
        "threshold_role": None,
        "disagreements": None,
    }


def compared(
    rows: pl.DataFrame, models: Sequence[RegressionModel], settings: TestSettings
) -> list[Comparison]:
    """The tests of paired errors of every pair, not yet adjusted."""
    ordered = sorted(models, key=lambda model: model.name == settings.baseline)
    records: list[Comparison] = []
    for a, b in combinations(ordered, 2):
        question = settings.question((a.name, b.name), SQUARED)
        if settings.unpaired:
            grouped, weighted = settings.groups is not None, settings.weight is not None
            records += undefined_errors(
                question, settings.unpaired, grouped=grouped, weighted=weighted
            )
            continue
        columns = (str(a.columns.estimate), str(b.columns.estimate))
        records += tests_of_errors(rows, columns, question, settings)
    return records
