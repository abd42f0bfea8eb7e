"""The description of a row: its truth, and what the models of its list predict."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from reportgen.measuring.context import EvaluationContext, TaskResults
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import truth_column
from reportgen.results.notable_rows.ordering import RowList, at
from reportgen.tables.results import NotableRow


def described(
    context: EvaluationContext, results: TaskResults, row_list: RowList, rows: pl.DataFrame
) -> list[NotableRow]:
    """The value of each row and what was predicted, as ``NotableRows`` has it."""
    by_name = {model.name: model for model in context.predictions.models}
    models = [by_name[name] for name in row_list.models]
    value = rows.select(value=row_list.value.cast(pl.Float64))["value"].to_list()
    task = context.predictions.task
    if task == "multilabel":
        texts = _of_labels(context, results, row_list, rows, models)
    elif task == "regression":
        texts = _of_numbers(rows, models)
    else:
        texts = _of_classes(context, results, rows, models)
    return [{"value": number, **text} for number, text in zip(value, texts, strict=True)]


def _of_numbers(rows: pl.DataFrame, models: Sequence[ModelColumns]) -> list[NotableRow]:
    columns = [str(model.estimate) for model in models]
    return [
        _record(truth_value=truth, outputs=list(estimates))
        for truth, *estimates in rows.select("truth", *columns).iter_rows()
    ]


def _of_classes(
    context: EvaluationContext,
    results: TaskResults,
    rows: pl.DataFrame,
    models: Sequence[ModelColumns],
) -> list[NotableRow]:
    """Labels as the data spell them, with scores where the model has any."""
    predictions = context.predictions
    two = predictions.task == "binary"
    names = (predictions.negative, predictions.positive) if two else predictions.classes
    truth = [names[int(index)] for index in rows["truth"]]
    decided, scores, of_truth = [], [], []
    for model in models:
        decision = results.losses.predicted[model.name]
        none = pl.lit(None, pl.Float64)
        output = none if model.score is None else pl.col(model.score)
        true_output = none
        if model.scores:
            output, true_output = at(model.scores, decision), at(model.scores, pl.col("truth"))
        table = rows.select(decision=decision, output=output, of_truth=true_output)
        decided.append([names[int(index)] for index in table["decision"]])
        scores.append(table["output"].to_list())
        of_truth.append([] if two else table["of_truth"].to_list())
    return [
        _record(
            truth=label,
            predicted=[one[k] for one in decided],
            outputs=[one[k] for one in scores],
            truth_outputs=[one[k] for one in of_truth if one],
        )
        for k, label in enumerate(truth)
    ]


def _of_labels(
    context: EvaluationContext,
    results: TaskResults,
    row_list: RowList,
    rows: pl.DataFrame,
    models: Sequence[ModelColumns],
) -> list[NotableRow]:
    """The label that decides the row's place, and what the models predict of it."""
    values = rows.select(
        value.cast(pl.Float64).fill_null(-1.0).alias(str(k))
        for k, value in enumerate(row_list.by_label)
    )
    records = []
    for index, row in enumerate(values.iter_rows()):
        label = row.index(max(row))
        one = rows[index]
        decisions = one.select(
            results.losses.labels[model.name][label].alias(str(k)) for k, model in enumerate(models)
        )
        outputs = [one[model.scores[label]][0] if model.scores else None for model in models]
        records.append(
            _record(
                truth=_sign(one[truth_column(label)][0]),
                class_=context.predictions.classes[label],
                predicted=[_sign(value) for value in decisions.row(0)],
                outputs=outputs,
            )
        )
    return records


def _sign(value: object) -> str:
    return "1" if value else "0"


def _record(
    *,
    truth: str | None = None,
    truth_value: float | None = None,
    class_: str | None = None,
    predicted: Sequence[str] = (),
    outputs: Sequence[float | None] = (),
    truth_outputs: Sequence[float | None] = (),
) -> NotableRow:
    return {
        "truth": truth,
        "truth_value": truth_value,
        "class": class_,
        "predicted": list(predicted),
        "outputs": list(outputs),
        "truth_outputs": list(truth_outputs),
    }
