"""By which measure models are held against guessing, where what decides has no value for it."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from reportgen.comparisons.paired_losses import SQUARED
from reportgen.concluding.contest import Contest
from reportgen.concluding.model_values import ModelValue, on_all_rows
from reportgen.metric_names import COST
from reportgen.metrics import measure_tested_as
from reportgen.records.decision import OF_ERRORS
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord

MACRO_RECALL = "macro_recall"

OF_GUESSING = ("auc", "accuracy", "balanced_accuracy", *OF_ERRORS, COST)
"""The measures in which guessing has a value."""


def with_guessing(results: Results, contest: Contest) -> Contest:
    """The contest, of the measure that is compared with guessing: its own, if that can be.

    Gini and the rank loss follow from the AUC, the error rate from the accuracy. Beside any other
    measure, of pooled rows, it is the AUC, or that of labels; of numbers R².
    """
    if contest.measure in OF_GUESSING or contest.basis not in ("pooled rows", "groups"):
        return contest
    metrics = results.metrics.filter(pl.col("slice").is_null())
    for name in (measure_tested_as(contest.measure, results.data["task"]), *_beside(results)):
        values = _values(metrics, name)
        if name in (*OF_GUESSING, MACRO_RECALL) and values.keys() >= contest.values.keys():
            return replace(contest, measure=name, values=values)
    return contest


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
