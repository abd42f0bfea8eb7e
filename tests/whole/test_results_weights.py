"""Weighted rows, from the data to the results."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.errors import EmptyError
from reportgen.results import evaluate
from tests.breadth import breadth

SCORES = {"a": "s0", "b": "s1", "c": "s2"}
MODELS = {
    "binary": ("y", {"m": {"score": "s0"}}),
    "multiclass": ("of", {"m": {"scores": SCORES}}),
    "multilabel": ({"a": "t0", "b": "t1", "c": "t2"}, {"m": {"scores": SCORES}}),
    "regression": ("number", {"m": {"estimate": "s0", "low": "low", "high": "s1"}}),
}


def rows(seed: int) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    size = 40
    scores = random.dirichlet([1, 1, 1], size)
    return pl.DataFrame(
        {
            "y": random.integers(0, 2, size),
            "of": np.array(["a", "b", "c"])[random.integers(0, 3, size)],
            "number": random.gamma(2, 1, size).round(1),
            **{f"t{k}": random.integers(0, 2, size) for k in range(3)},
            **{f"s{k}": scores[:, k] for k in range(3)},
            "w": random.integers(0, 3, size),
            "site": np.array(["x", "y"])[random.integers(0, 2, size)],
            "patient": np.arange(size) // 2,
            "day": np.arange(size),
        }
    ).with_columns(low=pl.col("s1") - 1)


def numbers(task: str, frame: pl.DataFrame, **columns: str) -> pl.DataFrame:
    truth, models = MODELS[task]
    spec = {"data": "d.csv", "truth": truth, "models": models, "bootstrap": {"replicates": 0}}
    return evaluate(
        {**spec, "columns": {"weight": "w", **columns}, "slices": ["site"]}, frame
    ).metrics


@breadth("task", MODELS, ["binary", "multilabel"])
@breadth("seed", range(4), 1)
def test_a_row_of_weight_0_is_as_good_as_not_there(task, seed):
    frame = rows(seed)
    actual, expected = numbers(task, frame), numbers(task, frame.filter(pl.col("w") > 0))

    assert actual.equals(expected, null_equal=True)


OF_COUNTS = {
    *("n", "tp", "fp", "fn", "tn", "zero_one_loss", "total_cost", "chi_squared"),
    *("adjusted_rand", "krippendorff_alpha"),  # by numbers of pairs of rows
}


@breadth("task", MODELS, ["multiclass", "regression"])
@breadth("columns", [{}, {"group": "patient"}, {"time": "day"}], [{"group": "patient"}])
def test_limits_do_not_depend_on_the_unit_of_the_weights(task, columns):
    frame = rows(0).with_columns(w=pl.col("w") + 1)
    one, other = (
        numbers(task, frame.with_columns(pl.col("w") * unit), **columns).filter(
            ~pl.col("metric").is_in(OF_COUNTS)
        )
        for unit in (1.0, 1 / 64)
    )

    assert one["low"].count() > 10
    for column in ("value", "low", "high"):
        np.testing.assert_allclose(one[column], other[column], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("unit", [1.0, 0.1, 1e6])
def test_the_limit_of_the_no_information_rate_is_that_of_equal_classes_in_any_unit(unit):
    """Its kink is reached, not searched for, which ended elsewhere with each unit."""
    frame = rows(0).with_columns(w=(pl.col("w") + 1) * unit)
    rates = numbers("binary", frame).filter(metric="no_information_rate")

    np.testing.assert_allclose(rates["low"], 0.5, rtol=1e-12)


def test_rows_that_all_weigh_0_are_nothing_to_judge():
    frame = rows(0).with_columns(
        role=pl.Series(["test", "validation"] * 20), w=pl.Series([0, 1] * 20)
    )
    spec = {"data": "d.csv", "truth": "y", "models": {"m": {"score": "s0"}}}
    with pytest.raises(EmptyError, match="have weight 0"):
        evaluate({**spec, "columns": {"weight": "w", "role": "role"}}, frame)


def test_limits_of_differences_in_large_groups_do_not_depend_on_the_unit_of_the_weights():
    random = np.random.default_rng(3)
    truth = random.random(300) < 0.4
    frame = pl.DataFrame(
        {
            "y": truth.astype(int),
            "a": 0.6 * random.random(300) + 0.4 * truth,
            "b": 0.7 * random.random(300) + 0.3 * truth,
            "group": np.minimum(np.arange(300) // 10, 12),  # the last has 180 rows
            "w": random.random(300) + 0.5,
        }
    )
    spec = {
        "truth": "y",
        "positive": 1,
        "threshold": 0.5,
        "models": {"a": {"score": "a"}, "b": {"score": "b"}},
        "columns": {"group": "group", "weight": "w"},
        "comparisons": {"measures": ["f1"]},
        "bootstrap": {"replicates": 0},
    }
    one, other = (
        evaluate(spec, frame.with_columns(pl.col("w") * unit)).differences for unit in (1.0, 1 / 64)
    )
    assert one["low"].count() > 10
    for column in ("low", "high"):
        np.testing.assert_allclose(one[column], other[column], rtol=1e-9, atol=1e-12)
