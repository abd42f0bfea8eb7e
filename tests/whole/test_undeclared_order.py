"""Dates of one row each, as forecasts have: rows that follow each other may have similar errors."""

import numpy as np
import polars as pl
import pytest
from scipy.signal import lfilter

from reportgen import evaluate
from reportgen.predictions.dated_rows import in_periods
from tests.breadth import sample_size
from tests.page_text import without_chinese
from tests.quick import QUICK

MODELS = {"models": {name: {"estimate": name} for name in "ab"}, "truth": "y"}
DAYS = pl.date_range(pl.date(2022, 1, 1), pl.date(2023, 4, 14), eager=True)


def series(seed: int, memory: float) -> pl.DataFrame:
    """Two models of the same expected error, which lasts."""
    random = np.random.default_rng(seed)
    noise = random.normal(size=(3, len(DAYS) + 200))
    y, first, second = lfilter([1.0], [1.0, -memory], noise, axis=1)[:, 200:]
    y *= 3
    return pl.DataFrame({"y": y, "a": y + first, "b": y + second, "day": DAYS})


NUMBER = (pl.col("day") - DAYS[0]).dt.total_days()

WRITTEN = {
    "date": pl.col("day"),
    "ISO": pl.col("day").dt.to_string(),
    "German": pl.col("day").dt.strftime("%d.%m.%Y"),
    "hourly": pl.col("day").cast(pl.Datetime) + pl.duration(hours=1),
    "counted": NUMBER + 738_000,
    "counted with a gap": (NUMBER + 44_928).cast(pl.Float64),
    "US with a time of day": pl.col("day").dt.strftime("%-m/%-d/%Y 0:00"),
    "with the month's name": pl.col("day").dt.strftime("%B %-d, %Y"),
    "digits with hours": pl.col("day").dt.strftime("%Y%m%d0500").cast(pl.Int64),
    "mail": pl.col("day").dt.strftime("%a, %d %b %Y 05:00:00 +0100"),
    "one is missing": pl.when(pl.int_range(pl.len()) == 7)
    .then(pl.lit("n/a"))
    .otherwise(pl.col("day").dt.to_string()),
}


@pytest.mark.parametrize("written", WRITTEN)
def test_a_win_that_the_order_of_dates_would_undo_is_no_conclusion(written):
    frame = series(2, 0.95)
    mixed = frame.sample(fraction=1, shuffle=True, seed=1)
    alone = evaluate({**MODELS, **QUICK}, mixed.drop("day"))
    results = evaluate({**MODELS, **QUICK}, mixed.with_columns(day=WRITTEN[written]))
    decision = results.decision
    [text] = [one.text for one in decision.caveats if one.code == "undeclared_groups"]

    assert alone.decision.relation == "ahead"
    assert decision.headline.endswith("with periods of day as groups it would not reject")
    assert text.startswith(
        "day is not declared as time, but rows that follow each other in its order have"
    )
    assert text.endswith("times as wide. Declare it as columns.time.")
    assert not without_chinese(results, [decision.headline, text])


def test_ids_that_count_time_are_an_order():
    """`init` takes a column t of one value per row for the id."""
    frame = series(2, 0.95).with_columns(t=pl.int_range(pl.len())).drop("day")
    frame = frame.sample(fraction=1, shuffle=True, seed=1)
    results = evaluate({**MODELS, **QUICK, "columns": {"id": "t"}}, frame)

    assert results.decision.headline.endswith("with periods of t as groups it would not reject")


@pytest.mark.parametrize("columns", [{"id": "^t$"}, {}])
def test_a_name_that_is_a_pattern_of_names_ends_no_build(columns):
    frame = series(2, 0.95).with_columns(pl.int_range(pl.len()).alias("^t$")).drop("day")
    frame = frame.sample(fraction=1, shuffle=True, seed=1)
    results = evaluate({**MODELS, **QUICK, "columns": columns}, frame)

    assert "undeclared_groups" not in results.data


def test_dates_of_independent_rows_are_seldom_taken_for_an_order():
    seen = sum(
        "undeclared_groups" in evaluate({**MODELS, **QUICK}, series(seed, 0.0)).data
        for seed in range(sample_size(10, 200))
    )
    assert seen <= 1


@pytest.mark.parametrize("name", ["km_per_year", "total_day_calls", "birth_date", "time"])
def test_numbers_that_are_a_feature_are_no_order(name):
    values = np.random.default_rng(0).integers(100, 3000, 400)

    assert in_periods(pl.Series(name, values)) is None


def test_text_that_only_begins_with_a_date_stops_no_build():
    frame = series(2, 0.95).with_columns(day=pl.format("{} run 3", pl.col("day")))
    frame = frame.sample(fraction=1, shuffle=True, seed=1)

    assert "undeclared_groups" not in evaluate({**MODELS, **QUICK}, frame).data


def test_rows_of_one_day_are_a_group_and_moments_at_even_intervals_are_a_series():
    hours = pl.datetime_range(pl.datetime(2024, 1, 1), pl.datetime(2024, 1, 20), "1h", eager=True)
    visits = hours + pl.Series([(k * k) % 3000 * 9_000 for k in range(len(hours))]).cast(
        pl.Duration("ms")
    )

    assert in_periods(hours.alias("at")).n_unique() == 20
    assert in_periods(visits.alias("at")) is None
    assert in_periods(pl.Series("date", [*DAYS[:30]])) is None  # fewer than eight periods
