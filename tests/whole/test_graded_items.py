"""Items with few grades: two models often have the same one, and their means are compared."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.comparisons import Question, sign_flip
from tests.simulations.graded_items import Items, shares

SPEC = {
    "task": "comparison",
    "measure": "grade",
    "better": "higher",
    "columns": {"dataset": "item", "model": "model", "value": "grade"},
}


def graded(number: int, *, equal: bool) -> pl.DataFrame:
    """Three models on so many items, with grades of three values or of many."""
    random = np.random.default_rng(6)
    skill = random.normal(size=(number, 1)) + random.normal(size=(number, 3))
    values = np.clip(np.round(skill), -1, 1) / 2 + 0.5 if equal else skill
    return pl.DataFrame(
        {
            "item": np.repeat([f"i{k}" for k in range(number)], 3).tolist(),
            "model": ["a", "b", "c"] * number,
            "grade": values.ravel(),
        }
    )


@pytest.mark.parametrize(
    ("number", "equal", "test"),
    [
        (80, True, "sign_flip"),
        (80, False, "wilcoxon"),
        (24, True, "wilcoxon"),
        (20, True, "sign_flip"),
    ],
)
def test_many_equal_grades_are_compared_by_their_mean(number, equal, test):
    results = evaluate(SPEC, graded(number, equal=equal))
    pairs = [row for row in results.comparisons.to_dicts() if len(row["models"]) == 2]
    recommended = {r["comparison"] for r in pairs if r["recommendation"] == "recommended"}

    assert recommended == {test}
    assert results.decision.test == test


def test_where_most_values_are_equal_the_mean_decides_of_few_data_sets_too():
    """The median of the 7 differences that are not 0 would have limits of no width."""
    sets = [f"s{k}" for k in range(15)]
    better = np.where(np.arange(15) < 7, 0.01, 0.0)
    frame = pl.DataFrame({"ds": sets, "old": 0.8, "new": 0.8 + better})
    spec = {"task": "comparison", "measure": "accuracy"}
    columns = {"dataset": "ds", "models": ["old", "new"]}
    decision = evaluate({**spec, "columns": columns}, frame).decision

    assert (decision.test, decision.relation) == ("sign_flip", "ahead")
    assert decision.estimate == pytest.approx(better.mean())
    assert 0 < decision.low < better.mean() < decision.high < 0.01
    one_less = frame.with_columns(new=pl.when(pl.col("ds") == "s14").then(0.81).otherwise("new"))
    assert evaluate({**spec, "columns": columns}, one_less).decision.test == "wilcoxon"


def test_the_least_p_of_the_mean_is_that_of_the_values_that_differ():
    """Flipping the sign of 0 changes nothing: 3 of 9 differences allow 2³ sums."""
    pairs = pl.DataFrame({"first": [0.1, 0.2, 0.3, *6 * [0.0]], "second": 0.0})
    test = sign_flip(pairs, Question(("a", "b"), "grade", unit="data sets"))

    assert test.reachable == test.p_value == 0.25


def test_a_least_p_above_alpha_is_that_of_its_pair_where_another_pair_differs_in_more():
    """a and b differ in 2 of 40 items; b is significantly ahead of c, which differs in all."""
    grades = {"a": [1.0] * 38 + [0.5] * 2, "b": [1.0] * 40, "c": [0.5] * 40}
    items = pl.DataFrame({"q": [f"q{k}" for k in range(40)], **grades})
    spec = {"task": "comparison", "unit": "item", "measure": "grade", "better": "higher"}
    spec |= {"columns": {"dataset": "q", "models": list(grades)}}

    assert [c.text for c in evaluate(spec, items).decision.caveats if c.code == "least_p"] == [
        "On these data p cannot fall below 0.5 (paired permutation test of the mean): no "
        "difference between b and a can be significant at α = 0.05."
    ]


def test_the_difference_beside_two_means_is_that_of_the_means():
    grades = graded(80, equal=True)
    results = evaluate(SPEC, grades)
    mean = dict(grades.group_by("model").agg(pl.col("grade").mean()).iter_rows())

    for row in results.comparisons.filter(comparison="sign_flip").to_dicts():
        first, second = row["models"]
        assert row["estimate"] == pytest.approx(mean[first] - mean[second])
        assert row["simultaneous_low"] < row["estimate"] < row["simultaneous_high"]
    [why, *_] = [
        row["why"] for row in results.comparisons.to_dicts() if row["comparison"] == "wilcoxon"
    ]
    assert "have the same value in up to" in why


def test_the_mean_of_graded_items_keeps_its_level_and_its_limits_hold():
    alike, apart = shares(Items(60), 150), shares(Items(60, 0.6), 150)

    assert alike["rejected"] <= 0.08
    assert min(alike["limits"], apart["limits"]) >= 0.9
    assert apart["limits of ranks"] < 0.8


@pytest.mark.parametrize(("equal", "recommended"), [(True, False), (False, True)])
def test_a_margin_is_not_shown_by_the_median_where_means_decide(equal, recommended):
    """Half of the grades are equal, so that the median difference is 0 however large the mean is.

    Without the rule 30 of 30 reports of a mean difference of three times the margin said that the
    models are equivalent.
    """
    random = np.random.default_rng(2)
    skill = random.normal(size=(80, 1)) + 0.3 * random.normal(size=(80, 2))
    grades = skill + (random.random((80, 1)) < 0.3) * [[0.5, 0.0]]
    values = np.digitize(grades, [-0.6, 0.6]) / 2 if equal else 0.01 * skill
    names = [f"i{k}" for k in range(80)]
    frame = pl.DataFrame({"item": names, "a": values[:, 0], "b": values[:, 1]})
    columns = {"dataset": "item", "models": ["a", "b"]}
    margin = {"comparisons": {"margin": 0.05}, "data": "frame"}
    results = evaluate({**SPEC, "columns": columns, **margin}, frame)
    tests = results.comparisons.filter(pl.col("shows") == "equivalence")
    by_name = {row["comparison"]: row for row in tests.to_dicts()}

    assert (by_name["equivalence_sign"]["why"] is None) == recommended
    assert by_name["equivalence_sign"]["p_value"] < 0.05
    assert (results.decision.relation == "equivalent") == recommended


def test_the_median_shows_no_equivalence_that_the_mean_denies():
    """A model gains a little in most data sets, and loses far more in the others."""
    loses = np.arange(40) % 4 == 0
    base = np.linspace(0.7, 0.9, 40)
    columns = {"dataset": "set", "models": ["new", "base"]}
    frame = pl.DataFrame({"base": base, "new": base + np.where(loses, -0.3, 0.01)})
    frame = frame.with_columns(set=pl.int_range(40).cast(str))
    spec = {**SPEC, "columns": columns, "data": "frame", "comparisons": {"margin": 0.02}}
    results = evaluate({**spec, "measure": "accuracy"}, frame)
    [test] = results.comparisons.filter(comparison="equivalence_sign").to_dicts()

    assert test["p_value"] < 0.05
    assert test["why"] == (
        "the test is about the median, and limits of the mean difference reach beyond the margin"
    )
    assert results.decision.relation != "equivalent"
