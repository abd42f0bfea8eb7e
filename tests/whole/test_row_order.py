"""Rows in an order that no column states: those that follow each other may have similar errors."""

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.predictions.file_order import in_order
from tests.breadth import sample_size
from tests.page_text import without_chinese
from tests.quick import QUICK
from tests.whole.test_undeclared_order import MODELS, series

SPEC = {**MODELS, **QUICK}


def seen(frame, **spec):
    results = evaluate({**SPEC, **spec}, frame)
    return [one["column"] for one in results.data.get("undeclared_groups", ())]


def test_a_win_that_the_order_of_the_rows_would_undo_is_no_conclusion(tmp_path):
    frame = series(2, 0.95).drop("day")
    results = evaluate(
        {**SPEC, "gates": ["a.mean_squared_error - b.mean_squared_error < 1"]}, frame
    )
    decision = results.decision
    [text] = [one.text for one in decision.caveats if one.code == "undeclared_groups"]
    [undone] = [one.text for one in decision.caveats if one.code == "undone_by_column"]

    assert decision.headline.endswith(
        "with blocks of consecutive rows as groups it would not reject"
    )
    assert text.startswith(
        "No column is declared as time, but rows that follow each other have similar errors. "
        "With 20 blocks of consecutive rows as groups, limits would be up to "
    )
    assert text.endswith(
        "If the rows are in order of time, declare a column of it as columns.time. If they are "
        "sorted by something else, add that column to the data."
    )
    assert not without_chinese(results, [decision.headline, text, undone])
    frame.write_csv(tmp_path / "data.csv")
    [first] = evaluate({**SPEC, "data": str(tmp_path / "data.csv")}).data["undeclared_groups"]
    assert (first["column"], first["of_order"]) == ("row order", True)


def test_rows_in_no_order_of_their_own_are_not_named():
    frame = series(2, 0.95).drop("day")

    assert seen(frame) == ["row order"]
    assert not seen(frame.sample(fraction=1, shuffle=True, seed=1))
    assert not seen(frame.sort("y"))
    assert not seen(frame.sort("a"))
    assert not seen(frame.with_columns(part=pl.int_range(pl.len()) // 100))
    assert not seen(frame.with_columns(size=pl.int_range(pl.len()).sqrt()))
    assert seen(frame.with_columns(row=pl.int_range(pl.len()))) == ["row order"]


def test_a_column_of_the_time_is_named_before_the_order():
    assert seen(series(2, 0.95))[0] == "day"
    assert not seen(series(2, 0.95), columns={"time": "day"})


def test_errors_of_the_size_of_the_truth_are_no_dependence_where_that_gives_the_order():
    """As of the largest firms, whose ranks order the file nearly by their values."""
    random = np.random.default_rng(4)
    truth = np.sort(random.lognormal(2, 1, 600))[::-1] * random.uniform(0.9, 1.1, 600)
    columns = {"y": truth} | {m: truth * np.exp(0.2 * random.normal(size=600)) for m in "ab"}

    assert not seen(pl.DataFrame(columns))


def test_independent_rows_are_seldom_taken_for_an_order():
    frames = (series(seed, 0.0).drop("day") for seed in range(sample_size(10, 200)))

    assert sum("row order" in seen(frame) for frame in frames) <= 1


def test_most_wins_by_chance_of_series_without_dates_are_undone():
    frames = [series(seed, 0.9).drop("day") for seed in range(sample_size(12, 200))]
    won = sum(evaluate(SPEC, frame).decision.relation == "ahead" for frame in frames)
    mixed = [frame.sample(fraction=1, shuffle=True, seed=1) for frame in frames]
    before = sum(evaluate(SPEC, frame).decision.relation == "ahead" for frame in mixed)

    assert before >= 0.4 * len(frames)
    assert won <= 0.17 * len(frames)


@pytest.mark.parametrize("rows", [39, 40])
def test_few_rows_have_no_periods(rows):
    values = pl.DataFrame({"y": np.random.default_rng(0).normal(size=rows)})

    assert (in_order(rows, values) is None) == (rows < 40)


def test_of_very_many_columns_none_is_read_for_the_order():
    frame = series(2, 0.95).drop("day")
    random = np.random.default_rng(1)
    more = {f"x{k}": random.normal(size=frame.height) for k in range(100)}

    assert not seen(frame.with_columns(**{k: pl.Series(v) for k, v in more.items()}))
