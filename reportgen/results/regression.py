"""Estimates of a number: what the results hold of each model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations

import numpy as np
import polars as pl

from reportgen.clusters import Groups
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
from reportgen.intervals import MeanOfRows
from reportgen.intervals.method_names import Allowance, MethodName
from reportgen.intervals.proportions import wilson_modified
from reportgen.measuring.bootstrap_intervals import of_rows
from reportgen.measuring.context import (
    EvaluationContext,
    Losses,
    RowsOfSlice,
    TaskResults,
    TestSettings,
    rows_with_output,
)
from reportgen.measuring.curve_tables import curves_of_model, joined
from reportgen.measuring.gains import GAINS, agreeing
from reportgen.measuring.independent_means import (
    LEAST_OF_ABSOLUTE_ERRORS,
    OF_SHARE,
    SHARES,
    closed_form,
    in_closed_form,
    least_rows,
)
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.row_means import (
    MeasuredRows,
    limited_rows,
    measured_in_groups,
    rows_in_groups,
)
from reportgen.measuring.series_limits import of_ratios
from reportgen.measuring.successive_errors import in_order
from reportgen.measuring.time_blocks import in_blocks, named, wider
from reportgen.metric_names import PINBALL_LOSS, WINKLER_SCORE, of_parameter
from reportgen.metrics import REGISTRY, Metric
from reportgen.metrics.regression import quantile_loss
from reportgen.metrics.regression_intervals import interval_loss
from reportgen.predictions import ModelColumns
from reportgen.records.rows import ModelOutput, ModelRecord
from reportgen.results.evaluated_rows import distribution
from reportgen.results.evaluators import evaluates
from reportgen.spec import Spec
from reportgen.spec.measures import evaluated
from reportgen.tables.results import MetricRow

OTHER_LEVEL = "their prediction intervals have different nominal levels"

OF_INTERVALS = ("interval_coverage", "interval_width", "winkler_score")
"""The metrics that need a prediction interval."""

OF_QUANTILE = "quantile_coverage"
"""The metric of estimates that are quantiles."""


def unavailable(columns: ModelColumns) -> frozenset[str]:
    """The metrics that have no value, as the model gives no prediction interval, or no quantile."""
    names = frozenset(OF_INTERVALS if columns.low is None else ())
    return names if columns.quantile is not None else names | {OF_QUANTILE}


FEW_ROWS = 10_000
"""Up to so many rows means have limits in closed form: the bootstrap covers too little."""


@dataclass(frozen=True)
class RegressionModel:
    """One model on one set of rows."""

    columns: ModelColumns
    rows: pl.DataFrame
    weight: str | None = None
    slice: str | None = None
    in_blocks: bool = False
    """Whether its groups are blocks of time."""

    @property
    def name(self) -> str:
        """The model's name."""
        return self.columns.name

    @property
    def level(self) -> float | None:
        """Share of the truths that the prediction interval should hold, by the spec."""
        return self.columns.level

    @cached_property
    def groups(self) -> Groups | None:
        """The groups of the rows, where the rows of a group depend on each other."""
        return Groups.of(self.rows["group"]) if "group" in self.rows.columns else None

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """The frame that ``metrics.regression`` reads, row by row."""
        ends = {"low": self.columns.low, "high": self.columns.high}
        given = {name: column for name, column in ends.items() if column}
        weight = pl.col(self.weight).cast(pl.Float64) if self.weight else pl.lit(1.0)
        return self.rows.select(
            "truth", weight=weight, estimate=str(self.columns.estimate), **given
        )

    @property
    def in_time(self) -> pl.DataFrame | None:
        """The same rows with their points of time, where they have any."""
        if "point" not in self.rows.columns:
            return None
        return self.rows.select("time", "point", "truth", estimate=str(self.columns.estimate))


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
        numbers = _in_closed_form(measured, in_parts)
        resampled = (
            _resampled(measured, m, rows) for m, rows in zip(in_parts, numbers, strict=True)
        )
        return list(chain(*resampled))

    in_slices, unsliced = measured.sliced(of_slices)
    pairs = zip(each_alone(limited, context.rows), models, strict=True)
    numbers, curves = zip(*[_numbers_and_curves(measured, *two) for two in pairs], strict=True)
    return TaskResults(
        metrics=named([*chain(*numbers), *in_slices], context),
        curves=joined(curves),
        comparisons=[
            *compared(context.rows, models, context.test_settings),
            *unpaired((_sample(context, m) for m in models), context.test_settings),
            *permutation_tests(
                context, context.test_settings, [m.name for m in models], _exchange(context, models)
            ),
        ],
        models=[
            {**model_record(m.columns), **in_order(context, m.columns, m.rows)} for m in models
        ],
        truth={"distribution": distribution(context.rows["truth"])},
        skipped=unsliced,
        losses=_losses(models),
    )


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
    """The losses of quantiles, or of intervals, where those of all models are of one level."""
    losses: dict[str, dict[str, pl.Expr]] = {}
    columns, truth = [m.columns for m in models], pl.col("truth")
    (quantile, *others) = {one.quantile for one in columns}
    if quantile is not None and not others:
        losses[of_parameter(PINBALL_LOSS, quantile)] = {
            one.name: quantile_loss(truth - pl.col(str(one.estimate)), quantile) for one in columns
        }
    (level, *others) = {one.level for one in columns}
    if level is not None and not others and all(one.low is not None for one in columns):
        losses[WINKLER_SCORE] = {
            one.name: interval_loss(truth, pl.col(str(one.low)), pl.col(str(one.high)), level)
            for one in columns
        }
    return losses


