"""Groups of unlike size: the jackknife variance, its degrees of freedom, and what rests on them."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_rel as student_pairs

from reportgen.clustered_areas import ClassesByGroup
from reportgen.clusters import Effect, Groups, mean_effect
from reportgen.comparing.approximation import EXPECTED
from reportgen.comparing.recommendation import Situation, with_recommendation
from reportgen.comparisons import (
    Comparison,
    Question,
    area_covariance,
    delong_pair,
    equivalence,
    equivalence_of_areas,
    equivalence_of_errors,
    mcnemar_groups,
    mean_difference,
    paired_errors,
    rao_scott,
)
from reportgen.comparisons.grouped import errors_in_groups, tails_of
from reportgen.comparisons.verdicts import texts
from reportgen.leverage import (
    common_correlation,
    effective_groups,
    jackknife_sums,
    satterthwaite,
    without_skewness,
)
from reportgen.predictions.evaluation_scheme import Evaluation
from reportgen.sample_design import SampleDesign

SIZES = np.array([1, 2, 2, 5, 9, 30])
QUESTION = Question(("a",), "accuracy")


def unlike(sizes: np.ndarray = SIZES) -> Groups:
    return Groups(np.repeat(np.arange(len(sizes)), sizes), len(sizes))


def test_the_jackknife_variance_is_that_of_leaving_out_one_group_at_a_time():
    random, code = np.random.default_rng(3), unlike()
    values = random.normal(size=code.rows)
    sums = code.sums(values - values.mean())
    result = (5 / 6) * np.square(jackknife_sums(sums, code.sizes / code.rows)).sum() / code.rows**2

    without = [values[code.code != g].mean() for g in range(6)]
    assert result == pytest.approx((5 / 6) * np.square(without - values.mean()).sum(), rel=1e-12)


def test_the_degrees_of_freedom_are_those_of_the_eigenvalues():
    """Of the quadratic form in the sums by group, written out as a matrix."""
    share = SIZES / SIZES.sum()
    residual = (np.eye(6) - np.outer(share, np.ones(6))) / (1 - share)[:, None]
    values = np.linalg.eigvalsh(residual @ np.diag(SIZES**2.0) @ residual.T)

    assert satterthwaite(SIZES) == pytest.approx(values.sum() ** 2 / (values**2).sum(), rel=1e-8)
    assert satterthwaite([4] * 7) == 6.0


def test_nothing_changes_where_groups_are_of_one_size():
    alike = unlike(np.full(8, 3))
    classes = ClassesByGroup(np.tile([True, False, False], 8), alike)

    assert classes.leverage == pytest.approx(1.0)
    assert effective_groups(alike.sizes) == 8.0


def test_less_skewness_never_turns_the_evidence_around():
    steps = np.linspace(-30, 30, 601)
    assert (np.diff([without_skewness(float(t), -0.4) for t in steps]) >= 0).all()


@pytest.mark.parametrize(("claim", "recommendation"), [(0.7, "recommended"), (0.9, "valid")])
def test_a_claim_near_1_needs_more_groups(claim, recommendation):
    """The rarer kind must be expected in so many groups of one size."""
    code = Groups(np.repeat(np.arange(40), 15), 40)
    correct = np.random.default_rng(1).random(600) < claim
    record = rao_scott(correct, SampleDesign(groups=code), claim, QUESTION, alternative="less")
    evaluation = Evaluation("test_set", 1, 1, 1, 600, 600.0, test_rows=600, groups=40)
    [result] = with_recommendation([record], Situation(evaluation))

    assert result.recommendation == recommendation
    assert (result.why or "").startswith(("", "the groups are worth 40")[recommendation == "valid"])
    assert 40 * 0.3 > EXPECTED > 40 * 0.1


def test_absolute_errors_have_the_t_statistic_of_pairs_alone_and_in_groups_of_one_row():
    """scipy's; in groups with fewer degrees of freedom."""
    frame = pl.DataFrame(np.random.default_rng(6).normal(size=(40, 3)), schema=["truth", "a", "b"])
    error = {name: (pl.col("truth") - pl.col(name)).abs() for name in "ab"}
    sizes = frame.select(first=error["a"], second=error["b"])
    question = Question(("a", "b"), "mean_squared_error")
    expected = student_pairs(sizes["first"], sizes["second"])
    alone = paired_errors(frame, question)[1]
    grouped = errors_in_groups(sizes, Groups(np.arange(40), 40), question)[1]

    assert alone.metric == grouped.metric == "mean_absolute_error"
    assert alone.statistic == pytest.approx(expected.statistic)
    assert alone.p_value == pytest.approx(expected.pvalue)
    assert grouped.statistic == pytest.approx(expected.statistic)


