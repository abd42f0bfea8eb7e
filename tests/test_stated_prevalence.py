"""The leader's precision where positives are as frequent as the spec states."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(5)
    positive = np.arange(400) < 200
    return pl.DataFrame({"y": positive, "p": 1.5 * positive + random.normal(size=400) - 0.7})


def decided(frame, **more):
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, "bootstrap": {"replicates": 0}}
    return reportgen.evaluate(spec | more, frame)


def caveats(results):
    return [c.text for c in results.decision.caveats if c.code == "stated_prevalence"]


def test_the_precision_is_that_of_bayes_rule(frame):
    results = decided(frame, prevalence=0.02)

    values = dict(
        results.metrics.filter(pl.col("slice").is_null()).select("metric", "value").iter_rows()
    )
    recall, false_alarms = values["recall"], 1 - values["specificity"]
    precision = 0.02 * recall / (0.02 * recall + 0.98 * false_alarms)
    [text] = caveats(results)
    assert text.replace("\xa0", " ").startswith(
        "50.0 % of these rows are positive, against 2.0 % in the population that the spec states: "
        f"there the precision of m is {precision:.3f} ("
    )


@pytest.mark.parametrize("more", [{}, {"prevalence": 0.5}, {"prevalence": 0.52}])
def test_nothing_is_said_where_the_rows_are_as_the_spec_states(frame, more):
    assert caveats(decided(frame, **more)) == []


def test_costs_are_said_to_be_of_the_rows_and_not_of_the_stated_prevalence(frame):
    costs = {"false_negative": 10, "false_positive": 1}

    [text] = caveats(decided(frame, prevalence=0.02, costs=costs))

    assert text.endswith(" Costs per row in tables and tests are for the share of these rows.")
    [alone] = caveats(decided(frame, prevalence=0.02))
    assert "Costs" not in alone


def test_the_advice_is_for_the_stated_prevalence_and_not_for_that_of_the_rows(frame):
    """At 2 % hardly any threshold costs less than predicting nobody positive."""
    costs = {"false_negative": 10, "false_positive": 1}
    results = decided(frame, prevalence=0.02, costs=costs)
    action, score, truth = results.decision.action, frame["p"].to_numpy(), frame["y"].to_numpy()
    missed, alarms = np.mean(score[truth] < 0.5), np.mean(score[~truth] >= 0.5)

    assert action.cost_now == pytest.approx(0.02 * 10 * missed + 0.98 * alarms)
    assert action.constant_cost == pytest.approx(0.02 * 10)
    assert action.proposed > 0.5 > decided(frame, costs=costs).decision.action.proposed
    assert "These costs are for a prevalence of 2.0" in action.text
    assert not [row for row in results.decision.at_chance if "cost" in row.measure]


def test_costs_of_the_rows_do_not_decide_where_another_prevalence_is_stated(frame):
    random = np.random.default_rng(6)
    both = frame.with_columns(q=pl.col("p") + random.normal(size=400))
    models = {"m": {"score": "p"}, "k": {"score": "q"}}
    costs = {"false_negative": 10, "false_positive": 1}
    measures = [
        decided(both, models=models, costs=costs, threshold=0.5, **more).decision.measure
        for more in ({}, {"prevalence": 0.02})
    ]

    assert measures == ["cost_sensitive_error_rate", "auc"]
