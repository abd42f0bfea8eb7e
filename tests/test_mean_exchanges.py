"""Means of rows after many exchanges at once are those of the measures, one by one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
import pytest

from reportgen.comparing.permutation_tests import _of_each_row
from reportgen.comparisons import Draws, Question, paired_permutation
from reportgen.comparisons.count_and_row_pairs import RowwisePair
from reportgen.metrics import REGISTRY
from reportgen.multilabel import label_sets

MEANS = {
    task: [m.name for m in REGISTRY[task].values() if m.mean and m.on == on]
    for task, on in (("multilabel", "rows"), ("regression", "pairs"))
}


def labels(random: np.random.Generator, rows: int) -> pl.DataFrame:
    """Rows of three labels, some without any, as a model predicts and scores them."""
    truth, score = random.random((rows, 3)) < 0.3, random.random((rows, 3))
    columns = {f"truth:{k}": truth[:, k] for k in range(3)}
    frame = pl.DataFrame({**columns, **{f"s{k}": score[:, k] for k in range(3)}})
    says = [pl.col(f"s{k}") > 0.7 for k in range(3)]
    return label_sets(frame, list(columns), says, [f"s{k}" for k in range(3)], None)


def numbers(random: np.random.Generator, rows: int) -> pl.DataFrame:
    """Positive truths and estimates; where a truth of 0 has no error the measure has no value."""
    truth = random.gamma(2.0, size=rows)
    estimate = truth + random.gamma(2.0, size=rows)
    more = {"low": estimate - 1, "high": estimate + 1, "weight": 1.0}
    return pl.DataFrame({"truth": truth, "estimate": estimate, **more})


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(
    ("task", "name"), [(task, name) for task, names in MEANS.items() for name in names]
)
def test_differences_after_exchanges_are_those_of_the_measure(task, name, grouped):
    random = np.random.default_rng(3)
    made = labels if task == "multilabel" else numbers
    first, second = made(random, 30), made(random, 30)
    if grouped:
        first = first.with_columns(group=pl.Series(np.arange(30) // 2))
    metric, group = REGISTRY[task][name], "group" if grouped else None
    one_by_one = RowwisePair(first, second, metric.expression(), metric.bounds, group)
    at_once = replace(one_by_one, of_row=partial(_of_each_row, metric))

    slow, fast = (
        np.concatenate(list(pair._exchanged(60, np.random.default_rng(1))))
        for pair in (one_by_one, at_once)
    )

    np.testing.assert_allclose(fast, slow, rtol=1e-11, atol=1e-12)


def test_a_pair_that_goes_on_could_have_had_the_p_of_all_its_draws():
    """A p that is surely above the level stops the draws, not what they could have shown."""
    random = np.random.default_rng(7)
    frames = labels(random, 80), labels(random, 80)
    metric = REGISTRY["multilabel"]["hamming_loss"]
    pair = RowwisePair(*frames, metric.expression(), metric.bounds)
    question = Question(("a", "b"), "hamming_loss")

    stopped = paired_permutation(pair, question, draws=Draws(200, goes_on=True))
    fixed = paired_permutation(pair, question, draws=Draws(200))

    assert stopped.p_value == fixed.p_value > 0.1
    assert fixed.reachable == pytest.approx(1 / 201)
    assert stopped.reachable == pytest.approx(1 / 20_001)


def test_limits_of_a_smaller_level_than_permutations_reach_are_those_of_their_spread():
    random = np.random.default_rng(7)
    frames = labels(random, 80), labels(random, 80)
    metric = REGISTRY["multilabel"]["hamming_loss"]
    pair = RowwisePair(*frames, metric.expression(), metric.bounds)
    test = paired_permutation(pair, Question(("a", "b"), "hamming_loss"), draws=Draws(500))

    low, high = test.limits_at(1 - 0.05 / 66)
    narrow_low, narrow_high = test.limits_at(0.95)

    assert low < narrow_low < 0 < narrow_high < high
    assert high - low == pytest.approx((narrow_high - narrow_low) * 3.37 / 1.96, rel=0.15)
    few = paired_permutation(pair, Question(("a", "b"), "hamming_loss"), draws=Draws(99))
    assert few.limits_at(1 - 0.05 / 66) is None