def clustered_t(
    variation: tuple[float, float], number: int = 300, metric: str = "mean_squared_error"
) -> Comparison:
    """The clustered t-test of errors where the mean errors of groups vary by so much."""
    code = Groups(np.repeat(np.arange(number), 2), number)
    absolute = np.abs(np.random.default_rng(3).normal(size=(code.rows, 2)))
    frame = pl.DataFrame(absolute, schema=["first", "second"])
    tests = errors_in_groups(frame, code, Question(("a", "b"), "mean_squared_error"))
    record = next(test for test in tests if test.metric == metric)
    evaluation = Evaluation(
        "hold_out", 1, 1, 1, code.rows, float(code.rows), test_rows=code.rows, groups=number
    )
    # The rule of single errors has a test of its own.
    record = replace(record, kurtosis=3.0, group_variation=variation)
    return with_recommendation([record], Situation(evaluation))[0]


def test_groups_that_outweigh_all_others_in_one_model_take_the_recommendation_away():
    """Where the groups are heavy in both models alike the test is conservative."""
    assert clustered_t((0.9, 0.5)).recommendation == "recommended"
    assert clustered_t((1.5, 1.5)).recommendation == "recommended"
    record = clustered_t((0.5, 1.5))

    assert record.recommendation == "valid"
    assert "a few groups outweigh all others" in (record.why or "")


def test_fewer_than_300_groups_may_lack_those_of_large_errors():
    """With 40 groups of 15 of which 1 % had ten times as large errors the test rejected 0.43."""
    record = clustered_t((0.5, 0.5), 299)

    assert record.recommendation == "valid"
    assert (record.why or "").startswith("299 groups cannot rule out rare large errors")


def test_absolute_errors_of_fewer_than_300_groups_decide_with_a_caveat():
    """With 40 groups of 15 of which 1 % had ten times as large errors the test rejected 0.084."""
    few, many = (clustered_t((0.5, 0.5), n, "mean_absolute_error") for n in (299, 300))

    assert few.recommendation == many.recommendation == "recommended"
    assert few.caveats[0].startswith(
        "299 groups may lack the rare groups whose errors are far larger"
    )
    assert many.caveats == ()


@pytest.mark.parametrize(
    ("number", "apart", "why"),
    [(30, 1.0, "there are only 30 groups"), (60, 1.0, None), (60, 2.6, "an AUC is above 0.9")],
)
def test_non_inferiority_in_auc_needs_forty_groups_and_areas_that_vary(number, apart, why):
    random, truth = np.random.default_rng(2), np.tile([True, False, False], number)
    scores = random.normal(size=(len(truth), 2)) + apart * truth[:, None]
    frame = pl.DataFrame({"truth": truth, "a": scores[:, 0], "b": scores[:, 1]})
    code, question = Groups(np.repeat(np.arange(number), 3), number), Question(("a", "b"), "auc")
    areas = area_covariance(frame, ("a", "b"), groups=code)
    evaluation = Evaluation(
        "test_set", 1, 1, 1, len(truth), float(len(truth)), test_rows=len(truth), groups=number
    )
    of_difference = delong_pair(areas, (0, 1), question)
    records = equivalence_of_areas(of_difference, areas, question, 0.1)

    for record in with_recommendation(records, Situation(evaluation)):
        assert record.recommendation == "valid"
        assert (record.why or "").startswith(why or "")
        assert (record.why is None) == (why is None)


@pytest.mark.parametrize("measure", ["mean_squared_error", "mean_absolute_error"])
@pytest.mark.parametrize("number", [None, 300])
def test_heavy_tails_and_few_rows_speak_against_a_margin_of_errors(number, measure):
    """Without a reason against it non-inferiority was shown in 0.1 to 0.67 of such data sets."""
    random, size = np.random.default_rng(8), 1200 if number else 700
    code = Groups(np.arange(size) % (number or size), number or size)
    evaluation = Evaluation(
        "hold_out",
        *(1, 1, 1, size, float(size)),
        groups=number,
        test_rows=size,
        test_examples=size,
    )
    question = Question(("a", "b"), measure)

    def why(errors: np.ndarray, evaluation: Evaluation = evaluation) -> set[str | None]:
        absolute = pl.DataFrame(np.abs(errors), schema=["first", "second"])
        losses = absolute.select(pl.all() ** (2 if "squared" in measure else 1))
        both = losses["first"].to_numpy(), losses["second"].to_numpy()
        tails = tails_of(both, code if number else None)
        tests = equivalence_of_errors(mean_difference(losses), tails, question, 0.5)
        return {r.why for r in with_recommendation(tests, Situation(evaluation))}

    normal, heavy = random.normal(size=(size, 2)), random.standard_t(2.5, size=(size, 2))
    assert why(normal) == {None}
    assert all("a few errors outweigh all others" in (text or "") for text in why(heavy))
    least = 700 if "squared" in measure else 400
    few = replace(evaluation, test_rows=least - 1, test_examples=least - 1)
    few = few if number is None else replace(evaluation, groups=299)
    assert all("too few to rule out heavy tails" in (text or "") for text in why(normal, few))