def _numbers_and_curves(
    context: EvaluationContext, model: RegressionModel, of_curves: RegressionModel
) -> tuple[list[MetricRow], dict[str, pl.DataFrame]]:
    """The measures on all rows, the core ones that have no closed form resampled, and curves."""
    ordered = None if model.groups is not None else in_order_of_rows(model.pairs)
    few = model.pairs.height <= FEW_ROWS
    (numbers,) = _in_closed_form(context, [model], ordered, means=few)
    pairs = of_curves.pairs if ordered is None else ordered
    curves = curves_of_model(model.name, pairs, of_curves.in_time)
    return _resampled(context, model, numbers, ordered), curves


def _resampled(
    context: EvaluationContext,
    model: RegressionModel,
    numbers: list[MetricRow],
    ordered: pl.DataFrame | None = None,
) -> list[MetricRow]:
    """The numbers, what has no closed form resampled; of a slice what the spec names."""
    limited = _with_bootstrap(context, model, numbers, ordered)
    point = model.rows["point"] if model.in_blocks else None
    return agreeing(limited, model.pairs, model.groups, point, context.spec.confidence)


def _with_bootstrap(
    context: EvaluationContext,
    model: RegressionModel,
    numbers: list[MetricRow],
    ordered: pl.DataFrame | None,
) -> list[MetricRow]:
    if context.repeats > 1 and model.groups is None:
        return numbers
    group = None if model.groups is None else model.rows["group"]
    return of_rows(
        numbers,
        model.pairs if ordered is None else ordered,
        "regression",
        "pairs",
        context.spec,
        group,
        {"level": model.level or context.spec.confidence},
        of_slice=model.slice is not None,
    )


def _in_closed_form(
    context: EvaluationContext,
    models: Sequence[RegressionModel],
    ordered: pl.DataFrame | None = None,
    *,
    means: bool = True,
) -> list[list[MetricRow]]:
    """The measures with the limits that need no resampling; without ``means`` those of means lack.

    ``ordered`` are the pairs of ungrouped rows of one model in the order of their values, where
    they are known. The limits of means of several models or slices are found together.
    """
    numbers: list[list[MetricRow]] = []
    of_means: dict[int, MeasuredRows] = {}
    for place, model in enumerate(models):
        pairs = ordered
        if pairs is None and model.groups is None:
            pairs = in_order_of_rows(model.pairs)
        numbers.append(evaluate_metrics(model, context.spec, pairs))
        enough = means and model.pairs.height >= LEAST_OF_ABSOLUTE_ERRORS
        if enough and pairs is not None and model.groups is None and context.repeats <= 1:
            of_means[place] = _of_means(model, context.spec, pairs)
    limited = limited_rows(list(of_means.values()))
    for place, rows in zip(of_means, limited, strict=True):
        by_name = {str(row["metric"]): row for row in rows}
        numbers[place] = [by_name.get(str(row["metric"]), row) for row in numbers[place]]
    if context.repeats > 1:
        return numbers
    pairs_of_rows = zip(models, numbers, strict=True)
    return [_with_other_limits(model, rows, context.spec) for model, rows in pairs_of_rows]


