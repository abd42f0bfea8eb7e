"""Tests of pairs of models on weighted rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_rel

from reportgen.clusters import Groups
from reportgen.comparisons import (
    Question,
    weighted_errors,
    weighted_mean,
    weighted_mean_difference,
    weighted_t,
)
from reportgen.comparisons.grouped import mean_difference_in_groups
from reportgen.comparisons.grouped_claims import rao_scott
from reportgen.results import evaluate
from reportgen.sample_design import SampleDesign
from tests.quick import QUICK

RANDOM = np.random.default_rng(8)
FIRST, SECOND = RANDOM.random((2, 120)) < 0.7
WEIGHTS = RANDOM.uniform(0.2, 3, 120)
QUESTION = Question(("a", "b"), "accuracy")


def test_with_equal_weights_the_difference_and_its_error_are_those_of_bonett_and_price():
    """Their error, but for √((n + 2)/(n + 1)): rows are pulled towards their own mean."""
    b, c, n = int((FIRST & ~SECOND).sum()), int((SECOND & ~FIRST).sum()), len(FIRST)
    first, second = (b + 1) / (n + 2), (c + 1) / (n + 2)
    error = np.sqrt((first + second - (first - second) ** 2) / (n + 2))
    mean = weighted_mean_difference(FIRST, SECOND, SampleDesign(np.full(n, 7.0)))

    assert mean.value == pytest.approx(first - second)
    assert mean.error == pytest.approx(error * np.sqrt((n + 2) / (n + 1)))


def test_the_unit_of_the_weights_does_not_matter():
    one, other = (
        weighted_t((FIRST, SECOND), SampleDesign(unit * WEIGHTS), QUESTION) for unit in (1, 1e6)
    )
    assert other.p_value == pytest.approx(one.p_value)
    assert (other.low, other.high) == pytest.approx((one.low, one.high))


def test_the_effect_is_the_difference_of_the_weighted_shares():
    test = weighted_t((FIRST, SECOND), SampleDesign(WEIGHTS), QUESTION)
    shares = [float((WEIGHTS * side).sum() / WEIGHTS.sum()) for side in (FIRST, SECOND)]
    assert test.estimate == pytest.approx(shares[0] - shares[1])
    assert test.low < test.estimate < test.high


def test_tests_against_a_margin_print_the_same_difference():
    both = np.flatnonzero(FIRST), np.flatnonzero(SECOND)
    frame = pl.DataFrame({"y": 1, "w": WEIGHTS, "a": FIRST.astype(int), "b": SECOND.astype(int)})
    spec = {
        "truth": "y",
        "models": {m: {"label": m} for m in ("a", "b")},
        "columns": {"weight": "w"},
        "comparisons": {"margin": 0.1},
        **QUICK,
    }
    rows = evaluate(spec, frame).comparisons.filter(metric="accuracy")
    shares = [float(WEIGHTS[side].sum() / WEIGHTS.sum()) for side in both]

    assert {"mcnemar_weighted", "equivalence"} <= set(rows["comparison"])
    assert rows["estimate"].to_list() == pytest.approx([shares[0] - shares[1]] * rows.height)


def test_one_row_per_group_changes_nothing():
    groups = Groups(np.arange(120), 120)
    assert weighted_t(
        (FIRST, SECOND), SampleDesign(WEIGHTS, groups=groups), QUESTION
    ).p_value == pytest.approx(weighted_t((FIRST, SECOND), SampleDesign(WEIGHTS), QUESTION).p_value)


def test_rows_that_go_together_say_less():
    twice = np.repeat(np.arange(120), 2)
    sides, weights = (FIRST[twice], SECOND[twice]), WEIGHTS[twice]
    together = weighted_t(sides, SampleDesign(weights, groups=Groups(twice, 120)), QUESTION)
    assert together.p_value > weighted_t(sides, SampleDesign(weights), QUESTION).p_value


def test_models_that_agree_on_every_row_are_not_tested():
    assert weighted_t((FIRST, FIRST), SampleDesign(WEIGHTS), QUESTION).undefined


ERRORS = tuple(np.abs(RANDOM.normal(size=(2, 120)) * [[1.0], [1.3]]))


def test_errors_of_equal_weight_have_the_t_statistic_of_pairs():
    """scipy's, of the squared errors and of the absolute ones."""
    tests = weighted_errors(ERRORS, SampleDesign(np.full(120, 3.0)), QUESTION)
    assert [test.metric for test in tests] == ["mean_squared_error", "mean_absolute_error"]
    for test, power in zip(tests, (2, 1), strict=True):
        expected = ttest_rel(ERRORS[0] ** power, ERRORS[1] ** power)
        assert test.statistic == pytest.approx(expected.statistic)
        assert test.df <= 119


