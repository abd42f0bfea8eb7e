"""No sentence, number, colour, gate or file of an evaluation contradicts another one."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen.charts import figures
from reportgen.concluding.chance import COST
from reportgen.results import Results, evaluate
from reportgen.sections import summary
from reportgen.sections.verdict import Verdict
from tests.breadth import breadth
from tests.contracts import decision_validator
from tests.quick import QUICK

CLUMSY = re.compile(
    r"\b1 (rows|models|folds|groups|classes|labels|false alarms|comparisons|data sets|pairs)\b"
    r"|\b(the the|is is|of of|in in)\b|(?<=\w)\.\.(?!\.)|p = 0\.000\b|> −|\bundecided\b"
    r"|\bnan\b|\bNone\b|inf\b"
)
"""What no text of a report has: wrong numbers of nouns, doubled words, values that are none."""

FORBIDDEN = re.compile(r"was found|were found|not shown|told apart|is shown to be", re.IGNORECASE)


def binary(seed: int, rows: int, signals: tuple[float, ...], **more: Any) -> Results:
    """Score models of these strengths on random rows, with folds, groups and roles as asked."""
    random = np.random.default_rng(seed)
    columns = {k: more.pop(f"{k}s", 0) for k in ("fold", "group", "weight", "time")}
    positive = random.random(rows) < more.pop("prevalence", 0.4)
    frame = pl.DataFrame(
        {
            "y": np.where(positive, "yes", "no"),
            "id": np.arange(rows),
            **{
                f"m{k}": 1 / (1 + np.exp(-s * (2 * positive - 1) - random.normal(size=rows)))
                for k, s in enumerate(signals)
            },
            **{name: np.arange(rows) % n + (name == "weight") for name, n in columns.items() if n},
        }
    )
    declared = {"id": "id", **{name: name for name, n in columns.items() if n}}
    if more.pop("leak", False):
        both = [frame.with_columns(role=pl.lit(role)) for role in ("train", "test")]
        frame, declared = pl.concat(both), declared | {"role": "role"}
    spec = {
        "truth": "y",
        "positive": "yes",
        "models": {f"m{k}": {"score": f"m{k}"} for k in range(len(signals))},
        "columns": declared,
        **QUICK,
    }
    return evaluate(spec | more, frame)


def estimates(seed: int, errors: tuple[float, ...], **more: Any) -> Results:
    """Regression models with errors of these sizes."""
    random = np.random.default_rng(seed)
    truth = random.normal(size=90)
    names = [f"m{k}" for k in range(len(errors))]
    columns = {n: truth + e * random.normal(size=90) for n, e in zip(names, errors, strict=True)}
    spec = {"truth": "y", "task": "regression", "models": {n: {"estimate": n} for n in names}}
    frame = pl.DataFrame({"y": truth, "fold": np.arange(90) % 5, **columns})
    return evaluate(spec | QUICK | more, frame)


def labelled(seed: int, right: tuple[float, ...], **more: Any) -> Results:
    """Models that give one of three classes, right with these probabilities."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, 150)
    names = [f"m{k}" for k in range(len(right))]
    columns = {
        n: np.where(random.random(150) < p, truth, random.integers(0, 3, 150)).astype(str)
        for n, p in zip(names, right, strict=True)
    }
    spec = {"truth": "y", "task": "multiclass", "models": {n: {"label": n} for n in names}}
    frame = pl.DataFrame({"y": truth.astype(str), **columns})
    return evaluate(spec | QUICK | more, frame)


def table(seed: int, gains: tuple[float, ...], **more: Any) -> Results:
    """Values of models on twelve data sets."""
    random = np.random.default_rng(seed)
    rows = [
        {"set": f"s{i}", "model": f"m{k}", "value": 0.7 + gain + 0.03 * random.normal()}
        for i in range(12)
        for k, gain in enumerate(gains)
    ]
    columns = {"dataset": "set", "model": "model", "value": "value"}
    spec = {"task": "comparison", "measure": "accuracy", "columns": columns}
    return evaluate(spec | more, pl.DataFrame(rows))


