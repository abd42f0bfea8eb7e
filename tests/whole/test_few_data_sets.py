"""Tests over data sets that are too few for Wilcoxon's, and data sets that lack a model."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from scipy.stats import rankdata

from reportgen import evaluate
from reportgen.charts.critical_difference import draw
from reportgen.comparing.too_few_units import least_adjusted
from reportgen.comparisons import Question, adjust, mean_ranks_sign_flip, signed_rank
from reportgen.results import Results
from reportgen.sections.comparisons import ComparisonsSection
from reportgen.sections.score_tests import ScoreTests
from reportgen.tables import BlockScores
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK
from tests.simulations import few_data_sets

MODELS = "abcdefghi"
SPEC = {
    "task": "comparison",
    "measure": "accuracy",
    "columns": {"dataset": "set", "model": "model", "value": "value"},
}


def values(data_sets: int, lacking: int = 0) -> pl.DataFrame:
    """Each model 0.02 worse than the one before; the last one lacks a value of some data sets."""
    rows = [
        {"set": f"s{i}", "model": m, "value": 0.9 - 0.02 * k - 0.001 * ((7 * i + 3 * k) % 11)}
        for i in range(data_sets)
        for k, m in enumerate(MODELS)
        if m != MODELS[-1] or i >= lacking
    ]
    return pl.DataFrame(rows)


def of_pair(results, name: str, first: str, second: str):
    pairs = results.comparisons.filter(comparison=name).to_dicts()
    return next(row for row in pairs if set(row["models"]) == {first, second})


def test_wilcoxon_s_test_does_not_decide_where_no_adjusted_p_can_be_small_enough():
    """36 pairs of 8 data sets: 36 / 2⁷ = 0.281."""
    results = evaluate(SPEC, values(8))
    names = ("wilcoxon", "mean_ranks_sign_flip", "nemenyi")
    wilcoxon, flips, nemenyi = (of_pair(results, name, "a", "i") for name in names)
    recommendations = [row["recommendation"] for row in (wilcoxon, flips, nemenyi)]
    assert recommendations == ["valid", "recommended", "valid"]
    assert "cannot fall below 0.281" in wilcoxon["why"]
    assert "vary" in nemenyi["why"]
    assert results.decision.test == "mean_ranks_sign_flip"
    assert "ahead of" in results.decision.headline
    assert results.decision.ruled_out is None


def test_wilcoxon_s_test_decides_where_the_adjusted_p_can_be_small_enough():
    results = evaluate(SPEC, values(12))
    assert of_pair(results, "wilcoxon", "a", "i")["recommendation"] == "recommended"
    flips = of_pair(results, "mean_ranks_sign_flip", "a", "i")
    assert flips["recommendation"] == "valid"


def test_a_pair_is_compared_on_all_data_sets_that_have_values_of_both():
    """A third of the data sets lack one of nine models: the other pairs lose nothing."""
    results = evaluate(SPEC, values(12, lacking=4))
    whole, lacking = (of_pair(results, "wilcoxon", "a", name) for name in "bi")
    assert whole["p_adjusted"] == pytest.approx(36 / 2**11)
    assert whole["recommendation"] == "recommended"
    assert "12 pairs" in whole["assumptions"]
    assert "8 pairs" in lacking["assumptions"]
    assert (
        "4 data sets that lack a value for one of the two models are left out of their test"
        in lacking["caveats"]
    )
    texts = [caveat.text for caveat in results.decision.caveats]
    assert "4 data sets that lack a value for a model are left out of the mean ranks." in texts


def test_signs_that_reach_no_such_level_have_no_simultaneous_limits():
    pairs = pl.DataFrame({"first": [0.9 + 0.01 * i for i in range(8)], "second": [0.8] * 8})
    names = [("a", name) for name in MODELS[1:]]
    tests = [signed_rank(pairs, Question(pair, "auc", unit="data sets")) for pair in names]
    alone, together = adjust(tests[:1])[0], adjust(tests)[0]
    assert alone.simultaneous_low is not None
    assert together.simultaneous_low is None
    assert "too few pairs for limits at level 0.0063" in together.caveats


def test_the_least_adjusted_p_is_that_of_the_pair_with_most_data_sets():
    tests = [
        signed_rank(
            pl.DataFrame({"first": [1.0 + i for i in range(n)], "second": [0.0] * n}),
            Question(("a", str(n)), "auc", unit="data sets"),
        )
        for n in (6, 8)
    ]
    pairs = [("wilcoxon", "auc", ("a", name)) for name in "68"]
    assert least_adjusted(tests, "holm") == dict.fromkeys(pairs, 2 / 2**7)
    assert least_adjusted(tests, "holm", "6") == {pairs[0]: 1 / 2**5, pairs[1]: 2 / 2**7}
    assert least_adjusted(tests, "benjamini_hochberg") == {}


def of_blocks(rows: list[list[float]]) -> BlockScores:
    long = [
        {"block": str(i), "model": MODELS[k], "value": value}
        for i, row in enumerate(rows)
        for k, value in enumerate(row)
    ]
    return BlockScores.validate(pl.DataFrame(long))


def flipped(rows: list[list[float]], baseline: str | None = None):
    models = tuple(MODELS[: len(rows[0])])
    question = Question(models, "auc", unit="data sets")
    return mean_ranks_sign_flip(of_blocks(rows), question, baseline)


def test_p_by_sign_flips_is_the_share_of_rankings_reversed_in_some_data_sets():
    """Counted one by one: of every choice the ranks of some data sets are turned round."""
    random = np.random.default_rng(3)
    rows = (random.normal(size=(6, 4)) + np.array([0, 0.5, 1, 2])).tolist()
    centred = np.array([rankdata([-v for v in row]) - 2.5 for row in rows])
    pairs = list(combinations(range(4), 2))
    sums = [signs @ centred for signs in map(np.array, product((1, -1), repeat=6))]
    observed = {(a, b): abs(centred[:, a].sum() - centred[:, b].sum()) for a, b in pairs}

    def share(family, pair):
        far = [max(abs(s[a] - s[b]) for a, b in family) >= observed[pair] for s in sums]
        return np.mean(far)

    steps = {
        pair: share([p for p in pairs if observed[p] <= observed[pair]], pair) for pair in pairs
    }
    for record, pair in zip(flipped(rows), pairs, strict=True):
        assert record.p_value == pytest.approx(share([pair], pair))
        larger = [steps[p] for p in pairs if observed[p] >= observed[pair]]
        assert record.p_adjusted == pytest.approx(max(larger))


def test_against_a_baseline_its_pairs_alone_are_the_family():
    random = np.random.default_rng(4)
    rows = (random.normal(size=(6, 5)) + np.array([0, 0, 0, 0, 1.5])).tolist()
    alone = flipped(rows, "e")
    every = {record.models: record for record in flipped(rows)}
    assert [record.models for record in alone] == [(name, "e") for name in "abcd"]
    assert all(one.p_adjusted <= every[one.models].p_adjusted for one in alone)
    assert any(one.p_adjusted < every[one.models].p_adjusted for one in alone)


def test_limits_by_sign_flips_exclude_zero_only_where_the_largest_difference_is_significant():
    """Six data sets of one order: 1 of 32 choices is as far, so that the limits leave out 0."""
    order = [[4.0, 3.0, 2.0, 1.0]] * 6
    first, *others = sorted(flipped(order), key=lambda record: record.estimate)
    assert (first.estimate, first.p_adjusted) == (-3.0, 1 / 32)
    assert (first.low, first.high) == (-3.0, -1.0)  # ranks of four models are no further apart
    assert all(record.p_adjusted == 1 / 32 for record in others)
    assert flipped(order[:5])[0].low is None


def test_models_that_are_tied_everywhere_have_no_test_by_sign_flips():
    assert {record.undefined for record in flipped([[1.0, 1.0, 1.0]] * 6)} == {
        "all models are tied in every block"
    }


def test_more_data_sets_than_can_be_flipped_in_every_way_are_flipped_at_random():
    random = np.random.default_rng(5)
    rows = random.normal(size=(15, 3)).tolist()
    one, again = flipped(rows)[0], flipped(rows)[0]
    assert one.p_value == again.p_value
    assert one.reachable == 1 / 10_000


def test_equally_good_models_of_unequal_spread_rarely_differ_by_sign_flips():
    """Nemenyi's test, and Bonferroni and Dunn's, take all models to vary alike."""
    random = np.random.default_rng(6)
    kind = "half of them 10 times"
    outcomes = few_data_sets.rejected(few_data_sets.values(random, kind, 8, 10, 2000))
    rates = {test: rejects.mean() for test, rejects in outcomes.items()}
    assert rates["Nemenyi"] > 0.065
    assert rates["Bonferroni–Dunn, the first model"] > 0.065
    flips = [rate for test, rate in rates.items() if test.startswith("sign flips")]
    assert len(flips) == 4
    assert max(flips) <= 0.065


@cache
def results_of_equals(models: int) -> Results:
    """Of five data sets."""
    random = np.random.default_rng(4)
    rows = pl.DataFrame(
        {"set": f"s{i}", "model": f"m{k:02}", "value": float(random.random())}
        for i in range(5)
        for k in range(models)
    )
    return evaluate(SPEC, rows)


@pytest.mark.parametrize(("models", "needed"), [(2, 6), (12, 12), (30, 15)])
def test_how_many_data_sets_are_needed_counts_the_pairs(models, needed):
    """Of 435 pairs 435 / 2¹⁴ = 0.027 is below 0.05, 435 / 2¹³ is not; of 66, 66 / 2¹¹ = 0.032."""
    results = results_of_equals(models)
    reasons = results.comparisons.filter(comparison="wilcoxon")["why"].to_list()
    assert reasons == [f"there are only 5 data sets, and the test needs at least {needed}"] * len(
        reasons
    )


@pytest.mark.parametrize(("models", "why"), [(2, "Wilcoxon's signed-rank test needs"), (12, "too")])
def test_page_one_says_once_how_many_data_sets_would_do(models, why):
    """Of several models the test of mean ranks needs 6, whatever Wilcoxon's test needs."""
    decision = results_of_equals(models).decision
    page = " ".join([decision.headline, *(one.text for one in decision.caveats)])
    assert why in decision.headline
    assert set(re.findall(r"[Aa]t least (\d+)", page)) == {"6"}


