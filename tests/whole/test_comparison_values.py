"""Values over data sets may be in percent, of a measure that is a proportion by its name."""

from __future__ import annotations

import polars as pl
import pytest

import reportgen

SPEC = {"columns": {"dataset": "dataset", "model": "model", "value": "value"}, "better": "higher"}
KEYS = {"dataset": [f"d{k // 3}" for k in range(30)], "model": ["a", "b", "c"] * 10}
PERCENT = [80.0 + (5 * k) % 11 + 4 * (k % 3) for k in range(30)]


def _evaluated(measure: str, values: list[float], **more: object) -> reportgen.Results:
    spec = {"task": "comparison", "measure": measure, **SPEC, **more}
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


@pytest.mark.parametrize("unit", ["dataset", "fold"])
def test_small_differences_in_percent_have_limits_beyond_1_and_proportions_have_none(unit):
    """Differences of less than 1 % whose limits reach further."""
    values = [80.0 + 2.5 * (-1) ** (k // 3) * (k % 3) + 0.2 * (k % 3) for k in range(30)]
    columns = {unit: "dataset", "model": "model", "value": "value"}

    def widest(values):
        compared = _evaluated("accuracy", values, columns=columns).comparisons
        ends = compared.drop_nulls(["simultaneous_low", "simultaneous_high"])
        ends = ends.filter(~pl.col("effect").str.contains("rank"))
        assert (ends["estimate"].abs() < 1).any()
        small = ends.filter(pl.col("estimate").abs() < 1)
        return max(-small["simultaneous_low"].min(), small["simultaneous_high"].max())

    assert widest(values) > 1.5
    assert widest([value / 100 for value in values]) <= 1
