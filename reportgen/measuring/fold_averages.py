"""Macro and micro averages of precision, recall and F1 over several tests of two classes."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reportgen.measuring.fold_means import MEAN
from reportgen.measuring.metric_rows import MetricRows
from reportgen.metrics import METRICS
from reportgen.metrics.settings import ErrorCosts
from reportgen.predictions.evaluation_scheme import FIT, Evaluation
from reportgen.tables.results import MetricRow

COUNTS = ("tp", "fp", "fn", "tn")

MEASURES = ("precision", "recall", "f1")

COST = "cost_sensitive_error_rate"

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
        parts.append(by_test.select(*COUNTS, model=pl.lit(name)))
    return pl.concat(parts)


def _keys(columns: list[str], evaluation: Evaluation) -> list[str]:
    if evaluation.scheme == "data_sets":
        return ["dataset"]
    return [name for name in FIT if name in columns]


def fold_averages(
    counts: pl.DataFrame, evaluation: Evaluation, costs: ErrorCosts | None = None
) -> list[MetricRow]:
    """Macro and micro averages of every model over its tests, as rows of ``Metrics``.

    Macro: the mean of the measure over the tests; ``f1_of_macro`` is
    2PR/(P + R) of macro-precision P and macro-recall R. Micro: the measure of the
    counts summed over the tests. Undefined where a test has no value (macro) or
    the sums have none (micro). Zhou (2016), *Machine Learning*, 2.12 to 2.17, over
    n confusion tables. With ``costs`` of the two errors the mean cost of a row over the folds
    as well.
    """
    where = "data sets" if evaluation.scheme == "data_sets" else "folds"
    rows: list[MetricRow] = []
    for (model,), model_counts in counts.group_by("model", maintain_order=True):
        number = MetricRows(str(model))
        macro, micro = (number.average(f"{kind} of {where}") for kind in ("macro", "micro"))
        by_test = model_counts.select(**{name: METRICS[name].build() for name in MEASURES})
        means = {name: _mean(by_test[name]) for name in MEASURES}
        missing = f"a {where[:-1]} has no value"
        rows += [_row(macro, name, means[name], missing) for name in MEASURES]
        of_means = _harmonic(means["precision"], means["recall"])
        rows.append(_row(macro, F1_OF_MACRO, of_means, missing))
        summed = model_counts.select(pl.col(COUNTS).sum())
        for name in MEASURES:
            value = summed.select(METRICS[name].build()).item()
            rows.append(_row(micro, name, value, METRICS[name].undefined))
        if costs is not None:
            by_test = model_counts.select(METRICS[COST].build(**costs))
            rows.append(_row(number.average(MEAN), COST, _mean(by_test.to_series()), missing))
    return rows


def _row(number: MetricRows, name: str, value: float | None, missing: str) -> MetricRow:
    return number.row(name, value, undefined=missing if value is None else None)


def _mean(values: pl.Series) -> float | None:
    return None if values.null_count() else float(values.to_numpy().mean())


def _harmonic(precision: float | None, recall: float | None) -> float | None:
    """2PR/(P + R); null without one of them, or where both are 0."""
    if precision is None or recall is None or precision + recall == 0:
        return None
    return 2 * precision * recall / (precision + recall)
