"""Verdicts of all kinds of tests, their undefined cases, and tests of any measure."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtr, stdtr

from reportgen.clusters import Groups
from reportgen.comparisons import (
    BinaryPair,
    Comparison,
    Draws,
    Pairs,
    Question,
    adjust,
    area_covariance,
    area_difference,
    bayesian_correlated_t,
    bayesian_signed_rank,
    binomial,
    corrected_resampled_t,
    declared_costs,
    delong,
    delong_pair,
    equivalence,
    equivalence_of_areas,
    equivalence_of_shares,
    fold_difference,
    friedman,
    iman_davenport,
    mcnemar,
    nemenyi,
    paired_bootstrap,
    paired_counts,
    paired_folds,
    paired_permutation,
    paired_t_folds,
    quade,
    sign_flip,
    signed_rank,
    table,
    venkatraman,
)
from reportgen.comparisons.paired import mean_difference
from reportgen.comparisons.paired_permutation import permuted
from reportgen.sample_design import SampleDesign
from reportgen.tables import BlockScores, FoldScores

AB = Question(("a", "b"), "accuracy")


def folds(first: list[float], second: list[float], train: float = 90.0) -> pl.DataFrame:
    count = len(first)
    one = {
        "repeat": ["1"] * count,
        "fold": [str(i) for i in range(count)],
        "train_rows": [train] * count,
        "test_rows": [10.0] * count,
    }
    both = [pl.DataFrame({**one, "model": m, "value": v}) for m, v in (("a", first), ("b", second))]
    columns = ("repeat", "fold", "model", "value", "train_rows", "test_rows")
    return paired_folds(FoldScores.validate(pl.concat(both).select(columns)), "a", "b")


def rows(count: int = 300, gain: float = 2.0) -> pl.DataFrame:
    random = np.random.default_rng(0)
    truth, noise = random.random(count) < 0.4, random.normal(size=(2, count))
    frame = pl.DataFrame({"truth": truth, "p": gain * truth + noise[0], "q": truth + noise[1]})
    return frame.with_columns(called_p=pl.col("p") > 0.5, called_q=pl.col("q") > 0.5)


def blocks(values: dict[str, list[float]]) -> pl.DataFrame:
    frames = [
        pl.DataFrame({"block": [str(i) for i in range(len(v))], "model": m, "value": v})
        for m, v in values.items()
    ]
    return BlockScores.validate(pl.concat(frames))


def verdict(record: Comparison) -> str:
    return adjust([record])[0].verdict


BETTER = folds([0.9, 0.91, 0.92, 0.93, 0.9], [0.8, 0.82, 0.81, 0.82, 0.81])


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (
            corrected_resampled_t(BETTER, AB),
            "a has higher accuracy than b: a − b = +0.100 (95\xa0% interval +0.085 to +0.115",
        ),
        (
            corrected_resampled_t(BETTER, Question(("a", "b"), "error_rate")),
            "b has lower error rate than a",
        ),
        (
            corrected_resampled_t(folds([0.9, 0.8, 0.7], [0.8, 0.9, 0.75]), AB),
            "No significant difference in accuracy between a and b at α = 0.05",
        ),
        (mcnemar(Pairs(50, 3, 1, 5), AB)[0], "so few differing observations, p cannot fall below"),
        (
            equivalence_of_shares(Pairs(900, 20, 18, 62), AB, 0.05)[0],
            "a and b are equivalent in accuracy within a margin of 0.05",
        ),
        (
            equivalence_of_shares(Pairs(30, 10, 3, 7), AB, 0.05)[0],
            "Equivalence of a and b in accuracy within 0.05 is not established",
        ),
        (
            equivalence_of_shares(Pairs(900, 20, 18, 62), AB, 0.05)[1],
            "a is non-inferior to b in accuracy, within a margin of 0.05",
        ),
        (
            equivalence_of_shares(Pairs(50, 1, 30, 7), AB, 0.05)[1],
            "Non-inferiority of a to b in accuracy within 0.05 is not established",
        ),
        (
            binomial(9, 20, 0.2, Question(("m",), "error_rate")),
            "The error rate of m is above the claimed maximum 0.2: 0.45",
        ),
        (
            binomial(5, 20, 0.2, Question(("m",), "error_rate")),
            "The error rate of m is not significantly above the claimed 0.2 at α = 0.05: 0.25",
        ),
        (
            nemenyi(blocks({m: [k + 0.1 * i for i in range(9)] for k, m in enumerate("ba")}), AB)[
                0
            ],
            "a ranks better in accuracy than b",
        ),
        (bayesian_correlated_t(BETTER, AB), "a has practically better accuracy than b"),
        (
            bayesian_correlated_t(BETTER, AB, rope=0.5),
            "a and b are practically equivalent in accuracy",
        ),
        (
            bayesian_correlated_t(folds([0.9, 0.8, 0.7], [0.8, 0.9, 0.75]), AB),
            "Which of a and b has practically better accuracy is not decided",
        ),
    ],
)
def test_a_verdict_says_what_was_shown_and_no_more(record, text):
    sentence = verdict(record)
    assert text in sentence
    assert "accepted" not in sentence
    assert "equal" not in sentence


def test_the_posterior_of_a_difference_over_folds_is_that_of_the_corrected_test():
    bayesian, corrected = bayesian_correlated_t(BETTER, AB), corrected_resampled_t(BETTER, AB)
    for name in ("statistic", "df", "estimate", "low", "high"):
        assert getattr(bayesian, name) == pytest.approx(getattr(corrected, name))


def test_probabilities_of_many_pairs_say_that_nothing_corrects_them():
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    records = [bayesian_correlated_t(BETTER, Question(pair, "accuracy")) for pair in pairs]

    for record in adjust(records):
        assert "one of 3 pairs, not corrected for their number" in record.verdict
    assert "corrected for" not in adjust(records[:1])[0].verdict
    assert "one of 2 pairs" in adjust(records, baseline="a")[0].verdict


SAME = folds([0.9, 0.8, 0.7, 0.6], [0.9, 0.8, 0.7, 0.6])
SHIFTED = folds([0.9, 0.8, 0.7, 0.6], [0.8, 0.7, 0.6, 0.5])
TIED = blocks({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 3.0], "c": [1.0, 2.0, 3.0]})
ALIKE = blocks({"a": [1.0, 2.0, 3.0], "b": [2.0, 3.0, 4.0]})
HOLE = pl.concat([ALIKE, pl.DataFrame({"block": ["9"], "model": ["a"], "value": [1.0]})])
OF_BLOCKS = Question(("a", "b"), "accuracy")


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (paired_t_folds(SAME, AB), "differences between the models in the folds are all 0"),
        (corrected_resampled_t(SHIFTED, AB), "in the folds do not vary"),
        (corrected_resampled_t(folds([0.9], [0.8]), AB), "fewer than two differences"),
        (
            corrected_resampled_t(SHIFTED.with_columns(train_rows=pl.lit(None, pl.Float64)), AB),
            "sizes of the training sets are unknown",
        ),
        (
            paired_t_folds(BETTER.with_columns(first=pl.lit(None, pl.Float64)), AB),
            "the measure is undefined in 5 of 5 folds",
        ),
        (bayesian_correlated_t(SAME, AB), "are all 0"),
        (bayesian_signed_rank(SAME, AB), "all differences are 0"),
        (signed_rank(SAME, AB), "all differences are 0"),
        (sign_flip(SAME, AB), "all differences are 0"),
        (equivalence(fold_difference(SHIFTED), AB, 0.1)[0], "do not vary"),
        (friedman(TIED, Question(("a", "b", "c"), "auc")), "all models are tied in every block"),
        (quade(TIED, Question(("a", "b", "c"), "auc")), "all models are tied in every block"),
        (iman_davenport(ALIKE, OF_BLOCKS), "F has no value"),
        (friedman(HOLE, OF_BLOCKS), "1 of 4 blocks lacks a value for a model"),
        (nemenyi(HOLE, OF_BLOCKS)[0], "1 of 4 blocks lacks a value for a model"),
        (binomial(0, 0, 0.2, Question(("m",), "error_rate")), "no rows"),
        (
            paired_permutation(
                BinaryPair(rows(), "auc", scores=("p", "p")), Question(("p", "p2"), "auc")
            ),
            "both models give identical predictions",
        ),
        (
            venkatraman(rows(), Question(("p", "p2"), "ROC curve"), scores=("p", "p")),
            "both models rank the rows identically",
        ),
    ],
)
def test_what_has_no_value_says_why(record, reason):
    assert record.p_value is None
    assert reason in record.undefined
    assert "undefined" in verdict(record)


def test_the_critical_error_rate_is_the_smallest_share_whose_excess_is_unlikely():
    record = binomial(0, 10, 0.3, Question(("m",), "error_rate"))
    assert record.critical == 0.5  # P(X > 5; 10, 0.3) = 0.047, P(X > 4) = 0.15
    at, above = (binomial(h, 10, 0.3, Question(("m",), "error_rate")) for h in (5, 6))
    assert above.p_value < 0.05 < at.p_value


def test_many_rows_exchanged_in_blocks_spread_as_delong_says():
    random = np.random.default_rng(0)
    truth = random.random(45_000) < 0.4
    both = truth[:, None] + random.normal(size=(45_000, 1)) + random.normal(size=(45_000, 2))
    frame = pl.DataFrame({"truth": truth, "a": both[:, 0], "b": both[:, 1]})
    record = paired_permutation(
        BinaryPair(frame, "auc", scores=("a", "b")), Question(("a", "b"), "auc")
    )
    wald = delong(frame, Question(("a", "b"), "auc"))
    assert record.estimate == pytest.approx(wald.estimate, abs=1e-4)
    assert record.high - record.low == pytest.approx(wald.high - wald.low, rel=0.1)


def test_a_p_value_is_never_0():
    shares = mcnemar(Pairs(10**6, 10**5, 0, 10**6), AB)
    assert all(0 < r.p_value <= 1e-300 for r in shares)
    assert all("too small" in r.p_note for r in shares)
    record = paired_permutation(
        BinaryPair(rows(gain=30), "auc", scores=("p", "q")), Question(("p", "q"), "auc")
    )
    assert record.p_value == 1 / 1000


def test_long_names_are_bounded_in_a_sentence():
    question = Question(("a" * 500, "b" * 500), "accuracy")
    assert len(verdict(corrected_resampled_t(BETTER, question))) < 400
    many = tuple(f"model {i}" for i in range(15))
    scores = blocks({m: [i + 0.0, i + 1.0, i + 0.5] for i, m in enumerate(many)})
    assert verdict(friedman(scores, Question(many, "auc"))).startswith("The 15 models differ")


def test_permutation_and_bootstrap_agree_with_delong():
    frame, models = rows(), ("p", "q")
    question = Question(models, "auc")
    expected = delong(frame, question)
    exchanged = paired_permutation(BinaryPair(frame, question.metric, scores=models), question)
    resampled = paired_bootstrap(
        BinaryPair(frame, question.metric, scores=models), question, replicates=500
    )
    for record in (exchanged, resampled):
        assert record.estimate == pytest.approx(expected.estimate, abs=2e-3)
        assert record.p_value == pytest.approx(expected.p_value, abs=0.02)
    assert resampled.low == pytest.approx(expected.low, abs=0.02)
    assert venkatraman(frame, question, draws=Draws(199)).p_value < 0.05


def test_permuted_decisions_agree_with_mcnemars_exact_test():
    frame = rows(gain=1.3)
    record = paired_permutation(
        BinaryPair(frame, AB.metric, predicted=("called_p", "called_q")), AB, draws=Draws(9999)
    )
    exact = mcnemar(paired_counts(frame, "called_p", "called_q"), AB)[1]
    assert record.p_value == pytest.approx(exact.p_value, abs=0.02)


@pytest.mark.parametrize("number", [19, 39, 99, 100, 199, 999])
@pytest.mark.parametrize("alpha", [0.05, 0.1])
def test_limits_from_permutations_leave_0_out_exactly_where_the_test_rejects(number, alpha):
    """With few permutations, many of them tied, and some without a value."""
    random = np.random.default_rng(number)
    question = Question(("a", "b"), "auc", alpha=alpha, confidence=1 - alpha)
    rejected = 0
    for _ in range(300):
        result = random.integers(-20, 21, number) / 40
        result[random.random(number) < 0.01] = np.nan
        observed = float(random.integers(-20, 21) / 40 * random.choice([1.0, 1 - 1e-15]))
        record = permuted(question, observed=observed, null_distribution=result, units="rows")
        if record.low is not None:
            outside = record.low > 0 or record.high < 0
            assert outside == (record.p_value < alpha), (observed, record)
            rejected += outside
        else:
            assert record.p_value >= alpha
    assert rejected > 0 or number < 99


def test_a_measure_of_scores_cannot_be_permuted_from_decisions():
    with pytest.raises(ValueError, match="cannot be computed"):
        paired_permutation(
            BinaryPair(rows(), "auc", predicted=("called_p", "called_q")),
            Question(("p", "q"), "auc"),
        )


def test_equivalence_of_areas_is_the_interval_within_the_margin():
    estimates = area_covariance(rows(), ("p", "q"))
    mean = area_difference(estimates)
    for margin in (0.05, 0.1, 0.15, 0.2, 0.3):
        record = equivalence(mean, Question(("p", "q"), "auc", 0.05, 0.9), margin)[0]
        assert (record.p_value < 0.05) == (-margin < record.low and record.high < margin)


def test_score_tests_of_a_margin_invert_the_limits_of_the_difference():
    areas = area_covariance(rows(), ("p", "q"))
    for models, at in ((("p", "q"), (0, 1)), (("q", "p"), (1, 0))):
        question = Question(models, "auc")
        of_difference = delong_pair(areas, at, question)
        margin = max(-of_difference.low, of_difference.high)
        both, one = equivalence_of_areas(of_difference, areas, question, margin, at)
        assert both.p_value == pytest.approx(0.025)
        assert one.p_value == (both.p_value if at == (1, 0) else pytest.approx(0, abs=1e-6))
        assert (both.low, both.high) == (of_difference.low, of_difference.high)


def test_a_statistic_has_the_letter_of_the_distribution_that_its_p_is_of():
    """In areas of few rows, costs and weights it is t, in areas of many rows z."""
    records, question = [], Question(("p", "q"), "auc")
    for count in (30, 900):
        areas = area_covariance(rows(count, gain=1.2), ("p", "q"))
        between = delong_pair(areas, (0, 1), question)
        records += [between, *equivalence_of_areas(between, areas, question, 0.1)]
    losses = np.random.default_rng(0).integers(0, 2, (2, 80)).astype(float)
    costs = pl.DataFrame({"first": losses[0], "second": losses[1], "costliest": 1.0})
    weights = 1 + np.arange(80) % 3 / 2
    groups = Groups.of(pl.Series(np.arange(80) // 4))
    records += [
        declared_costs(costs, AB, SampleDesign(weights)),
        declared_costs(costs, AB, SampleDesign(groups=groups)),
    ]

    for record in records:
        two_sided = record.comparison in ("delong", "declared_costs")
        value = -abs(record.statistic) if two_sided else -record.statistic
        tail = ndtr(value) if record.symbol == "z" else stdtr(record.df, value)
        assert record.p_value == pytest.approx((1 + two_sided) * tail), record.comparison
        assert (record.symbol == "z") == (record.df is None)
    assert [record.symbol for record in records] == list("tttzzztt")


def test_two_perfect_models_are_equivalent_only_where_the_rows_show_it():
    """Their observed standard error is 0; that of a difference of the margin is not."""
    question = Question(("p", "q"), "auc")
    p_values = []
    for half in (5, 500):
        truth, score = [False] * half + [True] * half, list(range(2 * half))
        frame = pl.DataFrame({"truth": truth, "p": score, "q": [s**2 for s in score]})
        areas = area_covariance(frame, ("p", "q"))
        tests = equivalence_of_areas(
            delong_pair(areas, (0, 1), question), areas, question, margin=0.05
        )
        p_values += [test.p_value for test in tests]
    assert min(p_values[:2]) > 0.05
    assert max(p_values[2:]) < 1e-6


def test_models_that_rank_alike_have_no_test_of_a_margin():
    frame = rows().with_columns(q=pl.col("p") * 2)
    areas, question = area_covariance(frame, ("p", "q")), Question(("p", "q"), "auc")
    tests = equivalence_of_areas(delong_pair(areas, (0, 1), question), areas, question, 0.05)
    assert [test.comparison for test in tests] == ["equivalence_score", "non_inferiority_score"]
    assert all("rank the rows identically" in test.undefined for test in tests)


def test_every_record_fits_the_table():
    records = adjust(
        [
            *mcnemar(Pairs(50, 9, 3, 5), AB),
            corrected_resampled_t(BETTER, AB),
            bayesian_correlated_t(BETTER, AB),
        ]
    )
    assert table(records).height == len(records)


def test_a_mean_difference_is_the_same_for_rows_in_any_number_of_chunks():
    """A filter leaves a chunk per thread, and the last digit would tell how many there were."""
    random = np.random.default_rng(0)
    for _ in range(20):
        losses = -np.log(random.random((2, 569)))
        pairs = pl.DataFrame({"first": losses[0], "second": losses[1]})
        parts = pl.concat([pairs[:285], pairs[285:]], rechunk=False)

        assert parts.n_chunks() == 2
        assert mean_difference(parts) == mean_difference(pairs)
