"""Page one says where the squared errors of a model are nearly those of one row."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.measuring.no_interval import OF_LARGE_ERRORS
from reportgen.results import evaluate
from reportgen.sections import lookup
from reportgen.sections.gates import gates_table
from reportgen.sections.metric_table import OF_CAVEATS, tables
from tests.quick import QUICK


@pytest.mark.parametrize(
    ("error", "share"),
    [(13.0, None), (15.0, "53\N{NO-BREAK SPACE}%"), (1e50, "> 99\N{NO-BREAK SPACE}%")],
)
def test_one_row_with_most_of_the_squared_errors_is_named(error, share):
    """The other rows have a sum of 200."""
    truth = np.arange(201.0)
    frame = pl.DataFrame({"y": truth, "a": truth + 1, "b": truth - 1})
    frame = frame.with_columns(a=pl.when(pl.col("y") == 0).then(error).otherwise("a"))
    models = {name: {"estimate": name} for name in ("a", "b")}
    spec = {"truth": "y", "models": models, **QUICK}
    caveats = {c.code: c.text for c in evaluate(spec, frame).decision.caveats}

    expected = f"One row has {share} of the squared errors of a: MSE and R² rest on it "
    assert caveats.get("one_error") == (share and f"{expected}and have no intervals.")


def test_one_row_that_carries_the_errors_of_two_models_is_named_once():
    truth = np.arange(201.0)
    frame = pl.DataFrame({"y": truth, "a": truth + 1, "b": truth - 1})
    frame = frame.with_columns(a=pl.when(pl.col("y") == 0).then(20.0).otherwise("a"))
    frame = frame.with_columns(b=pl.when(pl.col("y") == 0).then(-21.0).otherwise("b"))
    spec = {"truth": "y", "models": {n: {"estimate": n} for n in "ab"}, **QUICK}
    texts = [c.text for c in evaluate(spec, frame).decision.caveats if c.code == "one_error"]
    assert len(texts) == 1
    assert texts[0].startswith("One row has 67 to 69\N{NO-BREAK SPACE}% of the squared errors of ")
    assert "each of " in texts[0]


def test_numbers_that_rest_on_one_row_have_no_limits_and_say_why():
    """One row of a has more than half of the squared errors, in one slice too; none of b has."""
    truth = np.arange(201.0)
    frame = pl.DataFrame(
        {"y": truth, "a": truth + np.sin(truth), "b": truth - np.cos(truth), "s": truth % 2 > 0}
    )
    frame = frame.with_columns(a=pl.when(pl.col("y") == 0).then(20.0).otherwise("a"))
    spec = {"truth": "y", "models": {name: {"estimate": name} for name in "ab"}, "slices": ["s"]}
    metrics = evaluate({**spec, **QUICK}, frame).metrics

    of_squares = metrics.filter(
        pl.col("metric").is_in(["mean_squared_error", "root_mean_squared_error", "r2"])
    )
    without = of_squares.filter(pl.col("low").is_null())
    parts = set(without.select("model", "slice").iter_rows())
    assert parts == {("a", None), ("a", "s = false")}
    assert set(without["no_interval"]) == {
        "one row has more than half of the squared errors, so no limits can be trusted"
    }
    of_a = metrics.filter(pl.col("slice").is_null(), model="a", metric="mean_absolute_error")
    assert of_a["low"].item() is not None


@pytest.mark.parametrize(("error", "text"), [(8.0, None), (11.0, "2 rows have 5")])
def test_a_few_rows_with_most_of_the_squared_errors_are_counted(error, text):
    """Neither has half of them; the other rows have a sum of 199."""
    truth = np.arange(201.0)
    frame = pl.DataFrame({"y": truth, "a": truth + 1, "b": truth - 1})
    far = [pl.when(pl.col("y") < 2).then(pl.col("y") + error).otherwise(m).alias(m) for m in "ab"]
    models = {name: {"estimate": name} for name in ("a", "b")}
    spec = {"truth": "y", "models": models, **QUICK}
    results = evaluate(spec, frame.with_columns(far))
    caveats = {c.code: c.text for c in results.decision.caveats}

    said = caveats.get("few_errors")
    assert (said and said.startswith(text)) if text else said is None
    if said:
        assert " of the squared errors of each of a and b: MSE, R² and their intervals " in said


def test_models_of_which_other_rows_have_most_of_the_squared_errors_share_a_sentence():
    truth = np.arange(201.0)
    a, b = truth + 1, truth - 1
    a[:2], b[:3] = truth[:2] + 11, truth[:3] + 9
    models = {name: {"estimate": name} for name in ("a", "b")}
    results = evaluate(
        {"truth": "y", "models": models, **QUICK}, pl.DataFrame({"y": truth, "a": a, "b": b})
    )

    (said,) = [c for c in results.decision.caveats if c.code == "few_errors"]
    assert said.text.startswith(
        "2 to 3 rows have 55\xa0% of the squared errors of each of a and b:"
    )
    assert set(said.models) == {"a", "b"}


def test_a_gate_carries_what_is_said_of_its_own_model():
    truth = np.arange(201.0)
    frame = pl.DataFrame({"y": truth, "a": truth + 1, "b": truth - 1})
    frame = frame.with_columns(a=pl.when(pl.col("y") < 2).then(pl.col("y") + 11).otherwise("a"))
    gates = [f"{name}.r2 >= 0.5" for name in "ab"]
    spec = {"truth": "y", "models": {n: {"estimate": n} for n in "ab"}, "gates": gates, **QUICK}
    [note] = [n for n in gates_table(evaluate(spec, frame)).notes if "squared errors" in str(n)]

    assert str(note).startswith("a.r2 >= 0.5: 2 rows have 5")


@pytest.mark.parametrize(("rows", "share"), [(100, "3"), (300, "1.0"), (999, "0.3"), (1000, None)])
def test_rows_that_may_lack_far_larger_errors_are_a_caveat_of_mean_squares(rows, share):
    truth = np.arange(float(rows))
    frame = pl.DataFrame({"y": truth, "a": truth + np.sin(truth)})
    spec = {"truth": "y", "models": {"a": {"estimate": "a"}}, **QUICK}
    caveats = {c.code: c.text for c in evaluate(spec, frame).decision.caveats}

    assert ("unseen_errors" in caveats) is (share is not None)
    if share:
        space = "\N{NO-BREAK SPACE}"
        text = (
            f"If fewer than {share}{space}% of all rows have far larger errors, these {rows} rows "
        )
        assert text in caveats["unseen_errors"]


SQUARES = ("mean_squared_error", "root_mean_squared_error", "r2")


def _results(rows, **more):
    truth = np.arange(float(rows))
    frame = pl.DataFrame({"y": truth, "a": truth + np.sin(truth), "site": ["n", "s"] * (rows // 2)})
    spec = {"truth": "y", "models": {"a": {"estimate": "a"}}, **QUICK}
    return evaluate({**spec, **more}, frame)


def test_numbers_and_gates_of_mean_squares_carry_what_page_one_says_of_them():
    gates = ["a.mean_squared_error <= 2", "a.mean_absolute_error <= 2"]
    results = _results(100, gates=gates)
    [caveat] = results.decision.about("r2")
    assert caveat.code == "unseen_errors"
    assert caveat.measures == OF_LARGE_ERRORS
    assert results.decision.about("mean_absolute_error") == ()

    said = lookup.clean(caveat.text)
    assert f"a.mean_squared_error <= 2: {said}" in gates_table(results).notes
    shown = [(name, None) for name in (*SQUARES, "mean_absolute_error")]
    [table] = tables(results, shown, id="errors", caption="Errors")
    [short] = [
        note for note in table.notes if getattr(note, "text", None) == OF_CAVEATS[caveat.code]
    ]
    mark = short.mark
    marks = [row.cells["measure"].note.split(", ") for row in table.rows]
    assert [mark in of_row for of_row in marks] == [True, True, True, False]


def test_gates_on_mean_squares_of_small_slices_have_a_caveat_of_their_own():
    """All rows are enough, those of a slice are not."""
    gates = ["a.mean_squared_error by site <= 2"]
    results = _results(1200, slices=["site"], gates=gates)
    assert [c.code for c in results.decision.about("mean_squared_error")] == [
        "unseen_errors_of_slices"
    ]
    assert any("Slices of fewer than 1,000 rows" in str(n) for n in gates_table(results).notes)
    assert not _results(1200, slices=["site"]).decision.about("mean_squared_error")
    assert not _results(2000, slices=["site"], gates=gates).decision.about("mean_squared_error")
