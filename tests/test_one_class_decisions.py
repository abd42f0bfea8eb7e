"""Models that predict one class alone at their threshold, though their scores rank the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.records.decision import Decision
from tests.quick import QUICK

NOBODY = "At the threshold in use m predicts no row positive: choose a lower one."


def decided(signal: float, shift: float, models: str = "m", **more: Any) -> Decision:
    random = np.random.default_rng(2)
    positive = random.random(300) < 0.1
    scores = signal * positive + random.normal(size=(len(models), 300)) + shift
    frame = pl.DataFrame(
        {"y": positive} | {m: 1 / (1 + np.exp(-s)) for m, s in zip(models, scores, strict=True)}
    )
    spec = {
        "truth": "y",
        "models": {m: {"score": m} for m in models},
        **QUICK,
    }
    return reportgen.evaluate(spec | more, frame).decision


def texts(decision: Decision) -> list[str]:
    return [c.text for c in decision.caveats if c.code == "one_class_decisions"]


def test_a_threshold_above_every_score_is_told_with_the_way_to_another_one():
    assert texts(decided(3.0, -8.0)) == [NOBODY]
    assert texts(decided(3.0, 8.0)) == [
        "At the threshold in use m predicts every row positive: choose a higher one."
    ]


def test_a_threshold_that_hardly_a_score_of_one_class_reaches_is_said_too():
    rare = "At the threshold in use m misses more than nine in ten positives: choose a lower one."
    often = "At the thresholds in use m and n flag more than nine in ten negatives: choose higher"
    costs = {"false_negative": 1, "false_positive": 1}

    assert texts(decided(2.0, -3.7)) == [rare]
    assert texts(decided(2.0, 2.5, "mn")) == [f"{often} ones."]
    assert texts(decided(2.0, -3.7, costs=costs)) == []


def test_where_costs_are_declared_the_advice_is_theirs():
    decision = decided(3.0, -8.0, costs={"false_negative": 1, "false_positive": 1})

    assert texts(decision) == ["At the threshold in use m predicts no row positive."]


def test_several_models_stand_in_one_sentence():
    both = "At the thresholds in use m and n predict no row positive: choose lower ones."
    assert texts(decided(3.0, -8.0, "mn")) == [both]


@pytest.mark.parametrize(
    ("signal", "shift", "more"),
    [
        pytest.param(3.0, -1.0, {}, id="both classes are predicted"),
        pytest.param(0.0, -8.0, {}, id="no threshold helps a model at chance"),
        pytest.param(3.0, -8.0, {"threshold": 0.0001}, id="the spec has another threshold"),
        pytest.param(
            0.4,
            -8.0,
            {
                "threshold": {"minimise": "cost"},
                "costs": {"false_negative": 1, "false_positive": 50},
            },
            id="the data chose the threshold",
        ),
    ],
)
def test_nothing_is_told_where_another_threshold_is_no_cure(signal, shift, more):
    assert texts(decided(signal, shift, **more)) == []
