"""Models that predict one class alone at their threshold, though their scores rank the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.measuring.thresholds import BY_DEFAULT
from reportgen.records.decision import Decision
from reportgen.results import Results
from reportgen.sections.comparisons import ComparisonsSection
from reportgen.sections.gates import gates_table
from reportgen.sections.metric_table import MetricTable
from reportgen.sections.slices import SlicesSection
from tests.page_text import without_chinese
from tests.quick import QUICK

LOWER = "where a missed positive costs more than a false alarm"
HIGHER = "where a false alarm costs more than a missed positive"
NOBODY = f"At the threshold in use m predicts no row positive: a lower one suits {LOWER}."


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
        f"At the threshold in use m predicts every row positive: a higher one suits {HIGHER}; its "
        "recall says nothing."
    ]


def test_a_threshold_that_hardly_a_score_of_one_class_reaches_is_said_too():
    rare = "At the threshold in use m misses more than nine in ten positives: a lower one suits"
    often = "At the thresholds in use m and n flag more than nine in ten negatives: higher ones"
    costs = {"false_negative": 1, "false_positive": 1}

    assert texts(decided(2.0, -3.7)) == [f"{rare} {LOWER}."]
    assert texts(decided(2.0, 2.5, "mn")) == [f"{often} suit {HIGHER}."]
    assert texts(decided(2.0, -3.7, costs=costs)) == []


def test_where_costs_are_declared_the_advice_is_theirs():
    decision = decided(3.0, -8.0, costs={"false_negative": 1, "false_positive": 1})

    assert texts(decision) == ["At the threshold in use m predicts no row positive."]


def test_several_models_stand_in_one_sentence():
    both = f"At the thresholds in use m and n predict no row positive: lower ones suit {LOWER}."
    assert texts(decided(3.0, -8.0, "mn")) == [both]


@pytest.mark.parametrize(
    ("signal", "shift", "more"),
    [
        pytest.param(3.0, -1.0, {}, id="both classes are predicted"),
        pytest.param(0.0, -8.0, {}, id="no model is better than chance"),
        pytest.param(3.0, -8.0, {"threshold": 0.0001}, id="the spec has another threshold"),
    ],
)
def test_nothing_is_told_where_another_threshold_is_no_cure(signal, shift, more):
    assert texts(decided(signal, shift, **more)) == []


def test_a_threshold_of_least_cost_that_flags_every_row_is_said_beside_its_gate_too():
    """The gate passes, and shows nothing: nobody is left out."""
    random = np.random.default_rng(2)
    positive = random.random(300) < 0.3
    score = 1 / (1 + np.exp(-2 * positive - random.normal(size=300)))
    score[np.flatnonzero(positive)[0]] = 0.001
    spec = {
        "truth": "y",
        "models": {"m": {"score": "m"}},
        "threshold": {"minimise": "cost"},
        "costs": {"false_negative": 500, "false_positive": 1},
        "gates": ["m.recall >= 0.9", "m.auc >= 0.5"],
    }
    results = reportgen.evaluate(spec | QUICK, pl.DataFrame({"y": positive, "m": score}))
    every = "At the threshold in use m predicts every row positive; its recall says nothing."

    assert texts(results.decision) == [every]
    assert f"m.recall >= 0.9: {every}" in gates_table(results).notes


def test_a_threshold_of_least_cost_that_flags_nobody_is_said_without_advice():
    costs = {"false_negative": 1, "false_positive": 50}
    decision = decided(0.4, -8.0, threshold={"minimise": "cost"}, costs=costs)

    assert texts(decision) == ["At the threshold in use m predicts no row positive."]


def test_a_model_at_chance_beside_one_that_ranks_is_named_without_advice():
    random = np.random.default_rng(2)
    positive = random.random(300) < 0.1
    signal, noise = 3.0 * positive + random.normal(size=300), random.normal(size=300)
    frame = pl.DataFrame({"y": positive, "m": 1 / (1 + np.exp(-signal + 8)), "n": 0.1 * noise})
    spec = {"truth": "y", "models": {m: {"score": m} for m in "mn"}, "threshold": 0.5, **QUICK}
    decision = reportgen.evaluate(spec, frame).decision

    assert texts(decision) == ["At the threshold in use n predicts no row positive.", NOBODY]


def test_gaps_of_a_model_that_flags_every_row_are_one_fact_about_the_data():
    """Error rate and precision then differ as the share of positives does, in every model."""
    random = np.random.default_rng(4)
    site = np.repeat(["east", "west"], 500)
    positive = random.random(1000) < np.where(site == "east", 0.6, 0.8)
    frame = pl.DataFrame({"y": positive, "s": site} | {m: random.random(1000) for m in "mn"})
    spec = {"truth": "y", "models": {m: {"score": m} for m in "mn"}, "slices": ["s"], **QUICK}
    results = reportgen.evaluate(spec | {"threshold": 0.0, "comparisons": {"margin": 0.1}}, frame)
    section = SlicesSection.from_results(results, [])
    share = "m and n predict every row positive: error rate and precision differ by s as the share"
    of_gaps = [text for text in section.findings if " differ by s" in text]

    assert [text[: len(share)] for text in of_gaps] == [share]
    assert not any("equivalent in accuracy" in text for text in sentences_of_tests(results))


def test_equalised_odds_name_the_measure_whose_ends_they_have():
    """A gap has the lowest and the highest value of that measure, not of the odds."""
    random = np.random.default_rng(4)
    site = np.repeat(["east", "mid", "west"], 200)
    positive = random.random(600) < 0.5
    shift = np.where(site == "west", 0.4, 0.0) * ~positive
    frame = pl.DataFrame({"y": positive, "s": site, "m": 0.6 * random.random(600) + shift})
    spec = {"truth": "y", "models": {"m": {"score": "m"}}, "slices": ["s"], "threshold": 0.5}
    tables = SlicesSection.from_results(reportgen.evaluate(spec | QUICK, frame), []).gaps
    cells = [row.cells["measure"] for t in tables for row in t.rows if "highest" in row.cells]

    assert "Equalised odds, by false-positive rate" in cells


def sentences_of_tests(results: Results) -> tuple[str, ...]:
    return ComparisonsSection.from_results(results, []).sentences


UNDECLARED = (
    "No threshold is declared, and the scores of {} are not probabilities: decisions at 0.5 say "
    "nothing about them. Declare a threshold."
)


def of_points(*names: str, **more: Any) -> Results:
    """Scores on any scale, as of a search: 5 to 25 of the odd models, from −3 to 3 of the even."""
    random = np.random.default_rng(8)
    positive = random.random(400) < 0.3
    scores = {name: positive + random.normal(size=400) for name in names}
    points = {m: 12 + 3 * v if k % 2 == 0 else v for k, (m, v) in enumerate(scores.items())}
    spec = {"truth": "y", "models": {name: {"score": name} for name in names}, **QUICK}
    return reportgen.evaluate(spec | more, pl.DataFrame({"y": positive} | points))


@pytest.mark.parametrize("engine", ["auto", "streaming"])
def test_without_a_threshold_scores_on_any_scale_have_no_decisions_on_page_one(engine):
    results = of_points("bm25", "dense", engine=engine)
    codes = {c.code: c for c in results.decision.caveats}

    assert codes["undeclared_threshold"].text == UNDECLARED.format("bm25 and dense")
    assert codes["undeclared_threshold"].severity == "moderate"
    assert {m["threshold_rule"] for m in results.data["models"]} == {BY_DEFAULT}
    assert "one_class_decisions" not in codes
    assert not without_chinese(results, [codes["undeclared_threshold"].text])


def test_a_declared_threshold_is_that_of_signed_scores():
    text = UNDECLARED.format("a and b")
    for more in ({}, {"threshold": 0.5}, {"threshold": {"maximise": "f1"}}):
        caveats = of_points("a", "b", **more).decision.caveats
        assert (text in [c.text for c in caveats]) == (not more)


def test_an_undeclared_threshold_is_severe_where_decisions_decide():
    results = of_points("a", "b", comparisons={"primary": "accuracy"})
    (caveat,) = [c for c in results.decision.caveats if c.code == "undeclared_threshold"]

    assert caveat.severity == "severe"


def test_probabilities_and_labels_need_no_threshold():
    assert "undeclared_threshold" not in {c.code for c in decided(3.0, 0.0).caveats}
    random = np.random.default_rng(10)
    positive = random.random(400) < 0.4
    score = positive + random.normal(size=400)
    frame = pl.DataFrame({"y": positive, "s": 20 * score, "l": score > 0.4})
    spec = {"truth": "y", "models": {"m": {"score": "s", "label": "l"}}, **QUICK}

    caveats = reportgen.evaluate(spec, frame).decision.caveats
    assert "undeclared_threshold" not in {c.code for c in caveats}


def test_a_recall_of_one_class_alone_is_said_beside_costs_and_not_bold():
    random = np.random.default_rng(0)
    truth = random.random(400) < 0.57
    scores = {
        "a": np.clip(0.3 + 0.15 * truth + 0.4 * random.random(400), 0, 1),
        "constant": np.full(400, 0.57),
    }
    spec = {
        "truth": "y",
        "models": {name: {"score": name} for name in scores},
        "costs": {"false_positive": 1, "false_negative": 9},
        "comparisons": {"measures": ["recall"]},
        "columns": {"fold": "fold"},
        **QUICK,
    }
    fold = np.arange(400) % 5
    results = reportgen.evaluate(spec, pl.DataFrame({"y": truth, "fold": fold} | scores))

    said = "At the threshold in use constant predicts every row positive; its recall says nothing."
    assert texts(results.decision) == [said]
    table = MetricTable.of(results)
    assert table.best(("recall", None)) is None
    assert table.best(("auc", None)) == "a"