GATES = ["m1.auc >= 0.99", "m1.auc - m0.auc > -0.5"]
COSTS = {"false_negative": 5, "false_positive": 1}
MARGIN = {"margin": 0.1}

CASES: dict[str, Any] = {
    "single": lambda: binary(1, 120, (1.0,)),
    "baseline leads": lambda: binary(2, 200, (2.0, 0.3), baseline="m0"),
    "challenger leads": lambda: binary(3, 200, (0.3, 2.0), baseline="m0"),
    "first of two": lambda: binary(4, 200, (1.5, 1.4)),
    "three level": lambda: binary(5, 150, (1.0, 1.0, 1.0), comparisons=MARGIN),
    "three, baseline": lambda: binary(6, 300, (1.0, 1.2, 0.1), baseline="m1", costs=COSTS),
    "equivalent": lambda: binary(7, 2500, (1.0, 1.01), comparisons=MARGIN),
    "at chance": lambda: binary(8, 100, (0.0, 0.0)),
    "perfect": lambda: binary(9, 60, (9.0, 1.0), gates=["m0.auc >= 0.9"]),
    "one class": lambda: binary(10, 60, (1.0, 1.0), prevalence=0.0),
    "failing gate": lambda: binary(11, 200, (1.0, 1.2), gates=GATES),
    "open gate": lambda: binary(12, 80, (1.0, 1.2), gates=["m1.auc - m0.auc > 0"]),
    "k-fold": lambda: binary(13, 200, (1.0, 1.3, 0.2), folds=5, gates=["m1.auc - m0.auc > 0"]),
    "k-fold, baseline": lambda: binary(14, 200, (1.0, 1.3), folds=5, baseline="m0", costs=COSTS),
    "leave-one-out": lambda: binary(17, 60, (0.0, 0.1), folds=60),
    "weights": lambda: binary(30, 150, (1.0, 1.1, 0.0), weights=3, costs=COSTS),
    "in time": lambda: binary(31, 150, (1.0, 1.1), times=150, gates=["m1.auc - m0.auc > 0"]),
    "groups and folds": lambda: binary(32, 200, (0.0, 0.2), folds=5, groups=40, baseline="m0"),
    "groups": lambda: binary(15, 240, (1.0, 1.5), groups=40, costs=COSTS),
    "leak": lambda: binary(16, 80, (1.0, 2.0), leak=True, gates=["m0.auc > 0.5"]),
    "thirteen, baseline": lambda: binary(18, 150, tuple(0.2 * k for k in range(13)), baseline="m0"),
    "chosen on the rows": lambda: binary(19, 120, (1.0, 1.2), threshold={"maximise": "f1"}),
    "numbers": lambda: estimates(20, (0.3, 1.0)),
    "numbers, level": lambda: estimates(21, (0.5, 0.52, 0.6), baseline="m2"),
    "numbers at chance": lambda: estimates(22, (5.0, 6.0)),
    "numbers by fold": lambda: estimates(23, (0.3, 1.0, 0.31), columns={"fold": "fold"}),
    "classes": lambda: labelled(24, (0.9, 0.4)),
    "classes, level": lambda: labelled(25, (0.6, 0.62, 0.3), baseline="m0"),
    "classes at chance": lambda: labelled(26, (0.0, 0.0)),
    "data sets": lambda: table(27, (0.0, 0.05, 0.1)),
    "data sets, level": lambda: table(28, (0.0, 0.0, 0.0)),
    "data sets, baseline": lambda: table(29, (0.0, 0.1, 0.0), baseline="m0"),
}
CASES |= {
    f"random {seed}": lambda seed=seed: binary(
        seed,
        int(40 + 20 * (seed % 7)),
        tuple(np.random.default_rng(seed).normal(0.6, 0.6, 2 + seed % 3)),
        folds=4 * (seed % 2),
        baseline=f"m{seed % 2}",
        gates=[f"m1.auc >= {0.5 + 0.05 * (seed % 9)}", "m1.accuracy - m0.accuracy > -0.05"],
        costs=COSTS,
    )
    for seed in range(100, 112)
}


