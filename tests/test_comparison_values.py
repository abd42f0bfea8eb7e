"""Values over data sets may be in percent, of a measure that is a proportion by its name."""

from __future__ import annotations

import polars as pl

import reportgen

SPEC = {"columns": {"dataset": "dataset", "model": "model", "value": "value"}, "better": "higher"}
KEYS = {"dataset": [f"d{k // 3}" for k in range(30)], "model": ["a", "b", "c"] * 10}
PERCENT = [80.0 + (5 * k) % 11 + 4 * (k % 3) for k in range(30)]


def _evaluated(measure: str, values: list[float]) -> reportgen.Results:
    spec = {"task": "comparison", "measure": measure, **SPEC}
    return reportgen.evaluate(spec, pl.DataFrame(KEYS | {"value": values}))


def test_limits_of_differences_in_another_unit_are_those_of_any_measure():
    ends = ["low", "high", "simultaneous_low", "simultaneous_high"]
    proportion, any_number = (
        _evaluated(measure, PERCENT).comparisons.drop_nulls(ends).select("estimate", *ends)
        for measure in ("accuracy", "accuracy_percent")
    )
    beyond = proportion.filter(pl.col("estimate").abs() > 1)

    assert not beyond.is_empty()
    assert beyond.equals(any_number.filter(pl.col("estimate").abs() > 1))