def _with_other_limits(
    model: RegressionModel, rows: list[MetricRow], spec: Spec
) -> list[MetricRow]:
    """Shares of independent rows with their limits; rows in order of time with those of series.

    The latter are at least those of independent rows.
    """
    if model.in_blocks:
        frame = model.pairs.with_columns(model.rows["point"])
        limited = of_ratios(rows, frame, evaluated(spec, "regression"), spec.confidence)
        if model.pairs.height < LEAST_OF_ABSOLUTE_ERRORS:
            return limited
        alone = _of_means(model, spec, in_order_of_rows(model.pairs))
        return wider(limited, limited_rows([alone])[0])
    if model.groups is not None:
        return rows
    return [_of_share(row, model, spec) for row in rows]


def _of_means(model: RegressionModel, spec: Spec, ordered: pl.DataFrame) -> MeasuredRows:
    """Means, and what is made of them, for the limits of rows that are each a group of its own."""
    metrics = [
        m
        for m in evaluated(spec, "regression")
        if m.name not in SHARES | unavailable(model.columns)
        and (in_closed_form(m, spec.resampled_measures) or m.name in GAINS.values())
        and ordered.height >= least_rows(m)
    ]
    if model.pairs["estimate"].n_unique() == 1:  # its R² is at most 0, which no such form knows
        metrics = [m for m in metrics if m.bounds[1] != 1]
    named_metrics = [
        replace(m, interval=MeanOfRows(m.bounds, m.root, closed_form(m))) for m in metrics
    ]
    alone = Groups(np.arange(ordered.height), ordered.height)
    number = MetricSubject(model.name, model.slice, confidence=spec.confidence)
    level = model.level or spec.confidence
    return measured_in_groups(number, ordered, named_metrics, alone, level=level)


def _of_share(row: MetricRow, model: RegressionModel, spec: Spec) -> MetricRow:
    """Shares of the truths with limits; other measures as they are."""
    if row["metric"] not in SHARES or row["value"] is None:
        return row
    weight = model.pairs["weight"].to_numpy()
    trials = float(weight.sum() ** 2 / (weight**2).sum())
    low, high = wilson_modified(row["value"] * trials, trials, spec.confidence)
    allows: Allowance | None = None if model.weight is None else "effective size"
    return {**row, "low": low, "high": high, "interval": str(MethodName(OF_SHARE, allows))}


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


def evaluate_metrics(
    model: RegressionModel, spec: Spec, ordered: pl.DataFrame | None = None
) -> list[MetricRow]:
    """Every metric of estimates; those of intervals and quantiles undefined where none are given.

    ``ordered`` are the pairs of ungrouped rows in the order of their values, where they are known.
    """
    if ordered is None and model.groups is None:
        ordered = in_order_of_rows(model.pairs)
    grouped = model.groups is not None
    number = MetricSubject(model.name, model.slice, grouped=grouped, confidence=spec.confidence)
    metrics = evaluated(spec, "regression")
    without = unavailable(model.columns)
    level = model.level or spec.confidence
    return [
        number.rows_counted(model.pairs["weight"]),
        *_numbers(model, ordered, number, [m for m in metrics if m.name not in without], level),
        *(number.row(m.name, None, undefined=m.undefined) for m in metrics if m.name in without),
    ]


def _numbers(
    model: RegressionModel,
    ordered: pl.DataFrame | None,
    number: MetricSubject,
    metrics: Sequence[Metric],
    level: float,
) -> list[MetricRow]:
    """The metrics of the pairs, with limits by group where rows come in groups.

    The order in which they are summed is given by their values, not by that of the rows.
    """
    if model.groups is None:
        return number.rows(ordered, metrics, level=level)
    in_groups = model.pairs.with_columns(group=model.groups.code).sort(pl.all())
    groups = Groups.of(in_groups["group"])
    return rows_in_groups(number, in_groups, metrics, groups, level=level)


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
