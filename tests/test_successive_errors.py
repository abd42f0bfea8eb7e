"""Whether errors in order of time say something of those that follow."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.measuring.errors_by_row import successive_errors
from reportgen.resources import EXAMPLES
from reportgen.sections.estimate_errors import Errors
from reportgen.translation import translator
from reportgen.translation.names import names_of

REFERENCE = Path(__file__).parent / "reference" / "diebold_mariano.json"
OUTSIDE = json.loads(REFERENCE.read_text(encoding="utf-8"))["autocorrelations"]


def series(memory, points=300):
    random = np.random.default_rng(4)
    error = random.normal(0, 1, points)
    for point in range(1, points):
        error[point] += memory * error[point - 1]
    estimate = random.normal(10, 2, points)
    return pl.DataFrame({"y": estimate + error, "e": estimate, "day": range(points)})


def sentences(frame, **spec):
    columns = {"time": "day", **({"group": "store"} if "store" in frame.columns else {})}
    base = {"truth": "y", "models": {"naive": {"estimate": "e"}}, "columns": columns}
    results = reportgen.evaluate({**base, **spec}, frame)
    of_errors = Errors.from_results(results, []).sentences
    into = translator("zh", names_of(results.to_dict()))
    for text in of_errors:
        into.text(text, "li")
    assert not into.missing
    return of_errors


@pytest.mark.parametrize("case", OUTSIDE, ids=lambda case: str(case["lag"]))
def test_autocorrelations_are_those_of_statsmodels(case):
    rows = pl.read_csv(EXAMPLES / "diabetes" / "predictions.csv").with_row_index("point")
    rows = rows.rename({"progression": "truth"}).sample(fraction=1, shuffle=True, seed=1)

    assert successive_errors(rows, "ridge", case["lag"], 0.95)["value"] == pytest.approx(
        case["value"], rel=1e-9
    )


def test_errors_that_follow_each_other_are_said():
    (text,) = sentences(series(0.6))

    assert text.startswith("naive: errors one time point apart have a correlation of 0.5")
    assert text.endswith("(independent errors: within ±0.113): they help to predict later ones.")


def test_independent_errors_are_said_too():
    (text,) = sentences(series(0.0))

    assert text.endswith("as expected of independent errors.")


def test_forecasts_several_points_ahead_are_read_at_their_horizon():
    (text,) = sentences(series(0.6), comparisons={"horizon": 12})

    assert text.startswith("naive: errors 12 time points apart have a correlation of ")
    assert text.endswith("as expected of independent errors.")


def test_errors_of_one_group_do_not_follow_those_of_another():
    """Two stores, whose errors are independent in time, and of opposite sign."""
    first = series(0.0).with_columns(store=pl.lit("a"))
    second = first.with_columns(store=pl.lit("b"), y=2 * pl.col("e") - pl.col("y"))
    both = pl.concat([first, second]).sort("day")
    rows = both.select("store", truth="y", e="e", point="day").rename({"store": "group"})
    alone = rows.filter(pl.col("group") == "a").drop("group")

    errors, of_one = (successive_errors(frame, "e", 1, 0.95) for frame in (rows, alone))

    assert errors["pairs"] == 2 * of_one["pairs"]
    assert abs(errors["value"]) < errors["expected"]


@pytest.mark.parametrize(("points", "shift"), [(20, 0.0), (300, 0.25)])
def test_few_errors_and_constant_ones_say_nothing(points, shift):
    frame = series(0.5, points)
    if shift:
        frame = frame.with_columns(y=pl.col("e") + shift)

    assert sentences(frame) == ()
