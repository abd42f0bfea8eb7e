"""Limits of costs that rows have of their own."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.measuring.own_cost_limits import own_cost_limits
from reportgen.results import Results, evaluate
from tests.quick import QUICK
from tests.simulations.costs_by_row import Errors, held

COSTS = {"false_negative": {"column": "loss"}, "false_positive": 5}


def loans(rows: int = 300) -> pl.DataFrame:
    """Loans, some of which default: a model of some use, one without errors, one that refuses."""
    random = np.random.default_rng(4)
    default = random.random(rows) < 0.25
    score = np.clip(0.5 * default + 0.5 * random.random(rows), 0, 1)
    loss = 50 * np.exp(1.2 * random.normal(size=rows))
    perfect = default.astype(float)
    return pl.DataFrame(
        {"y": default, "loss": loss, "some": score, "perfect": perfect, "refuses": 0.9}
    )


def evaluated(model: str, gate: str, frame: pl.DataFrame | None = None) -> Results:
    spec = {"truth": "y", "models": {model: {"score": model}}, "costs": COSTS, "gates": [gate]}
    return evaluate({**spec, **QUICK}, loans() if frame is None else frame)


def number(results: Results, metric: str) -> dict:
    return results.metrics.filter(pl.col("slice").is_null(), metric=metric).row(0, named=True)


@pytest.mark.parametrize(
    ("design", "least"),
    [
        (Errors(1500, 0.24, 0.0125, 0.0), 0.94),
        (Errors(300, 0.24, 0.08, 0.02), 0.94),
        (Errors(800, 0.24, 0.125, 0.05, depends=0.5), 0.86),
    ],
)
def test_limits_hold_costs_of_few_costly_errors(design, least):
    assert held(design, 300)[0] >= least


def test_a_model_without_errors_has_limits_and_passes_no_narrow_gate():
    results = evaluated("perfect", "perfect.cost <= 0.1")
    cost, (gate,) = number(results, "cost_sensitive_error_rate"), results.gates.to_dicts()

    assert cost["value"] == cost["low"] == 0
    assert cost["high"] > 0.1
    assert gate["state"] == "inconclusive"


def test_a_model_that_decides_as_the_cheaper_guess_saves_nothing_for_certain():
    """The limits relative to the dearer guess alone would be those of another number."""
    results = evaluated("refuses", "refuses.savings.low >= 0.5")
    savings = number(results, "savings")

    assert savings["value"] == pytest.approx(0, abs=1e-12)
    assert savings["low"] == pytest.approx(0, abs=1e-12)
    assert results.gates["state"].to_list() == ["fail"]


def test_rows_of_weight_2_count_as_rows_that_stand_twice_but_for_their_number():
    """Their mean is the same, and their limits are wider than those of twice as many rows."""
    random = np.random.default_rng(1)
    possible, wrong = random.lognormal(size=80), random.random(80) < 0.2
    positive, ones = random.random(80) < 0.5, np.ones(80)
    weighted = own_cost_limits(possible, wrong, positive, 2 * ones)
    twice = own_cost_limits(*(np.repeat(one, 2) for one in (possible, wrong, positive, ones)))

    assert weighted == pytest.approx(own_cost_limits(possible, wrong, positive, ones))
    assert weighted[0] < twice[0] < twice[1] < weighted[1]
    returned = own_cost_limits(
        *(np.repeat(one, 2) for one in (possible, wrong, positive, ones)), repeats=2
    )
    assert returned == pytest.approx(weighted)


def test_a_model_that_is_wrong_in_every_row_of_a_class_has_limits():
    """Sums in another order are more than all by a rounding error."""
    random = np.random.default_rng(4)
    for _ in range(200):
        possible = random.lognormal(size=60)
        positive = random.random(60) < 0.4
        low, high = own_cost_limits(possible, positive, positive, np.ones(60))
        assert 0 <= low < possible[positive].sum() / 60 < high