def test_a_sentence_about_a_margin_says_what_puts_it_in_doubt():
    squares = pl.DataFrame({"first": [0.1, 0.2, 0.3], "second": [0.2, 0.2, 0.4]})
    question = Question(("a", "b"), "mean_squared_error")
    for record in equivalence(mean_difference(squares), question, 1.0):
        shown = replace(record, reject=True)
        assert "in doubt" not in texts(shown)[0]
        doubted, _ = texts(replace(shown, why="a few errors outweigh all others"))
        assert doubted.endswith("This is in doubt: a few errors outweigh all others.")


@pytest.mark.parametrize(("worth", "recommendation"), [(4.5, "valid"), (7.0, "recommended")])
def test_few_groups_of_unequal_size_take_the_recommendation_away(worth, recommendation):
    """Eight groups that are worth seven are nearly equal; those worth four and a half are not."""
    random = np.random.default_rng(2)
    code = Groups(np.repeat(np.arange(8), 15), 8)
    both = random.random(120) < 0.7, random.random(120) < 0.7
    record = mcnemar_groups(both, code, Question(("a", "b"), "accuracy"))
    evaluation = Evaluation("test_set", 1, 1, 1, 120, 120.0, test_rows=120, groups=8)
    [result] = with_recommendation([record], Situation(evaluation, effective_groups=worth))

    assert result.recommendation == recommendation
    assert ("worth 4.5 of equal size" in (result.why or "")) == (recommendation == "valid")


def _mean_in_groups(random: np.random.Generator, sizes: list[int]) -> tuple[np.ndarray, Groups]:
    """Rows with a mean of 0 and an intraclass correlation of 0.1."""
    code = np.repeat(np.arange(len(sizes)), sizes)
    shared, rows = random.normal(size=len(sizes)), random.normal(size=len(code))
    return sqrt(0.1) * shared[code] + sqrt(0.9) * rows, Groups(code, len(sizes))


def _half_width(variance: float, effect: Effect) -> float:
    return 1.959963984540054 * sqrt(variance * effect.inflation(0.95))


def test_groups_of_one_size_have_the_robust_variance_and_one_fewer_degrees_of_freedom():
    values, groups = _mean_in_groups(np.random.default_rng(1), [12] * 9)
    away = values - values.mean()
    sums = groups.sums(away)

    variance, freedom = common_correlation(sums, groups.sizes / 108, 108, float((away**2).sum()))

    assert variance == pytest.approx(9 / 8 * float((sums**2).sum()), rel=1e-12)
    assert freedom == pytest.approx(8)


def test_groups_that_are_alike_may_be_counted():
    sums, shares = np.array([1.0, -2.0, 1.0, 0.0]), np.array([0.2, 0.4, 0.2, 0.2])
    once, of_three = common_correlation(sums, shares, 50, 0.2), np.array([0, 1, 3])

    counted = common_correlation(sums[of_three], shares[of_three], 50, 0.2, np.array([2, 1, 1]))

    assert counted == pytest.approx(once, rel=1e-12)


def test_rows_that_are_all_alone_do_not_say_how_alike_the_rows_of_a_group_are():
    sums = np.array([1.0, -1.0, 0.0])

    assert np.isnan(common_correlation(sums, np.full(3, 1 / 3), 3, 2.0)).all()


def test_limits_of_a_mean_cover_where_one_of_eight_groups_has_most_of_the_rows():
    """By the squared sums by group as they are (CR1) 0.30, by the jackknife variance alone 0.92."""
    random, held = np.random.default_rng(70), 0
    for _ in range(600):
        values, groups = _mean_in_groups(random, [420, *[26] * 7])
        variance, effect = mean_effect(values, groups)
        held += abs(values.mean()) <= _half_width(variance, effect)

    assert 0.95 <= held / 600 <= 0.995