def test_a_table_of_many_pairs_of_which_none_differs_is_left_out():
    section = ScoreTests.from_results(results_of_equals(30), ())
    assert section.pairs is None
    assert section.matrix is not None


def test_numbers_on_the_axis_of_many_models_stand_apart():
    ranked = [(f"m{k:02}", float(k)) for k in range(1, 31)]
    drawn = str(draw(ranked, [], 20.0).to_dict())
    assert "'c5': '1'" in drawn
    assert "'c5': '29'" in drawn
    assert "'c5': '2'" not in drawn
    assert "'c5': '2'" in str(draw(ranked[:8], [], 5.0).to_dict())


def test_a_test_of_medians_rules_out_median_differences():
    """Over twenty data sets some differences may be larger than what is ruled out."""
    random = np.random.default_rng(4)
    base = random.uniform(0.7, 0.9, 20)
    lost = np.where(np.arange(20) < 16, 0.004, -0.3)
    rows = pl.DataFrame(
        {"set": f"s{i}", "model": m, "value": float(base[i] + (lost[i] if m == "a" else 0.0))}
        for i in range(20)
        for m in "ab"
    )
    results = evaluate(SPEC, rows)
    into = translator("zh", names_of(results.to_dict()))
    into.text(results.decision.sentence, "p")

    assert " Median differences of more than " in results.decision.sentence
    assert not into.missing


