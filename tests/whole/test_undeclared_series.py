"""A column that tells the rows of each time point apart, and that the spec does not declare."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.results import Results
from tests.quick import QUICK
from tests.untranslated import untranslated


def panel(columns: dict[str, str], **more: object) -> Results:
    """Nine stores on each of 40 days, and a note on every row."""
    random = np.random.default_rng(6)
    frame = pl.DataFrame(
        {
            "y": random.normal(size=360),
            "a": random.normal(size=360),
            "day": np.repeat(np.arange(40), 9),
            "store": np.tile(list("abcdefghi"), 40),
            "note": [f"n {k}" for k in range(360)],
        }
    )
    models = {"a": {"estimate": "a"}}
    return evaluate({"truth": "y", "models": models, "columns": columns, **QUICK, **more}, frame)


def texts(results: Results) -> list[str]:
    return [one.text for one in results.decision.caveats if one.code == "undeclared_series"]


def test_the_column_is_named_with_what_to_declare():
    results = panel({"time": "day"})
    (text,) = texts(results)

    assert results.data["undeclared_series"] == {"column": "store", "values": 9}
    assert text.startswith("store is not declared, but distinguishes the rows at each time point")
    assert not untranslated(results)


@pytest.mark.parametrize(
    ("columns", "more"),
    [
        ({"time": "day", "group": "store"}, {}),
        ({"time": "day"}, {"slices": ["store"]}),
        ({}, {}),
    ],
    ids=["group", "slices", "no time"],
)
def test_nothing_is_said_where_it_is_declared_or_rows_have_no_time(columns, more):
    assert not texts(panel(columns, **more))
