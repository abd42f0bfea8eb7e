"""Limits of the mean difference that the permutation test by flipped signs does not reject."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.comparisons import Comparison, Question, adjust, sign_flip, signed_rank

OF_SETS = Question(("a", "b"), "auc", unit="data sets")


def flipped(differences: np.ndarray, less: float = 0.0, **more: int) -> Comparison:
    pairs = pl.DataFrame({"first": differences, "second": np.full(len(differences), less)})
    return sign_flip(pairs, OF_SETS, **more)


@pytest.mark.parametrize("size", [6, 9, 13, 30])
def test_limits_are_where_the_test_begins_to_reject(size):
    """Beyond twenty values by drawn signs, the same for test and limits."""
    differences = np.random.default_rng(size).normal(0.2, 1.0, size)
    test = flipped(differences, draws=999)

    for limit, outwards in ((test.low, -1), (test.high, 1)):
        assert flipped(differences, limit - outwards * 1e-6, draws=999).p_value >= 0.05
        assert flipped(differences, limit + outwards * 1e-6, draws=999).p_value < 0.05


def test_limits_of_six_values_are_the_least_and_the_greatest():
    """Two of 64 choices of signs, 0.031, are the least p; they need all values on one side."""
    differences = np.array([0.3, -0.1, 0.25, 0.6, 0.05, 0.4])

    assert (flipped(differences).low, flipped(differences).high) == pytest.approx((-0.1, 0.6))


def test_so_few_values_that_none_are_rejected_have_no_limits():
    test = flipped(np.array([0.034, 0.041, 0.053]))

    assert test.p_value == 0.25
    assert (test.low, test.high, test.interval) == (None, None, None)


def test_limits_and_the_corrected_test_agree_about_zero():
    """Of a family of three Bonferroni's limits hold together; Holm's rejections bound them at 0."""
    random = np.random.default_rng(3)
    records = [flipped(random.normal(gain, 1.0, 12)) for gain in (0.0, 0.7, 1.4)]
    family = adjust(
        [
            record.with_fields(models=models)
            for record, models in zip(records, (("a", "b"), ("a", "c"), ("b", "c")), strict=True)
        ]
    )

    for record in family:
        beyond = record.simultaneous_low > 0 or record.simultaneous_high < 0
        assert beyond == record.reject
        assert record.simultaneous_low <= record.low < record.high <= record.simultaneous_high


def test_the_median_of_opposed_differences_is_nothing_and_not_a_rounding_error():
    pairs = pl.DataFrame({"first": [0.3, 0.1, 0.7, 0.9], "second": [0.2, 0.2, 0.6, 1.0]})

    assert signed_rank(pairs, OF_SETS).estimate == 0.0
