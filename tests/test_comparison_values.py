"""Values over data sets are those that their measure can have."""

from __future__ import annotations

import polars as pl
import pytest

import reportgen
from reportgen.errors import DataError

SPEC = {"columns": {"dataset": "dataset", "model": "model", "value": "value"}, "better": "higher"}
KEYS = {"dataset": [f"d{k // 2}" for k in range(16)], "model": ["a", "b"] * 8}
PERCENT = [80.0 + (5 * k) % 11 for k in range(16)]


def _evaluated(measure: str, values: list[float]) -> reportgen.Results:
    spec = {"task": "comparison", "measure": measure, **SPEC}
    return reportgen.evaluate(spec, pl.DataFrame(KEYS | {"value": values}))


def test_percentages_are_refused_under_the_name_of_a_proportion():
    with pytest.raises(DataError, match="16 values are not from 0 to 1, as accuracy is") as refused:
        _evaluated("accuracy", PERCENT)
    assert "divide percentages by 100" in str(refused.value)

    with pytest.raises(DataError, match="1 value is not from 0 to 1"):
        _evaluated("accuracy", [-3.0, *[0.5] * 15])


def test_a_measure_of_its_own_name_may_be_anything_and_its_limits_hold_the_difference():
    rows = _evaluated("accuracy_percent", PERCENT).comparisons.drop_nulls(["low", "high"])

    assert not rows.is_empty()
    assert rows.select(pl.col("estimate").is_between("low", "high").all()).item()
