"""Groups that share what happens at a time point: limits by group alone would be too narrow."""

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.records.rows import shared_in_time
from reportgen.translation import translator
from reportgen.translation.names import names_of
from tests.quick import QUICK

SHOPS, DAYS = 15, 120


def panel(shared, seed=1):
    """Demand of shops over days; what days have in common the models do not know."""
    random = np.random.default_rng(seed)
    shop, day = (part.ravel() for part in np.meshgrid(np.arange(SHOPS), np.arange(DAYS)))
    known = 50 + 10 * np.sin(day / 9) + shop
    shock = random.normal(size=DAYS)[day] * shared
    truth = known + shock + random.normal(size=len(day)) * 4
    noise = random.normal(size=(2, len(day)))
    return pl.DataFrame(
        {"y": truth, "a": known + noise[0], "b": known + noise[1], "shop": shop, "day": day}
    )


def evaluated(shared, **more):
    spec = {
        "truth": "y",
        "task": "regression",
        "models": {name: {"estimate": name} for name in "ab"},
        "columns": {"group": "shop", "time": "day"},
        **QUICK,
    }
    return reportgen.evaluate(spec | more, panel(shared))


def test_shared_shocks_leave_values_of_single_models_without_limits():
    results = evaluated(10, gates=["a.mae <= 40", "a.mae.high <= 40"])

    values = results.metrics.filter(pl.col("value").is_not_null())
    assert values["low"].null_count() == values.height
    (error,) = values.filter(metric="mean_absolute_error", model="a")["no_interval"]
    assert error == shared_in_time(results.data)
    by_estimate, by_limit = results.gates.to_dicts()
    assert (by_estimate["state"], by_estimate["low"]) == ("inconclusive", None)
    assert by_estimate["why"].startswith("the number has no interval: ")
    assert by_limit["state"] == "inconclusive"
    assert "groups share what happens at a time point" in by_limit["why"]
    pair = results.comparisons.filter(
        metric="mean_absolute_error", comparison="diebold_mariano_groups"
    )
    assert pair["low"].null_count() == 0
    (text,) = (c.text for c in results.decision.caveats if c.code == "timed")
    assert text.startswith("Groups share what happens at a time point")
    into = translator("zh", names_of(results.to_dict()))
    into.text(text, "li")
    into.text(error, "li")
    assert not into.missing


def test_without_shared_shocks_limits_by_group_stay():
    results = evaluated(0)

    assert shared_in_time(results.data) is None
    errors = results.metrics.filter(metric="mean_absolute_error")
    assert errors["low"].null_count() == 0


@pytest.mark.parametrize("seed", range(5))
def test_no_model_is_said_to_get_worse_by_shocks_of_days(seed):
    """By shop alone the limits of such a change exclude 0 in seven of ten simulated panels."""
    frame = panel(10, seed)
    spec = {
        "truth": "y",
        "task": "regression",
        "models": {"a": {"estimate": "a"}},
        "columns": {"group": "shop", "time": "day"},
        **QUICK,
    }
    results = reportgen.evaluate(spec, frame)

    assert not [c for c in results.decision.caveats if c.code == "worse_in_time"]
    assert all(change.change_low is None for change in results.shift.changes)


def test_claims_print_no_limits_either():
    random = np.random.default_rng(3)
    shop, day = (part.ravel() for part in np.meshgrid(np.arange(8), np.arange(120)))
    truth = random.random(len(day)) < 0.3
    wrong = random.random(120)[day] < 0.3  # whole days go wrong
    frame = pl.DataFrame({"y": truth, "a": truth ^ wrong, "shop": shop, "day": day})
    spec = {
        "truth": "y",
        "models": {"a": {"label": "a"}},
        "columns": {"group": "shop", "time": "day"},
        "comparisons": {"claims": ["a.recall >= 0.2"]},
        **QUICK,
    }
    results = reportgen.evaluate(spec, frame.cast({"y": pl.Int8, "a": pl.Int8}))
    (claim,) = results.comparisons.to_dicts()

    assert shared_in_time(results.data) is not None
    assert (claim["low"], claim["high"]) == (None, None)
    assert "%" not in claim["verdict"]
