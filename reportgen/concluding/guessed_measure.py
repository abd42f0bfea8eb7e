"""By which measure models are held against guessing, where what decides has no value for it."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from reportgen.comparisons.paired_losses import SQUARED
from reportgen.concluding.contest import Contest
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.metric_names import COST
from reportgen.metrics import find, measure_tested_as
from reportgen.records.decision import OF_ERRORS
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord

MACRO_RECALL = "macro_recall"

SHARES = ("auc", "accuracy", "balanced_accuracy", MACRO_RECALL)
"""Measures from 0 to 1 in which guessing has a value."""

OF_GUESSING = (*SHARES, *OF_ERRORS, COST)
"""Every measure in which it has one."""


def with_guessing(results: Results, contest: Contest) -> Contest:
    """The contest, of the measure that is compared with guessing: its own, if that can be.

    Gini and the rank loss follow from the AUC, the error rate from the accuracy. Beside any other
    measure, of pooled rows, it is the AUC, or that of labels; of numbers R².
    """
    if contest.measure in OF_GUESSING or contest.basis not in ("pooled rows", "groups"):
        return contest
    metrics = results.metrics.filter(pl.col("slice").is_null())
    above = _above_guessing(results, contest, metrics)
    if above >= contest.values.keys():
        return contest
    for name in (measure_tested_as(contest.measure, results.data["task"]), *_beside(results)):
        values = _values(metrics, name)
        if name in OF_GUESSING and values.keys() >= contest.values.keys():
            others = {model: one for model, one in values.items() if model not in above}
            return replace(contest, measure=name, values=others)
    return contest


def _above_guessing(results: Results, contest: Contest, metrics: pl.DataFrame) -> frozenset[str]:
    """The models of which the deciding measure itself shows that they do not guess, or may show it.

    Scores that find a few positives alone may rank the rest as guesses do; estimates of the median
    may be far from the mean. Of a measure that may be negative guessing gives 0.
    """
    metric, every = find(contest.measure, results.data["task"]), frozenset(contest.values)
    if results.task.of_numbers:
        shares = on_all_rows(metrics, "d2_absolute_error").values()
        if any(one.value > 0 for one in shares):
            return every
    if metric is None or metric.tested_as in OF_GUESSING:
        return frozenset()
    null = metric.of_guesses(results.data.get("prevalence"))
    if null is None:
        return every if metric.of_highest else frozenset()
    lows = {model: one.low for model, one in contest.values.items()}
    return frozenset(model for model, low in lows.items() if low is not None and low > null)


def _beside(results: Results) -> tuple[str, ...]:
    if results.task.of_numbers:
        return (SQUARED,)
    if results.task.two_classes:
        return ("auc", "balanced_accuracy")
    return (MACRO_RECALL,) if results.task.several_classes else ()


def _values(metrics: pl.DataFrame, name: str) -> dict[str, ModelValue]:
    if name != MACRO_RECALL:
        return on_all_rows(metrics, name)
    return on_all_rows(metrics, "recall", "macro")


def aims_elsewhere(contest: Contest, data: DataRecord) -> bool:
    """Whether accuracy decides, but a threshold was chosen for another measure, such as F1."""
    choices = [model.get("threshold_choice") for model in data["models"]]
    aims = {choice["metric"] for choice in choices if choice is not None}
    return contest.measure == "accuracy" and not aims <= {"accuracy"}
