"""Contradictions that a reader of finished reports found, each kept out by a rule."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from reportgen.charts import figures
from reportgen.results import Results, evaluate
from reportgen.sections.verdict import Verdict
from tests.breadth import breadth
from tests.quick import QUICK

COSTS = {"false_negative": 5, "false_positive": 1}


def scored(rows: int, prevalence: float, signals: dict[str, float], **more: Any) -> Results:
    """Models with signals of these strengths; ``labels`` are models that give labels only."""
    random = np.random.default_rng(rows)
    positive = np.arange(rows) < round(rows * prevalence)
    scores = {
        m: 1 / (1 + np.exp(-s * positive - random.normal(size=rows))) for m, s in signals.items()
    }
    labels = more.pop("labels", ())
    columns = {
        m: np.where(scores[m] > 0.6, "yes", "no") if m in labels else scores[m] for m in scores
    }
    frame = pl.DataFrame({"y": np.where(positive, "yes", "no"), **columns, **more.pop("extra", {})})
    models = {m: {"label" if m in labels else "score": m} for m in signals}
    spec = {"truth": "y", "positive": "yes", "models": models, **QUICK}
    return evaluate(spec | more, frame)


def hold_outs() -> Results:
    """Ten random hold-out splits of the same 60 examples."""
    random = np.random.default_rng(3)
    ids = np.concatenate([random.permutation(60)[:20] for _ in range(10)])
    columns = {"id": ids, "r": np.repeat(np.arange(10), 20)}
    return scored(
        200, 0.5, {"a": 1.0, "b": 0.8}, extra=columns, columns={"id": "id", "repeat": "r"}
    )


CASES: dict[str, Any] = {
    "one row": lambda: scored(1, 1.0, {"a": 1.0, "b": 0.0}),
    "one class": lambda: scored(40, 1.0, {"a": 1.0, "b": 0.0}, costs=COSTS),
    "ten positives": lambda: scored(
        60, 1 / 6, {"a": 2.0, "b": 0.3}, costs=COSTS, gates=["a.auc.low >= 0.5"]
    ),
    "worse than chance": lambda: scored(200, 0.4, {"up": 2.0, "down": -2.0}, costs=COSTS),
    "guessing, dear errors": lambda: scored(
        200, 0.2, {"a": 0.0, "b": 0.05}, costs={"false_negative": 20, "false_positive": 1}
    ),
    "weak, dear errors": lambda: scored(
        400, 0.4, {"a": 0.6, "b": 0.1}, costs={"false_negative": 30, "false_positive": 1}
    ),
    "labels as baseline": lambda: scored(
        150, 0.5, {"rules": 1.0, "a": 1.0, "b": 0.5}, labels=("rules",), baseline="rules"
    ),
    "labels beside scores": lambda: scored(
        150, 0.5, {"rules": 1.0, "a": 1.0, "b": 0.5}, labels=("rules",)
    ),
    "identical decisions": lambda: scored(
        400, 0.5, {"c1": 5.0, "c2": 5.0}, threshold=1e-9, comparisons={"margin": 0.1}
    ),
    "hold-out splits": hold_outs,
    "guessing, and reversed": lambda: scored(200, 0.4, {"guess": 0.0, "down": -2.0}),
    "rules are cheapest": lambda: scored(
        400,
        0.2,
        {"rules": 2.0, "a": 2.0, "b": 1.0},
        labels=("rules",),
        costs=COSTS,
        threshold=0.99,
        comparisons={"primary": "auc"},
    ),
}


@cache
def results_of(name: str) -> Results:
    return CASES[name]()


OFTEN = ("one row", "one class", "ten positives", "worse than chance")
EVERY = breadth(
    "name", CASES, [*OFTEN, "labels as baseline", "hold-out splits", "rules are cheapest"]
)


@EVERY
def test_no_interval_from_counts_claims_certainty(name):
    """A side of the table without rows makes an interval wider, not a point."""
    rows = results_of(name).metrics.filter(
        pl.col("interval").str.starts_with("square-and-add"),
        pl.col("metric").is_in(
            ["f1", "f2", "f_half", "fowlkes_mallows", "cost_sensitive_error_rate"]
        ),
    )
    assert rows.filter(pl.col("low") == pl.col("high")).is_empty()


@EVERY
def test_an_action_is_for_a_model_that_is_better_than_guessing(name):
    decision = results_of(name).decision
    if decision.relation == "at chance" and decision.measure != "cost_sensitive_error_rate":
        assert decision.action is None
    if decision.action is None or not decision.action.worthwhile:
        return
    costs, prevalence = results_of(name).spec["costs"], results_of(name).data["prevalence"]
    trivial = min(costs["false_negative"] * prevalence, costs["false_positive"] * (1 - prevalence))
    no_use = "Always predicting the cheaper class costs no more" in decision.action.text
    assert no_use == (decision.action.cost_then >= trivial - 1e-12)


@EVERY
def test_caveats_are_sentences_that_agree_with_their_numbers(name):
    decision = results_of(name).decision
    texts = [caveat.text for caveat in decision.caveats]
    for text in [*texts, decision.headline, decision.sentence]:
        assert not re.search(r"\b1 (independent )?(rows|groups|folds|examples|models)\b", text), (
            text
        )
        assert not re.search(r"(: |^)it (holds|ranks|takes)", text, re.IGNORECASE), text
        assert not re.search(r"the \d+ models are", text), text
    assert sum("rough" in text for text in texts) <= 1
    for row in decision.at_chance:
        if row.class_ is None and row.measure == "auc" and row.high is not None:
            worse = row.high < row.chance
            below = re.compile("significantly worse than chance|below chance")
            assert not worse or any(below.search(text) for text in texts)


@EVERY
def test_a_model_that_costs_less_than_the_leader_is_named(name):
    results = results_of(name)
    leader = results.decision.leader
    rows = results.comparisons.filter(
        pl.col("better").is_not_null(),
        pl.col("better") != leader,
        pl.col("models").list.contains(leader),
        metric="cost_sensitive_error_rate",
        recommendation="recommended",
    )
    if results.spec.get("costs") is None:
        rows = rows.clear()
    texts = [c.text for c in results.decision.caveats if c.code == "cheaper_model"]
    assert [all(m in text for m in rows["better"]) for text in texts] == [True] * bool(rows.height)
    assert rows.height or name != "rules are cheapest"


def test_two_models_that_cost_the_same_on_every_row_are_not_tested():
    """Costs that differ by rounding alone are the same."""
    random = np.random.default_rng(7)
    positive = np.arange(60) < 24
    frame = pl.DataFrame(
        {"y": positive, "down": 1 - 0.3 * positive - 0.5 * random.random(60), "half": [0.5] * 60}
    )
    models = {"down": {"score": "down"}, "half": {"score": "half"}}
    spec = {"truth": "y", "models": models, **QUICK}
    row = evaluate(spec, frame).comparisons.filter(comparison="expected_cost").row(0, named=True)
    assert row["p_value"] is None
    assert "the same on every row of a class" in row["undefined"]


@EVERY
def test_a_declared_baseline_is_compared_and_who_is_not_ranked_is_named(name):
    results = results_of(name)
    decision = results.decision
    values = {model.model: model.value for model in decision.models}
    if decision.baseline is not None and decision.compared_with is not None:
        assert decision.baseline in (decision.leader, decision.compared_with)
    for model, value in values.items():
        if value is None and decision.leader is not None:
            assert any(model in c.text and "not ranked" in c.text for c in decision.caveats)


@EVERY
def test_titles_keep_the_names_of_models_and_rest_on_tests_of_differences(name):
    results = results_of(name)
    for figure in figures(results):
        assert "n/a" not in figure.title
        assert not re.search(r"ahead in \w+ by 0(\.0+)?(;|$)", figure.title), figure.title
        for model in results.data["models"]:
            assert not figure.title.startswith(f"{model['name'].capitalize()} ahead")


@EVERY
def test_notes_of_gates_and_means_say_what_was_done(name):
    results = results_of(name)
    page = Verdict.from_results(results, [])
    if page.gates is not None and all(".low" in row["gate"] for row in results.gates.to_dicts()):
        assert "Without an interval the point estimate decides." not in page.gates.notes
    scheme = (results.data.get("evaluation") or {}).get("scheme")
    if scheme == "repeated_hold_out" and results.decision.basis == "mean over folds":
        assert "hold-out splits" in results.decision.sentence
        assert "hold-out splits" in str(page.models.caption)
