"""Tests of pairs of models on weighted rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.clusters import Groups
from reportgen.comparisons import Question, weighted_mean_difference, weighted_t
from reportgen.results import evaluate

RANDOM = np.random.default_rng(8)
FIRST, SECOND = RANDOM.random((2, 120)) < 0.7
WEIGHTS = RANDOM.uniform(0.2, 3, 120)
QUESTION = Question(("a", "b"), "accuracy")


def test_with_equal_weights_the_difference_and_its_error_are_those_of_bonett_and_price():
    """Their error, but for √((n + 2)/(n + 1)): rows are pulled towards their own mean."""
    b, c, n = int((FIRST & ~SECOND).sum()), int((SECOND & ~FIRST).sum()), len(FIRST)
    first, second = (b + 1) / (n + 2), (c + 1) / (n + 2)
    error = np.sqrt((first + second - (first - second) ** 2) / (n + 2))
    mean = weighted_mean_difference(FIRST, SECOND, np.full(n, 7.0))

    assert mean.value == pytest.approx(first - second)
    assert mean.error == pytest.approx(error * np.sqrt((n + 2) / (n + 1)))


def test_the_unit_of_the_weights_does_not_matter():
    one, other = (weighted_t((FIRST, SECOND), unit * WEIGHTS, QUESTION) for unit in (1, 1e6))
    assert other.p_value == pytest.approx(one.p_value)
    assert (other.low, other.high) == pytest.approx((one.low, one.high))


def test_the_effect_is_the_difference_of_the_weighted_shares():
    test = weighted_t((FIRST, SECOND), WEIGHTS, QUESTION)
    shares = [float((WEIGHTS * side).sum() / WEIGHTS.sum()) for side in (FIRST, SECOND)]
    assert test.estimate == pytest.approx(shares[0] - shares[1])
    assert test.low < test.estimate < test.high


def test_one_row_per_group_changes_nothing():
    groups = Groups(np.arange(120), 120)
    assert weighted_t((FIRST, SECOND), WEIGHTS, QUESTION, groups).p_value == pytest.approx(
        weighted_t((FIRST, SECOND), WEIGHTS, QUESTION).p_value
    )


def test_rows_that_go_together_say_less():
    twice = np.repeat(np.arange(120), 2)
    sides, weights = (FIRST[twice], SECOND[twice]), WEIGHTS[twice]
    together = weighted_t(sides, weights, QUESTION, Groups(twice, 120))
    assert together.p_value > weighted_t(sides, weights, QUESTION).p_value


def test_models_that_agree_on_every_row_are_not_tested():
    assert weighted_t((FIRST, FIRST), WEIGHTS, QUESTION).undefined


@pytest.mark.parametrize("task", ["binary", "multiclass", "multilabel"])
def test_a_report_of_weighted_rows_has_a_conclusion(task):
    """It says which model predicts more of the weight correctly, and where both cost the same."""
    n = 400
    truth = RANDOM.integers(0, 2 if task == "binary" else 3, n)
    good, bad = (np.where(RANDOM.random(n) < share, truth, 0) for share in (0.9, 0.4))
    frame = pl.DataFrame({"y": truth, "good": good, "bad": bad, "w": RANDOM.uniform(0.5, 2, n)})
    spec = {
        "truth": "y",
        "models": {m: {"label": m} for m in ("good", "bad")},
        "columns": {"weight": "w"},
        "bootstrap": {"replicates": 0},
    }
    if task == "binary":
        spec["costs"] = {"false_negative": 3, "false_positive": 1}
    if task == "multilabel":
        frame = frame.with_columns(
            *(
                pl.col(c).eq(k).cast(int).alias(f"{c}{k}")
                for c in ("y", "good", "bad")
                for k in (1, 2)
            )
        )
        spec |= {
            "truth": {str(k): f"y{k}" for k in (1, 2)},
            "models": {m: {"labels": {str(k): f"{m}{k}" for k in (1, 2)}} for m in ("good", "bad")},
        }
    results = evaluate(spec, frame)
    decision = results.decision
    tests = set(results.comparisons.filter(recommendation="recommended")["comparison"])

    assert (decision.relation, decision.leader) == ("ahead", "good")
    assert "mcnemar_weighted" in tests
    assert ("paired_cost_weighted" in tests) == (task == "binary")
    for row in results.comparisons.filter(comparison="mcnemar_weighted").to_dicts():
        assert (row["p_value"] < 0.05) == (row["low"] > 0 or row["high"] < 0)
