"""Diebold and Mariano's test of rows in order of time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from reportgen.comparisons import Question, diebold_mariano
from reportgen.resources import EXAMPLES
from reportgen.results import evaluate

FOLDER = Path(__file__).parent / "reference"
KNOWN = json.loads((FOLDER / "diebold_mariano.json").read_text(encoding="utf-8"))["tests"]
QUESTION = Question(("first", "second"), "mean_squared_error")


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return pl.read_csv(EXAMPLES / "diabetes" / "predictions.csv")


def losses(rows: pl.DataFrame) -> pl.DataFrame:
    truth = pl.col("progression")
    return rows.select(first=(truth - pl.col("ridge")) ** 2, second=(truth - pl.col("forest")) ** 2)


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: str(known["horizon"]))
def test_statistic_and_p_are_those_of_other_programs(rows, known):
    found = diebold_mariano(losses(rows), QUESTION, horizon=known["horizon"])

    assert found.statistic == pytest.approx(known["statistic"], rel=1e-9)
    assert found.p_value == pytest.approx(known["p_value"], rel=1e-9)


def test_one_step_ahead_is_the_paired_t_test(rows):
    found = diebold_mariano(losses(rows), QUESTION, horizon=1)
    gaps = losses(rows).select(pl.col("first") - pl.col("second")).to_series()

    assert found.estimate == pytest.approx(gaps.mean())
    assert found.statistic == pytest.approx(gaps.mean() / (gaps.std() / len(gaps) ** 0.5))


@pytest.mark.parametrize(
    ("first", "second", "horizon", "reason"),
    [
        ([1.0, 2.0], [0.0, 1.0], None, "fewer than three"),
        ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], None, "are all 0"),
        ([1.0, 2.0, 3.0], [0.0, 1.0, 2.0], None, "do not vary"),
        ([1.0, 2.0, 0.0, 5.0], [0.0, 0.0, 0.0, 0.0], 4, "horizon"),
        ([1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], 2, "0 or less"),
    ],
)
def test_what_has_no_value_says_why(first, second, horizon, reason):
    frame = pl.DataFrame({"first": first, "second": second})
    found = diebold_mariano(frame, QUESTION, horizon=horizon)

    assert found.p_value is None
    assert reason in found.undefined


def spec(**more: object) -> dict[str, object]:
    return {
        "data": "unused.csv",
        "truth": "progression",
        "models": {"ridge": {"estimate": "ridge"}, "forest": {"estimate": "forest"}},
        **more,
    }


def test_a_column_of_time_makes_it_the_recommended_test(rows):
    timed = rows.with_columns(day=pl.int_range(pl.len())).sample(fraction=1, shuffle=True, seed=3)
    results = evaluate(spec(columns={"time": "day"}, comparisons={"horizon": 3}), timed)
    made = {row["comparison"]: row for row in results.comparisons.to_dicts()}
    known = next(k for k in KNOWN if k["horizon"] == 3)

    assert made["diebold_mariano"]["standing"] == "recommended"
    assert made["diebold_mariano"]["p_value"] == pytest.approx(known["p_value"], rel=1e-9)
    assert made["paired_t"]["standing"] == "avoid"
    assert "in time order" in made["paired_t"]["why"]


def test_dates_are_in_order_whatever_the_order_of_the_rows(rows):
    days = pl.date_range(
        pl.date(2024, 1, 1), pl.date(2024, 1, 1) + pl.duration(days=441), eager=True
    )
    timed = rows.with_columns(day=days)
    declared = spec(columns={"time": "day"})
    there = evaluate(declared, timed).comparisons.filter(comparison="diebold_mariano")
    back = evaluate(declared, timed.reverse()).comparisons.filter(comparison="diebold_mariano")
    known = next(k for k in KNOWN if k["horizon"] is None)

    assert there["p_value"].item() == pytest.approx(known["p_value"], rel=1e-9)
    assert back["p_value"].item() == pytest.approx(known["p_value"], rel=1e-9)


def test_decisions_of_two_classes_are_compared_over_time_in_accuracy():
    random = np.random.default_rng(2)
    truth = random.random(300) < 0.5
    frame = pl.DataFrame(
        {
            "truth": truth,
            "p": np.clip(truth * 0.4 + random.random(300) * 0.6, 0, 1),
            "q": random.random(300),
            "week": np.arange(300) // 5,
        }
    )
    models = {"good": {"score": "p"}, "chance": {"score": "q"}}
    declared = {"data": "unused", "truth": "truth", "models": models, "columns": {"time": "week"}}
    made = evaluate({**declared, "baseline": "chance"}, frame).comparisons
    found = made.filter(comparison="diebold_mariano").row(0, named=True)

    assert found["df"] == 59
    assert found["better"] == "good"
    assert found["estimate"] > 0
    assert made.filter(comparison="mcnemar")["standing"].item() == "avoid"


@pytest.mark.slow
@pytest.mark.parametrize("depends", [0.0, 0.5])
def test_it_holds_its_level_where_losses_depend_on_those_before(depends):
    """Of 2,000 true nulls of 400 rows about 5 in 100 are rejected, and far more by paired t."""
    random = np.random.default_rng(8)
    noise = random.normal(size=(2000, 400))
    gaps = noise.copy()
    for step in range(1, 400):
        gaps[:, step] = depends * gaps[:, step - 1] + noise[:, step]
    naive = rejected = 0
    for row in gaps:
        frame = pl.DataFrame({"first": row, "second": np.zeros(400)})
        rejected += (diebold_mariano(frame, QUESTION).p_value or 1) < 0.05
        naive += (diebold_mariano(frame, QUESTION, horizon=1).p_value or 1) < 0.05
    assert 0.035 <= rejected / 2000 <= 0.09
    if depends:
        assert naive / 2000 > 0.2