@cache
def results_of(name: str) -> Results:
    """The results of a case."""
    return CASES[name]()


OFTEN = (
    *("single", "three, baseline", "equivalent", "at chance", "one class", "failing gate"),
    *("k-fold", "weights", "groups", "leak", "chosen on the rows", "numbers by fold"),
    *("classes at chance", "data sets, level", "random 100"),
)
EVERY = breadth("name", CASES, OFTEN)


ERRORS = ("mean_squared_error", "mean_absolute_error", COST)
"""Measures of which less is better."""


@EVERY
def test_the_decision_fits_its_contract_and_comes_back_from_the_file(name):
    text = results_of(name).to_json()
    decision_validator().validate(json.loads(text)["decision"])
    assert Results.from_json(text).decision == results_of(name).decision


@EVERY
def test_state_colour_words_gates_and_summary_agree(name):
    results = results_of(name)
    decision, page = results.decision, Verdict.from_results(results, [])
    states = results.gates["state"].to_list()

    assert (decision.state == "fail") == ("fail" in states)
    if decision.state == "pass":
        assert not decision.severe
        assert set(states) <= {"pass"}
        assert decision.relation not in ("no conclusion", "at chance")
    green = page.kind == "good"
    assert green == (decision.state == "pass" and bool(states))
    assert (page.kind == "bad") == (decision.state == "fail") == page.state.startswith("FAIL")
    summed = summary.text(results)
    assert f"**{decision.state_text}**" in summed
    assert page.headline.split() == decision.headline.split()


@EVERY
def test_a_gate_has_value_limits_and_margin_of_one_estimator(name):
    for row in results_of(name).gates.iter_rows(named=True):
        if row["low"] is not None:
            assert row["low"] <= row["observed"] <= row["high"]
        if row["state"] != "inconclusive":
            assert (row["margin"] >= -1e-12) == (row["state"] == "pass"), row


@EVERY
def test_limits_and_adjusted_p_are_the_same_statement(name):
    for row in results_of(name).comparisons.filter(pl.col("shows") == "difference").to_dicts():
        low, high = row["simultaneous_low"], row["simultaneous_high"]
        if row["reject"] is None or low is None:
            continue
        if row["reject"]:
            assert low >= 0 or high <= 0, row
        else:
            assert low <= 0 <= high, row
        assert ("No significant difference" in row["verdict"]) == (not row["reject"])


@EVERY
def test_the_leader_is_the_best_on_the_basis_of_the_test(name):
    results = results_of(name)
    decision = results.decision
    valued = [model for model in decision.models if model.value is not None]
    if not valued:
        assert decision.relation == "no conclusion"
        return
    less = decision.measure in ERRORS
    sign = 1 if less else -1
    best = min(valued, key=lambda m: m.mean_rank if m.mean_rank is not None else sign * m.value)
    assert best.model == decision.leader
    if decision.compared_with is None or decision.basis == "data sets":
        return
    value = {model.model: model.value for model in valued}
    difference = value[decision.leader] - value[decision.compared_with]
    assert difference == pytest.approx(decision.estimate, abs=1e-9)


@EVERY
def test_relation_headline_and_numbers_agree(name):
    decision = results_of(name).decision
    less = -1 if decision.measure in ERRORS else 1
    if decision.relation == "ahead":
        assert decision.p_adjusted < decision.alpha
        assert less * decision.estimate > 0
        assert less * (decision.low if less > 0 else decision.high) >= 0
        assert re.search("beats|leads|ahead of", decision.headline)
    if decision.relation in ("level", "equivalent"):
        assert decision.p_adjusted >= decision.alpha
        assert decision.low <= 0 <= decision.high
        assert not re.search("beats|leads", decision.headline)
        assert "significantly behind" not in decision.sentence
    if decision.relation == "no conclusion":
        assert (decision.p_adjusted, decision.compared_with, decision.action) == (None, None, None)
        assert decision.severe
    for model in decision.models:
        if model.standing in ("level", "equivalent") and decision.baseline is None:
            assert model.p_adjusted >= decision.alpha
        if model.difference_low is not None and model.p_adjusted >= decision.alpha:
            assert model.difference_low <= 0 <= model.difference_high


