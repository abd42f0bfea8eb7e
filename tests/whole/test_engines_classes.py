"""Several classes that are counted in parts: the numbers of rows in memory."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from reportgen import ReportgenError, evaluate
from reportgen.measuring.multiclass_metrics import PAIRS
from tests.breadth import breadth
from tests.engine_data import (
    assert_parts_add_up,
    assert_same_numbers,
    assert_same_tests,
    by_engine,
    written,
)
from tests.quick import QUICK

CLASSES = ("cat", "dog", "owl")
SCORED = {m: {"scores": {c: f"{m}_{c}" for c in CLASSES}} for m in "pq"}
MODELS = {**SCORED, "said": {"label": "label"}}


def classified(number: int, seed: int = 0, digits: int | None = None) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, number)
    columns = {"y": [CLASSES[k] for k in truth]}
    for model, strength in (("p", 1.5), ("q", 1.0)):
        odds = random.normal(size=(number, 3))
        odds[np.arange(number), truth] += strength
        score = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
        score = score if digits is None else score.round(digits)
        columns |= {f"{model}_{c}": score[:, k] for k, c in enumerate(CLASSES)}
    predicted = np.where(random.random(number) < 0.7, truth, random.integers(0, 3, number))
    return pl.DataFrame(
        {
            **columns,
            "label": [CLASSES[k] for k in predicted],
            "w": random.choice([0, 0.25, 1.5, 2], number),
            "site": random.integers(0, 3, number).astype(str),
            "fold": random.integers(0, 4, number).astype(str),
            "role": random.choice(["train", "test"], number),
        }
    )


def spec(data, engine="streaming", **more):
    return {
        "data": str(data),
        "truth": "y",
        "models": MODELS,
        "engine": engine,
        **QUICK,
        **more,
    }


WHOLE = {"intervals": {"ratios": "square_and_add"}}
"""With the search for limits that others leave out."""

COSTS = {"cat": {"dog": 2}, "owl": {"cat": 1, "dog": 3}}
OWN = {"p": {"scores": SCORED["p"]["scores"], "label": "label"}}
CASES = {
    "many": (
        classified(600),
        {"comparisons": {"margin": 0.05}, "bootstrap": {"replicates": 40}, **WHOLE},
    ),
    "weights, slices and costs": (
        classified(600),
        {"columns": {"weight": "w"}, "slices": ["site"], "costs": COSTS, **WHOLE},
    ),
    "costs": (classified(400), {"costs": COSTS}),
    "costs of labels alone": (
        classified(400).with_columns(other=pl.col("label").shuffle(seed=1)),
        {
            "task": "multiclass",
            "models": {name: {"label": name} for name in ("label", "other")},
            "costs": COSTS,
        },
    ),
    "costs in groups": (
        classified(400).with_columns(g=pl.int_range(pl.len()) // 8),
        {"columns": {"group": "g"}, "costs": COSTS},
    ),
    "costs with weights": (classified(400), {"columns": {"weight": "w"}, "costs": COSTS}),
    "ties": (classified(300, digits=2), {"slices": ["site"]}),
    "folds of both sides": (classified(300), {"columns": {"role": "role", "fold": "fold"}}),
    "a class without rows": (
        classified(200).filter(pl.col("y") != "owl"),
        {"classes": list(CLASSES)},
    ),
    "no probabilities": (classified(200).with_columns(pl.col("p_cat") * 3), {"models": SCORED}),
    "labels alone": (classified(200), {"task": "multiclass", "models": {"said": MODELS["said"]}}),
    "labels beside scores": (classified(200), {"models": OWN}),
    "one row": (classified(1), {"classes": list(CLASSES)}),
}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    return by_engine(CASES, spec, tmp_path_factory.mktemp("cases"))


@breadth(
    "case", CASES, ["weights, slices and costs", "folds of both sides", "labels beside scores"]
)
def test_numbers_of_counts_are_those_of_rows(evaluated, case):
    """Equal but for the rounding of sums, or between the bounds that the cells leave."""
    rows, counts = evaluated(case)

    assert_same_numbers(rows, counts, not_counted=PAIRS)
    assert counts.curves["confusion"].equals(rows.curves["confusion"])
    assert counts.data["models"] == rows.data["models"]
    assert counts.data["classes"] == rows.data["classes"]


WITH_COSTS = [case for case in CASES if case.startswith("costs")]


@breadth(
    "case",
    ["many", "folds of both sides", "one row", *WITH_COSTS],
    ["folds of both sides", *WITH_COSTS[:3]],
)
def test_tests_of_decisions_are_those_of_rows(evaluated, case):
    rows, counts = evaluated(case)

    assert_same_tests(rows, counts)
    of_costs = counts.comparisons.filter(metric="cost_sensitive_error_rate")
    assert of_costs.is_empty() == (case not in WITH_COSTS)
    concluded = [(d.measure, d.leader, d.relation) for d in (rows.decision, counts.decision)]
    assert concluded[0] == concluded[1]
    assert counts.slices.equals(rows.slices)
    assert counts.folds.equals(rows.folds)


def test_parts_in_any_order_give_the_same_digits(tmp_path):
    """Of files and of counts of shards."""
    frame, more = CASES["weights, slices and costs"]
    frame, more = frame[:200], {**more, "slices": []}
    parts = [frame[:50], frame[50:120], frame[120:]]
    assert_parts_add_up(tmp_path, frame, parts, lambda data: spec(data, **more))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (pl.lit("cow").alias("label"), "unknown label"),
        (pl.lit("cow").alias("y"), "no score column names"),
    ],
    ids=["of a model", "of the truth"],
)
def test_labels_that_no_class_has_are_refused(tmp_path, change, message):
    frame = pl.concat([classified(30), classified(1).with_columns(change)])

    with pytest.raises(ReportgenError, match=message):
        evaluate(spec(written(frame, tmp_path / "p.parquet")))


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (
            {"columns": {"group": "site", "weight": "w"}},
            "weighted rows in groups",
        ),
        ({"columns": {"time": "site"}}, "order of time"),
        ({"columns": {"repeat": "site"}}, "identified by their ids"),
        (
            {"models": {"m": {"scores": {str(k): f"s{k}" for k in range(101)}}}},
            "more than 100 classes",
        ),
    ],
    ids=["weights in groups", "time", "repeats", "many classes"],
)
def test_what_counts_cannot_stand_for_is_refused(tmp_path, more, reason):
    with pytest.raises(ReportgenError, match=reason):
        evaluate(spec(written(classified(20), tmp_path / "p.parquet"), **more))


def test_sums_that_are_nearly_1_are_known_from_all_rows(tmp_path):
    """Two decimals in most rows, more in a later one, whose sum then is too far from 1."""
    frame = classified(300, digits=2)
    late = frame[-1].with_columns(p_cat=pl.col("p_cat") + 0.0051)
    data = written(pl.concat([frame, late]), tmp_path / "p.parquet")
    for engine in ("exact", "streaming"):
        results = evaluate(spec(data, engine))
        assert [m["probability"] for m in results.data["models"]] == [False, True, False]
    assert math.isfinite(results.metrics.filter(metric="log_loss", model="q")["value"][0])
