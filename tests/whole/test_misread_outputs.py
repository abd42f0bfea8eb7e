"""Outputs that page one does not take for what they are declared: exchanged labels, few scores."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate
from tests.page_text import without_chinese
from tests.quick import QUICK


def caveats(results: Results, code: str) -> list[str]:
    return [one.text for one in results.decision.caveats if one.code == code]


def two_classes(models: dict[str, dict[str, str]], **spec: object) -> Results:
    random = np.random.default_rng(1)
    truth = random.integers(0, 2, 300)
    frame = pl.DataFrame(
        {
            "y": truth,
            "many": 1 / (1 + np.exp(-(truth + random.normal(size=300)))),
            "two": (truth + random.normal(size=300) > 0.5).astype(float),
            "fair": np.where(random.random(300) < 0.85, truth, 1 - truth),
            "exchanged": np.where(random.random(300) < 0.9, 1 - truth, truth),
            "ones": np.ones(300, int),
        }
    )
    return evaluate({"truth": "y", "models": models, **QUICK, **spec}, frame)


def test_decisions_among_scores_are_said_to_be_no_ranking():
    results = two_classes({"many": {"score": "many"}, "two": {"score": "two"}})
    [text] = caveats(results, "two_scores")

    assert text.startswith("two has no more than two distinct scores: its AUC is that of one ")
    assert not without_chinese(results, [text])
    assert not caveats(two_classes({"two": {"score": "two"}}), "two_scores")


def test_labels_that_say_the_opposite_have_not_lost():
    results = two_classes({"fair": {"label": "fair"}, "exchanged": {"label": "exchanged"}})
    decision = results.decision

    assert decision.relation == "no conclusion"
    assert ": the accuracy of exchanged is 0." in decision.headline
    assert decision.headline.endswith(" if its labels are swapped")
    assert not without_chinese(results, [decision.headline, *caveats(results, "reversed_scores")])


def test_who_is_misread_has_lost_in_no_measure():
    models = {"fair": {"label": "fair"}, "exchanged": {"label": "exchanged"}}
    for spec in ({"comparisons": {"primary": "f1"}}, {"costs": {"false_negative": 1.5}}):
        costs = {"costs": spec["costs"] | {"false_positive": 1}} if "costs" in spec else spec
        decision = two_classes(models, **costs, bootstrap={"replicates": 200}).decision

        assert decision.relation == "no conclusion"
        assert decision.headline.endswith(" if its labels are swapped")


def test_a_constant_label_has_lost():
    """Its accuracy may be below one half, but it says nothing against the truth."""
    results = two_classes({"fair": {"label": "fair"}, "ones": {"label": "ones"}})

    assert results.decision.relation == "ahead"


def test_two_classes_that_a_model_exchanges_are_named():
    random = np.random.default_rng(2)
    truth = random.choice(["left", "right", "none"], 400)
    other = np.select([truth == "left", truth == "right"], ["right", "left"], "none")
    noise = random.random(400) < 0.3
    frame = pl.DataFrame({"y": truth, "a": np.where(noise, "none", truth), "b": other})
    models = {name: {"label": name} for name in "ab"}
    results = evaluate({"truth": "y", "models": models, **QUICK}, frame)

    [text] = caveats(results, "exchanged_classes")
    assert results.decision.relation == "no conclusion"
    assert not without_chinese(
        results, [results.decision.headline, *caveats(results, "reversed_scores")]
    )
    assert text.startswith("b predicts right for most rows of left, and left for most rows of ")
    assert not without_chinese(results, [text])


def test_the_last_of_many_models_is_looked_at_too():
    random = np.random.default_rng(2)
    truth = random.choice(["a", "b", "c"], 300)
    other = np.select([truth == "a", truth == "b"], ["b", "a"], "c")
    labels = {f"m{k}": np.where(random.random(300) < 0.3, "c", truth) for k in range(7)}
    frame = pl.DataFrame({"y": truth, **labels, "z": other})
    models = {name: {"label": name} for name in (*labels, "z")}
    results = evaluate({"truth": "y", "models": models, **QUICK}, frame)

    assert len(caveats(results, "exchanged_classes")) == 1
    assert results.decision.relation == "no conclusion"


def test_classes_that_a_model_shifts_are_named_and_leave_the_build_inconclusive():
    random = np.random.default_rng(3)
    truth = random.integers(0, 3, 300)
    wrong = random.random(300) < 0.3
    frame = pl.DataFrame(
        {"y": truth, "a": np.where(wrong, 0, truth), "b": (truth + 1) % 3}
    ).with_columns(pl.all().cast(pl.String).replace({"0": "low", "1": "mid", "2": "high"}))
    models = {name: {"label": name} for name in "ab"}
    results = evaluate({"truth": "y", "models": models, **QUICK}, frame)
    [text] = caveats(results, "exchanged_classes")

    assert text.startswith("b predicts another of these classes for most rows of ")
    assert results.decision.state == "inconclusive"
    assert not without_chinese(results, [text])


def test_the_mean_that_speaks_against_the_ranks_stands_beside_them():
    random = np.random.default_rng(5)
    b = random.uniform(0.4, 0.6, 200)
    rare = random.random(200) < 0.1
    a = np.where(rare, b - 0.4, b + random.uniform(0.01, 0.02, 200))
    rows = {"item": [f"q{k}" for k in range(200)], "a": a, "b": b}
    columns = {"dataset": "item", "models": ["a", "b"]}
    spec = {"data": "x", "task": "comparison", "unit": "item", "columns": columns}
    results = evaluate({**spec, "measure": "score", "better": "higher"}, pl.DataFrame(rows))
    [text] = caveats(results, "opposed_means")

    assert results.decision.headline.startswith("a ranks best in score ")
    assert text.startswith("On average b is better: score 0.0")
    assert not without_chinese(results, [text])


def test_estimates_that_fall_as_the_truth_rises_may_have_the_wrong_sign():
    random = np.random.default_rng(0)
    truth, first, second = random.normal(size=(3, 200))
    columns = {"y": truth, "a": 0.3 * first - truth, "b": truth + second, "c": 0.6 * second - truth}

    def said(models: str) -> tuple[Results, list[str]]:
        spec = {"truth": "y", "models": {m: {"estimate": m} for m in models}, **QUICK}
        results = evaluate(spec, pl.DataFrame(columns))
        return results, caveats(results, "opposed_estimates")

    (one, alone), (two, both) = said("ab"), said("ac")
    assert alone == [
        "The estimates of a fall as the truth rises (correlation −0.954): check their sign."
    ]
    assert both == ["The estimates of a and c fall as the truth rises: check their sign."]
    assert not without_chinese(one, alone)
    assert not without_chinese(two, both)
    assert not said("b")[1]


def test_the_mean_of_the_other_folds_has_no_wrong_sign():
    """It falls as the truth of its own fold rises, by construction."""
    random = np.random.default_rng(0)
    truth = random.normal(10, 3, 60)
    mean = (truth.sum() - truth) / 59
    frame = pl.DataFrame({"y": truth, "mean": mean, "a": truth + random.normal(size=60)})
    models = {name: {"estimate": name} for name in ("a", "mean")}
    results = evaluate({"truth": "y", "models": models, **QUICK}, frame)

    assert results.metrics.filter(metric="pearson_r", model="mean")["value"][0] < -0.99
    assert not caveats(results, "opposed_estimates")
