"""Corrected p-values and simultaneous limits: the same statement in two forms."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtr, ndtri, stdtrit

from reportgen.comparing.significance import _with_detectable
from reportgen.comparisons import (
    Question,
    adjust,
    conover,
    delong,
    delong_rare_class,
    equivalence,
    nemenyi,
    signed_rank,
)
from reportgen.comparisons.corrections import CORRECTIONS
from reportgen.comparisons.paired import Mean
from reportgen.comparisons.paired_permutation import permuted
from reportgen.comparisons.records import Comparison
from reportgen.comparisons.simultaneous import with_possible, with_simultaneous
from reportgen.comparisons.verdicts import limits
from reportgen.records.definitions import CorrectionDefinition, Definitions
from reportgen.sections.correction_notes import notes_of_tests
from reportgen.sections.tables import effect_of_test
from reportgen.tables import BlockScores
from tests.breadth import sample_size
from tests.simulations.signed_rank_limits import share_held
from tests.simulations.simultaneous_limits import rates

ALPHA = 0.05

HOLM = Definitions(corrections=(CorrectionDefinition("holm", "Holm"),))


def record(models: tuple[str, str], z: float, error: float = 0.05) -> Comparison:
    """A test of a normal difference with its usual interval."""
    half_width = 1.959963984540054 * error
    return Comparison(
        comparison="delong",
        metric="auc",
        models=models,
        alpha=ALPHA,
        p_value=float(2 * ndtr(-abs(z))),
        estimate=z * error,
        low=z * error - half_width,
        high=z * error + half_width,
        interval="delong",
    )


@pytest.mark.parametrize("correction", sorted(CORRECTIONS))
def test_limits_exclude_no_difference_exactly_where_the_corrected_test_rejects(correction):
    rng = np.random.default_rng(1)
    for _ in range(60):
        pairs = list(combinations("abcd", 2))
        family = [record(pair, float(rng.normal(0, 2.5)), 0.05) for pair in pairs]
        for row in adjust(family, correction):
            if row.reject:
                assert row.simultaneous_low >= 0 or row.simultaneous_high <= 0, row
            else:
                assert row.simultaneous_low <= 0 <= row.simultaneous_high, row
            assert row.simultaneous_low <= row.estimate <= row.simultaneous_high


def test_all_limits_of_a_family_hold_the_true_differences_together():
    """Eight pairs of independent normal differences, half of them true nulls: 95 % or more."""
    rng = np.random.default_rng(2)
    truth = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0])
    runs, held = 300, 0
    for _ in range(runs):
        z = truth + rng.normal(size=truth.size)
        records = adjust([record((f"m{i}", "base"), float(v)) for i, v in enumerate(z)], "holm")
        held += all(
            row.simultaneous_low <= 0.05 * t <= row.simultaneous_high
            for row, t in zip(records, truth, strict=True)
        )
    assert held / runs >= 0.92  # as many standard errors below 0.95 as 0.93 of 600


def test_limits_with_ends_at_0_hold_together_with_their_tests_as_often_as_both_do_alone():
    """One true null of six, whose test has α alone, and limits of which each has its share."""
    result = rates([0.0, *[6.0] * 5], 500)

    assert 0.87 < result["both"] < 0.94
    assert min(result["limits"], result["decisions"]) > 0.92


def test_an_end_at_0_is_said_to_be_of_the_test_and_not_of_bonferroni():
    """Holm rejects the second one at 0.05, while its limit at 0.025 passes 0."""
    pairs = {("a", "c"): 4.0, ("b", "c"): 2.1}
    held = adjust([record(pair, z) for pair, z in pairs.items()])
    clear = adjust([record(pair, 4.0) for pair in pairs])

    assert [row.simultaneous_low == 0 for row in held] == [False, True]
    assert notes_of_tests(clear, HOLM) == ()
    assert notes_of_tests(held, HOLM)[0].replace("\xa0", " ") == (
        "Where a limit is shown as < 0 or > 0, the test rejects after Holm, although the "
        "Bonferroni limit crosses 0. These limits and all others hold together with a probability "
        "of 90 % or more."
    )
    by_rate = [replace(row, correction="benjamini_hochberg") for row in held]
    assert "probability" not in notes_of_tests(by_rate, HOLM)[0]


def test_limits_of_m_tests_are_those_of_bonferroni():
    # qnorm(1 - 0.05 / 4) of R 4.2 is 2.241403
    records = adjust([record(("a", "c"), 1.0), record(("b", "c"), 0.5)], "bonferroni")

    assert records[0].simultaneous_high == pytest.approx(0.05 * (1 + 2.241402727604945))


def test_the_limits_of_a_single_test_are_its_own_at_one_minus_alpha():
    result = adjust([record(("a", "b"), 1.0)])[0]

    assert (result.simultaneous_low, result.simultaneous_high) == pytest.approx(
        (result.low, result.high)
    )


def test_limits_beside_a_test_of_equivalence_are_those_of_both_one_sided_tests():
    """Equivalence at α is the 1 − 2α interval inside the margin (Schuirmann 1987)."""
    tested = replace(record(("a", "b"), 1.0), shows="equivalence", against=0.5, reject=True)
    result = with_simultaneous(tested, 1)

    assert result.simultaneous_low == pytest.approx(0.05 * (1 - 1.6448536269514722))
    assert result.simultaneous_high == pytest.approx(0.05 * (1 + 1.6448536269514722))


@pytest.mark.parametrize("side", [-1, 1])
def test_no_limit_is_a_difference_that_cannot_be(side):
    wide = with_simultaneous(replace(record(("a", "b"), side * 6.0, 0.15), reject=True), 10)
    result = with_possible(wide)
    limits = (result.simultaneous_low, result.simultaneous_high)
    assert limits[0 if side < 0 else 1] == side


def test_a_declared_baseline_makes_the_pairs_with_it_the_family():
    pairs = list(combinations(["a", "b", "c", "base"], 2))
    records = adjust([record(pair, 2.2) for pair in pairs], "bonferroni", baseline="base")

    sizes = {row.models: (row.family, row.family_size) for row in records}
    assert sizes["a", "base"] == ("pairs with base", 3)
    assert sizes["a", "b"] == ("all pairs", 6)
    assert records[2].p_adjusted == pytest.approx(3 * records[2].p_value)
    assert records[0].p_adjusted == pytest.approx(6 * records[0].p_value)


def test_a_pair_without_the_baseline_is_corrected_over_all_pairs():
    """Alone it would have no correction, and the report would say that it has."""
    z = {("a", "base"): 4.0, ("b", "base"): 0.5, ("a", "b"): 2.2}
    rows = {r.models: r for r in adjust([record(p, v) for p, v in z.items()], baseline="base")}

    pair, with_baseline = rows["a", "b"], rows["a", "base"]
    assert pair.p_adjusted == pytest.approx(2 * pair.p_value)
    assert (pair.reject, pair.better) == (False, None)
    assert with_baseline.p_adjusted == pytest.approx(2 * with_baseline.p_value)


def test_no_sentence_sets_limits_on_one_side_of_zero_beside_no_significant_difference():
    records = adjust([record((f"m{i}", "base"), z) for i, z in enumerate((2.1, 2.2, 0.1))], "holm")

    assert [row.reject for row in records] == [False, False, False]
    for row in records:
        assert row.low > 0 or row.estimate < 1
        assert "No significant difference" in row.verdict
        assert "simultaneous interval −" in row.verdict


@pytest.mark.parametrize("family", [1, 3])
def test_what_a_test_detects_is_larger_the_more_tests_it_is_corrected_for(family):
    """(q(1 − α/2m) + q(0.8)) standard errors (Cohen 1988, 2.4)."""
    single = record(("a", "b"), 1.0)
    single = replace(single, recommendation="recommended", family_size=family)
    expected = 0.05 * (ndtri(1 - ALPHA / 2 / family) + ndtri(0.8))
    assert _with_detectable(single).detectable == pytest.approx(expected)


@pytest.mark.parametrize(("measure", "distance"), [("mean_squared_error", 2.5), ("auc", 7.5)])
def test_non_inferiority_looks_at_the_side_on_which_the_first_model_is_worse(measure, distance):
    """A difference of 0.05 with a standard error of 0.02, and a margin of 0.1."""
    _, one = equivalence(Mean(0.05, 0.02, float("inf")), Question(("a", "b"), measure), 0.1)
    assert one.comparison == "non_inferiority"
    assert one.p_value == pytest.approx(ndtr(-distance))


def test_limits_of_signed_ranks_are_the_walsh_averages_at_the_level_of_bonferroni():
    """Of 11 tests of 9 data sets α/m is 0.0045: two-sided 2/2⁹ is below, 4/2⁹ is not."""
    rng = np.random.default_rng(3)
    steps = rng.normal(0.2, 1.0, (11, 9))
    records = adjust(
        [
            signed_rank(
                pl.DataFrame({"first": row, "second": np.zeros(9)}),
                Question((f"m{k}", "base"), "mean_error", unit="data sets"),
            )
            for k, row in enumerate(steps)
        ],
        "bonferroni",
        "base",
    )

    for row, record in zip(steps, records, strict=True):
        assert not record.reject
        assert record.simultaneous_low == min(row.min(), 0.0)
        assert record.simultaneous_high == max(row.max(), 0.0)


def test_limits_of_signed_ranks_hold_together():
    assert 0.93 <= share_held(9, sample_size(75, 150)) <= 1.0


def test_limits_of_permutations_are_of_their_own_quantile():
    """The 4th largest of 999 at 0.05 / 10, not the 49th times a ratio of normal quantiles."""
    null = np.concatenate([np.full(950, 0.1), np.linspace(0.2, 0.3, 49)])
    question = Question(("a", "b"), "auc")
    records = [permuted(question, observed=0.05, null_distribution=null) for _ in range(10)]
    widths = [adjust(records[:m])[0].simultaneous_high - 0.05 for m in (1, 10)]

    assert widths == pytest.approx([0.2, 0.3 - 0.1 / 48 * 3])


@pytest.mark.parametrize("test", [delong, delong_rare_class])
def test_limits_of_areas_are_those_of_their_test_at_the_level_of_bonferroni(test):
    """A ratio of quantiles would widen them too little."""
    random, rows = np.random.default_rng(5), 80
    truth = np.arange(rows) < 15
    scores = {m: truth * far + random.normal(size=rows) for m, far in (("a", 2.5), ("b", 1.6))}
    frame = pl.DataFrame({"truth": truth, **scores})
    alone = test(frame, Question(("a", "b"), "auc"))
    strict = test(frame, Question(("a", "b"), "auc", confidence=1 - ALPHA / 10))

    one, ten = (adjust([alone] * m, "bonferroni")[0] for m in (1, 10))

    assert (one.simultaneous_low, one.simultaneous_high) == (alone.low, alone.high)
    assert (ten.simultaneous_low, ten.simultaneous_high) == (strict.low, strict.high)
    assert ten.reject == (strict.low > 0)
    ratio = (strict.high - alone.estimate) / (alone.high - alone.estimate)
    of_t = stdtrit(alone.df, [1 - ALPHA / 20, 1 - ALPHA / 2])
    assert ratio > of_t[0] / of_t[1] + 0.01


def test_too_few_permutations_have_no_simultaneous_limits():
    question = Question(("a", "b"), "auc")
    null = np.linspace(-0.1, 0.1, 99)
    records = adjust([permuted(question, observed=0.3, null_distribution=null)] * 10)

    assert records[0].simultaneous_low is None
    assert "too few permutations for limits at level 0.005" in records[0].caveats
    assert limits(records[0]) == ""
    assert effect_of_test(records[0]).low is None


def test_limits_of_conover_are_wider_the_more_pairs_there_are():
    """Its test corrects nothing by itself, unlike that of Nemenyi."""
    random = np.random.default_rng(4)
    rows = [
        {"block": f"s{i}", "model": m, "value": float(v)}
        for i in range(12)
        for m, v in zip("abcd", random.normal(size=4), strict=True)
    ]
    scores, question = BlockScores.validate(pl.DataFrame(rows)), Question(tuple("abcd"), "auc")
    one = adjust(conover(scores, question), "bonferroni")[0]
    width, alone = one.simultaneous_high - one.simultaneous_low, one.high - one.low

    ratio = stdtrit(33, 1 - 0.05 / 12) / stdtrit(33, 0.975)
    assert width / alone == pytest.approx(ratio)
    own = adjust(nemenyi(scores, question))[0]
    assert own.simultaneous_high - own.simultaneous_low == pytest.approx(own.high - own.low)
