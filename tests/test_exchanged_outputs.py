"""Measures of which exchanging outputs is no test of unlike models, and what decides instead."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest

from reportgen.comparisons import Question, probability_losses
from reportgen.results import Results, evaluate
from tests.breadth import breadth
from tests.test_declared_costs import standardised
from tests.test_recommendation_rules import ONE_TEST, recommendations, record
from tests.test_translation import assert_translated

BRIER = Question(("a", "b"), "brier_score")


@cache
def named(measure: str) -> Results:
    """A report that names the measure, of a model that is nearly sure and one that is not."""
    random = np.random.default_rng(4)
    truth = random.random(80) < 0.4
    wrong = random.random((2, 80)) < [[0.2], [0.05]]
    scores = np.where(truth ^ wrong, [[0.7], [0.97]], [[0.3], [0.03]])
    frame = pl.DataFrame({"truth": truth.astype(int), "a": scores[0], "b": scores[1]})
    spec = {"truth": "truth", "models": {m: {"score": m} for m in "ab"}, "name": measure}
    chosen = {"comparisons": {"measures": [measure]}, "bootstrap": {"replicates": 100}}
    return evaluate({**spec, **chosen, "data": "frame"}, frame)


@breadth(
    ("measure", "recommended"),
    [
        ("brier_score", "probability_losses"),
        ("precision", None),
        ("log_loss", "probability_losses"),
    ],
    2,
)
def test_a_named_measure_of_losses_has_a_test_that_counts_errors_not_seen(measure, recommended):
    results = named(measure)
    of_measure = results.comparisons.filter(metric=measure)

    standing = dict(of_measure.select("comparison", "recommendation").iter_rows())
    assert standing["paired_permutation"] == "valid"
    assert [n for n, r in standing.items() if r == "recommended"] == [recommended] * (
        recommended is not None
    )
    assert_translated(results)


@pytest.mark.parametrize("measure", ["expected_calibration_error", "brier_reliability"])
def test_errors_by_bins_name_no_winner_of_calibrated_models(measure):
    """Probabilities of two values fall into two bins, exact ones into ten, which noise fills."""
    random = np.random.default_rng(0)
    exact = 1 / (1 + np.exp(-2 * random.normal(size=300)))
    coarse = np.where(exact > 0.5, 0.78, 0.22)
    truth = (random.random(300) < exact).astype(int)
    frame = pl.DataFrame({"y": truth, "a": coarse, "b": exact})
    spec = {"truth": "y", "models": {m: {"score": m} for m in "ab"}}
    asked = {"comparisons": {"primary": measure}, "bootstrap": {"replicates": 500}}
    results = evaluate({**spec, **asked}, frame)
    tests = results.comparisons.filter(metric=measure)

    assert not tests.is_empty()
    assert (tests["recommendation"] == "valid").all()
    assert tests["why"].str.starts_with("noise raises this measure more").all()
    assert results.decision.relation != "ahead"
    assert_translated(results)


@pytest.mark.parametrize(("values", "relation"), [(2, "valid"), (40, "recommended")])
def test_the_best_threshold_of_few_scores_is_not_compared_with_that_of_many(values, relation):
    """Among more thresholds noise makes the best one better: of guesses, too."""
    random = np.random.default_rng(1)
    truth = (random.random(300) < 0.4).astype(int)
    few, many = random.random((2, 300))
    few = np.floor(few * values) / values
    frame = pl.DataFrame({"y": truth, "a": few, "b": many})
    spec = {"truth": "y", "models": {m: {"score": m} for m in "ab"}}
    asked = {"comparisons": {"primary": "ks_statistic"}, "bootstrap": {"replicates": 500}}
    results = evaluate({**spec, **asked}, frame)
    [test] = results.comparisons.filter(
        metric="ks_statistic", comparison="paired_permutation"
    ).to_dicts()

    assert test["recommendation"] == relation
    assert (test["why"] or "").startswith("the scores of one model are") == (values == 2)
    assert_translated(results)


def test_the_difference_has_the_limits_of_the_recommended_test():
    results = named("brier_score")
    (test,) = results.comparisons.filter(comparison="probability_losses").to_dicts()
    (row,) = results.differences.filter(metric="brier_score").to_dicts()

    assert (row["low"], row["high"]) == (test["low"], test["high"])
    assert (test["p_value"] <= 0.05) == (not test["low"] <= 0 <= test["high"])


@pytest.mark.parametrize(
    "metric", ["precision", "macro_precision", "brier_skill", "r2", "pearson_r"]
)
def test_exchanging_outputs_is_not_recommended_of(metric):
    assert recommendations(record("paired_permutation", metric)) == ["valid"]


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("spearman_rho", "recommended")]
    + [(name, "valid") for name in ("precision", "pearson_r", "brier_skill", "r2")],
)
def test_a_difference_far_beyond_its_limits_stands_of_ranks_alone(metric, expected):
    given = record("paired_permutation", metric)
    near = given.with_fields(estimate=0.39, low=0.29, high=0.49)
    far = given.with_fields(estimate=0.41, low=0.31, high=0.51)

    assert recommendations(near) == ["valid"]
    assert recommendations(far) == [expected]


@pytest.mark.parametrize(("share", "expected"), [(0.41, "recommended"), (0.40, "valid")])
@pytest.mark.parametrize("metric", ["precision", "negative_predictive_value", "markedness"])
def test_shares_of_predictions_are_exchanged_where_models_make_nearly_as_many(
    metric, share, expected
):
    given = record("paired_permutation", metric)
    assert recommendations(given, positives={"a": {"": 450.0}, "b": {"": 1000 * share}}) == [
        expected
    ]


@pytest.mark.parametrize(
    ("share", "expected"), [(0.35, "recommended"), (0.34, "valid"), (0.0, "recommended")]
)
@pytest.mark.parametrize(
    "metric",
    ["f1", "f_beta(0.3)", "g_mean", "jaccard", "lift", "positive_likelihood_ratio"],
)
def test_means_of_rates_are_exchanged_where_models_predict_positives_about_as_often(
    metric, share, expected
):
    given = record("paired_permutation", metric)
    assert recommendations(given, positives={"a": {"": 450.0}, "b": {"": 1000 * share}}) == [
        expected
    ]


@pytest.mark.parametrize(
    ("second", "of_macro", "of_micro"),
    [
        ({"x": 30.0, "y": 60.0}, "recommended", "recommended"),
        ({"x": 30.0, "y": 36.0}, "recommended", "valid"),
        ({"x": 15.0, "y": 120.0}, "valid", "valid"),
        ({"x": 0.0, "y": 90.0}, "valid", "recommended"),
    ],
)
def test_averages_are_exchanged_where_models_predict_classes_about_as_often(
    second, of_macro, of_micro
):
    positives = {"a": {"x": 30.0, "y": 60.0}, "b": second}
    expected = {"macro_f1": of_macro, "weighted_f1": of_macro, "micro_f1": of_micro}
    for metric, recommendation in expected.items():
        given = record("paired_permutation", metric)
        assert recommendations(given, positives=positives) == [recommendation], metric


def test_labels_that_one_model_predicts_more_often_are_not_exchanged():
    random = np.random.default_rng(2)
    truth = random.random((300, 2)) < 0.2
    often, seldom = (
        truth | (random.random((300, 2)) < 0.25),
        truth & (random.random((300, 2)) < 0.5),
    )
    sides = {"t": truth, "a": often, "b": seldom}
    columns = {
        f"{side}_{label}": of[:, k] for side, of in sides.items() for k, label in enumerate("xy")
    }
    spec = {
        "truth": {k: f"t_{k}" for k in "xy"},
        "models": {m: {"labels": {k: f"{m}_{k}" for k in "xy"}} for m in "ab"},
        "comparisons": {"primary": "macro_f1"},
        "bootstrap": {"replicates": 100},
    }
    results = evaluate(spec, pl.DataFrame(columns).cast(pl.Int8))
    (row,) = results.comparisons.filter(comparison="paired_permutation").to_dicts()

    assert row["recommendation"] == "valid"
    assert row["why"].startswith("on average one model predicts a class 3.")
    (decides,) = results.comparisons.filter(recommendation="recommended", metric="macro_f1").rows()
    assert decides[0] == "delta_method"
    assert results.decision.relation == "level"
    assert_translated(results)


@pytest.mark.parametrize("metric", ["mcc", "cohen_kappa"])
@pytest.mark.parametrize(
    ("share", "rows", "expected"),
    [(0.35, 99, "recommended"), (0.34, 99, "valid"), (0.34, 100, "recommended")],
)
def test_measures_of_chance_are_exchanged_where_models_or_rows_allow_it(
    metric, share, rows, expected
):
    given, evaluation = record("paired_permutation", metric), replace(ONE_TEST, test_rows=rows)
    positives = {"a": {"": 450.0}, "b": {"": 1000 * share}}
    assert recommendations(given, positives=positives, evaluation=evaluation) == [expected]


def test_the_worst_possible_loss_is_that_of_the_other_class():
    """No row is wrong, and none of the differences is negative: they may be −0.81 all the same."""
    frame = pl.DataFrame({"truth": [True] * 15, "a": [0.6] * 15, "b": [0.9] * 15})
    test = probability_losses(frame, BRIER)

    difference = 0.4**2 - 0.1**2
    assert test.estimate == pytest.approx(difference)
    assert test.statistic == pytest.approx(standardised({difference: 15}, 0.81), rel=1e-5)


def test_of_a_certain_probability_the_log_loss_has_no_worst_value():
    frame = pl.DataFrame({"truth": [True, False], "a": [1.0, 0.2], "b": [0.7, 0.1]})
    test = probability_losses(frame, Question(("a", "b"), "log_loss"))

    assert test.undefined == (
        "some probabilities of a are exactly 0 or 1, where an error loses infinitely much"
    )
    assert probability_losses(frame, BRIER).undefined is None


def test_scores_with_a_mass_at_one_value_are_worth_few():
    """Of guesses, 92 % at one value: the continuous ones "won" by KS in 11 of 30."""
    random = np.random.default_rng(1)
    first, second = random.random((2, 300))
    first = np.where(random.random(300) < 0.92, 0.1, first)
    truth = (random.random(300) < 0.4).astype(int)
    spec = {"truth": "y", "models": {m: {"score": m} for m in "ab"}}
    asked = {"comparisons": {"primary": "ks_statistic"}, "bootstrap": {"replicates": 200}}
    frame = pl.DataFrame({"y": truth, "a": first, "b": second})
    results = evaluate({**spec, **asked}, frame)
    worth = [model["effective_scores"] for model in results.data["models"]]
    _, counts = np.unique(first, return_counts=True)

    assert worth == [pytest.approx(300**2 / (counts**2).sum()), pytest.approx(300)]
    assert (results.comparisons.filter(metric="ks_statistic")["recommendation"] == "valid").all()
