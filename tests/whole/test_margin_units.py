"""A margin is in the unit of the measure that decides."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.errors import SpecError
from reportgen.metric_names import COST
from reportgen.results import Results, evaluate
from tests.page_text import without_chinese
from tests.quick import QUICK


def of_scores(noise: float, **spec: object) -> Results:
    """b has the scores of a, with noise."""
    random = np.random.default_rng(5)
    truth = (random.random(500) < 0.4).astype(int)
    a = 1 / (1 + np.exp(-2 * (truth - 0.5) - random.normal(size=500)))
    b = (a + noise * random.normal(size=500)).clip(0.001, 0.999)
    frame = pl.DataFrame({"y": truth, "a": a, "b": b})
    models = {name: {"score": name} for name in "ab"}
    return evaluate({"truth": "y", "models": models, "baseline": "a", **QUICK, **spec}, frame)


def margin_tests(results: Results) -> set[str]:
    rows = results.comparisons.filter(pl.col("shows").is_in(["equivalence", "non_inferiority"]))
    return set(rows["metric"])


def untested(results: Results) -> list[str]:
    return [one.text for one in results.decision.caveats if one.code == "untested_margin"]


@pytest.mark.parametrize(
    ("spec", "tested"),
    [
        ({}, {"auc", "accuracy"}),
        ({"primary": "accuracy"}, {"accuracy"}),
        ({"primary": "error_rate"}, {"accuracy"}),
        ({"primary": "f1"}, set()),
    ],
    ids=["any", "accuracy", "its complement", "another"],
)
def test_a_margin_is_tested_in_the_measure_that_decides(spec, tested):
    results = of_scores(0.02, comparisons={"margin": 0.05, **spec})

    assert margin_tests(results) == tested


def test_a_margin_of_costs_is_not_one_of_areas():
    costs = {"false_negative": 300, "false_positive": 100}
    results = of_scores(0.3, comparisons={"margin": 5}, costs=costs)

    assert margin_tests(results) == set()
    assert results.decision.measure == COST
    assert not any("equivalent" in one for one in (results.decision.headline, *untested(results)))


def test_a_margin_without_a_test_is_said_to_have_none_and_whether_limits_lie_within_it():
    costs = {"false_negative": 3, "false_positive": 1}
    wide, narrow = (
        untested(of_scores(0.02, comparisons={"margin": margin}, costs=costs))
        for margin in (0.5, 0.001)
    )

    assert len(wide) == 1
    assert wide[0].startswith(narrow[0].replace("0.001", "0.5"))
    assert wide[0].endswith(" The limits of the difference between a and b lie within it.")
    assert narrow == [
        "No recommended test asks whether models are equivalent in cost per row within the margin "
        "of 0.001."
    ]
    results = of_scores(0.02, comparisons={"margin": 0.5}, costs=costs)
    assert not without_chinese(results, wide)


@pytest.mark.parametrize("key", ["primary", "measures"])
def test_a_measure_without_a_better_end_puts_no_models_in_order(key):
    given = "detection_prevalence" if key == "primary" else ["detection_prevalence"]
    with pytest.raises(SpecError, match="neither more nor less of detection_prevalence is better"):
        of_scores(0.1, comparisons={key: given})
