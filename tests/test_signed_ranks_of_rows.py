"""Wilcoxon's signed-rank test of the absolute errors of few rows, and of many."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from reportgen.comparisons import Question, paired_errors, signed_rank


@pytest.mark.parametrize("rows", [3, 5, 12, 24])
@pytest.mark.parametrize("step", [None, 0.5], ids=["no ties", "ties"])
def test_signed_ranks_of_few_rows_have_the_p_of_all_signs(rows, step):
    """The tests over data sets have the same one; SciPy's counts out ranks without ties."""
    random = np.random.default_rng([rows, 7])
    absolute = random.exponential(size=(2, rows)) + 0.1
    if step is not None:
        absolute = np.round(absolute / step) * step
    frame = pl.DataFrame({"truth": np.zeros(rows), "a": absolute[0], "b": absolute[1]})
    of_rows = paired_errors(frame, Question(("a", "b"), "mean_squared_error"))[-1]
    pairs = pl.DataFrame({"first": absolute[0], "second": absolute[1]})
    of_sets = signed_rank(pairs, Question(("a", "b"), "mae", unit="data sets"))

    assert of_rows.comparison == "wilcoxon"
    assert of_rows.p_value == of_sets.p_value
    if step is None:
        exact = stats.wilcoxon(*absolute, method="exact").pvalue
        assert of_rows.p_value == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("digits", [None, 3, 0], ids=["no ties", "some ties", "many ties"])
def test_signed_ranks_of_many_rows_are_those_of_scipy(digits):
    random = np.random.default_rng(7)
    absolute = random.exponential(size=(2, 20_000)) + 0.1
    if digits is not None:
        absolute = np.round(absolute, digits)
    frame = pl.DataFrame({"truth": np.zeros(20_000), "a": absolute[0], "b": absolute[1]})
    test = paired_errors(frame, Question(("a", "b"), "mean_squared_error"))[-1]
    steps = np.round((absolute[0] - absolute[1]) * 1e9)
    expected = stats.wilcoxon(steps, method="approx", correction=False)

    assert test.statistic == expected.statistic
    assert test.p_value == pytest.approx(expected.pvalue, rel=1e-9)
