"""Limits of mean squared errors of independent rows cover the true value, as no bootstrap did."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import evaluate
from tests.breadth import breadth


@pytest.mark.parametrize(
    ("rows", "runs", "least"),
    [(20, 60, 0.9), *(pytest.param(n, 1000, 0.92, marks=pytest.mark.slow) for n in (20, 50, 200))],
)
@breadth("tails", [3, 5, 1000], 1)
def test_limits_of_squared_errors_cover(rows, runs, least, tails):
    """Squares of errors with three degrees of freedom have no variance."""
    random = np.random.default_rng([rows, tails])
    true, covered, explained = tails / (tails - 2), 0, 0
    least = min(least, 0.9) if tails == 3 else least
    for _ in range(runs):
        truth = random.normal(size=rows)
        error = random.standard_t(tails, size=rows)
        frame = pl.DataFrame({"y": truth, "p": truth - error})
        spec = {"truth": "y", "models": {"m": {"estimate": "p"}}, "bootstrap": {"replicates": 0}}
        metrics = evaluate(spec, frame).metrics
        row = metrics.row(by_predicate=pl.col("metric") == "mean_squared_error", named=True)
        root = metrics.row(by_predicate=pl.col("metric") == "root_mean_squared_error", named=True)
        assert (root["low"] ** 2, root["high"] ** 2) == pytest.approx((row["low"], row["high"]))
        covered += row["low"] <= true <= row["high"]
        r2 = metrics.row(by_predicate=pl.col("metric") == "r2", named=True)
        assert r2["interval"] == "influence of rows"
        explained += r2["low"] <= 1 - true <= r2["high"]
    noise = 3 * np.sqrt(least * (1 - least) / runs)
    assert covered / runs >= least - noise
    assert explained / runs >= min(least, 0.9) - noise


@pytest.mark.parametrize(("outside", "low"), [(0, 0.886), (2, 0.787)])
def test_the_coverage_of_prediction_intervals_is_a_share_of_rows(outside, low):
    """Of 30 rows inside the bootstrap had no limits."""
    truth = np.arange(30.0)
    frame = pl.DataFrame({"y": truth, "p": truth, "a": truth - 1, "b": truth + 1})
    frame = frame.with_columns(y=pl.when(pl.col("y") < outside).then(-9.0).otherwise("y"))
    model = {"estimate": "p", "low": "a", "high": "b"}
    metrics = evaluate({"truth": "y", "models": {"m": model}}, frame).metrics
    row = metrics.row(by_predicate=pl.col("metric") == "interval_coverage", named=True)

    assert row["interval"] == "wilson_modified"
    assert row["low"] == pytest.approx(low, abs=0.01)
    assert row["low"] < row["value"] <= row["high"]


@pytest.mark.parametrize("groups", [6, 20])
@pytest.mark.parametrize("size", [60.0, 1e4, 1e50])
def test_one_error_that_outweighs_all_others_leaves_limits_that_can_be_read(groups, size):
    """The upper one was 4e8 for a mean squared error of 1."""
    random = np.random.default_rng(1)
    frame = pl.DataFrame({"y": random.normal(size=60), "g": np.arange(60) % groups})
    frame = frame.with_columns(p=pl.col("y") + random.normal(size=60))
    frame[3, "p"] = frame[3, "p"] + size
    spec = {"truth": "y", "models": {"m": {"estimate": "p"}}, "columns": {"group": "g"}}
    metrics = evaluate({**spec, "bootstrap": {"replicates": 0}}, frame).metrics
    for name in ("mean_squared_error", "root_mean_squared_error", "mean_absolute_error"):
        row = metrics.row(by_predicate=pl.col("metric") == name, named=True)
        assert 0 <= row["low"] < row["value"] < row["high"] < 200 * row["value"]


@pytest.mark.parametrize("group", [None, "g"])
def test_limits_of_errors_have_the_unit_of_the_truth(group):
    """Fourth powers of the squares of errors of 1e50 are no floats."""
    random, unit = np.random.default_rng(2), 2.0**170
    truth, columns = random.normal(size=60), {} if group is None else {"group": group}
    number, limits = truth + random.normal(size=60), []
    for scale in (1.0, unit):
        frame = pl.DataFrame({"y": scale * truth, "p": scale * number, "g": np.arange(60) // 6})
        spec = {"truth": "y", "models": {"m": {"estimate": "p"}}, "columns": columns}
        metrics = evaluate({**spec, "bootstrap": {"replicates": 0}}, frame).metrics
        row = metrics.row(by_predicate=pl.col("metric") == "mean_squared_error", named=True)
        limits.append(np.array([row["low"], row["high"]]) / scale**2)
    assert limits[1] == pytest.approx(limits[0], rel=1e-9)
