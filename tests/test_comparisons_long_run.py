"""The long-run variance of Diebold and Mariano's test, and the interval that belongs to it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.comparisons import Question, diebold_mariano

QUESTION = Question(("first", "second"), "mean_squared_error")


def transforms(gaps: np.ndarray, number: int) -> np.ndarray:
    """Cosine transforms as Lazarus et al. (2018), equation 10, write them."""
    n = len(gaps)
    time, order = np.arange(1, n + 1), np.arange(1, number + 1)
    return np.sqrt(2 / n) * np.cos(np.pi * order[:, None] * (time - 0.5) / n) @ gaps


def test_without_autocorrelation_the_variance_is_the_mean_of_squared_cosine_transforms():
    gaps = np.tile([1.0, -0.4, -0.7, 0.6, -0.9, 0.5], 10) + np.linspace(-0.1, 0.3, 60)
    frame = pl.DataFrame({"first": gaps, "second": np.zeros(60)})
    record = diebold_mariano(frame, QUESTION)[0]

    assert record.df == 15  # ⌊60^⅔⌋
    variance = (transforms(gaps, 15) ** 2).mean()
    assert record.statistic == pytest.approx(gaps.mean() / np.sqrt(variance / 60))


def test_a_persistent_series_says_that_it_is_worth_few_independent_points():
    steps = np.cumsum(np.random.default_rng(4).normal(size=40))
    frame = pl.DataFrame({"first": steps, "second": np.zeros(40)})
    record = diebold_mariano(frame, QUESTION)[0]

    assert record.df == 4
    assert "these 40 time points are worth fewer than 5 independent ones" in record.caveats[-1]


def test_the_interval_holds_0_exactly_where_the_test_does_not_reject():
    random = np.random.default_rng(5)
    for run in range(200):
        gaps = random.normal(size=30 + run) + 0.3
        frame = pl.DataFrame({"first": gaps, "second": np.zeros(len(gaps))})
        for record in diebold_mariano(frame, QUESTION):
            assert (record.low > 0 or record.high < 0) == (record.p_value < 0.05)
