"""The mean of a measure over folds, or over data sets, with its t interval."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import stdtrit

from reportgen.measuring.metric_rows import MetricRows
from reportgen.metrics import find
from reportgen.predictions.evaluation_scheme import OVER_FOLDS, Evaluation
from reportgen.tables import FoldMetrics, FoldScores
from reportgen.tables.results import MetricRow

MEAN = "folds"
"""The average of these numbers, as the results name it."""


def fold_means(
    parts: DataFrame[FoldMetrics], evaluation: Evaluation, task: str, confidence: float
) -> list[MetricRow]:
    """The mean of each measure of each model over the folds that it is tested on.

    Limits: mean ± t(n − 1)·√(s²(1/n + n₂/n₁)) with n₂/n₁ all test rows over all
    training rows, as training sets overlap; over data sets, which do not,
    without n₂/n₁. Undefined where a fold has no value; no limits for a single
    fold, folds that are all the same, or training parts of unknown size.
    Nadeau & Bengio (2003), doi:10.1023/A:1024068626366.
    """
    tested = parts.filter(role="test")
    if evaluation.scheme not in (*OVER_FOLDS, "data_sets"):
        return []
    rows = []
    for (metric,), of_metric in tested.group_by("metric", maintain_order=True):
        scores = fold_scores(of_metric, parts, evaluation)
        for (model,), model_scores in scores.group_by("model", maintain_order=True):
            row = _mean(model_scores, str(metric), str(model), task, confidence)
            rows.append(row | {"interval": row["interval"] and _method(evaluation)})
    return rows


def _method(evaluation: Evaluation) -> str:
    return "t" if evaluation.scheme == "data_sets" else "corrected t"


def _mean(scores: pl.DataFrame, metric: str, model: str, task: str, confidence: float) -> MetricRow:
    number = MetricRows(model).average(MEAN)
    if scores["value"].null_count():
        return number.row(metric, None, undefined="a fold has no value")
    values = scores["value"].to_numpy()
    mean, spread = float(values.mean()), _spread(values, scores)
    if spread is None:
        return number.row(metric, mean)
    half_width = float(stdtrit(len(values) - 1, (1 + confidence) / 2)) * spread
    definition = find(metric, task)
    bounds = definition.bounds if definition else (-np.inf, np.inf)
    low, high = np.clip([mean - half_width, mean + half_width], *bounds)
    return number.row(metric, mean, low, high, interval="t")


def _spread(values: npt.NDArray[np.float64], scores: pl.DataFrame) -> float | None:
    """Standard error of the mean; null where there is none."""
    variance = float(np.var(values, ddof=1)) if len(values) > 1 else 0.0
    share = 0.0
    if scores["test_rows"].null_count() < scores.height:  # data sets have no sizes
        if scores["train_rows"].null_count():
            return None
        share = scores.select(pl.col("test_rows").sum() / pl.col("train_rows").sum()).item()
    return float((variance * (1 / len(values) + share)) ** 0.5) if variance > 0 else None


def fold_scores(
    tested: pl.DataFrame, parts: pl.DataFrame, evaluation: Evaluation
) -> DataFrame[FoldScores]:
    """The measure of each fold with the sizes of its two parts."""
    text = pl.lit("1")
    if evaluation.scheme == "data_sets":
        units = tested.group_by("model", "dataset", maintain_order=True).agg(pl.col("value").mean())
        nothing = pl.lit(None, pl.Float64)
        units = units.with_columns(repeat=text, fold="dataset", rows=nothing, train=nothing)
    else:
        units = tested.with_columns(train=_training(tested, parts, evaluation))
    return FoldScores.validate(
        units.select(
            repeat=_named("repeat"),
            fold=_named("fold"),
            model="model",
            value="value",
            train_rows="train",
            test_rows="rows",
        )
    )


def _named(column: str) -> pl.Expr:
    """The names of repeats or folds; where there is one alone, or rows have none, a stand-in."""
    name = pl.col(column)
    return name.fill_null(pl.when(name.is_null().all()).then(pl.lit("1")).otherwise(pl.lit("–")))


def _training(tested: pl.DataFrame, parts: pl.DataFrame, evaluation: Evaluation) -> pl.Series:
    """The size of each fold's training part: as it is in the data, or the other folds."""
    if evaluation.implied:
        whole = pl.col("rows").sum().over("model", "repeat")
        return tested.select(train=whole - pl.col("rows")).to_series()
    keys = ["model", "metric", "dataset", "repeat", "fold"]
    trained = parts.filter(role="train").select(*keys, train="rows")
    joined = tested.join(trained, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return joined["train"]
