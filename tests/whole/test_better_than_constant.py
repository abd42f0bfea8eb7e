"""A regression is better than the mean where the paired difference of the losses says so."""

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.concluding.chance import not_better
from reportgen.measuring.gains import agreeing
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.records.decision import AtChance
from tests.breadth import sample_size
from tests.quick import QUICK
from tests.simulations.better_than_constant import (
    SPREADS,
    TAILS,
    doubled,
    heavy,
    in_every_quarter,
    said_better,
    shrunk,
    useful,
)
from tests.simulations.gains_far_above import counts, of_errors, of_t
from tests.simulations.gains_far_above import said_better as of_heavy_tails

RUNS = sample_size(60, 120)


@pytest.mark.parametrize("size", [(20, 1), (8, 10)])
@pytest.mark.parametrize("model", [shrunk, doubled])
def test_a_model_no_better_than_the_mean_is_seldom_said_to_be(model, size):
    shares = said_better(model, TAILS["normal"], size, RUNS)
    assert max(shares) <= 0.025 + 3 * (0.025 * 0.975 / RUNS) ** 0.5


@pytest.mark.parametrize(
    ("tails", "size", "runs"),
    [("t, 3 df", (100, 1), sample_size(30, 60)), ("lognormal", (20, 10), RUNS)],
)
def test_errors_with_heavy_tails_are_seldom_said_to_be_less_than_those_of_the_mean(
    tails, size, runs
):
    """Without a look at their kurtosis in 0.16 and 0.29."""
    squared, _ = said_better(heavy(SPREADS[tails]), TAILS[tails], size, runs)
    assert squared <= 0.025 + 3 * (0.025 * 0.975 / runs) ** 0.5


@pytest.mark.parametrize(
    ("model", "least", "most"),
    [
        (of_errors(of_t(3)), 0.0, 0.12),
        (of_errors(of_t(3), 0.5), 0.6, 1.0),
        (counts(10.0, 0.5), 0.0, 0.12),
    ],
)
def test_a_model_of_truths_with_heavy_tails_is_better_where_it_explains_half(model, least, most):
    """By limits of R² alone in 0.55; where skewness alone told, of counts too in 0.2."""
    gain, share = of_heavy_tails(model, 150, sample_size(60, 300))
    assert least <= gain + share <= most


def test_half_of_the_variance_explained_in_forty_groups_is_better_than_the_mean():
    assert min(said_better(useful, TAILS["normal"], (40, 5), sample_size(20, 40))) > 0.9


@pytest.mark.parametrize("points", [12, 84])
def test_a_series_that_knows_nothing_is_seldom_better_than_the_mean_in_every_quarter(points):
    """By its total alone in 0.019 of walks of 12 points."""
    runs = sample_size(300, 2000)
    share = max(in_every_quarter(points, phi, 0.6, runs) for phi in (0.8, 1.0))
    assert share <= 0.01 + 3 * (0.01 * 0.99 / runs) ** 0.5


def test_a_constant_is_not_significantly_worse_than_the_mean_of_these_rows():
    """It is that of other rows: that the two means differ by chance is no fault of a model."""
    random = np.random.default_rng(3)
    known = random.normal(size=300)
    frame = pl.DataFrame({"y": 2 * known + random.normal(size=300), "known": 2 * known})
    frame = frame.with_columns(mean=frame["y"].mean() + 0.4)
    models = {name: {"estimate": name} for name in ("known", "mean")}
    [row] = evaluate({"truth": "y", "models": models, **QUICK}, frame).decision.at_chance

    assert (row.model, row.measure, row.worse) == ("mean", "r2", False)
    assert (row.low, row.high) == (None, None)  # they lie below 0, as those of every constant do


def months(points, growth):
    """A truth with a trend and seasons, forecast well in every month."""
    random, month = np.random.default_rng(4), np.arange(points)
    truth = np.exp(5 + growth * month + 0.2 * np.sin(month * np.pi / 6))
    estimate = truth * np.exp(0.03 * random.normal(size=points))
    return pl.DataFrame({"month": month, "y": truth, "m": estimate})


@pytest.mark.parametrize(("points", "growth"), [(84, 0.01), (24, 0.1)])
def test_a_forecast_better_in_every_quarter_is_no_guess(points, growth):
    """Its gain is far larger where the truth is far from its mean."""
    keys = {"truth": "y", "models": {"m": {"estimate": "m"}}, "columns": {"time": "month"}}
    results = evaluate({**keys, **QUICK}, months(points, growth))
    of = {
        row["metric"]: row for row in results.metrics.filter(pl.col("slice").is_null()).to_dicts()
    }

    assert of["mean_squared_error_gain"]["low"] is None
    assert of["r2"]["low"] is None or of["r2"]["low"] > 0
    assert not results.decision.at_chance
    assert results.decision.relation == "single"


