"""Page one says a fact once, and a difference by which a model is ahead without a minus."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from reportgen.concluding.leading import contest_of
from reportgen.concluding.other_measures import against_leader
from reportgen.records.model import Results
from reportgen.results import evaluate
from reportgen.sections.key_numbers import KeyNumbers
from tests.quick import QUICK

ROWS = 600
COSTS = {"false_negative": 5, "false_positive": 1}
BY_CURVE = pl.col("metric") == "expected_total_cost"


def of_two(**more: object) -> Results:
    """Two models of one quality, whose scores are probabilities."""
    random = np.random.default_rng(8)
    log_odds = random.normal(-1.2, 1.2, ROWS)
    truth = random.random(ROWS) < 1 / (1 + np.exp(-log_odds))
    scores = {m: 1 / (1 + np.exp(-log_odds + random.normal(0, 0.4, ROWS))) for m in ("m", "k")}
    models = {name: {"score": name} for name in scores}
    spec = {"truth": "y", "models": models, "bootstrap": {"replicates": 0}, **more}
    return evaluate(spec, pl.DataFrame({"y": truth, **scores}))


def test_a_model_ahead_in_a_cost_has_a_lower_one_not_one_with_a_minus():
    results = of_two()
    leader = results.decision.leader
    ahead = {
        "better": pl.col("models").list.get(1),
        "estimate": 0.105,
        "simultaneous_low": 0.090,
        "simultaneous_high": 0.121,
        "p_adjusted": 0.0001,
        "recommendation": pl.lit("recommended"),
    }
    changed = [pl.when(BY_CURVE).then(to).otherwise(name).alias(name) for name, to in ahead.items()]
    comparisons = results.comparisons.with_columns(changed)
    contest = contest_of(results.metrics, comparisons, results.data, ["m", "k"])

    [caveat] = against_leader(replace(results, comparisons=comparisons), contest)

    assert comparisons.filter(BY_CURVE)["models"][0][0] == leader
    assert "area under the cost curve: 0.105 lower (0.090 to 0.121, " in caveat.text


def test_costs_of_the_headline_are_not_repeated_below_it():
    decision = of_two(costs=COSTS, threshold=0.45).decision
    below = [caveat.text for caveat in decision.caveats]

    assert decision.relation == "at chance"
    assert {row.model: row.worse for row in decision.at_chance} == {"m": True, "k": False}
    assert decision.headline.endswith(" per row)")
    assert decision.sentence.startswith("Their relative savings, with simultaneous limits, are ")
    assert not [text for text in below if "relative saving" in text or "per row)" in text]
    assert "m costs significantly more than always predicting the cheaper class." in below


def test_models_that_cost_no_less_than_a_constant_are_not_said_to_guess_in_other_measures():
    results = of_two(costs=COSTS, threshold=0.45)
    (table,) = KeyNumbers.from_results(results, []).tables

    assert (
        "No value is in bold: in cost per row no model is significantly better than always "
        "predicting the cheaper class."
    ) in table.notes


def test_a_model_that_predicts_the_common_class_alone_is_said_to_do_so_and_no_more():
    truth = np.repeat(["ok", "crack", "scratch"], [900, 50, 50])
    finder = np.where(np.arange(1000) % 3 == 0, "ok", truth)
    frame = pl.DataFrame({"y": truth, "always": np.full(1000, "ok"), "finder": finder})
    models = {name: {"label": name} for name in ("always", "finder")}
    decision = evaluate(
        {"truth": "y", "models": models, "baseline": "always", **QUICK}, frame
    ).decision
    of_always = [c.text for c in decision.caveats if c.text.startswith("always ")]

    assert of_always == ["always always predicts ok."]
    assert [row.model for row in decision.at_chance] == ["always"]


@pytest.mark.parametrize(("sets", "expected"), [(2, True), (8, False)])
def test_too_few_data_sets_are_named_once(sets, expected):
    frame = pl.DataFrame(
        {
            "set": [f"s{i}" for i in range(sets)],
            "a": [0.9 - 0.01 * i for i in range(sets)],
            "b": [0.7 + 0.01 * (i % 3) for i in range(sets)],
        }
    )
    columns = {"dataset": "set", "models": ["a", "b"]}
    spec = {"task": "comparison", "measure": "auc", "columns": columns}
    decision = evaluate(spec, frame).decision
    texts = [caveat.text for caveat in decision.caveats]

    assert ("A test needs at least 6 data sets." in texts) is expected
    assert ("Only 2 data sets: differences that matter may go undetected." in texts) is False
    assert any(text.startswith("Only 8 data sets") for text in texts) is not expected


def test_probabilities_worse_than_the_share_of_positives_are_said_to_be_so_and_no_more():
    random = np.random.default_rng(2)
    truth = np.arange(2000) % 20 == 0
    logit = np.where(truth, 2.5, 0.0) + random.normal(size=2000)
    good = 1 / (1 + np.exp(-logit - random.normal(0, 0.8, 2000) + 4))
    sharp = 1 / (1 + np.exp(-logit))
    frame = pl.DataFrame({"y": truth, "sharp": sharp, "good": good})
    models = {name: {"score": name} for name in ("sharp", "good")}
    decision = evaluate({"truth": "y", "models": models, **QUICK}, frame).decision
    codes = [caveat.code for caveat in decision.caveats]

    assert decision.leader == "sharp"
    assert "brier_skill" in codes
    assert "better_probabilities" not in codes


@pytest.mark.parametrize("sets", [3, 5])
@pytest.mark.parametrize("baseline", [None, "a"])
def test_the_data_sets_that_a_test_needs_are_as_many_as_it_then_takes(sets, baseline):
    """With a baseline five were said to be enough, and five were too few."""
    random = np.random.default_rng(5)
    values = {name: 0.7 + 0.1 * random.random(sets) for name in "abcd"}
    frame = pl.DataFrame({"set": [f"s{i}" for i in range(sets)], **values})
    columns = {"dataset": "set", "models": [*"abcd"]}
    spec = {"task": "comparison", "measure": "auc", "columns": columns, "baseline": baseline}
    texts = [caveat.text for caveat in evaluate(spec, frame).decision.caveats]

    assert "A test needs at least 6 data sets." in texts
