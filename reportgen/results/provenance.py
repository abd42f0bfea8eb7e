"""What the report says about its data, its software and itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Unpack

import polars as pl

from reportgen.engines import EngineChoice
from reportgen.freed_memory import give_back
from reportgen.measuring.common_rows import common_rows
from reportgen.measuring.context import EvaluationContext, TaskResults
from reportgen.measuring.dependence import groups_record
from reportgen.measuring.isolated_values import isolated_values
from reportgen.measuring.slices import label
from reportgen.measuring.undeclared_folds import undeclared_in_folds
from reportgen.measuring.undeclared_groups import (
    grouping_slices,
    undeclared_groups,
    undeclared_series,
)
from reportgen.measuring.unlike_rows import unlike_rows
from reportgen.measuring.unlike_truths import unlike_truths
from reportgen.measuring.validation_rows import validation_shares
from reportgen.predictions import Check, InputFile
from reportgen.predictions.column_names import slice_names
from reportgen.predictions.evaluation_scheme import facts
from reportgen.predictions.identical import same_outputs
from reportgen.predictions.like_rankings import same_rankings
from reportgen.predictions.truth_left_out import TruthLeftOut
from reportgen.records.rows import (
    CheckRecord,
    DataRecord,
    EngineRecord,
    FileRecord,
    SliceRecord,
    WeightsRecord,
)
from reportgen.results.evaluated_rows import are_counts


def _same_rankings(context: EvaluationContext, task_results: TaskResults) -> DataRecord:
    """The models that rank all rows of two classes alike, if there are any."""
    if context.predictions.task != "binary":
        return {}
    areas = {
        row["model"]: row["value"]
        for row in task_results.metrics
        if row["metric"] == "auc" and row["slice"] is None
    }
    alike = same_rankings(context.rows, context.predictions.models, areas)
    return {"same_rankings": alike} if alike else {}


def data_record(context: EvaluationContext, task_results: TaskResults) -> DataRecord:
    """The data section: files, rows, truth, roles, folds, checks, and how each model is read."""
    predictions, rows = context.predictions, context.rows
    frame = predictions.frame
    weight = float(rows["weight"].sum()) if context.weight else None
    alike = same_outputs(rows, predictions.models)
    return {
        "task": predictions.task,
        "files": file_records(predictions.files),
        "rows": frame.height,
        "rows_evaluated": rows.height,
        "roles": _sizes(frame, "role"),
        "truth": context.spec.truth,
        **task_results.truth,
        "weighted": weight is not None,
        "weight_total": weight,
        "weights": weights_record(context),
        "evaluation": facts(predictions.evaluation),
        "folds": _distinct(rows, "fold"),
        "repeats": _distinct(rows, "repeat"),
        "timed": "time" in rows.columns,
        "slices": _slices(rows),
        "groups": groups_record(context, task_results),
        "identical_rows": predictions.identical_rows,
        "same_outputs": alike,
        **_same_rankings(context, task_results),
        **left_out_record(predictions.left_out),
        **_undeclared_record(context, task_results, alike),
        **_points_and_common_rows(context, task_results),
        "checks": check_records(predictions.checks),
        "unpaired": predictions.unpaired,
        "models": list(task_results.models),
    }


def _undeclared_record(
    context: EvaluationContext, task_results: TaskResults, alike: Sequence[Sequence[str]]
) -> DataRecord:
    """What the columns look like: groups, codes of missing values, models alike, counts."""
    record: DataRecord = {}
    predictions = context.predictions
    give_back(context.rows)
    if seen := undeclared_groups(context, task_results.losses):
        record["undeclared_groups"] = seen
    if of_slices := grouping_slices(context, task_results.losses):
        record["grouping_slices"] = of_slices
    if (across := undeclared_in_folds(context)) is not None:
        record["undeclared_in_folds"] = across
    if isolated := isolated_values(context):
        record["isolated_values"] = isolated
    if unlike := unlike_rows(context, alike):
        record["unlike_rows"] = unlike
    if truths := unlike_truths(context):
        record["unlike_truths"] = truths
    if (shares := validation_shares(context)) is not None:
        record["shares_of_positives"] = shares
    if predictions.task == "regression" and are_counts(context.rows["truth"]):
        record["counts"] = True
    return record


def _points_and_common_rows(context: EvaluationContext, task_results: TaskResults) -> DataRecord:
    """How many time points there are, and rows that two unpaired models share, if any."""
    record: DataRecord = {}
    if "time" in context.rows.columns:
        record["points_of_time"] = context.rows["time"].n_unique()
        if (series := undeclared_series(context)) is not None:
            record["undeclared_series"] = series
    if (shared := context.predictions.rows_in_common) is not None:
        record["rows_in_common"] = shared
    if (on_all := common_rows(context, task_results.losses)) is not None:
        record["on_common_rows"] = on_all
    return record


def weights_record(context: EvaluationContext) -> WeightsRecord | None:
    """How many rows of equal weight the rows are worth; null of rows that count the same."""
    if context.weight is None:
        return None
    predictions, task = context.predictions, context.task
    weight = pl.col("weight").cast(pl.Float64)
    rows, worth = context.rows.filter(weight > 0), weight.sum() ** 2 / (weight**2).sum()
    record: WeightsRecord = {
        "rows_of_zero": _rows_of_zero(predictions.frame),
        "effective": rows.select(worth).item(),
        "part": None,
        "part_effective": None,
    }
    whole = (weight == weight.floor()).all() & (weight.median() > 1) & (weight.n_unique() > 1)
    if rows.select(whole).item():
        record["whole_numbers"] = True
    if task.two_classes or task.several_classes:
        two = (predictions.negative, predictions.positive)
        by_class = rows.group_by(pl.col("truth").cast(pl.Int64)).agg(worth=worth)
        least = by_class.sort("worth", "truth").row(0, named=True)
        record["part"] = (two if task.two_classes else predictions.classes)[least["truth"]]
        record["part_effective"] = least["worth"]
    return record


def _rows_of_zero(frame: pl.DataFrame) -> int:
    """How many rows have a weight of 0, of those with role test where rows have roles."""
    tested = pl.col("role") == "test" if "role" in frame.columns else pl.lit(value=True)
    return frame.filter(tested, pl.col("weight") == 0).height


def left_out_record(left: TruthLeftOut | None) -> DataRecord:
    """The rows that are left out by their labels, where the spec names any."""
    if left is None:
        return {}
    return {
        "rows_left_out": {
            "rows": left.rows,
            "of": left.of,
            "labels": [{"label": label, "rows": n} for label, n in left.labels.items()],
            "slices": [
                {"part": label([column], [value]), "rows": rows, "of": of}
                for column, values in left.slices.items()
                for value, (rows, of) in values.items()
            ],
            "models": [
                {"part": model, "rows": rows, "of": of} for model, (rows, of) in left.models.items()
            ],
        }
    }


def file_records(files: Iterable[InputFile]) -> list[FileRecord]:
    """The input files, and what shows that their bytes are those that were written."""
    return [
        {
            "path": file.path,
            "sha256": file.sha256,
            "bytes": file.bytes,
            "rows": file.rows,
            "verified": file.verified,
        }
        for file in files
    ]


def check_records(checks: Iterable[Check]) -> list[CheckRecord]:
    """The checks of the data: their results, and whether it is a warning."""
    return [_check_record(check) for check in checks]


def _check_record(check: Check) -> CheckRecord:
    record: CheckRecord = {"name": check.name, "detail": check.detail, "warning": check.warning}
    if check.uncounted is not None:
        record["uncounted"] = check.uncounted
    if check.model is not None:
        record["model"] = check.model
    if (scores := check.improper) is not None:
        record["improper"] = {
            "model": scores.model,
            "rows": scores.rows,
            "least": scores.least,
            "most": scores.most,
        }
    return record


def engine_record(engine: EngineChoice | None, **fields: Unpack[EngineRecord]) -> EngineRecord:
    """Which engine made the numbers, why it was that one, and what is known of its work."""
    if engine is None:
        return {"name": "exact", "why": "the data were passed as a data frame", **fields}
    return {"name": engine.kind, "why": engine.why, **fields}


def _sizes(frame: pl.DataFrame, column: str) -> dict[str, int] | None:
    if column not in frame.columns:
        return None
    return dict(frame[column].value_counts().sort(column).iter_rows())


def _distinct(frame: pl.DataFrame, column: str) -> int | None:
    return frame[column].n_unique() if column in frame.columns else None


def _slices(rows: pl.DataFrame) -> list[SliceRecord]:
    return [
        {
            "name": name,
            "values": [
                {"value": value, "rows": count}
                for value, count in rows[column].value_counts().sort(column).iter_rows()
            ],
        }
        for column, name in slice_names(rows.columns).items()
    ]
