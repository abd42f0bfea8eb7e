"""Models against guessing: in which measure, at what costs, and by the ranks of their scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl
from scipy.special import ndtri

from reportgen.comparisons.paired_losses import SQUARED
from reportgen.concluding.contest import Contest
from reportgen.concluding.cost_headline import shares_of
from reportgen.concluding.costs_in_use import costs_per_row
from reportgen.concluding.model_values import ModelValue, limited, on_all_rows
from reportgen.metric_names import COST
from reportgen.metrics import find, measure_tested_as
from reportgen.records.decision import OF_ERRORS, AtChance
from reportgen.records.model import Results
from reportgen.records.rows import DataRecord, evaluation_of

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


def trivial_cost(metrics: pl.DataFrame, model: str) -> float | None:
    """Cost per row of always predicting the cheaper class, cost / (1 − savings).

    None where a model without cost leaves it open.
    """
    cost, saved = (on_all_rows(metrics, name).get(model) for name in (COST, "savings"))
    if cost is None or saved is None or saved.value >= 1:
        return None
    return cost.value / (1 - saved.value)


def of_costs(results: Results, names: Sequence[str]) -> list[AtChance]:
    """Expected costs, beside those of the trivial classifier, at the stated prevalence if any."""
    shares = shares_of(results)
    if shares is None:
        plain = results.metrics.filter(pl.col("slice").is_null())
        return list(_of_costs_of_rows(plain, names))
    return list(_of_costs_in_use(results, names, shares[1]))


def _of_costs_in_use(results: Results, names: Sequence[str], stated: float) -> Iterator[AtChance]:
    """The same where positives are as frequent as stated: what guessing costs then is known."""
    declared = results.declared.costs or {}
    errors = (declared.get(name) for name in ("false_negative", "false_positive"))
    of_miss, of_alarm = (float(cost) if isinstance(cost, int | float) else 0.0 for cost in errors)
    trivial, costs = min(stated * of_miss, (1 - stated) * of_alarm), costs_per_row(results)
    for name in names:
        cost = costs.get(name)
        if cost is None or not trivial > 0:
            continue
        saved = None
        if cost.low is not None and cost.high is not None:
            value, low, high = (1 - end / trivial for end in (cost.value, cost.high, cost.low))
            saved = value, low, high
        ends = cost.value, cost.low, cost.high
        yield AtChance(name, COST, *ends, trivial, above=saved, prevalence=stated)


def _of_costs_of_rows(metrics: pl.DataFrame, names: Sequence[str]) -> Iterator[AtChance]:
    costs, saved = (on_all_rows(metrics, name) for name in (COST, "savings"))
    for name in names:
        cost, trivial = costs.get(name), trivial_cost(metrics, name)
        if cost is not None and trivial is not None and trivial > 0:
            above = limited(saved.get(name))
            yield AtChance(name, COST, cost.value, cost.low, cost.high, trivial, above=above)


FEWEST = 5
"""Rows of a class, below which the normal distribution is not that of the rank sum."""


def above_chance_by_ranks(row: AtChance, data: DataRecord, level: float) -> bool:
    """Whether the AUC of independent rows is above one half by the two-sided rank sum test.

    With a correction for continuity; scores that are tied have a smaller variance than is taken.
    A mean over folds has the variance of rank sums within folds, times what overlapping training
    sets add (Nadeau & Bengio, 2003, doi:10.1023/A:1024068626366). ``level`` is that of one of
    several tests. Not of rows in groups or order of time, with weights, or where models lack rows.
    Mann & Whitney (1947), doi:10.1214/aoms/1177730491.

    >>> rows = {"positives": 15, "negatives": 11}
    >>> row = AtChance("a", "auc", 0.803, 0.498, 0.947, 0.5)
    >>> above_chance_by_ranks(row, rows, 0.025), above_chance_by_ranks(row, rows, 0.005)
    (True, False)
    """
    sizes = _sizes(row, data)
    if row.measure != "auc" or sizes is None or min(sizes) < FEWEST or not _independent(data):
        return False
    positives, negatives = sizes
    evaluation = evaluation_of(data)
    folds = evaluation.folds if evaluation.pooled_fits else 1
    if min(sizes) < folds:
        return False
    pairs = positives * negatives / folds  # of all folds
    of_overlap = 1 + folds / (folds - 1) if folds > 1 else 1.0
    error = math.sqrt(of_overlap * pairs * ((positives + negatives) / folds + 1) / 12)
    return (row.value - 0.5) * pairs - 0.5 > float(ndtri(1 - level / 2)) * error


def _sizes(row: AtChance, data: DataRecord) -> tuple[int, int] | None:
    """The rows of the class, and all others."""
    if row.class_ is None:
        return (data["positives"], data["negatives"]) if "positives" in data else None
    every = data.get("classes") or ()
    own = [one["rows"] for one in every if one["class"] == row.class_]
    total = data["rows_evaluated"]
    return (own[0], total - own[0]) if own and own[0] is not None else None


def _independent(data: DataRecord) -> bool:
    """Whether nothing shows that rows depend on each other, but for folds of one repeat."""
    evaluation = evaluation_of(data)
    dependent = (
        data.get("groups")
        or data.get("timed")
        or data.get("weighted")
        or data.get("undeclared_in_folds")
        or any(one.get("sampled", True) for one in data.get("undeclared_groups", ()))
    )
    fits = evaluation.pooled_fits and evaluation.scheme != "k_fold"
    several = fits or evaluation.scheme == "data_sets" or (data.get("repeats") or 1) > 1
    return not (dependent or several or data.get("unpaired"))
