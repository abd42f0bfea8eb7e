"""Whatever the rows, a printed interval holds its value, is in range, and has both ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import polars as pl
import pytest

from reportgen.metrics import REGISTRY
from reportgen.results import evaluate

CLASSES = ("p", "q", "r")
COLUMNS = ({}, {"weight": "w"}, {"group": "g"})
SCORES = ("perfect", "certain", "reverse", "tied", "random")


def extreme_scores(one_hot: np.ndarray, kind: str, random: np.random.Generator) -> np.ndarray:
    """Row × class, between 0 and 1."""
    return {
        "perfect": 0.7 * one_hot + 0.1,
        "certain": one_hot,
        "reverse": np.roll(one_hot, 1, axis=1) if one_hot.shape[1] > 1 else 1 - one_hot,
        "tied": np.full(one_hot.shape, 1 / one_hot.shape[1]),
        "random": random.dirichlet(np.ones(max(one_hot.shape[1], 2)), len(one_hot))[
            :, : one_hot.shape[1]
        ],
    }[kind]


def frame(rows: int, truths: dict, first: np.ndarray, random: np.random.Generator) -> pl.DataFrame:
    """Columns of the truth, the scores of models a and b, a weight, and groups of two."""
    second = extreme_scores(np.zeros_like(first), "random", random)
    scores = {
        f"{m}{k}": s[:, k] for m, s in (("a", first), ("b", second)) for k in range(s.shape[1])
    }
    return pl.DataFrame(
        {**truths, **scores, "w": random.uniform(0.5, 2, rows), "g": np.arange(rows) // 2}
    )


def binary(
    rows: int, kind: str, random: np.random.Generator
) -> Iterator[tuple[dict, pl.DataFrame]]:
    """One row of a class, or both classes alike."""
    models = {m: {"score": f"{m}0"} for m in "ab"}
    spec = {"truth": "y", "models": models, "costs": {"false_negative": 5, "false_positive": 1}}
    for truth in (np.arange(rows) % 2, (np.arange(rows) == 0).astype(int)):
        first = extreme_scores(truth[:, None].astype(float), kind, random)
        if kind == "tied":
            first = first / 2
        yield spec, frame(rows, {"y": truth}, first, random)


def multiclass(
    rows: int, kind: str, random: np.random.Generator
) -> Iterator[tuple[dict, pl.DataFrame]]:
    """All three classes, or one alone."""
    models = {m: {"scores": {c: f"{m}{k}" for k, c in enumerate(CLASSES)}} for m in "ab"}
    spec = {"truth": "y", "classes": list(CLASSES), "models": models}
    for code in (np.arange(rows) % 3, np.zeros(rows, int)):
        first = extreme_scores(np.eye(3)[code], kind, random)
        yield spec, frame(rows, {"y": np.array(CLASSES)[code]}, first, random)


def multilabel(
    rows: int, kind: str, random: np.random.Generator
) -> Iterator[tuple[dict, pl.DataFrame]]:
    """Two labels in turn, or none at all."""
    models = {m: {"scores": {c: f"{m}{k}" for k, c in enumerate("uv")}} for m in "ab"}
    spec = {"truth": {"u": "u", "v": "v"}, "models": models}
    for truth in ((np.arange(rows)[:, None] + np.arange(2)) % 2, np.zeros((rows, 2), int)):
        first = extreme_scores(truth.astype(float), kind, random)
        yield spec, frame(rows, {"u": truth[:, 0], "v": truth[:, 1]}, first, random)


def regression(
    rows: int, kind: str, random: np.random.Generator
) -> Iterator[tuple[dict, pl.DataFrame]]:
    """A truth that varies or not, and estimates that are exact, constant or far away."""
    spec = {"truth": "y", "models": {m: {"estimate": f"{m}0"} for m in "ab"}}
    for truth in (random.normal(size=rows), np.ones(rows)):
        outlier = np.where(np.arange(rows) == 0, 1e6, truth + 0.1)
        estimate = {"certain": truth, "tied": 0 * truth, "reverse": outlier}.get(kind, -truth)
        yield spec, frame(rows, {"y": truth}, estimate[:, None], random)


TASKS = {f.__name__: f for f in (binary, multiclass, multilabel, regression)}
SIZES = (2, 3, 4, 5, 12)
ALL = [*product(TASKS, SIZES, SCORES, range(len(COLUMNS)))]
FEW = [
    (task, SIZES[k % 5], SCORES[(2 * k + k // 5) % 5], role)
    for k, (task, role) in enumerate(product(TASKS, range(len(COLUMNS))))
]
"""Every task with every role, each number of rows and score two or three times."""


def faults(task: str, metrics: pl.DataFrame) -> Iterator[str]:
    """What is wrong with a value or its interval."""
    for row in metrics.iter_rows(named=True):
        value, low, high = row["value"], row["low"], row["high"]
        where = f"{row['metric']} {row['class'] or ''} {row['average'] or ''}: {value} {low} {high}"
        metric = REGISTRY[task].get(row["metric"]) or REGISTRY["binary"][row["metric"]]
        if value is None:
            if not row["undefined"] or low is not None:
                yield f"no value, no reason: {where}"
            continue
        if not metric.bounds[0] <= value <= metric.bounds[1]:
            yield f"out of range: {where}"
        if (low is None) != (high is None) or (low is None) != (row["interval"] is None):
            yield f"half an interval: {where}"
        elif low is not None:
            if not low <= value <= high:
                yield f"the value is outside: {where}"
            if low < metric.bounds[0] or high > metric.bounds[1]:
                yield f"limits out of range: {where}"


@pytest.mark.parametrize(
    ("task", "rows", "kind", "role"),
    [pytest.param(*case, marks=() if case in FEW else pytest.mark.slow) for case in ALL],
)
def test_intervals_hold_their_value_and_are_in_range(task, rows, kind, role):
    random = np.random.default_rng([rows, role])
    for spec, data in TASKS[task](rows, kind, random):
        given = {"data": "d.csv", "columns": COLUMNS[role], "bootstrap": {"replicates": 20}, **spec}
        results = evaluate(given, data)
        assert not list(faults(task, results.metrics))
        both = results.differences.drop_nulls(["value", "low", "high"])
        assert both.filter(~pl.col("value").is_between("low", "high")).is_empty()
