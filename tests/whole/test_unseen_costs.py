"""Costs of errors in a class that is declared and has no rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.page_text import without_chinese
from tests.quick import QUICK

COSTS = {"A": {"B": 1, "C": 2}, "B": {"A": 1, "C": 2}, "C": {"A": 50, "B": 50}}
GATES = ["a.cost <= 0.3", "a.cost - b.cost < 0", "a.accuracy - b.accuracy > 0"]


def results(rare: int, **more):
    """Model a never predicts C, model b always does there, but errs in 30 % of the others."""
    random = np.random.default_rng(5)
    truth = np.where(random.random(300) < 0.6, "A", "B").astype(object)
    truth[:rare] = "C"
    other = np.where(truth == "A", "B", "A")
    a = np.where((truth == "C") | (random.random(300) < 0.06), other, truth)
    b = np.where((truth != "C") & (random.random(300) < 0.3), other, truth)
    frame = pl.DataFrame({"y": truth, "a": a, "b": b}, schema=dict.fromkeys("yab", pl.String))
    models = {name: {"label": name} for name in "ab"}
    spec = {"truth": "y", "classes": ["A", "B", "C"], "models": models, **QUICK, **more}
    return evaluate({**spec, "gates": GATES}, frame)


def test_a_class_without_rows_whose_errors_are_dear_leaves_the_cost_open():
    """The rule of three: 0 of 300 rows are up to 1 % of further ones, at 50 each."""
    of = results(0, costs=COSTS)
    tests = of.comparisons.filter(metric="cost_sensitive_error_rate", shows="difference")
    [caveat] = [c.text for c in of.decision.caveats if c.code == "no_row_of_class"]

    assert of.gates["state"].to_list() == ["inconclusive", "inconclusive", "pass"]
    assert "recommended" not in tests["recommendation"]
    assert of.decision.measure == "accuracy"
    share = 1 - 0.05 ** (1 / 300)
    assert f"Errors in C cost up to 50 and may add {50 * share:.3f} to the cost per row" in caveat
    assert not without_chinese(of, [caveat])


@pytest.mark.parametrize("costs", [COSTS | {"C": {"A": 1, "B": 1}}, {"A": {"B": 1}, "B": {"A": 1}}])
def test_one_whose_errors_cost_little_or_nothing_leaves_it_decided(costs):
    of = results(0, costs=costs)

    assert of.decision.measure == "cost_sensitive_error_rate"
    assert of.gates["state"].to_list()[1:] == ["pass", "pass"]


def test_with_rows_of_the_class_the_test_of_declared_costs_allows_for_it():
    of = results(2, costs=COSTS)

    assert of.decision.relation != "ahead" or of.decision.measure != "cost_sensitive_error_rate"
    assert "no_row_of_class" not in [c.code for c in of.decision.caveats]


def test_a_claim_on_the_cost_is_open_too():
    of = results(0, costs=COSTS, comparisons={"claims": ["a.cost <= 0.3"]})
    said = " ".join([of.decision.sentence, *[c.text for c in of.decision.caveats]])

    assert "support" not in said
    assert "no test of it is recommended: no row has the class C" in said
