"""Declared costs of two classes decide, and the headline names what speaks against them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.concluding.cost_headline import not_ranked_below
from reportgen.metric_names import COST
from reportgen.results import Results
from tests.quick import QUICK
from tests.simulations.declared_costs_decide import (
    AMOUNTS,
    FIVE,
    GROUPS,
    OF_GUESSES,
    OF_PAIRS,
    concludes,
    no_cheaper,
    said_cheaper,
)
from tests.untranslated import untranslated

DEAR_ALARMS = {"costs": {"false_negative": 1, "false_positive": 10}}


def crossing(**more: Any) -> Results:
    """Scores of one model rank all rows fairly, those of the other the surest positives only."""
    random = np.random.default_rng(4)
    truth = random.random(800) < 0.3
    fair = 1 / (1 + np.exp(-(random.normal(size=800) + 1.4 * truth - 0.4)))
    sure = random.random(800) < np.where(truth, 0.4, 0.003)
    frame = pl.DataFrame({"y": truth, "fair": fair, "sure": 0.8 * sure + 0.2 * random.random(800)})
    models = {"fair": {"score": "fair"}, "sure": {"score": "sure"}}
    return evaluate({"truth": "y", "models": models, **QUICK, **DEAR_ALARMS, **more}, frame)


def test_the_cheaper_model_leads_and_the_one_that_ranks_better_is_named():
    results = crossing()
    decision = results.decision

    assert (decision.measure, decision.leader, decision.relation) == (COST, "sure", "ahead")
    assert decision.headline.startswith("sure beats fair: cost per row ")
    assert "; fair ranks better: AUC 0." in decision.headline
    assert not [one for one in decision.caveats if "in AUC" in one.text]  # said once
    assert not untranslated(results)


def test_a_declared_measure_decides_in_place_of_costs():
    decision = crossing(comparisons={"primary": "auc"}).decision

    assert (decision.measure, decision.leader) == ("auc", "fair")
    assert any(one.code == "cheaper_model" for one in decision.caveats)


def test_accuracy_does_not_decide_in_place_of_declared_costs():
    """In order of time no test of costs is recommended, and none of the AUC of few positives."""
    random = np.random.default_rng(0)
    truth = random.random(150) < 0.3
    better, worse = (np.where(random.random(150) < wrong, ~truth, truth) for wrong in (0.02, 0.3))
    frame = pl.DataFrame({"y": truth, "a": better * 0.8, "b": worse * 0.8, "t": range(150)})
    models = {name: {"score": name} for name in "ab"}
    spec = {"truth": "y", "models": models, "columns": {"time": "t"}, **QUICK}

    undeclared, declared = (evaluate({**spec, **costs}, frame) for costs in ({}, FIVE))

    assert undeclared.decision.measure == "accuracy"
    assert undeclared.decision.relation == "ahead"
    assert declared.decision.measure == COST
    assert declared.decision.relation == "no conclusion"
    assert not untranslated(declared)


def test_where_no_test_of_costs_is_recommended_the_headline_says_who_costs_less():
    """Thresholds chosen on the evaluated rows make costs look better than they are."""
    results = crossing(threshold={"minimise": "cost"})
    decision = results.decision

    assert (decision.measure, decision.leader) == ("auc", "fair")
    assert "; sure costs less per row, 0.1" in decision.headline
    assert decision.headline.endswith("(not tested)")
    assert "sure costs 0.1" in decision.action.text
    assert "per row at the threshold chosen on these rows" in decision.action.text
    assert not untranslated(results)


def test_a_model_that_costs_less_at_its_best_threshold_is_named_where_none_is_declared():
    """At 0.5 the model whose scores are too low flags hardly anybody."""
    random = np.random.default_rng(2)
    truth = random.random(1500) < 0.15
    logit = random.normal(size=1500) + 2.5 * truth - 2.2
    other = random.normal(size=1500) + 1.8 * truth - 0.5
    scores = {"low": 1 / (1 + np.exp(2.5 - logit)), "old": 1 / (1 + np.exp(-other))}
    models = {name: {"score": name} for name in scores}
    costs = {"false_negative": 10, "false_positive": 1}
    spec = {"truth": "y", "models": models, "costs": costs, **QUICK}
    results = evaluate(spec, pl.DataFrame({"y": truth, **scores}))

    assert results.decision.headline.startswith("old beats low: cost per row ")
    assert results.decision.headline.endswith("; at its best threshold low would cost less")
    assert not untranslated(results)


@pytest.mark.parametrize("runs", [12, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["200 rows, 5 : 1", "400 rows, one ranks better"])
def test_of_models_that_cost_the_same_none_wins_more_often_than_the_test_rejects(name, runs):
    """Also where one of them ranks better, which the AUC would find in nearly all data sets."""
    states = [concludes(*OF_PAIRS[name], seed) for seed in range(runs)]

    assert all(measure == COST for _, measure in states)
    ahead = sum(state for state, _ in states)
    assert ahead <= 0.05 * runs + 3 * (0.05 * 0.95 * runs) ** 0.5


@pytest.mark.parametrize("runs", [12, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OF_GUESSES)
def test_a_model_that_saves_nothing_is_seldom_said_to_be_cheaper_than_guessing(name, runs):
    cheaper = sum(said_cheaper(*OF_GUESSES[name], seed) for seed in range(runs))

    assert cheaper <= 0.025 * runs + 3 * (0.025 * 0.975 * runs) ** 0.5


@pytest.mark.parametrize("more", [{}, GROUPS])
def test_costs_that_are_the_same_in_every_row_have_the_savings_of_fixed_ones(more):
    frame = no_cheaper(60, 10)(np.random.default_rng(1))
    ends = []
    for costs in (FIVE, AMOUNTS):
        spec = {"truth": "truth", "models": {"a": {"score": "a"}}, **QUICK, **costs, **more}
        metrics = evaluate(spec, frame).metrics
        ends.append(metrics.filter(metric="savings").select("value", "low", "high").row(0))

    assert ends[0] == pytest.approx(ends[1], abs=0.02)


def test_a_model_that_saves_significantly_is_not_named_though_its_cost_is_uncertain():
    """Its limits hold the cost of guessing, which varies with the same positives."""
    truth = np.arange(3000) < 30
    flagged = np.isin(np.arange(3000), [*range(6), 2999])
    spec = {"truth": "y", "models": {"m": {"label": "m"}}, **QUICK}
    spec["costs"] = {"false_negative": 50, "false_positive": 1}
    results = evaluate(spec, pl.DataFrame({"y": truth, "m": flagged}))
    cost = results.metrics.filter(metric=COST).row(0, named=True)

    assert cost["low"] < 0.5 < cost["high"]
    assert not [row for row in results.decision.at_chance if row.measure == COST]


def test_the_advice_on_thresholds_is_for_a_model_that_no_other_ranks_better_than():
    """Costs of rows are so unlike that the cost of either model at its best threshold is chance."""
    random = np.random.default_rng(7)
    z = random.normal(size=800)
    truth = z + 0.5 * random.normal(size=800) > 0.5
    near, far = random.normal(size=(2, 800))
    latent = {"a": z + 0.3 * near, "b": z + 1.5 * far}
    scores = {name: 1 / (1 + np.exp(1 - 2 * value)) for name, value in latent.items()}
    amounts = np.exp(1.5 * random.normal(size=800))
    frame = pl.DataFrame({"y": truth, **scores, "amount": amounts})
    models = {name: {"score": name} for name in "ba"}
    results = evaluate({"truth": "y", "models": models, **QUICK, **AMOUNTS}, frame)

    assert not_ranked_below(results, ("b", "a")) == ("a",)
    assert not_ranked_below(results, ("b",)) == ("b",)
    assert results.decision.action is None or results.decision.action.model == "a"