@EVERY
def test_models_at_chance_are_never_said_to_be_better_than_it(name):
    decision = results_of(name).decision
    guessing = {row.model for row in decision.at_chance if row.class_ is None}
    for row in decision.at_chance:
        assert row.low is None or row.low <= row.chance or row.high >= row.chance
        sign = -1 if row.measure == COST else 1
        far = row.high if sign > 0 else row.low
        assert not row.worse or sign * (far - row.chance) < 0
    if decision.relation == "at chance":
        assert guessing
        rows = [r for r in decision.at_chance if r.class_ is None and not r.measure.startswith("c")]
        below = all(row.worse for row in rows)
        guess = {
            "r2": "always predicting the mean",
            "accuracy": "always predicting the most frequent class",
        }.get(decision.at_chance[0].measure, "chance")
        assert f"significantly {'worse' if below else 'better'} than {guess}" in decision.headline


@EVERY
def test_no_sentence_uses_words_that_a_test_does_not_bear(name):
    results = results_of(name)
    decision = results.decision
    texts = [decision.headline, decision.sentence, *(c.text for c in decision.caveats)]
    texts += results.comparisons["verdict"].to_list()
    texts += [figure.title for figure in figures(results)]
    texts.append(summary.text(results))
    for text in texts:
        assert not FORBIDDEN.search(text), text
        assert not CLUMSY.search(text), text


@EVERY
def test_every_model_at_chance_is_named_or_counted_on_page_one(name):
    decision = results_of(name).decision
    models = [row.model for row in decision.at_chance if row.class_ is None]
    texts = [decision.headline, *(c.text for c in decision.caveats if c.code == "at_chance")]
    counts = re.findall(r"\b(?:\d+ models|No model|All \d+ models)\b", " ".join(texts))

    assert all(counts or any(model in text for text in texts) for model in models)


@EVERY
def test_a_question_has_one_recommended_test(name):
    tests = results_of(name).comparisons.filter(recommendation="recommended")
    question = ("models", "metric", "null_hypothesis", "slice")

    assert tests.group_by(question).len().filter(pl.col("len") > 1).is_empty()


@EVERY
def test_a_difference_that_is_ruled_out_is_a_limit_of_page_one(name):
    results = results_of(name)
    bounds = re.findall(r"of more than (\S+).* are ruled out", results.decision.sentence)
    (bound,) = bounds or [None]
    table = Verdict.from_results(results, []).models
    cells = [row.cells.get("difference") for row in table.rows] if table else []
    limits = [end.lstrip("+−") for c in cells if c is not None for end in (c.low, c.high) if end]

    assert bound is None or bound in limits


@EVERY
def test_advice_agrees_with_its_interval(name):
    action = results_of(name).decision.action
    if action is None:
        return
    assert action.worthwhile == (action.low is not None and action.low > 0)
    assert action.text.startswith(("Lower", "Raise")) == action.worthwhile
    assert action.cost_now - action.cost_then == pytest.approx(action.saving)


def test_leakage_takes_the_conclusion_away():
    decision = results_of("leak").decision

    assert decision.headline == (
        "No conclusion on which model is better: every test row was also trained on"
    )
    assert decision.severe[0].code == "leakage"
    assert decision.state == "inconclusive"


def test_a_page_of_thirteen_models_has_the_ten_best_and_the_baseline():
    table = Verdict.from_results(results_of("thirteen, baseline"), []).models

    assert len(table.rows) == 11
    assert "m0 (baseline)" in str(table.rows[-1].cells["model"])


def test_a_failed_gate_is_never_under_a_green_box_whatever_the_headline():
    page = Verdict.from_results(results_of("failing gate"), [])

    assert (page.kind, page.state) == ("bad", "FAIL: 1 of 2 gates failed")
    assert page.gates is not None
    passing = replace(results_of("failing gate").decision, state="pass")
    assert passing.state_text.startswith("FAIL")
