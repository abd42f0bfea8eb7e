"""Tests of errors whose tails may decide: what takes a recommendation away, and what does not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from reportgen.comparing.heavy_errors import FAR_APART
from reportgen.comparing.recommendation import Situation, with_recommendation
from reportgen.comparisons import Comparison, Question, paired_errors
from reportgen.predictions.evaluation_scheme import Evaluation


def paired_tests(errors: np.ndarray) -> list[Comparison]:
    """The recommendations of the tests of two columns of errors."""
    frame = pl.DataFrame({"truth": np.zeros(len(errors)), "a": errors[:, 0], "b": errors[:, 1]})
    records = paired_errors(frame, Question(("a", "b"), "mean_squared_error"))
    rows = len(errors)
    evaluation = Evaluation("test_set", 1, 1, 1, rows, float(rows), test_rows=rows)
    return with_recommendation(records, Situation(evaluation))


def paired_t(errors: np.ndarray) -> Comparison:
    """The paired t-test of their squares."""
    return paired_tests(errors)[0]


def of_sizes(errors: np.ndarray) -> Comparison:
    """The paired t-test of their absolute values."""
    return paired_tests(errors)[1]


def test_errors_that_outweigh_all_others_take_the_recommendation_away():
    errors = np.random.default_rng(0).normal(size=(300, 2))
    assert paired_t(errors).recommendation == "recommended"
    errors[7, 1] = 60.0
    result = paired_t(errors)

    assert result.recommendation == "valid"
    assert "outweigh all others" in (result.why or "")


@pytest.mark.parametrize(("rows", "recommendation"), [(2000, "valid"), (20_000, "recommended")])
def test_of_more_rows_a_higher_kurtosis_leaves_the_mean_normal(rows, recommendation):
    """Of t with six degrees of freedom the differences have a kurtosis of some 60."""
    test = beside_heavy_tails(rows, 6, 1.1)

    assert 40 < (test.kurtosis or 0.0) < 120
    assert test.recommendation == recommendation


@pytest.mark.parametrize(
    ("rows", "df", "recommendation"),
    [(690, 5, "valid"), (900, 5, "recommended"), (900, 3, "valid"), (900, np.inf, "valid")],
)
def test_heavy_tails_of_both_models_leave_the_mean_to_decide(rows, df, recommendation):
    """Those of t with 5 df outweigh each other; with 3, or of one model alone, few rows decide."""
    shares = (np.arange(rows) + 0.5) / rows
    heavy, other = (
        np.random.default_rng(seed).permutation(student.ppf(shares, of))
        for seed, of in ((1, min(df, 5)), (2, df))
    )
    test = paired_t(np.column_stack([heavy / heavy.std(), 1.1 * other / other.std()]))

    assert (test.kurtosis or 0.0) > 20
    assert test.recommendation == recommendation


@pytest.mark.parametrize(
    ("rows", "share", "recommendation"),
    [(300, 0.7, "valid"), (300, 1.5, "recommended"), (1500, 0.7, "recommended")],
)
def test_a_model_that_leads_by_sizes_of_which_few_outweigh_all_others_may_lack_some(
    rows, share, recommendation
):
    """Its rare errors are thirty times as large; where it trails, they are there, and count."""
    errors = np.random.default_rng(3).normal(size=(rows, 2))
    errors[:, 1] *= share
    errors[: rows // 100, 1] = 12.0
    test = of_sizes(errors)

    assert ((test.estimate or 0.0) > 0) == (share < 1)
    assert test.recommendation == recommendation
    assert (test.why or "").startswith("a few errors of the model") == (recommendation == "valid")


@pytest.mark.parametrize(
    ("rows", "wrong", "recommendation"),
    [
        (20, 0, "valid"),
        (20, 2, "valid"),
        (20, 20, "recommended"),
        (59, 0, "valid"),
        (60, 0, "recommended"),
    ],
)
def test_a_model_that_is_exact_on_nearly_all_of_few_rows_may_lack_its_errors(
    rows, wrong, recommendation
):
    """Exact on 95 % of the rows: one of two models of equal MAE "won" in 30 of 80 reports."""
    errors = np.random.default_rng(3).normal(size=(rows, 2))
    errors[:, 1] = np.where(np.arange(rows) < wrong, 0.4 * errors[:, 1], 0.0)
    test = of_sizes(errors)

    assert (test.p_value or 0.0) < 0.05
    assert test.recommendation == recommendation


@pytest.mark.parametrize(("rows", "said"), [(300, 1), (1499, 1), (1500, 0)])
def test_absolute_errors_of_few_rows_say_that_rarer_ones_may_be_missing(rows, said):
    test = of_sizes(np.random.default_rng(4).normal(size=(rows, 2)))

    assert test.recommendation == "recommended"
    assert sum("rows may lack rare, far larger errors" in text for text in test.caveats) == said


def beside_heavy_tails(rows: int, df: float, share: float) -> Comparison:
    """The paired t-test of normal errors and those of a t distribution, so many times as large."""
    shares = (np.arange(rows) + 0.5) / rows
    heavy = np.random.default_rng(1).permutation(student.ppf(shares, df))
    return paired_t(np.column_stack([norm.ppf(shares), share * heavy / heavy.std()]))


@pytest.mark.parametrize(("rows", "df"), [(300, 6), (999, 9)])
def test_a_leading_model_of_heavier_tails_takes_the_recommendation_away(rows, df):
    """Where the model that trails has them, its largest errors are there, and count."""
    leads, trails = (beside_heavy_tails(rows, df, share) for share in (0.9, 1.1))

    assert (leads.recommendation, trails.recommendation) == ("valid", "recommended")
    assert "the errors of the model with the smaller mean square" in (leads.why or "")


@pytest.mark.parametrize(
    ("share", "recommendation"), [(0.9, "valid"), (0.7, "valid"), (0.5, "recommended")]
)
def test_heavier_tails_do_not_take_away_a_difference_that_missing_errors_would_not_undo(
    share, recommendation
):
    test = beside_heavy_tails(350, 6, share)

    assert test.recommendation == recommendation
    assert (abs(test.statistic or 0.0) >= FAR_APART) == (recommendation == "recommended")


@pytest.mark.parametrize(("rows", "recommendation"), [(299, "valid"), (300, "recommended")])
def test_so_few_squared_errors_do_not_show_whether_far_larger_ones_occur(rows, recommendation):
    """Those that are missing from the rows may decide which mean is larger."""
    frame = pl.DataFrame(
        np.random.default_rng(2).normal(size=(rows, 3)), schema=["truth", "a", "b"]
    )
    records = paired_errors(frame, Question(("a", "b"), "mean_squared_error"))
    at = Situation(Evaluation("hold_out", 1, 1, 1, rows, float(rows), test_rows=rows))
    squares, absolute, ranks = with_recommendation(records, at)

    assert squares.recommendation == recommendation
    assert (squares.why or "").startswith(f"{rows} rows cannot rule out" if rows < 300 else "")
    assert (absolute.comparison, absolute.metric) == ("paired_t", "mean_absolute_error")
    assert (absolute.recommendation, ranks.recommendation) == ("recommended", "valid")


def test_errors_of_a_biased_model_do_not_make_the_other_ones_heavy():
    errors = np.random.default_rng(3).normal(size=(300, 2))
    assert paired_t(errors + np.array([0.0, 1.3])).recommendation == "recommended"


def test_of_many_rows_the_kurtosis_of_the_differences_alone_counts():
    assert beside_heavy_tails(1000, 9, 0.9).recommendation == "recommended"
