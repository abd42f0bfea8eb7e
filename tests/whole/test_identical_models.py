"""Models with the same outputs in every row: one statement, and gates that 0 decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen.results import Results, evaluate
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK

GATES = ["a.accuracy - b.accuracy >= 0", "b.auc - a.auc >= 0", "a.auc - b.auc > 0"]


def compared(output: str = "score", **more: Any) -> Results:
    """Models a and b with the same output, and c."""
    random = np.random.default_rng(8)
    truth = np.arange(200) % 2
    score = 1 / (1 + np.exp(0.5 - truth - random.normal(size=200)))
    frame = pl.DataFrame({"y": truth, "a": score, "b": score, "c": random.random(200)})
    if output == "label":
        frame = frame.with_columns((pl.col("a", "b", "c") > 0.5).cast(pl.Int64))
    models = {name: {output: name} for name in more.pop("names", "ab")}
    return evaluate({"truth": "y", "models": models, **QUICK, **more}, frame)


@pytest.mark.parametrize(("output", "what"), [("score", "AUC 0.7"), ("label", "accuracy 0.7")])
@pytest.mark.parametrize("margin", [None, 0.05])
def test_page_one_says_once_that_models_are_one(output, what, margin):
    results = compared(output, comparisons={} if margin is None else {"margin": margin})
    decision = results.decision
    (caveat,) = decision.caveats
    into = translator("zh", names_of(results.to_dict()))
    for text in (decision.headline, caveat.text):
        into.text(text)

    assert decision.headline.startswith(f"a and b give the same outputs for every row ({what}")
    assert decision.sentence == ""
    assert ("they are one model" in caveat.text, caveat.code) == (True, "needs_no_test")
    assert (
        "within the margin of 0.05" in caveat.text or "less than the margin" in caveat.text
    ) is (margin is not None)
    assert ("on others they may differ" in caveat.text) is (output == "label")
    assert not into.missing


def test_a_gate_on_a_difference_of_identical_scores_passes_or_fails_by_0():
    gates = compared(gates=GATES).gates

    assert gates["state"].to_list() == ["pass", "pass", "fail"]
    assert gates.select("observed", "low", "high").unique().rows() == [(0.0, 0.0, 0.0)]


def test_models_whose_labels_agree_on_these_rows_may_differ_on_others():
    gates = compared("label", gates=GATES[:1], comparisons={"margin": 0.05}).gates

    assert gates["state"].to_list() == ["inconclusive"]
    assert gates["low"][0] < 0 < gates["high"][0]


def test_a_third_model_leaves_the_comparison_to_its_test():
    decision = compared(names="abc").decision

    assert decision.relation == "ahead"
    assert "a and b give the same outputs" in " ".join(c.text for c in decision.caveats)
    assert not [c for c in decision.caveats if c.code == "not_compared"]
