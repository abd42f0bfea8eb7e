"""Over folds no test is recommended of models that see so little that folds correlate more."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from reportgen.comparing.near_guessing import Classes, near_guessing
from reportgen.comparing.recommendation import Situation, with_recommendation
from reportgen.comparisons import (
    Question,
    corrected_resampled_t,
    corrected_t_of_repeats,
    one_sample_t,
)
from reportgen.predictions.evaluation_scheme import Evaluation

ROWS = 200
EVEN = Classes(0.5, 0.5)
ONE_ERROR = ((ROWS + 1) / (3 * ROWS**2)) ** 0.5
"""Standard error of the AUC of a model that guesses, of 100 positives and 100 negatives."""


def situation(scheme="repeated_hold_out", classes=EVEN, **more) -> Situation:
    known = {"test_rows": 600, "test_examples": ROWS, "overlap": 0.8, **more}
    return Situation(Evaluation(scheme, 15, 15, 1, ROWS, 40.0, 160.0, **known), classes=classes)


def advised(metric: str, means: tuple[float, float], at: Situation, spread: float = 0.05):
    """The corrected t-test of two models with these means over 15 splits."""
    noise = np.linspace(-spread, spread, 15)
    pairs = pl.DataFrame(
        {
            "repeat": [str(k) for k in range(15)],
            "fold": ["1"] * 15,
            "first": means[0] + noise,
            "second": means[1] - noise,
            "train_rows": [160.0] * 15,
            "test_rows": [40.0] * 15,
        }
    )
    question = Question(("a", "b"), metric, unit="folds")
    tests = [test(pairs, question) for test in (corrected_resampled_t, corrected_t_of_repeats)]
    published, of_repeats = with_recommendation(tests, at)
    assert published.recommendation == "valid"
    assert "counts repeats as further folds" in published.why
    assert of_repeats.p_value >= published.p_value
    return of_repeats


@pytest.mark.parametrize(
    ("lower", "higher", "recommended"),
    [(1.9, 4.0, False), (2.1, 2.1, True), (2.1, 4.0, True), (-3.0, 5.9, False), (0.0, 6.1, True)],
)
def test_both_aucs_are_two_standard_errors_above_one_half_or_one_is_six(lower, higher, recommended):
    """The mean of both would select the data in which one of two alike models sees more."""
    means = (0.5 + higher * ONE_ERROR, 0.5 + lower * ONE_ERROR)

    for order in (means, means[::-1]):
        test = advised("auc", order, situation())
        assert (test.recommendation == "recommended") == recommended
        assert recommended or "the mean AUC of one model is" in test.why


def test_of_rows_in_groups_the_spread_over_the_folds_tells_how_far_from_guessing_a_model_is():
    """The number of 27 groups would take a model at 4.6 of its standard errors for a guess."""
    at, classes = situation(groups=27), EVEN
    for distance, is_near in ((3.9, True), (4.6, False)):
        test = advised("auc", (0.64, 0.64), situation()).with_fields(above_chance=distance)
        reasons = list(near_guessing(test, at.evaluation, classes, {}))
        assert bool(reasons) == is_near
        assert not is_near or reasons[0].startswith("the mean of one model is 3.9 standard errors")


@pytest.mark.parametrize(
    ("means", "recommended"),
    [((0.92, 0.91), True), ((0.9, 0.9), True), ((0.92, 0.87), False), ((0.99, 0.87), True)],
)
def test_accuracies_are_at_least_the_share_of_the_most_frequent_class(means, recommended):
    test = advised("accuracy", means, situation(classes=Classes(0.1, 0.9)))

    assert (test.recommendation == "recommended") == recommended
    assert recommended or "below 0.9, the share of the most frequent class" in test.why


@pytest.mark.parametrize(("spread", "recommended"), [(0.05, True), (0.5, False)])
def test_of_a_table_of_values_the_spread_over_folds_stands_for_the_rows(spread, recommended):
    test = advised("mcc", (0.3, 0.3), situation(classes=None), spread)

    assert (test.recommendation == "recommended") == recommended
    assert recommended or "standard errors above 0" in test.why


def claim(metric: str, mean: float) -> str:
    """The recommendation of the t-test of a claim of 0.7 over ten folds."""
    values = pl.Series("value", mean + np.linspace(-0.1, 0.1, 10))
    question = Question(("a",), metric, unit="folds")
    record = one_sample_t(values, 0.7, question, alternative="greater", ratio=1 / 9)
    return with_recommendation([record], situation("k_fold"))[0].recommendation


def test_a_claim_of_an_auc_is_not_recommended_over_folds():
    """The mean is skewed near 1; that of accuracies holds its level."""
    assert claim("auc", 0.8) == "valid"
    assert claim("accuracy", 0.8) == "recommended"


def test_a_claim_of_a_model_that_guesses_is_not_recommended():
    assert claim("accuracy", 0.45) == "valid"
    assert claim("error_rate", 0.45) == "recommended"
    assert claim("error_rate", 0.55) == "valid"


def test_repeats_count_as_one_in_the_test_of_repeats():
    """100 folds of 10 × 10 have the variance of ten: s²(1/10 + 1/9)."""
    differences = np.random.default_rng(4).normal(0.1, 0.2, 100)
    sizes = {"train_rows": [180.0] * 100, "test_rows": [20.0] * 100}
    folds = {
        "repeat": [str(k // 10) for k in range(100)],
        "fold": [str(k % 10) for k in range(100)],
    }
    pairs = pl.DataFrame({**folds, "first": differences, "second": np.zeros(100), **sizes})
    test = corrected_t_of_repeats(pairs, Question(("a", "b"), "f1", unit="folds"))
    error = differences.std(ddof=1) * (1 / 10 + 1 / 9) ** 0.5

    assert test.statistic == pytest.approx(differences.mean() / error)
    assert test.p_value == pytest.approx(2 * stats.t.sf(abs(test.statistic), 99))


def test_of_one_repeat_it_is_the_corrected_resampled_t():
    fold = pl.DataFrame({"repeat": "1", "fold": [str(k) for k in range(10)]})
    values = {"first": np.linspace(0.6, 0.8, 10), "second": np.linspace(0.7, 0.6, 10)}
    pairs = fold.with_columns(**values, train_rows=90.0, test_rows=10.0)
    question = Question(("a", "b"), "f1", unit="folds")

    one, other = corrected_t_of_repeats(pairs, question), corrected_resampled_t(pairs, question)
    assert (one.p_value, one.low) == pytest.approx((other.p_value, other.low))


def test_a_class_without_rows_is_none_of_them():
    classes = [{"class": name, "rows": rows} for name, rows in (("x", 30), ("y", 0), ("z", 10))]

    assert Classes.of({"classes": classes}) == Classes(0.25, 0.75)
    assert Classes.of({"positives": 40, "negatives": 0}) is None


def test_rows_in_groups_go_by_the_spread_of_their_folds():
    """Twenty groups of 200 rows are worth more than twenty rows."""
    folds = {"fits": 5, "repeats": 1, "folds": 5}
    of_rows = {"examples": 4000, "test": 800.0, "test_rows": 4000, "test_examples": 4000}
    grouped = Evaluation("k_fold", **folds, **of_rows, groups=20)
    given = Question(("a", "b"), "f1", unit="folds").record("corrected_resampled_t")
    far, near = (
        given.with_fields(informedness=(0.8, 0.4), above_chance=distance) for distance in (9.0, 3.0)
    )
    classes, positives = Classes(0.3, 0.7), {m: {"": 1200.0} for m in "ab"}

    assert grouped.grouped
    assert not list(near_guessing(far, grouped, classes, positives))
    assert list(near_guessing(near, grouped, classes, positives))
