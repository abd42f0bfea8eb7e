"""How many permutations are from_permutations, and what is said of them."""

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.comparisons import BinaryPair, Draws, Question, paired_permutation
from reportgen.comparisons.model_pair import MOST_DRAWS, MOST_NUMBERS, from_permutations

QUESTION = Question(("a", "b"), "f1")


def pair(better, rows=400):
    """Decisions of two models; the second is right on ``better`` more of the rows."""
    random = np.random.default_rng(1)
    truth, luck = random.random(rows) < 0.4, random.random((2, rows))
    wrong = luck[0] < 0.3, luck[1] < 0.3 - better
    frame = pl.DataFrame({"truth": truth, "a": truth ^ wrong[0], "b": truth ^ wrong[1]})
    return BinaryPair(frame, "f1", predicted=("a", "b"))


def draws_of(test):
    return int(test.assumptions[0].split()[0])


def test_a_p_surely_above_the_level_is_that_of_the_first_draws():
    once, on = (
        paired_permutation(pair(0.0), QUESTION, draws=Draws(999, 3, goes_on=g)) for g in (0, 1)
    )

    assert on.p_value > 0.1
    assert on.with_fields(reachable=once.reachable, limits_at=once.limits_at) == once
    assert (once.reachable, on.reachable) == pytest.approx((1 / 1_000, 1 / 99_901))
    assert (on.p_note, on.caveats) == ("p is from 999 random permutations", ())


def test_a_small_p_has_more_draws_the_same_ones_for_the_same_seed():
    first, again = (
        paired_permutation(pair(0.1), QUESTION, draws=Draws(999, 3, goes_on=True)) for _ in range(2)
    )
    once = paired_permutation(pair(0.1), QUESTION, draws=Draws(999, 3))

    assert first == again
    assert draws_of(first) == 99_900
    assert first.p_note == "p is from 99,900 random permutations"
    assert first.p_value < 0.05
    assert first.p_value == pytest.approx(once.p_value, abs=4 * (0.05 * 0.95 / 999) ** 0.5)
    assert first.reachable == pytest.approx(1 / 99_901)


def test_draws_are_limited_by_their_number_and_by_the_random_numbers_that_they_take():
    draws = Draws(2_000, goes_on=True)

    assert draws.further(0.01, 0.05, 8) == MOST_DRAWS - 2_000
    assert draws.further(0.01, 0.05, 1_000) == MOST_NUMBERS // 1_000 - 2_000
    assert draws.further(0.01, 0.05, 10**6) == 0
    assert Draws(20, goes_on=True).further(0.05, 0.05, 8) == 1_980
    assert draws.further(0.07, 0.05, 8) == 0
    assert draws.further(0.06, 0.05, 8) == MOST_DRAWS - 2_000


def test_chance_among_the_permutations_is_said_where_it_leaves_the_side_open():
    open_ = ", and its standard error of 0.0067 leaves open on which side of 0.05 it lies"

    left_open = f"p is from 1,000 random permutations{open_}"
    assert from_permutations(0.047, 1_000, 0.05) == {"caveats": (left_open,)}
    sure = {"p_note": "p is from 100,000 random permutations"}
    assert from_permutations(0.047, 100_000, 0.05) == sure


def test_a_report_goes_on_and_says_so():
    frame = pair(0.1).frame
    models = {name: {"label": name} for name in "ab"}
    more = {"comparisons": {"measures": ["f1"]}, "bootstrap": {"replicates": 100}}

    results = reportgen.evaluate({"truth": "truth", "models": models, **more}, frame)

    (test,) = results.comparisons.filter(comparison="paired_permutation", metric="f1").to_dicts()
    assert test["p_note"] == "p is from 10,000 random permutations"
    assert all("random permutations" not in c.text for c in results.decision.caveats)