def patients(seed, groups=20, rows=10):
    random, code = np.random.default_rng(seed), np.repeat(np.arange(groups), rows)
    known = random.normal(size=groups)[code] + random.normal(size=groups * rows)
    columns = {"y": known + 0.9 * random.normal(size=groups * rows), "m": known}
    return pl.DataFrame({**columns, "group": [f"p{g}" for g in code]})


def spec():
    models = {"m": {"estimate": "m"}}
    return {"truth": "y", "models": models, "columns": {"group": "group"}, **QUICK}


@pytest.mark.parametrize("seed", range(4))
def test_a_good_model_of_grouped_rows_is_better_and_limits_of_r2_agree(seed):
    results = evaluate(spec(), patients(seed))
    plain = results.metrics.filter(pl.col("slice").is_null())
    low = dict(plain.select("metric", "low").iter_rows())
    assert low["mean_squared_error_gain"] > 0
    assert low["r2"] >= 0
    assert not results.decision.at_chance


def test_noise_is_not_better_and_its_limits_of_r2_hold_0():
    frame = patients(1).with_columns(m=pl.lit(0.3) * pl.col("m").shuffle(3))
    [row] = evaluate(spec(), frame).decision.at_chance
    assert row.measure == "r2"
    assert row.low <= 0


def test_one_gain_of_several_is_corrected_for_all_of_them():
    """Its own limits exclude 0, those that hold for ten models do not."""
    close = AtChance("a", "r2", 0.2, 0.0, 0.5, 0.0, above=(0.2, 0.01, 0.39))
    assert not_better([close], 0.95, 50) == []
    rows = not_better([close] * 10, 0.95, 50)
    assert len(rows) == 10
    assert rows[0].simultaneous
    assert rows[0].corrected[0] <= 0


@pytest.mark.parametrize(
    ("sign", "low", "expected"), [(1, -0.9, 0.0), (-1, 0.2, 0.0), (1, 0.2, 0.2)]
)
def test_a_limit_of_r2_on_the_other_side_of_0_than_the_paired_difference_is_moved_there(
    sign, low, expected
):
    random = np.random.default_rng(1)
    known = random.normal(size=50)
    pairs = pl.DataFrame({"truth": known + random.normal(size=50), "estimate": known})
    rows = [
        {"metric": "mean_squared_error_gain", "value": sign * 1.0, "low": sign * 1.0 - 0.1},
        {"metric": "r2", "value": 0.5, "low": low, "high": 0.8},
    ]
    given = [{"high": 3.0, **row} for row in rows]
    [_, share] = agreeing(MetricSubject("m"), given, pairs.with_columns(weight=1.0), None)

    assert share["low"] == expected


@pytest.mark.parametrize(
    ("largest", "value", "limited"), [(0.0, 0.7, True), (9.0, 0.5, False), (9.0, 0.8, True)]
)
def test_a_gain_that_one_error_decides_has_no_limits_unless_it_is_far_above_0(
    largest, value, limited
):
    """Of so many rows the kurtosis of what they add tells; ten standard errors are far."""
    random = np.random.default_rng(2)
    known, error = random.normal(size=(2, 1500))
    estimate = known.copy()
    estimate[0] += largest
    pairs = pl.DataFrame({"truth": known + error, "estimate": estimate, "weight": 1.0})
    row = {"metric": "mean_squared_error_gain", "value": value, "low": value - 0.2, "high": 1.2}
    rows = [row, {"metric": "r2", "value": 0.5, "low": 0.4, "high": 0.6}]
    [gain, _] = agreeing(MetricSubject("m"), rows, pairs, None)

    assert (gain["low"] is not None) == limited


def stores(levels, *, of_one=0.0):
    """Stores whose levels lie far from each other, and errors of 1; those of one store more."""
    random = np.random.default_rng(5)
    store = np.repeat(np.arange(len(levels)), 40)
    error = random.normal(size=len(store)) * np.where(store == 0, 1 + of_one, 1.0)
    frame = pl.DataFrame({"store": store, "y": np.repeat(levels, 40) + random.normal(size=320)})
    return frame.with_columns(a=pl.col("y") + error)


@pytest.mark.parametrize(("of_one", "relation"), [(0.0, "single"), (30.0, "at chance")])
def test_a_model_with_a_gain_in_each_group_is_better_than_the_mean(of_one, relation):
    """Few groups that lie far from the mean leave the limits of their mean gain at 0."""
    frame = stores([1, 1, 2, 2, 3, 3, 4, 90], of_one=of_one)
    spec = {"truth": "y", "models": {"a": {"estimate": "a"}}, "columns": {"group": "store"}}
    results = evaluate(spec, frame)
    [low] = results.metrics.filter(pl.col("slice").is_null(), metric="r2")["low"]

    assert results.decision.relation == relation
    assert (low > 0.5) == (relation == "single")
