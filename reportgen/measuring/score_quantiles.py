"""The data at a glance, from the rows: base rates of slices, scores over folds and time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.measuring import slices
from reportgen.measuring.context import EvaluationContext, TaskResults, rows_with_output
from reportgen.measuring.periods import parts_of
from reportgen.predictions import ModelColumns, Predictions
from reportgen.predictions.column_names import MOST_SLICE_VALUES, columns_of, slice_column
from reportgen.records.data_summary import DataSummary, Distribution, MissingValues, SliceBase

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)

CORRECT, WRONG = "correct", "wrong"
WITH_LABEL, WITHOUT_LABEL = "with the label", "without the label"
TRUTH, RESIDUAL = "truth", "residual"
"""Groups of rows, or of numbers, where there are no two classes."""


@dataclass(frozen=True)
class ScoresOfRows:
    """The scores of a model as one column, and the groups of rows by which they are shown."""

    model: str | None
    table: pl.DataFrame
    """Columns ``value``, ``group``, ``part`` and, of weighted rows, ``weight``."""


def data_summary(context: EvaluationContext, task_results: TaskResults) -> DataSummary:
    """Missing values, base rates of every slice, and scores over folds and time."""
    return DataSummary(
        missing_values(context.predictions),
        tuple(base_rates(context)),
        tuple(distributions(context, task_results)),
    )


def missing_values(predictions: Predictions) -> tuple[MissingValues, ...]:
    """How often each column that was read has no value."""
    return tuple(MissingValues(*one) for one in predictions.missing)


def base_rates(context: EvaluationContext) -> Iterator[SliceBase]:
    """The rows and base rates of the values of each slicing that is not too large."""
    rates = _rates(context)
    for names in context.slicings:
        columns = [slice_column(name) for name in names]
        parts = context.rows.group_by(columns).agg(rates=pl.concat_list(rates), rows=pl.len())
        if parts.height > MOST_SLICE_VALUES:
            continue
        rows = sorted(parts.iter_rows(), key=lambda row: tuple(map(str, row[:-2])))
        for *values, of_slice, count in rows:
            yield SliceBase(" × ".join(names), slices.label(names, values), count, tuple(of_slice))


def _rates(context: EvaluationContext) -> list[pl.Expr]:
    task, rows = context.task, context.rows
    if task.several_labels:
        return [pl.col(name).mean() for name in columns_of(rows.columns, "truth")]
    truth = pl.col("truth")
    if task.several_classes:
        classes = range(len(context.predictions.classes))
        return [(truth == k).mean().alias(f"class {k}") for k in classes]
    return [truth.cast(pl.Float64).mean()]


def distributions(context: EvaluationContext, task_results: TaskResults) -> Iterator[Distribution]:
    """Quantiles of the scores of each model by part of the rows."""
    for over, part, names in parts_of(context.rows):
        rows = context.rows.with_columns(part=part)
        for scores in scores_of_rows(context.predictions, task_results, rows, context):
            groups = scores.table.partition_by("part", "group", as_dict=True, include_key=False)
            for (place, group), table in sorted(groups.items()):
                low, lower_quartile, median, upper_quartile, high = quantiles(table)
                yield Distribution(
                    over,
                    names[place],
                    place + 1,
                    scores.model,
                    group,
                    table.height,
                    low,
                    lower_quartile,
                    median,
                    upper_quartile,
                    high,
                )


def quantiles(table: pl.DataFrame, at: Sequence[float] = QUANTILES) -> list[float]:
    """Quantiles of the column ``value``, each a value that occurs; of weighted rows by weight."""
    values: Floats = table["value"].to_numpy()
    if "weight" not in table.columns:
        return [float(one) for one in np.quantile(values, at, method="inverted_cdf")]
    weights = table["weight"].to_numpy()
    return [float(one) for one in np.quantile(values, at, weights=weights, method="inverted_cdf")]


def scores_of_rows(
    predictions: Predictions,
    task_results: TaskResults,
    rows: pl.DataFrame,
    context: EvaluationContext,
) -> Iterator[ScoresOfRows]:
    """The scores of every model that has some, with the groups that they are compared by.

    Of two classes the score of the positive class by true class; of several the highest score, by
    whether the prediction is correct; of labels every score, by whether the row has the label; of
    numbers the truth, and the residuals of each model.
    """
    if context.task.of_numbers:
        yield ScoresOfRows(None, _table(rows, pl.col("truth"), pl.lit(TRUTH)))
    for model in predictions.models:
        table = _of_model(context, task_results, rows_with_output(rows, model), model)
        if table is not None:
            yield ScoresOfRows(model.name, table)


def _of_model(
    context: EvaluationContext, task_results: TaskResults, rows: pl.DataFrame, model: ModelColumns
) -> pl.DataFrame | None:
    truth = pl.col("truth")
    if model.estimate is not None:
        return _table(rows, truth - pl.col(model.estimate), pl.lit(RESIDUAL))
    if context.task.two_classes:
        if model.score is None:
            return None
        labels = context.predictions.positive, context.predictions.negative
        return _table(rows, pl.col(model.score), _either(truth, *labels))
    if not model.scores:
        return None
    if context.task.several_classes:
        wrong = task_results.losses.of[model.name]
        return _table(rows, pl.max_horizontal(model.scores), _either(wrong, WRONG, CORRECT))
    truths = columns_of(rows.columns, "truth")
    return pl.concat(
        _table(rows, pl.col(score), _either(pl.col(has), WITH_LABEL, WITHOUT_LABEL))
        for score, has in zip(model.scores, truths, strict=True)
    )


def _either(holds: pl.Expr | pl.Series, one: str, other: str) -> pl.Expr:
    """One group or the other of each row, in a byte."""
    names = pl.Enum([one, other])
    return pl.when(holds).then(pl.lit(one, names)).otherwise(pl.lit(other, names))


def _table(rows: pl.DataFrame, value: pl.Expr, group: pl.Expr) -> pl.DataFrame:
    further = [name for name in ("part", "weight") if name in rows.columns]
    return rows.select(*further, value=value.cast(pl.Float64), group=group)
