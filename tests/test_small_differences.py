"""Limits of differences of measures of decisions where a class has few rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from reportgen.comparisons.metric_differences import CELLS, _quantiles
from tests.simulations.small_differences import MEASURES, PAIRS, held


@pytest.mark.parametrize(
    ("sizes", "pair", "measure"),
    [
        ((10, 30), PAIRS[0], "precision"),
        ((10, 30), PAIRS[4], "negative_predictive_value"),
        ((20, 10), PAIRS[2], "balanced_accuracy"),
    ],
)
def test_limits_of_ten_rows_of_a_class_hold_the_difference(sizes, pair, measure):
    """By normal quantiles they held some of them in 0.91 of many more data sets."""
    normal, now = held(pair, sizes, 0.5, 600)[:, MEASURES.index(measure)]

    assert now >= 0.92 - 2 * 0.011
    assert now >= normal


def test_the_smaller_class_decides_and_weights_count_as_effective_rows():
    positives = [truth for truth, *_ in CELLS]
    counts = np.where(positives, 3.0, 50.0)[None]
    alone, heavier = (_quantiles(counts, w * counts, 0.95)[0] for w in (1, 2))

    assert alone == pytest.approx(student.ppf(0.975, 11))
    assert heavier == pytest.approx(student.ppf(0.975, 5))
