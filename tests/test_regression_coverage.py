"""Limits of mean squared errors of independent rows cover the true value, as no bootstrap did."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import evaluate


@pytest.mark.parametrize(
    ("rows", "runs", "least"),
    [(20, 60, 0.9), *(pytest.param(n, 1000, 0.92, marks=pytest.mark.slow) for n in (20, 50, 200))],
)
@pytest.mark.parametrize("tails", [5, 1000])
def test_limits_of_squared_errors_cover(rows, runs, least, tails):
    random = np.random.default_rng([rows, tails])
    true, covered = tails / (tails - 2), 0
    for _ in range(runs):
        truth = random.normal(size=rows)
        error = random.standard_t(tails, size=rows)
        frame = pl.DataFrame({"y": truth, "p": truth - error})
        spec = {"truth": "y", "models": {"m": {"estimate": "p"}}, "bootstrap": {"replicates": 0}}
        metrics = evaluate(spec, frame).metrics
        row = metrics.row(by_predicate=pl.col("metric") == "mean_squared_error", named=True)
        root = metrics.row(by_predicate=pl.col("metric") == "root_mean_squared_error", named=True)
        assert (root["low"] is None) == (row["low"] is None)
        if row["low"] is None:  # one error outweighs all others
            continue
        assert (root["low"] ** 2, root["high"] ** 2) == pytest.approx((row["low"], row["high"]))
        covered += row["low"] <= true <= row["high"]
    assert covered / runs >= least - 3 * np.sqrt(least * (1 - least) / runs)
