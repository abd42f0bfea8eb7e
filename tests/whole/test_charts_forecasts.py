"""Truth and estimates over time: the curve, its steps and gaps, and the figure."""

import numpy as np
import polars as pl
import pytest

from reportgen.charts import figures
from reportgen.curves.regression import MOST_STEPS, estimates_in_time, positions
from reportgen.sections import data
from tests import charts_tasks
from tests.charts_results import elements, svg_of


def figure(results):
    return next(one for one in figures(results) if one.id == "forecasts")


def rows(times, **columns):
    frame = pl.DataFrame({"time": times, **columns})
    return frame.with_columns(point=pl.col("time").rank("dense") - 1)


def test_each_point_of_time_is_a_step_where_there_are_few():
    table = estimates_in_time(
        rows(
            ["2024-01-01", "2024-01-03", "2024-01-01"],
            truth=[1.0, 5.0, 3.0],
            estimate=[2.0, 4.0, 2.0],
        )
    )

    assert table["time"].to_list() == ["2024-01-01", "2024-01-03"]
    assert table.select("rows", "truth", "lowest", "highest", "estimate").rows() == [
        (2.0, 2.0, 1.0, 3.0, 2.0),
        (1.0, 5.0, 5.0, 5.0, 4.0),
    ]


def test_many_points_are_steps_of_equal_length_that_hold_every_row_once():
    random = np.random.default_rng(1)
    at = np.sort(random.choice(100_000, 4_000, replace=False))
    truth, estimate = random.normal(size=(2, 4_000))
    frame = pl.DataFrame({"time": at.astype(str), "point": np.arange(4_000)})
    frame = frame.with_columns(truth=truth, estimate=estimate)

    table = estimates_in_time(frame)

    step = np.minimum((at - at[0]) / (at[-1] - at[0]) * MOST_STEPS, MOST_STEPS - 1).astype(int)
    assert table.height == len(set(step)) <= MOST_STEPS
    assert table["rows"].sum() == 4_000
    sizes = np.bincount(step)[np.unique(step)]
    expected = (np.bincount(step, truth))[np.unique(step)] / sizes
    np.testing.assert_allclose(table["truth"], expected)
    assert (table["lowest"] <= table["truth"]).all()
    assert (table["truth"] <= table["highest"]).all()


@pytest.mark.parametrize(
    ("times", "differences"),
    [
        (["5", "7", "10"], [2.0, 3.0]),
        (["2024-02-28", "2024-03-01"], [2 * 86_400.0]),
        (["2024-01-01T10:00:00", "2024-01-01T12:30:00"], [9_000.0]),
        (["2024W01", "2024W09"], [1.0]),
    ],
)
def test_times_are_placed_as_numbers_dates_or_in_their_order(times, differences):
    placed = positions(pl.Series(times), pl.Series(range(len(times))))

    assert placed.diff().drop_nulls().to_list() == differences


def test_the_order_of_the_rows_changes_nothing():
    frame = rows([str(k % 7) for k in range(50)], truth=np.sin(np.arange(50)), estimate=np.ones(50))

    assert estimates_in_time(frame).equals(estimates_in_time(frame[::-1]))


def test_the_data_section_says_that_rows_are_in_time_order():
    results = charts_tasks.forecasts()
    [how] = [fact.value for fact in data.facts(results.data) if fact.name == "Evaluation"]

    points = results.data["points_of_time"]
    assert how.endswith(f"; rows in time order, {points:,} time points")


def test_the_figure_says_where_the_leader_is_furthest_off_and_leaves_gaps_open():
    results = charts_tasks.forecasts()
    drawn = figure(results)
    leader = results.decision.models[0].model
    curve = results.curves["estimates_in_time"].filter(model=leader)
    worst = curve.sort((pl.col("truth") - pl.col("estimate")).abs())[-1]

    error = worst["truth"][0] - worst["estimate"][0]
    side = "low" if error > 0 else "high"
    assert f"{leader} is furthest off at {worst['time'][0]}: {abs(error):.1f}" in drawn.title
    assert drawn.title.endswith(f"too {side}")
    assert f"Both are means of {curve.height} steps of time." in drawn.subtitle
    widths = [element.get("stroke-width") for element in elements(svg_of(drawn.chart))]
    lines = [width for width in widths if width in {"1.4", "4"}]
    assert len(lines) == 2 * 2 * 2  # of both models, truth and estimate, before and after the gap


def test_many_models_are_the_best_and_the_baseline():
    results = charts_tasks.forecasts(80, models=5, baseline="model 4")

    drawn = figure(results)

    assert drawn.table["Model"].unique().sort().to_list() == ["model 0", "model 1", "model 4"]
    assert "Shown: 3 of 5 models." in drawn.subtitle
    assert "means" not in drawn.subtitle
    assert "Shaded" not in drawn.subtitle


def test_rows_without_a_time_have_no_figure():
    assert "forecasts" not in [one.id for one in figures(charts_tasks.estimated())]
