"""The measures of models of two classes on all rows, in slices and in other parts."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import polars as pl

from reportgen.comparing.gaps import CALIBRATED
from reportgen.measuring.binary_model import BinaryModel, evaluate_metrics, evaluate_model
from reportgen.measuring.bootstrap_intervals import of_scores
from reportgen.measuring.compared_by_fold import GUARD, measures_of
from reportgen.measuring.context import EvaluationContext, RowsOfSlice, rows_with_output
from reportgen.measuring.costs import OWN_COSTS, with_row_costs
from reportgen.metrics import METRICS
from reportgen.spec.measures import evaluated
from reportgen.tables.results import MetricRow
from reportgen.tasks import TASKS

ModelInSlice = tuple[BinaryModel, pl.DataFrame]
"""A model on some rows, and the rows."""

COMPARED = {name for name, _ in (*TASKS["binary"].slice_measures, CALIBRATED)}
"""What is compared between slices."""

IN_SLICES = COMPARED | {m.name for m in METRICS.values() if m.core or m.group == "count"}
"""The measures of a slice."""


def numbers_of_slices(
    measured: EvaluationContext,
    models: Sequence[BinaryModel],
    parts: Sequence[RowsOfSlice],
) -> list[MetricRow]:
    """The measures of slices; what has no closed interval is resampled."""
    in_slices = _in_parts(measured, models, parts)
    of_models = _numbers(measured, in_slices, IN_SLICES)
    if in_slices and (measured.repeats == 1 or "group" in measured.rows.columns):
        of_models = of_scores(of_models, in_slices, measured, of_slices=True)
    return [row for numbers in of_models for row in numbers]


def numbers_of_parts(
    context: EvaluationContext,
    models: Sequence[BinaryModel],
    parts: Sequence[RowsOfSlice],
) -> list[MetricRow]:
    """The measures that a spec compares on parts of the rows, without limits from resampling."""
    asked = {*measures_of(context.spec), GUARD, "auc"}
    measures = [m.name for m in evaluated(context.spec, "binary") if m.name in asked]
    in_parts = _in_parts(context, models, parts)
    return [row for numbers in _numbers(context, in_parts, measures) for row in numbers]


def _in_parts(
    context: EvaluationContext, models: Sequence[BinaryModel], parts: Sequence[RowsOfSlice]
) -> list[ModelInSlice]:
    """Each model on those rows of each part that it has an output for, where there are any."""
    given = (
        (model, rows, label)
        for part, label in parts
        for model in models
        if (rows := rows_with_output(part, model.columns)).height
    )
    weight, repeats = context.weight, context.repeats
    return [
        (
            evaluate_model(
                rows, model.columns, model.threshold, weight=weight, slice=label, repeats=repeats
            ),
            rows,
        )
        for model, rows, label in given
    ]


def numbers_with_limits_of(
    context: EvaluationContext, models: Sequence[BinaryModel]
) -> list[MetricRow]:
    """The measures on all rows; what has no closed interval is resampled."""
    parts = [(model, context.rows_with_output(model.columns)) for model in models]
    measures = [m.name for m in evaluated(context.spec, "binary")]
    by_model = _numbers(context, parts, measures)
    if context.repeats == 1 or "group" in context.rows.columns:
        by_model = of_scores(by_model, parts, context)
    return [row for numbers in by_model for row in numbers]


def _numbers(
    context: EvaluationContext,
    parts: Sequence[ModelInSlice],
    only: Collection[str],
) -> list[list[MetricRow]]:
    """The measures of each part; where rows have costs of their own, those of cost are summed."""
    spec, costs = context.spec, context.error_costs
    models = [model for model, _ in parts]
    by_model = evaluate_metrics(models, spec, costs, only)
    if not OWN_COSTS & set(context.rows.columns):
        return by_model
    return [
        with_row_costs(numbers, model, rows, context)
        for numbers, (model, rows) in zip(by_model, parts, strict=True)
    ]
