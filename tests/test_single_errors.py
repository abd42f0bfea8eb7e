"""Page one says where the squared errors of a model are nearly those of one row."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import evaluate


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
    spec = {"truth": "y", "models": models, "bootstrap": {"replicates": 0}}
    caveats = {c.code: c.text for c in evaluate(spec, frame).decision.caveats}

    expected = f"One row has {share} of the squared errors of a: its MSE and R² and their "
    assert caveats.get("one_error") == (share and f"{expected}intervals rest on that row.")


@pytest.mark.parametrize(("error", "text"), [(8.0, None), (11.0, "2 rows have 55")])
def test_a_few_rows_with_most_of_the_squared_errors_are_counted(error, text):
    """Neither has half of them; the other rows have a sum of 199."""
    truth = np.arange(201.0)
    frame = pl.DataFrame({"y": truth, "a": truth + 1, "b": truth - 1})
    far = [pl.when(pl.col("y") < 2).then(pl.col("y") + error).otherwise(m).alias(m) for m in "ab"]
    models = {name: {"estimate": name} for name in ("a", "b")}
    spec = {"truth": "y", "models": models, "bootstrap": {"replicates": 0}}
    results = evaluate(spec, frame.with_columns(far))
    caveats = {c.code: c.text for c in results.decision.caveats}

    said = caveats.get("few_errors")
    assert (said and said.startswith(text)) if text else said is None
    if said:
        assert " or more of the squared errors of a and b: MSE, R² and their intervals " in said


@pytest.mark.parametrize(("rows", "shown"), [(100, True), (300, False)])
def test_rows_that_may_lack_far_larger_errors_are_a_caveat_of_mean_squares(rows, shown):
    truth = np.arange(float(rows))
    frame = pl.DataFrame({"y": truth, "a": truth + np.sin(truth)})
    spec = {"truth": "y", "models": {"a": {"estimate": "a"}}, "bootstrap": {"replicates": 0}}
    caveats = {c.code: c.text for c in evaluate(spec, frame).decision.caveats}

    assert ("unseen_errors" in caveats) is shown
    if shown:
        said = "fewer than 3\N{NO-BREAK SPACE}% of all rows have may be missing from 100 rows"
        assert said in caveats["unseen_errors"]
