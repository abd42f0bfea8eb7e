"""Losses of models that rank all rows alike: the unseen error is one that both models make."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.special import expit, logit

from reportgen.comparisons import Question, probability_losses
from tests.simulations.recalibrated_losses import copies, rejected

QUESTION = Question(("a", "b"), "brier_score")


def frame_of(rows=400, seed=3):
    """A calibrated model, and a copy whose logits are 0.7 times as large."""
    random = np.random.default_rng(seed)
    a = np.sort(expit(1.5 * random.normal(size=rows)))
    return pl.DataFrame({"truth": random.random(rows) < a, "a": a, "b": expit(0.7 * logit(a))})


def width(frame, metric="brier_score"):
    test = probability_losses(frame, Question(("a", "b"), metric))
    return test.high - test.low


def exchanged(frame):
    """The same with two neighbouring probabilities of the copy the other way round."""
    b = frame["b"].to_numpy().copy()
    b[[200, 201]] = b[[201, 200]]
    return frame.with_columns(b=b)


def test_a_recalibrated_copy_has_limits_as_narrow_as_its_differences():
    frame = frame_of()

    assert width(frame) < 0.8 * width(exchanged(frame))
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)
    assert width(shuffled) == pytest.approx(width(frame), rel=1e-9)


def test_log_losses_of_rows_surer_than_these_may_differ_by_more():
    frame = frame_of()

    assert width(frame, "log_loss") == pytest.approx(width(exchanged(frame), "log_loss"), rel=0.02)


def test_the_largest_difference_is_that_of_either_class():
    """Whatever the classes are: an error that the rows lack counts."""
    frame = frame_of()
    a, b = (frame[c].to_numpy() for c in "ab")
    sure = frame.with_columns(truth=frame["a"] > 0.5)
    test = probability_losses(sure, QUESTION)
    apart = np.where(a > 0.5, (a - 1) ** 2 - (b - 1) ** 2, a**2 - b**2)

    assert test.p_value < 0.05  # that of the differences of these rows alone is far lower
    assert abs(test.statistic) < 0.8 * abs(apart.mean() / (apart.std() / np.sqrt(len(apart))))


def test_few_rows_and_few_scores_are_no_evidence_of_a_copy():
    frame = frame_of(100)
    fewer = frame.head(99)
    assert width(frame) < 0.9 * width(exchanged_first(frame))
    assert width(fewer) == pytest.approx(width(exchanged_first(fewer)), rel=0.05)

    few = frame_of().with_columns(b=(pl.col("a") * 6).round() / 6 * 0.9 + 0.05)
    unlike = few.with_columns(b=pl.Series(few["b"].to_numpy()[[1, 0, *range(2, 400)]]))
    assert width(few) == pytest.approx(width(unlike), rel=0.05)


def exchanged_first(frame):
    """The same with the first two probabilities of the copy the other way round."""
    b = frame["b"].to_numpy().copy()
    b[[0, 1]] = b[[1, 0]]
    return frame.with_columns(b=b)


def test_it_rejects_about_as_often_as_it_says():
    """The rates of many data sets are those of the simulation."""
    two = copies("brier_score", 0.0, 1.5, "milder and surer")
    drawn = [
        rejected(np.random.default_rng([k, 8]), "brier_score", (0.0, 1.5), two, 300)
        for k in range(150)
    ]
    assert np.mean([one for one in drawn if one is not None]) <= 0.12
