"""Declared costs of several classes: decisions that cost more than a constant prediction."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

import reportgen
from reportgen.concluding.class_costs import against_constant
from reportgen.sections.costs import CostsSection
from reportgen.sections.key_numbers import without_probabilities
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.page_text import without_chinese
from tests.quick import QUICK

CLASSES = ("low", "mid", "high")
COSTS = {"low": {"mid": 2, "high": 10}, "mid": {"low": 1, "high": 5}, "high": {"low": 1, "mid": 1}}


def rows(right, number=600, seed=3):
    """So large a share of right predictions, with scores of 0.6 for what is predicted."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, number)
    wrong = (truth + random.integers(1, 3, number)) % 3
    predicted = np.where(random.random(number) < right, truth, wrong)
    scores = {c: np.where(predicted == k, 0.6, 0.2) for k, c in enumerate(CLASSES)}
    frame = {"y": np.array(CLASSES)[truth], "m": np.array(CLASSES)[predicted], **scores}
    return pl.DataFrame({**frame, "group": np.arange(number) // 5})


def said(frame, model=None, **more):
    models = {"m": {"scores": {c: c for c in CLASSES}} if model is None else model}
    spec = {"truth": "y", "classes": list(CLASSES), "models": models, "costs": COSTS}
    results = reportgen.evaluate({**spec, **QUICK, **more}, frame)
    into = translator("zh", names_of(results.to_dict()))
    texts = [c.text for c in results.decision.caveats if c.code == "costs_of_constant"]
    for text in texts:
        into.text(text, "li")
    assert not into.missing
    return texts


def test_page_one_says_that_decisions_cost_more_than_the_cheapest_class():
    frame = rows(0.5)
    (text,) = said(frame)
    cost = {(i, j): COSTS[i].get(j, 0) for i in CLASSES for j in CLASSES}
    own, low = (
        np.array([cost[pair] for pair in zip(frame["y"], other, strict=True)], float)
        for other in (frame["m"], ["low"] * frame.height)
    )

    assert text.startswith(f"m costs {own.mean():.3f} (95\xa0% CI ")
    more = (
        f" per row, significantly more than always predicting low, {low.mean():.3f}, a difference"
    )
    assert f"{more} of +{(own - low).mean():.3f} (simultaneous 95" in text
    assert " Least-cost predictions from its scores cost 0." in text


def compared(right, spoilt):
    """The model of so large a share of right predictions and one that spoils a share of them."""
    frame = rows(right)
    random = np.random.default_rng(8)
    other = np.where(random.random(frame.height) < spoilt, random.choice(CLASSES, frame.height), "")
    other = np.where(other == "", frame["m"], other)
    models = {"m": {"label": "m"}, "other": {"label": "other"}}
    spec = {"truth": "y", "classes": list(CLASSES), "models": models, "costs": COSTS, **QUICK}
    return reportgen.evaluate(spec, frame.with_columns(other=other))


@pytest.mark.parametrize("spoilt", [0.02, 0.9])
def test_the_headline_says_that_a_constant_costs_less_than_the_leader(spoilt):
    results = compared(0.5, spoilt)
    headline = results.decision.headline

    assert results.decision.relation in ("level", "ahead")
    assert "; always predicting low costs significantly less, 0." in headline
    assert not without_chinese(results, [headline])
    assert "always predicting" not in compared(0.97, spoilt).decision.headline


def test_decisions_that_cost_less_are_not_named_and_labels_have_no_other_predictions():
    assert not said(rows(0.97))
    (text,) = said(rows(0.5), {"label": "m"})
    assert "Least-cost" not in text


@pytest.mark.parametrize(("right", "side"), [(0.86, "more"), (0.93, "less")])
def test_decisions_that_are_not_significantly_cheaper_are_named(right, side):
    """Those that cost more in these rows, not significantly, are not said to cost less."""
    (text,) = said(rows(right, 60), {"label": "m"})
    assert f" per row, not significantly {side} than always predicting low, 0." in text
    assert (", a difference of +" in text) == (side == "more")


def test_of_rows_in_groups_page_one_says_what_was_observed():
    (text,) = said(rows(0.5), columns={"group": "group"})
    assert " per row, no less than always predicting low, " in text
    assert "significantly" not in text


def test_limits_are_those_of_the_mean_of_paired_differences():
    counts = np.array([[30.0, 20.0], [10.0, 40.0]])
    costs = np.array([[0.0, 3.0], [1.0, 0.0]])
    pairs = np.repeat([0.0, 3.0, 0.0, -1.0], [30, 20, 10, 40])
    one = against_constant(counts, costs, 0.9, 2)
    error = stats.sem(pairs)

    assert one.value == pytest.approx(pairs.mean())
    assert one.high == pytest.approx(pairs.mean() + stats.t.ppf(1 - 0.05 / 2, 99) * error)
    assert one.low == pytest.approx(pairs.mean() + stats.t.ppf(0.05 / 4, 99) * error)


def two_models(**more):
    """The one is more often right; its errors are the dear ones."""
    random = np.random.default_rng(3)
    truth = random.integers(0, 3, 500)

    def predicted(right, toward):
        wrong = np.where(random.random(500) < 0.8, toward, (truth + random.integers(1, 3, 500)) % 3)
        return np.array(CLASSES)[np.where(random.random(500) < right, truth, wrong)]

    frame = {"y": np.array(CLASSES)[truth], "a": predicted(0.75, 2), "b": predicted(0.66, 0)}
    models = {name: {"label": name} for name in "ab"}
    spec = {"truth": "y", "classes": list(CLASSES), "models": models, **QUICK}
    return reportgen.evaluate({**spec, **more}, pl.DataFrame(frame))


def test_declared_costs_of_several_classes_decide_before_accuracy():
    results = two_models(costs=COSTS)
    row = results.comparisons.filter(comparison="declared_costs").row(0, named=True)

    assert two_models().decision.headline.startswith("a has the highest accuracy, ")
    assert results.decision.measure == "cost_sensitive_error_rate"
    assert results.decision.headline.startswith("b beats a: cost per row 1.010 lower")
    codes = {caveat.code for caveat in results.decision.caveats}
    assert "cheaper_model" not in codes
    assert "measure" not in codes
    assert CostsSection.from_results(results, []).differences == ()  # Comparisons has them
    alone = two_models(costs=COSTS, sections=["verdict", "costs"])
    [difference] = CostsSection.from_results(alone, []).differences
    assert difference.startswith("b has lower cost per row than a: b")
    assert f"{row['low']:.3f}".replace("-", "\N{MINUS SIGN}") in difference


def test_the_accuracy_decides_between_classes_with_costs_where_the_spec_says_so():
    results = two_models(costs=COSTS, comparisons={"primary": "accuracy"})

    assert results.decision.measure == "accuracy"


def test_scores_that_are_no_probabilities_have_no_predictions_of_least_cost_to_speak_of():
    """Of log-probabilities these would be far from what their probabilities give."""
    random = np.random.default_rng(5)
    truth, logits = random.integers(0, 3, 200), random.normal(size=(200, 3))
    logits[np.arange(200), truth] += 0.8
    logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    frame = pl.DataFrame({"y": np.array(CLASSES)[truth]}).with_columns(
        *(pl.Series(f"log {name}", logs[:, k]) for k, name in enumerate(CLASSES)),
        *(pl.Series(f"p {name}", np.exp(logs[:, k])) for k, name in enumerate(CLASSES)),
    )
    models = {m: {"scores": {name: f"{m} {name}" for name in CLASSES}} for m in ("log", "p")}
    spec = {"truth": "y", "models": models, "costs": COSTS, **QUICK}
    results = reportgen.evaluate(spec, frame)
    texts = [c.text for c in results.decision.caveats if c.code == "costs_of_constant"]
    said = list(without_probabilities(results))

    assert any(text.startswith("p costs") and "Least-cost" in text for text in texts)
    assert not any(text.startswith("log costs") and "Least-cost" in text for text in texts)
    assert "The softmax of logits, or of log-probabilities, gives probabilities." in said
