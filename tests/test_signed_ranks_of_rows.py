"""Wilcoxon's signed-rank test of the absolute errors of few rows."""

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