def test_corrections_stand_under_their_names_below_the_table_of_all_tests():
    """Westfall and Young's of the sign flips, and Nemenyi's, beside that of the spec."""
    random = np.random.default_rng(2)
    truth = random.integers(0, 2, 600)
    scores = {name: truth + k * random.normal(size=600) for k, name in enumerate("abc", 1)}
    frame = pl.DataFrame({"y": truth, "set": np.arange(600) % 12, **scores})
    models = {name: {"score": name} for name in scores}
    spec = {"truth": "y", "models": models, "columns": {"dataset": "set"}, **QUICK}
    notes = str(ComparisonsSection.from_results(evaluate(spec, frame), []))

    assert "Adjusted: Holm, Nemenyi and Westfall–Young correction of p" in notes
    assert "estfall_young" not in notes
    into = translator("zh", frozenset("abc"))
    into.text(re.search(r"Adjusted: Holm, .*?\(Bonferroni\)\.", notes).group())
    assert not into.missing


def test_page_one_names_the_pairs_that_a_sparse_model_does_not_keep_from_being_tested():
    """The best model has 3 of 12 data sets: nothing is said of it, but of the two others."""
    sparse = values(12).filter(pl.col("model").is_in(["a", "b", "c"]))
    results = evaluate(
        SPEC, sparse.filter((pl.col("model") != "a") | pl.col("set").is_in(["s0", "s1", "s2"]))
    )
    texts = [caveat.text for caveat in results.decision.caveats]

    assert of_pair(results, "wilcoxon", "b", "c")["recommendation"] == "recommended"
    assert results.decision.relation == "no conclusion"
    assert "No test of a against another model is recommended on these data." in texts
    assert any(text.startswith("b is significantly ahead of c in accuracy (") for text in texts)
