"""Limits of a model that predicts a constant: no constant beats the best one of the rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.quick import QUICK

SPEC = {"truth": "y", "task": "regression", "models": {"base": {"estimate": "base"}}}


def of_constant(constant: float, seed: int = 1, rows: int = 100, **more: object):
    truth = np.random.default_rng(seed).normal(5, 1, rows)
    frame = pl.DataFrame({"y": truth, "base": np.full(rows, constant)})
    results = evaluate({**SPEC, **QUICK, **more}, frame)
    return results, {row["metric"]: row for row in results.metrics.to_dicts()}


def test_limits_of_r2_are_those_of_the_squared_bias():
    results, rows = of_constant(5.5)
    bias, r2 = rows["mean_error"], rows["r2"]
    variance = rows["mean_squared_error"]["value"] / (1 - r2["value"])
    expected = [-(end**2) / variance for end in (bias["low"], bias["high"])]

    assert [r2["low"], r2["high"]] == pytest.approx(sorted(expected))
    assert r2["low"] < r2["value"] < r2["high"] < 0
    assert results.decision.at_chance[0].worse


def test_a_constant_that_may_be_the_mean_is_no_worse_than_it_by_its_limits():
    """R² of the true mean is 0 in the population, and below 0 in every sample."""
    held = []
    for seed in range(60):
        results, rows = of_constant(5.0, seed, comparisons={"claims": ["base.r2 >= 0"]})
        bias, r2 = rows["mean_error"], rows["r2"]
        held.append(r2["high"] == 0)
        assert held[-1] == (bias["low"] <= 0 <= bias["high"])
        decision = results.decision
        refuted = "refute the claim" in f"{decision.headline}{decision.sentence}"
        assert held[-1] or refuted
        assert not (held[-1] and refuted)
    assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 60)


def test_against_the_best_quantile_a_constant_has_no_limits():
    _, rows = of_constant(5.2, measures="all")
    for name in ("d2_absolute_error", "d2_pinball_low", "explained_variance"):
        assert rows[name]["low"] is None
        assert rows[name]["no_interval"].startswith("the estimates are constant")


def test_weighted_rows_fit_their_mean_as_few_as_they_are_worth():
    """The mean of rows of unlike weights varies as that of so many fewer rows."""
    worse = []
    for seed in range(60):
        random = np.random.default_rng(seed)
        truth, weight = random.normal(5, 1, 200), random.lognormal(0, 1, 200)
        frame = pl.DataFrame({"y": truth, "w": weight, "base": np.full(200, 5.0)})
        results = evaluate({**SPEC, **QUICK, "columns": {"weight": "w"}}, frame)
        worse.append(any(row.worse for row in results.decision.at_chance))
    assert np.mean(worse) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
