"""Page one names the slice in which prediction intervals hold too few true values."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import reportgen
from tests.quick import QUICK


def said(spread, level=None, rows=800):
    """Intervals of one width over errors whose spread differs by site."""
    random = np.random.default_rng(8)
    site = np.array(["high", "low", "middle"])[np.arange(rows) % 3]
    error = random.normal(size=rows) * np.where(site == "high", spread, 1.0)
    estimate = random.normal(size=rows) * 3
    frame = pl.DataFrame({"y": estimate + error, "m": estimate, "site": site}).with_columns(
        low=pl.col("m") - 1.645, high=pl.col("m") + 1.645
    )
    model = {"estimate": "m", "low": "low", "high": "high"} | ({"level": level} if level else {})
    spec = {"truth": "y", "models": {"m": model}, "slices": ["site"], **QUICK}
    decision = reportgen.evaluate(spec, frame).decision
    return [c.text for c in decision.caveats if c.code == "coverage_in_slice"]


@pytest.mark.parametrize(
    ("level", "end"), [(None, " in all rows."), (0.9, ", against a nominal level of 90\u00a0%.")]
)
def test_a_slice_with_larger_errors_is_named(level, end):
    (text,) = said(2.0, level)
    assert text.startswith("The prediction intervals of m contain 5")
    assert "% of the true values in site = high (simultaneously at most " in text
    assert text.endswith(end)


@pytest.mark.parametrize("level", [None, 0.9])
def test_slices_that_are_alike_are_not(level):
    assert said(1.0, level) == []


def test_a_small_slice_is_not():
    assert said(3.0, rows=80) == []
