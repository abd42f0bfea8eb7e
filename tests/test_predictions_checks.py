"""The compiled checks say what pandera says, in one pass."""

from __future__ import annotations

import math

import pandera.errors
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.predictions import checks
from reportgen.predictions.input_tables import (
    TABLES,
    BinaryPredictions,
    ClassPredictions,
    EstimatePredictions,
)
from reportgen.predictions.required_columns import RequiredColumn
from reportgen.predictions.source import Source
from reportgen.tables import checked
from tests.quick import HALF

NUMBERS = st.one_of(
    st.none(),
    st.sampled_from(
        [
            math.nan,
            math.inf,
            -math.inf,
            -0.0,
            0.0,
            -1.0,
            1.0,
            5e-324,
            1e-30,
            1e30,
            1.1e30,
            -1e60,
            1.1e60,
            1.7e308,
        ]
    ),
    st.floats(),
)
ROWS = st.lists(
    st.tuples(
        st.sampled_from([True, False, None]),
        NUMBERS,
        NUMBERS,
        st.sampled_from(["train", "validation", "test", "dev", "", None]),
        st.sampled_from(["x", None]),
    ),
    min_size=1,
    max_size=8,
)


def problems_of(frame: pl.DataFrame, table=BinaryPredictions):
    """Return the problems of a frame under canonical names."""
    columns = [RequiredColumn(name, name, "text", (name,)) for name in frame.columns]
    return checks.problems(frame, columns, Source(("f",), (frame.height,)), table)[0]


def refused(frame: pl.DataFrame, table=BinaryPredictions) -> bool:
    """Whether pandera itself refuses the frame."""
    try:
        table.validate(frame, lazy=True)
    except pandera.errors.SchemaErrors:
        return True
    return False


@HALF
@given(ROWS)
def test_compiled_checks_refuse_what_pandera_refuses(rows):
    frame = pl.DataFrame(
        rows,
        schema={
            "truth": pl.Boolean,
            "weight": pl.Float64,
            "score:12": pl.Float64,
            "role": pl.String,
            "fold": pl.String,
        },
        orient="row",
    )

    assert bool(problems_of(frame)) == refused(frame)


@pytest.mark.parametrize(
    ("weight", "fine"),
    [
        *((w, True) for w in (0.0, -0.0, 1e-30, 1.0, 1e30)),
        *((w, False) for w in (5e-324, 1e-80, 0.9e-30, 1.1e30, 1e300, math.nan, -1.0)),
        *((w, False) for w in (math.inf, -math.inf)),
    ],
)
def test_a_weight_is_0_or_of_a_size_whose_sums_can_be_multiplied(weight, fine):
    frame = pl.DataFrame({"truth": [True, False], "weight": [1.0, weight]})
    problems = problems_of(frame)

    assert len(problems) == (not fine)
    assert refused(frame) == (not fine)


@HALF
@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=5))
def test_compiled_checks_of_numbers_refuse_what_pandera_refuses(rows):
    schema = dict.fromkeys(["truth", "estimate:0", "low:11"], pl.Float64)
    frame = pl.DataFrame(rows, schema=schema, orient="row")

    assert bool(problems_of(frame, EstimatePredictions)) == refused(frame, EstimatePredictions)


@settings(deadline=None)  # pandera is slow the first time
@given(st.lists(st.tuples(st.integers(0, 3) | st.none(), NUMBERS), min_size=1, max_size=5))
def test_compiled_checks_of_classes_refuse_what_pandera_refuses(rows):
    schema = {"truth": pl.UInt16, "score:2:31": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")

    assert bool(problems_of(frame, ClassPredictions)) == refused(frame, ClassPredictions)


@pytest.mark.parametrize("table", TABLES.values())
def test_every_declared_column_is_compiled(table):
    declared = table.to_schema().columns
    names = {name: name.strip("^$").replace(r"\d+", "3").replace(".+", "site") for name in declared}

    for pattern, name in names.items():
        expected = (not declared[pattern].nullable) + len(declared[pattern].checks)
        compiled = len(checks.rules([name], table))
        assert compiled >= min(expected, 1), name


def test_an_unknown_kind_of_check_is_not_passed_over(monkeypatch):
    monkeypatch.delitem(checked.BREAKS, "isin")

    with pytest.raises(KeyError, match="isin"):
        checks.rules(["role"])


def test_columns_with_a_negative_zero_are_named():
    frame = pl.DataFrame({"score:0": [0.0, 1.0], "score:1": [-0.0, 1.0]})
    columns = [RequiredColumn(name, name, "number", (name,)) for name in frame.columns]

    assert checks.problems(frame, columns, Source(("f",), (2,)))[1] == ["score:1"]
