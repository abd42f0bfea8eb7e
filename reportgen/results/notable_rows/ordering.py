"""What puts a row on a list, and what puts it first: one ``RowList`` per model, one for all.

Of two classes and of several labels a confident error is a wrong decision with a high
probability of the wrong outcome; of several classes one in which the predicted class has a much
higher score than the true one (the normalised margin of Northcutt, Jiang & Chuang (2021),
doi:10.1613/jair.1.12125). Scores that are not probabilities are compared with their threshold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import polars as pl

from reportgen.measuring.context import EvaluationContext, TaskResults
from reportgen.metric_names import quantile_in_words
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import truth_column
from reportgen.records.rows import ModelRecord
from reportgen.tables.results import ListKind


@dataclass(frozen=True, slots=True)
class RowList:
    """A list of rows: those where ``listed`` holds, the largest ``value`` first.

    ``measure`` names the value. ``by_label`` has the value of each label, where the row's
    value is the largest of them.
    """

    kind: ListKind
    models: tuple[str, ...]
    measure: str
    listed: pl.Expr
    value: pl.Expr
    by_label: tuple[pl.Expr, ...] = ()


def row_lists(context: EvaluationContext, results: TaskResults) -> list[RowList]:
    """The lists of a report: one for each model whose errors have an order, then one for all."""
    task = context.predictions.task
    records = {record["name"]: record for record in results.models}
    lists: list[RowList] = []
    for columns in context.predictions.models:
        if task == "binary":
            lists += _of_two_classes(columns, records[columns.name], results)
        elif task == "multiclass":
            lists += _of_classes(columns, results)
        elif task == "multilabel":
            lists += _of_labels(columns, records[columns.name], results, context)
        else:
            lists += _of_number(columns, results)
    if len(records) > 1 and context.predictions.unpaired is None:
        lists += _disagreement(context, results)
    return lists


def _of_two_classes(
    columns: ModelColumns, record: ModelRecord, results: TaskResults
) -> Iterator[RowList]:
    name, score = columns.name, columns.score
    losses = results.losses.of[name]
    if score is None:
        return
    if name in results.losses.probable:
        value = (pl.col(score) - pl.col("truth").cast(pl.Float64)).abs()
        yield RowList("error", (name,), "probability of the wrong class", losses, value)
    elif record["threshold"] is not None:
        value = (pl.col(score) - record["threshold"]).abs()
        yield RowList("error", (name,), "distance from the threshold", losses, value)


def _of_classes(columns: ModelColumns, results: TaskResults) -> Iterator[RowList]:
    if not columns.scores:
        return
    predicted = results.losses.predicted[columns.name]
    highest = pl.max_horizontal(columns.scores)  # that of the predicted class
    chosen = highest if columns.label is None else at(columns.scores, predicted)
    value = chosen - at(columns.scores, pl.col("truth"))
    losses = results.losses.of[columns.name]
    measure = "score of the predicted class minus that of the true class"
    yield RowList("error", (columns.name,), measure, losses, value)


def at(columns: Sequence[str], index: pl.Expr) -> pl.Expr:
    """The value of the column that an index names, row by row."""
    return pl.coalesce(pl.when(index == k).then(pl.col(name)) for k, name in enumerate(columns))


def _of_labels(
    columns: ModelColumns, record: ModelRecord, results: TaskResults, context: EvaluationContext
) -> Iterator[RowList]:
    if not columns.scores:
        return
    chosen = {entry["class"]: entry["threshold"] for entry in record["thresholds"]}
    by_label = []
    for k, (score, predicted) in enumerate(
        zip(columns.scores, results.losses.labels[columns.name], strict=True)
    ):
        truth = pl.col(truth_column(k))
        from_ = truth.cast(pl.Float64)
        if not record["probability"]:
            limit = chosen.get(context.predictions.classes[k], record["threshold"])
            if limit is None:
                return
            from_ = pl.lit(limit)
        by_label.append(pl.when(truth != predicted).then((pl.col(score) - from_).abs()))
    measure = "probability of the wrong outcome of a label"
    if not record["probability"]:
        measure = "distance of a label's score from its threshold"
    losses, value = results.losses.of[columns.name], pl.max_horizontal(by_label)
    yield RowList("error", (columns.name,), measure, losses, value, tuple(by_label))


def _of_number(columns: ModelColumns, results: TaskResults) -> Iterator[RowList]:
    """The loss that the estimate is meant to make small: squared, or that of a quantile."""
    value, measure = results.losses.of[columns.name], "squared error"
    if columns.quantile is not None:
        error = pl.col("truth") - results.losses.predicted[columns.name]
        value = pl.max_horizontal(columns.quantile * error, (columns.quantile - 1) * error)
        measure = f"pinball loss of the {quantile_in_words(columns.quantile)}"
    yield RowList("residual", (columns.name,), measure, value > 0, value)


def _disagreement(context: EvaluationContext, results: TaskResults) -> Iterator[RowList]:
    """The rows on which models differ most: in probabilities, estimates, else in decisions."""
    task, models = context.predictions.task, context.predictions.models
    probable = {r["name"] for r in results.models if r.get("probability")}
    scored = [m for m in models if m.name in probable and task != "multilabel"]
    by_label: tuple[pl.Expr, ...] = ()
    if task == "regression":
        compared = max(_alike(models), key=len)
        measure, value = "range of the estimates", _range([str(m.estimate) for m in compared])
    elif len(scored) > 1:
        compared, measure = scored, "range of the probabilities"
        value = _range([str(m.score) for m in compared])
        if task == "multiclass":
            by_class = zip(*(m.scores for m in compared), strict=True)
            measure = "largest range of the probabilities of a class"
            value = pl.max_horizontal(_range(columns) for columns in by_class)
    elif task == "multilabel":
        compared, measure = list(models), "number of label decisions of the minority"
        if len(models) == 2:
            measure = "number of labels that the two models decide differently"
        by_label = tuple(
            _minority(decisions)
            for decisions in zip(*(results.losses.labels[m.name] for m in models), strict=True)
        )
        value = pl.sum_horizontal(by_label)
    else:
        compared, measure = list(models), "number of models that disagree with the majority"
        if len(models) == 2:
            measure = "rows that the two models label differently"
        classes = range(len(context.predictions.classes)) if task == "multiclass" else (False, True)
        decided = [results.losses.predicted[m.name] for m in models]
        votes = (pl.sum_horizontal(d == one for d in decided) for one in classes)
        value = len(models) - pl.max_horizontal(votes)
    if len(compared) > 1:
        names = tuple(model.name for model in compared)
        value = value.cast(pl.Float64)
        yield RowList("disagreement", names, measure, value > 0, value, by_label)


def _alike(models: Sequence[ModelColumns]) -> list[list[ModelColumns]]:
    """Models that estimate the same: the mean, or one quantile."""

    def quantile(model: ModelColumns) -> float:
        return -1.0 if model.quantile is None else model.quantile

    return [list(group) for _, group in groupby(sorted(models, key=quantile), quantile)]


def _range(columns: Sequence[str]) -> pl.Expr:
    return pl.max_horizontal(columns) - pl.min_horizontal(columns)


def _minority(decisions: Sequence[pl.Expr]) -> pl.Expr:
    positive = pl.sum_horizontal(decisions)
    return pl.min_horizontal(positive, len(decisions) - positive)
