"""Limits of differences that lie within what two values of the measure can differ by."""

import numpy as np
import polars as pl
import pytest

from reportgen.comparisons.simultaneous import difference_range, possible
from reportgen.results import evaluate
from tests.quick import QUICK
from tests.simulations.report_data_alike import Alike
from tests.simulations.whole_reports import GRADED, labels, several

SPECS = {"graded": GRADED, "multiclass": several(), "multilabel": labels()}
CASES = [("graded", "group", 3), ("multiclass", "weight", 1), ("multilabel", "group", 1)]


@pytest.mark.parametrize(("task", "column", "seed"), CASES)
def test_no_limit_of_a_difference_is_beyond_the_possible_ones(task, column, seed):
    """Of few rows of which one model is nearly always right, t gives limits above 1."""
    frame = Alike(12, task=task, apart=0.2, better=5)(np.random.default_rng(seed))
    frame = frame.with_columns(group=pl.int_range(12) // 3)
    spec = {"data": "frame", **QUICK, **SPECS[task], "comparisons": {"margin": 0.05}}
    results = evaluate({**spec, "columns": {column: column}}, frame)
    tests = results.comparisons.filter(pl.col("models").list.len() == 2, effect="difference")
    ends = ["low", "high", "simultaneous_low", "simultaneous_high"]
    rows = [*tests.select("metric", *ends).iter_rows()]
    rows += results.differences.select("metric", "low", "high").iter_rows()

    for metric, *limits in rows:
        least, most = difference_range(metric)
        assert all(least <= end <= most for end in limits if end is not None)
    assert sum(1 in row for row in rows) >= 3
    tested = tests.filter(pl.col("comparison").str.starts_with("mcnemar"))
    assert all("to +1.000;" in text for text in tested["evidence"])


def test_a_difference_of_values_beyond_the_bounds_keeps_its_limits():
    assert possible("auc", 80.0, 50.0, 110.0) == (50.0, 110.0)
    assert possible("mean_squared_error", -3.0, -7.0, 1.0) == (-7.0, 1.0)