def test_errors_of_equal_weight_in_groups_of_one_size_have_the_error_of_group_sums():
    groups, squares = Groups(np.arange(120) // 6, 20), [side**2 for side in ERRORS]
    plain = mean_difference_in_groups(*squares, groups)
    mean = weighted_mean(*squares, SampleDesign(np.ones(120), groups=groups))
    assert (mean.value, mean.error, mean.df) == pytest.approx((plain.value, plain.error, plain.df))


@pytest.mark.parametrize("groups", [None, Groups(np.arange(120) // 6, 20)])
def test_rows_without_weight_are_as_if_they_were_not_there(groups):
    weights = np.where(np.arange(120) < 12, 0.0, WEIGHTS)
    tests = weighted_errors(ERRORS, SampleDesign(weights, groups=groups), QUESTION)
    inside = slice(12, None)
    fewer = None if groups is None else groups.among(weights > 0)
    without = weighted_errors(
        (ERRORS[0][inside], ERRORS[1][inside]),
        SampleDesign(WEIGHTS[inside], groups=fewer),
        QUESTION,
    )
    for test, other in zip(tests, without, strict=True):
        assert (test.p_value, test.low) == pytest.approx((other.p_value, other.low))


def test_errors_that_do_not_differ_are_not_tested():
    same = weighted_errors((ERRORS[0], ERRORS[0]), SampleDesign(WEIGHTS), QUESTION)[0]
    assert same.undefined == "the differences of the errors are all 0"
    one = weighted_errors(ERRORS, SampleDesign(np.where(np.arange(120) == 0, 1.0, 0.0)), QUESTION)[
        0
    ]
    assert one.undefined == "fewer than two rows"


@pytest.mark.parametrize(
    ("group", "metrics"),
    [
        ({}, ["mean_squared_error", "mean_absolute_error"]),
        ({"group": "g"}, ["mean_absolute_error"]),
    ],
)
def test_a_report_of_weighted_estimates_recommends_its_test(group, metrics):
    """Of sixty groups none of far larger errors may be there, which decide a mean of squares."""
    frame = pl.DataFrame({"y": RANDOM.normal(size=300), "w": RANDOM.uniform(0.5, 2, 300)})
    frame = frame.with_columns(
        good=pl.col("y") + 0.4 * RANDOM.uniform(-1, 1, 300),
        bad=pl.col("y") + 0.8 * RANDOM.uniform(-1, 1, 300),
        g=np.arange(300) // 5,
    )
    spec = {"truth": "y", "models": {m: {"estimate": m} for m in ("good", "bad")}}
    results = evaluate({**spec, "columns": {"weight": "w", **group}}, frame)
    tests = results.comparisons.filter(recommendation="recommended").to_dicts()
    assert [test["metric"] for test in tests] == metrics
    for test in tests:
        assert (test["comparison"], test["better"]) == ("paired_t_weighted", "good")
        of_metric = results.metrics.filter(metric=test["metric"]).select("model", "value")
        values = dict(of_metric.iter_rows())
        assert test["estimate"] == pytest.approx(values["good"] - values["bad"])
    assert results.decision.relation == "ahead"


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_a_claim_of_rows_of_equal_weight_is_tested_as_one_of_rows_in_groups(alternative):
    groups = Groups(np.arange(120) // 3, 40)
    plain = rao_scott(FIRST, SampleDesign(groups=groups), 0.6, QUESTION, alternative=alternative)
    test = rao_scott(
        FIRST,
        SampleDesign(np.full(120, 5.0), groups=groups),
        0.6,
        QUESTION,
        alternative=alternative,
    )
    assert test.comparison == "rao_scott_weighted"
    expected = plain.p_value, plain.estimate, plain.low, plain.high
    assert (test.p_value, test.estimate, test.low, test.high) == pytest.approx(expected)


@pytest.mark.parametrize("group", [{}, {"group": "g"}])
def test_claims_about_weighted_rows_are_tested_for_the_weighted_share(group):
    """Heavy rows are correct, so that their share of the weight refutes a claim that rows hold."""
    correct = np.arange(400) % 4 > 0
    frame = pl.DataFrame({"y": np.ones(400), "p": correct.astype(int), "g": np.arange(400) // 2})
    frame = frame.with_columns(
        y=pl.when(pl.int_range(400) % 2 == 0).then(1).otherwise(0), w=np.where(correct, 1.0, 3.0)
    ).with_columns(p=pl.when(pl.Series(correct)).then("y").otherwise(1 - pl.col("y")))
    claims = ["m.accuracy >= 0.7", "m.accuracy >= 0.5", "m.f1 >= 0.5"]
    spec = {"truth": "y", "models": {"m": {"label": "p"}}, "comparisons": {"claims": claims}}
    results = evaluate({**spec, "columns": {"weight": "w", **group}}, frame)
    refuted, held, none = results.comparisons.filter(against=0.7).to_dicts() + (
        results.comparisons.filter(against=0.5).to_dicts()
    )
    assert refuted["comparison"] == "rao_scott_weighted"
    assert refuted["estimate"] == pytest.approx(0.5)
    assert (refuted["recommendation"], refuted["reject"]) == ("recommended", True)
    assert (held["reject"], none["undefined"]) == (False, "the measure is not a proportion of rows")


@pytest.mark.parametrize("task", ["binary", "multiclass", "multilabel"])
def test_a_report_of_weighted_rows_has_a_conclusion(task):
    """It says which model predicts more of the weight correctly, and where both cost the same."""
    n = 400
    truth = RANDOM.integers(0, 2 if task == "binary" else 3, n)
    good, bad = (np.where(RANDOM.random(n) < share, truth, 0) for share in (0.9, 0.4))
    frame = pl.DataFrame({"y": truth, "good": good, "bad": bad, "w": RANDOM.uniform(0.5, 2, n)})
    spec = {
        "truth": "y",
        "models": {m: {"label": m} for m in ("good", "bad")},
        "columns": {"weight": "w"},
        **QUICK,
    }
    if task == "binary":
        spec["costs"] = {"false_negative": 3, "false_positive": 1}
    if task == "multilabel":
        frame = frame.with_columns(
            *(
                pl.col(c).eq(k).cast(int).alias(f"{c}{k}")
                for c in ("y", "good", "bad")
                for k in (1, 2)
            )
        )
        spec |= {
            "truth": {str(k): f"y{k}" for k in (1, 2)},
            "models": {m: {"labels": {str(k): f"{m}{k}" for k in (1, 2)}} for m in ("good", "bad")},
        }
    results = evaluate(spec, frame)
    decision = results.decision
    tests = set(results.comparisons.filter(recommendation="recommended")["comparison"])

    assert (decision.relation, decision.leader) == ("ahead", "good")
    assert "mcnemar_weighted" in tests
    assert ("declared_costs" in tests) == (task == "binary")
    for row in results.comparisons.filter(comparison="mcnemar_weighted").to_dicts():
        assert (row["p_value"] < 0.05) == (row["low"] > 0 or row["high"] < 0)
