"""Means over folds or data sets: of a measure with its t interval, macro and micro of counts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import stdtrit

from reportgen.intervals.bounded_means import BOUNDED_T, bounded_t
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.metric_names import CELLS, OVER_TESTS
from reportgen.metrics import METRICS, find
from reportgen.predictions.evaluation_scheme import FIT, OVER_FOLDS, Evaluation
from reportgen.spec import Spec
from reportgen.tables import FoldMetrics, FoldScores
from reportgen.tables.results import MetricRow

MEAN = "folds"
"""The average of these numbers, as the results name it."""


def fold_means(
    parts: DataFrame[FoldMetrics], evaluation: Evaluation, task: str, spec: Spec
) -> list[MetricRow]:
    """The mean of each measure of each model over the folds that it is tested on.

    Limits: mean ± t(n − 1)·√(s²(1/n + n₂/n₁)) with n₂/n₁ all test rows over all
    training rows, as training sets overlap; over data sets, which do not,
    without n₂/n₁, and ``bounded_t``. Undefined where a fold has no value; no limits for a single
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
            of_model = MetricSubject(str(model), confidence=spec.confidence)
            rows.append(_mean(model_scores, str(metric), of_model, task, evaluation))
    return rows


def _mean(
    scores: pl.DataFrame,
    metric: str,
    of_model: MetricSubject,
    task: str,
    evaluation: Evaluation,
) -> MetricRow:
    number = of_model.average(MEAN)
    if scores["value"].null_count():
        return number.row(metric, None, undefined="a fold has no value")
    values = scores["value"].to_numpy()
    mean, spread = float(values.mean()), _spread(values, scores)
    if spread is None:
        return number.row(metric, mean)
    half_width = float(stdtrit(len(values) - 1, (1 + number.confidence) / 2)) * spread
    definition = find(metric, task)
    bounds = definition.bounds if definition else (-np.inf, np.inf)
    if evaluation.scheme == "data_sets":
        return number.row(metric, mean, *bounded_t(mean, half_width, bounds), interval=BOUNDED_T)
    low, high = np.clip([mean - half_width, mean + half_width], *bounds)
    return number.row(metric, mean, low, high, interval="corrected t")


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
    """The measure of each fold with the sizes of its two parts.

    A data set in which no model has a value, as an AUC of one class, tells nothing of the models
    and is left out; one that a single model lacks is not, as it may be the model's doing.
    """
    text = pl.lit("1")
    if evaluation.scheme == "data_sets":
        units = tested.group_by("model", "dataset", maintain_order=True).agg(pl.col("value").mean())
        nothing = pl.lit(None, pl.Float64)
        known = pl.col("value").is_not_null()
        units = units.filter(known.any().over("dataset") | ~known.any())
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
    """The size of each fold's training part: in the data, or the other folds, or those before."""
    if evaluation.implied and evaluation.scheme == "time_ordered":
        return pl.Series("train", [evaluation.train] * tested.height)
    if evaluation.implied:
        whole = pl.col("rows").sum().over("model", "repeat")
        return tested.select(train=whole - pl.col("rows")).to_series()
    keys = ["model", "metric", "dataset", "repeat", "fold"]
    trained = parts.filter(role="train").select(*keys, train="rows")
    joined = tested.join(trained, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return joined["train"]


F1_OF_MACRO = "f1_of_macro"
"""F1 of macro-precision and macro-recall, which is not the mean of the F1s."""


def counts_by_test(
    rows: pl.DataFrame,
    predicted: Mapping[str, pl.Expr],
    evaluation: Evaluation,
    weight: str | None,
) -> pl.DataFrame:
    """The confusion table of every model in every test: model, tp, fp, fn, tn.

    ``rows`` are test rows with ``truth`` and the columns of a fit, ``predicted``
    the decisions. Of several data sets each is one test, whatever its folds.
    """
    keys = _keys(rows.columns, evaluation)
    mass = pl.lit(1.0) if weight is None else pl.col(weight)
    truth = pl.col("truth")
    parts = []
    for name, positive in predicted.items():
        cells = {
            "tp": positive & truth,
            "fp": positive & ~truth,
            "fn": ~positive & truth,
            "tn": ~positive & ~truth,
        }
        sums = {cell: (mass * holds.cast(pl.Float64)).sum() for cell, holds in cells.items()}
        by_test = rows.group_by(keys, maintain_order=True).agg(**sums).sort(keys)
        parts.append(by_test.select(*CELLS, model=pl.lit(name)))
    return pl.concat(parts)


def _keys(columns: list[str], evaluation: Evaluation) -> list[str]:
    if evaluation.scheme == "data_sets":
        return ["dataset"]
    return [name for name in FIT if name in columns]


def fold_averages(counts: pl.DataFrame, evaluation: Evaluation) -> list[MetricRow]:
    """Macro and micro averages of every model over its tests, as rows of ``Metrics``.

    Macro: the mean of the measure over the tests; ``f1_of_macro`` is
    2PR/(P + R) of macro-precision P and macro-recall R. Micro: the measure of the
    counts summed over the tests. Undefined where a test has no value (macro) or
    the sums have none (micro). Zhou (2016), *Machine Learning*, 2.12 to 2.17, over
    n confusion tables.
    """
    where = "data sets" if evaluation.scheme == "data_sets" else "folds"
    rows: list[MetricRow] = []
    for (model,), model_counts in counts.group_by("model", maintain_order=True):
        number = MetricSubject(str(model))
        macro, micro = (number.average(f"{kind} of {where}") for kind in ("macro", "micro"))
        by_test = model_counts.select(**{name: METRICS[name].build() for name in OVER_TESTS})
        means = {name: _average(by_test[name]) for name in OVER_TESTS}
        missing = f"a {where[:-1]} has no value"
        rows += [_row(macro, name, means[name], missing) for name in OVER_TESTS]
        of_means = _harmonic(means["precision"], means["recall"])
        rows.append(_row(macro, F1_OF_MACRO, of_means, missing))
        summed = model_counts.select(pl.col(CELLS).sum())
        for name in OVER_TESTS:
            value = summed.select(METRICS[name].build()).item()
            rows.append(_row(micro, name, value, METRICS[name].undefined))
    return rows


def _row(number: MetricSubject, name: str, value: float | None, missing: str) -> MetricRow:
    return number.row(name, value, undefined=missing if value is None else None)


def _average(values: pl.Series) -> float | None:
    return None if values.null_count() else float(values.to_numpy().mean())


def _harmonic(precision: float | None, recall: float | None) -> float | None:
    """2PR/(P + R); null without one of them, or where both are 0."""
    if precision is None or recall is None or precision + recall == 0:
        return None
    return 2 * precision * recall / (precision + recall)
