"""The question of a declared baseline is answered, or the headline says that it is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from reportgen.concluding.chance import not_better
from reportgen.measuring.no_interval import OF_ALL_SHARES, without_empty_limits
from reportgen.records.decision import AtChance
from reportgen.records.model import Results
from reportgen.results import evaluate


@pytest.fixture(scope="module")
def results() -> Results:
    """Ten years of months with a trend: that of the year before lags behind, more and more."""
    random = np.random.default_rng(4)
    month = np.arange(120)
    season = 15 * np.sin(2 * np.pi * month / 12)
    sales = 100 + 0.004 * month**2 + season * (1 + month / 60) + random.normal(0, 2, 120)
    before = np.concatenate([sales[:12], sales[:-12]])
    frame = pl.DataFrame(
        {
            "month": month,
            "sales": sales,
            "ets": sales + random.normal(0, 3, 120),
            "naive": before,
            "flat": np.full(120, sales.mean()),
        }
    )
    models = {name: {"estimate": name} for name in ("ets", "naive", "flat")}
    spec = {"truth": "sales", "models": models, "baseline": "naive", "columns": {"time": "month"}}
    return evaluate({**spec, "bootstrap": {"replicates": 0}}, frame)


def test_a_baseline_without_a_test_against_the_leader_leaves_no_conclusion(results):
    decision = results.decision

    assert (decision.relation, decision.state) == ("no conclusion", "inconclusive")
    assert decision.headline.startswith("No conclusion on ets against naive: the difference in ")
    assert "drifts over time" in decision.headline
    assert "flat" not in decision.headline
    assert "ets is not compared with naive" not in " ".join(c.text for c in decision.caveats)
    [why] = [c.text for c in decision.caveats if c.code == "no_valid_test"]
    assert why.startswith("No test of ets against naive in ")


def test_limits_of_r2_that_leave_0_to_1_open_are_none(results):
    of_naive = (pl.col("metric") == "r2") & (pl.col("model") == "naive")
    ends = {"low": 0.0, "high": 1.0}
    columns = [
        pl.when(of_naive).then(end).otherwise(name).alias(name) for name, end in ends.items()
    ]
    metrics = without_empty_limits(results.metrics.with_columns(columns))
    [row] = metrics.filter(of_naive, pl.col("slice").is_null()).to_dicts()

    assert (row["low"], row["high"], row["no_interval"]) == (None, None, OF_ALL_SHARES)
    others = metrics.filter(metric="r2", model="ets")
    assert others.equals(results.metrics.filter(metric="r2", model="ets"))


def test_a_model_above_the_mean_without_limits_is_not_said_to_be_no_better():
    gain = (400.0, -10.0, 810.0)
    limited = AtChance("naive", "r2", 0.83, 0.0, 0.99, 0.0, above=gain)

    assert not_better([replace(limited, low=None, high=None)], 0.95, 120) == []
    assert [row.model for row in not_better([limited], 0.95, 120)] == ["naive"]
