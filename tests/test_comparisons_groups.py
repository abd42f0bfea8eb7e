"""Tests over rows in groups: outside values, and what they are of one row per group."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from reportgen.clusters import Groups
from reportgen.comparisons import (
    Question,
    area_covariance,
    cochran_groups,
    delong_pair,
    joint_counts_by_group,
    mcnemar_groups,
    paired_t_groups,
    rao_scott,
    two_samples_groups,
    wilcoxon_groups,
)
from reportgen.comparisons.correct_together import CorrectTogether, accuracies_differ
from reportgen.comparisons.grouped_samples import mean_in_groups
from reportgen.comparisons.hotelling import hotelling
from reportgen.sample_design import SampleDesign

FOLDER = Path(__file__).parent / "reference"
OUTSIDE = json.loads((FOLDER / "dependence.json").read_text(encoding="utf-8"))
QUESTION = Question(("a", "b"), "accuracy")


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    random = np.random.default_rng(4)
    code = random.integers(0, 25, 200)
    truth = random.random(200) < 0.4
    scores = truth[:, None] + random.normal(size=(200, 3)) + random.normal(size=(25, 3))[code]
    return pl.DataFrame(
        {"g": code, "truth": truth, **{n: scores[:, k] for k, n in enumerate("abc")}}
    )


def correct(rows: pl.DataFrame) -> list[np.ndarray]:
    return [((rows[n] > 0.5) == rows["truth"]).to_numpy() for n in "abc"]


def alone(rows: pl.DataFrame) -> Groups:
    return Groups(np.arange(rows.height), rows.height)


def without_each(differences: np.ndarray, code: np.ndarray) -> float:
    """Standard error of a mean, from the means of the rows without those of one group each."""
    names = np.unique(code)
    means = np.array([differences[code != g].mean() for g in names])
    share = (len(names) - 1) / len(names)
    return float(np.sqrt(share * ((means - differences.mean()) ** 2).sum()))


def test_the_error_of_a_difference_is_that_of_leaving_out_one_group_each(rows):
    a, b, _ = correct(rows)
    code, groups = rows["g"].to_numpy(), Groups.of(rows["g"])
    squares = [(rows[n] - rows["truth"]).to_numpy() ** 2 for n in "ab"]

    for record, apart in (
        (mcnemar_groups((a, b), groups, QUESTION), a.astype(float) - b),
        (paired_t_groups((squares[0], squares[1]), groups, QUESTION), squares[0] - squares[1]),
    ):
        error = without_each(apart, code)
        assert record.statistic == pytest.approx(apart.mean() / error, rel=1e-10)
        assert record.estimate == pytest.approx(apart.mean())
        assert record.df is not None
        assert record.df <= 24


GROUPINGS = {
    "sizes that rise": math.isqrt,
    "one of 58 %": lambda row: min(row // 20, 12),
    "equal sizes": int,
}


@pytest.mark.parametrize("case", OUTSIDE["in_groups"], ids=lambda case: case["groups"])
def test_t_is_the_one_of_pyfixest(case):
    """Least squares of the differences on 1 with the jackknife over clusters (CRV3)."""
    rows = pl.read_parquet(FOLDER / OUTSIDE["data"]).sort("row")
    both = [(rows[f"{m}_pred"] == rows["y_true"]).to_numpy() for m in ("gnb", "rf")]
    code = pl.Series([GROUPINGS[case["groups"]](row) for row in range(rows.height)])
    record = mcnemar_groups((both[0], both[1]), Groups.of(code), QUESTION)

    assert record.estimate == pytest.approx(case["estimate"], rel=1e-12)
    assert record.statistic == pytest.approx(case["statistic"], rel=1e-9)


def test_one_row_per_group_makes_the_tests_the_plain_ones(rows):
    a, b, c = correct(rows)
    groups = alone(rows)
    losses = [(rows[n] - rows["truth"]).abs().to_numpy() for n in "ab"]

    paired = stats.ttest_rel(losses[0] ** 2, losses[1] ** 2)
    record = paired_t_groups((losses[0] ** 2, losses[1] ** 2), groups, QUESTION)
    assert record.statistic == pytest.approx(paired.statistic, rel=1e-10)

    t = mcnemar_groups((a, b), groups, QUESTION).statistic
    only_a, only_b = (a & ~b).sum(), (~a & b).sum()
    uncorrected = (only_a - only_b) ** 2 / (only_a + only_b)
    n = rows.height
    assert n * t**2 / (n - 1 + t**2) == pytest.approx(uncorrected, rel=1e-9)
    # Of two models Hotelling's test is the t-test.
    of_two = cochran_groups([a, b], groups, QUESTION)
    assert of_two.statistic == pytest.approx(t**2, rel=1e-9)

    ranked = stats.wilcoxon(losses[0], losses[1], method="asymptotic", correction=False)
    assert wilcoxon_groups(*losses, groups, QUESTION).p_value == pytest.approx(ranked.pvalue)

    auc = Question(("a", "b"), "auc")
    plain = area_covariance(rows, ("a", "b"))
    by_group = area_covariance(rows, ("a", "b"), groups=groups)
    assert by_group.covariance == pytest.approx(plain.covariance, rel=1e-9)
    z = delong_pair(plain, (0, 1), auc).statistic
    assert delong_pair(by_group, (0, 1), auc).statistic == pytest.approx(z, rel=1e-9)

    share = c.mean()
    score = (share - 0.6) / np.sqrt(0.6 * 0.4 / n)
    assert rao_scott(c, SampleDesign(groups=groups), 0.6, QUESTION).statistic == pytest.approx(
        score, rel=1e-9
    )

    counts = joint_counts_by_group(rows, pl.col("a") > 0.5, pl.col("b") > 0.5, groups)
    assert counts.sum() == n
    assert (counts.sum(axis=1) == 1).all()


def test_two_samples_of_one_row_per_group_are_compared_as_welch_does(rows):
    a, b = rows["a"].to_numpy()[:80], rows["a"].to_numpy()[80:]
    groups = [Groups(np.arange(80), 200), Groups(np.arange(80, 200), 200)]
    means = [mean_in_groups(values, of) for values, of in zip((a, b), groups, strict=True)]

    record = two_samples_groups(means[0], means[1], QUESTION)
    expected = stats.ttest_ind(a, b, equal_var=False)
    assert record.statistic == pytest.approx(expected.statistic, rel=1e-9)


def test_groups_in_both_samples_are_allowed_for():
    """A sample against its own copy differs in nothing that varies."""
    values = np.random.default_rng(1).normal(size=60)
    groups = Groups(np.arange(60) // 3, 20)
    one, other = mean_in_groups(values, groups), mean_in_groups(values + 1, groups)

    assert two_samples_groups(one, other, QUESTION).undefined is not None


def test_models_that_are_correct_on_the_same_rows_count_as_one(rows):
    a, b, _ = correct(rows)
    groups = Groups.of(rows["g"])
    twice, once = (cochran_groups(models, groups, QUESTION) for models in ([a, b, b], [a, b]))

    assert twice.df == once.df == 1
    assert twice.statistic == pytest.approx(
        once.statistic, rel=0.05
    )  # but for the degrees of freedom


def test_the_order_of_models_does_not_change_cochrans_test_for_groups(rows):
    models, groups = correct(rows), Groups.of(rows["g"])
    p_values = [cochran_groups(order, groups, QUESTION).p_value for order in (models, models[::-1])]

    assert p_values[0] == pytest.approx(p_values[1], rel=1e-9)


@pytest.mark.parametrize("number", [1, 3])
def test_no_more_groups_than_models_have_no_test(rows, number):
    groups = Groups(np.arange(len(rows)) % number, number)

    assert cochran_groups(correct(rows), groups, QUESTION).undefined is not None


@pytest.mark.parametrize("kind", [mcnemar_groups, paired_t_groups])
def test_one_group_has_no_test(rows, kind):
    a, b, _ = correct(rows)
    record = kind((a, b), Groups(np.zeros(rows.height, np.int64), 1), QUESTION)

    assert record.p_value is None
    assert record.undefined == "fewer than two groups"


DECISIONS = """1100 1101 1011 0111 1111 0000 1110 1000 0110 1101
1111 0011 1010 1100 1111 0100 1001 1110 1111 0101"""
"""Which of four models are correct on each of twenty rows."""


def test_hotellings_test_of_independent_rows_is_that_of_statsmodels():
    """F and p of ``statsmodels.stats.multivariate.test_mvmean`` 0.15.0 of the differences."""
    flags = [[digit == "1" for digit in row] for row in DECISIONS.split()]
    rows = pl.DataFrame(flags, schema=list("abcd"), orient="row")
    question = Question(("a", "b", "c", "d"), "accuracy")
    correct = {name: pl.col(name) for name in "abcd"}
    test = accuracies_differ(CorrectTogether.of(rows, correct), question)
    twice = rows.group_by(pl.all()).agg(rows=pl.len())
    counted = accuracies_differ(CorrectTogether.of(twice, correct, "rows"), question)

    assert (test.statistic, test.df, test.df_denominator) == pytest.approx((0.56043956, 3, 17))
    assert test.p_value == pytest.approx(0.6483435749474081)
    assert counted == test


def test_hotellings_test_of_a_row_or_two_is_undefined():
    rows = pl.DataFrame({"a": [True, True], "b": [True, False], "c": [False, False]})
    question = Question(("a", "b", "c"), "accuracy")
    correct = {name: pl.col(name) for name in "abc"}
    tests = [
        accuracies_differ(CorrectTogether.of(rows.head(size), correct), question) for size in (1, 2)
    ]

    assert [test.undefined for test in tests] == [
        "the models differ in the same way in all rows, or there are too few rows"
    ] * 2


def test_hotellings_test_of_differences_that_no_group_varies_is_undefined():
    assert hotelling(np.zeros(2), np.zeros((2, 2)), 3.0) is None
