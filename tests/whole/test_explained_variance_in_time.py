"""R² of rows in order of time: limits from a long-run variance, their level and their power."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.series_limits import of_ratios
from reportgen.metrics import REGISTRY
from reportgen.results import Results, evaluate
from tests.simulations.guessing_in_time import DESIGNS, R2, rates, series

SPEC = {"data": "frame", "truth": "y", "models": {"a": {"estimate": "f"}}}


def _days(points: int = 60) -> pl.DataFrame:
    draw, _ = DESIGNS["R² of 0.69"]
    truth, estimate = draw(*series(np.random.default_rng(5), points, 0.5))
    weight = np.exp(np.random.default_rng(6).normal(size=points))
    return pl.DataFrame(
        {"y": truth + 10, "f": estimate + 10, "day": np.arange(points), "weight": weight}
    )


def _built(frame: pl.DataFrame, **columns: str) -> Results:
    return evaluate({**SPEC, "columns": columns}, frame)


def _limits(frame: pl.DataFrame, metric: str = "r2", **columns: str) -> tuple[float, float, str]:
    metrics = _built(frame, **columns).metrics.filter(pl.col("slice").is_null(), metric=metric)
    return metrics.select("low", "high", "interval").row(0)


def test_sixty_days_of_a_good_forecast_are_better_than_always_predicting_the_mean():
    assert _limits(_days(), time="day")[2] == "long-run ratio"
    assert not _built(_days(), time="day").decision.at_chance


def test_fewer_than_thirty_days_have_the_limits_of_blocks():
    def interval(points: int) -> str | None:
        columns = {"truth": "y", "estimate": "f", "point": pl.col("day"), "weight": pl.lit(1.0)}
        row = {"metric": "r2", "value": 0.6, "low": None, "high": None, "interval": None}
        metrics = [REGISTRY["regression"]["r2"]]
        return of_ratios(MetricSubject("m"), [row], _days(points).select(**columns), metrics)[0][
            "interval"
        ]

    assert _limits(_days(29), time="day")[2] == "mean of rows (blocks of time)"
    assert (interval(29), interval(30)) == (None, "long-run ratio")


def test_page_one_says_that_limits_allow_for_the_order_of_time():
    (text,) = (
        one.text for one in _built(_days(), time="day").decision.caveats if one.code == "timed"
    )

    assert "allow for dependence between neighbouring time points" in text


def test_a_constant_estimate_has_the_limits_of_blocks():
    constant = _days().with_columns(f=pl.lit(9.5))

    assert _limits(constant, time="day")[2] != "long-run ratio"


@pytest.mark.parametrize("metric", ["r2", "mean_absolute_error", "mean_squared_error"])
@pytest.mark.parametrize("points", [40, 60, 200])
def test_limits_in_time_are_at_least_those_of_independent_rows(points, metric):
    frame = _days(points)
    frame = frame.with_columns(  # errors that change their sign every day make the mean certain
        f=pl.col("y") - (pl.col("y") - pl.col("f")).abs() * (1 - 2 * (pl.col("day") % 2))
    )
    low, high, _ = _limits(frame, metric, time="day")
    alone = _limits(frame, metric)

    assert low <= alone[0]
    assert high >= alone[1]


@pytest.mark.parametrize("unit", [1000.0, 0.001])
def test_the_unit_of_weights_and_the_order_of_rows_change_nothing(unit):
    frame = _days()
    columns = {"time": "day", "weight": "weight"}
    other = frame.with_columns(pl.col("weight") * unit).sample(fraction=1.0, shuffle=True, seed=3)

    low, high, _ = _limits(frame, **columns)
    assert _limits(other, **columns)[:2] == pytest.approx((low, high), rel=1e-9)
    assert low != _limits(frame, time="day")[0]


def test_rows_of_one_day_count_as_one_point_of_time():
    columns = {"truth": "y", "estimate": "f", "point": "day"}
    day = _days().select(weight=pl.lit(1.0), **{k: pl.col(v) for k, v in columns.items()})
    value = {"metric": "r2", "value": 0.5, "low": None, "high": None}
    once, twice = (
        of_ratios(MetricSubject("m"), [value], frame, [R2])[0]
        for frame in (day, pl.concat([day, day]))
    )

    assert twice["low"] == pytest.approx(once["low"], rel=1e-9)
    assert twice["high"] == pytest.approx(once["high"], rel=1e-9)


@pytest.mark.parametrize(
    ("design", "points", "memory", "runs"),
    [
        ("twice as steep", 60, 0.8, 60),
        ("R² of 0.69", 60, 0.5, 60),
        *(
            pytest.param(design, points, memory, 400, marks=pytest.mark.slow)
            for design in DESIGNS
            for points in (30, 120)
            for memory in (0.0, 0.8)
        ),
    ],
)
def test_limits_hold_and_show_a_good_forecast_more_often_than_blocks(design, points, memory, runs):
    (_, held), (before, above) = rates(design, points, memory, runs)
    error = 3 * (0.95 * 0.05 / runs) ** 0.5

    assert held >= 0.92 - error
    if DESIGNS[design][1] > 0:
        assert above >= before
    else:
        assert above <= 0.05 + error
    if (design, points, memory) == ("R² of 0.69", 60, 0.5):
        assert above >= before + 0.15
