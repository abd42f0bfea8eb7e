"""Expressions as functions of arrays: what Polars gives, to the last digit."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from reportgen.array_functions import FEW_ROWS, ArrayFunctions
from reportgen.metric_names import CELLS
from reportgen.metrics import METRICS
from reportgen.metrics.registry import some
from reportgen.small_queries import selected

LEFT_TO_POLARS = {"sensitivity_index"}

OF_COUNTS = {
    name: metric.expression(false_negative=3.0, false_positive=1.5)
    for name, metric in METRICS.items()
    if metric.on == "counts"
}

A, B = some(pl.col("a")), some(pl.col("b"))

PARTIAL = {
    "and": pl.when((A > 1) & (B > 1)).then(1.0).otherwise(2.0),
    "null and": pl.when(~((A > 1) & (B > 1))).then(1.0).otherwise(2.0),
    "greatest": pl.max_horizontal(A, B),
    "least": pl.min_horizontal(A, pl.col("b")),
    "sum": pl.sum_horizontal(A, B, pl.col("a")),
    "clipped": A.clip(1, 2),
    "at least": B.clip(1),
    "no more than": A.clip(upper_bound=2),
    "equal": pl.when(A == B).then(A),
    "or": pl.when((A < 1) | (B <= 1)).then(1.0).otherwise(2.0),
    "null or": pl.when(~((A < 1) | (B <= 1))).then(1.0).otherwise(2.0),
    "null": pl.when(A.is_null()).then(B.is_not_null().cast(pl.Float64)).otherwise(A),
    "finite": pl.when(A.is_finite()).then((-A).exp()).otherwise(B.exp()),
    "at most": pl.when(A >= B).then(B).otherwise(A.log() - B.sqrt()),
    "cube": (1 + A * 0.37) ** 3,
    "by a constant": (A * 0.37 + B) / 3,
    "inverse tangent": (A.clip(-1, 1) * 0.7).arctanh(),
}


def identical(functions: dict[str, pl.Expr], columns: tuple[str, ...], rows: np.ndarray) -> None:
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    expected = selected(frame, functions).cast(pl.Float64).to_numpy()
    assert (
        ArrayFunctions(functions, columns)(rows).tobytes()
        == np.ascontiguousarray(np.where(np.isnan(expected), np.nan, expected)).tobytes()
    )


@pytest.mark.parametrize("most", [3, 400])
def test_measures_of_counts_are_what_their_expressions_give(most):
    rows = np.random.default_rng(0).integers(0, most, (600, 4)).astype(float)
    identical(OF_COUNTS, CELLS, rows)
    identical(OF_COUNTS, CELLS, rows + 0.37)


def test_only_named_measures_of_counts_are_left_to_polars():
    assert ArrayFunctions(OF_COUNTS, CELLS).left_to_polars == LEFT_TO_POLARS


def test_nulls_and_fields_of_a_frame_are_read_and_infinity_is_left_to_polars():
    frame = pl.DataFrame(
        {"a": [1, None, 3], "of": [{"low": 0.5}, {"low": None}, None]},
        schema={"a": pl.UInt32, "of": pl.Struct({"low": pl.Float64})},
    )
    low = pl.col("of").struct.field("low")
    functions = {
        "sum": pl.col("a").cast(pl.Float64) + low,
        "least": low.clip(0.6, math.inf),
        "number": pl.lit(0.5),
    }
    arrays = ArrayFunctions(functions, ("a", "of.low"))

    assert arrays.left_to_polars == {"least"}
    for _ in ("by Polars", "by arrays"):
        assert arrays.of_frame(frame) == {
            "sum": [1.5, None, None],
            "least": [0.6, None, None],
            "number": [0.5, 0.5, 0.5],
        }
    many = frame.sample(FEW_ROWS + 1, with_replacement=True, seed=0)
    expected = many.select(**functions).to_dict(as_series=False)
    assert arrays.of_frame(many) == expected


@pytest.mark.parametrize("name", PARTIAL)
def test_null_and_nan_are_what_they_are_in_polars(name):
    values = [-1.0, -0.0, 0.0, 1.0, 1.5, 2.0, 3.0, np.inf, np.nan]
    rows = np.array([(a, b) for a in values for b in values])
    functions = {name: PARTIAL[name]}
    assert not ArrayFunctions(functions, ("a", "b")).left_to_polars
    identical(functions, ("a", "b"), rows)


def test_each_function_has_rows_of_its_own():
    rows = np.random.default_rng(1).integers(0, 9, (len(OF_COUNTS), 5, 4)).astype(float)
    functions = ArrayFunctions(OF_COUNTS, CELLS)
    expected = [functions(of_one)[:, k] for k, of_one in enumerate(rows)]
    assert np.array_equal(functions.each(rows), expected, equal_nan=True)
