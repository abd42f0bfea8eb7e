"""Orders and ranks from integers against NumPy's, SciPy's and Polars' own."""

import time

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

from reportgen import integer_sort
from reportgen.integer_sort import (
    distinct_and_places,
    in_order_of_rows,
    order_of,
    sort_integers,
)
from reportgen.metrics import REGISTRY
from reportgen.rank_orders import inversions, mean_ranks

NORMAL = np.random.default_rng(0).normal(size=3000)
VALUES = {
    "spread": NORMAL,
    "tied": NORMAL.round(1),
    "near each other": 1e9 + NORMAL * 1e-3,
    "of all sizes": NORMAL * 10.0 ** (100 * NORMAL),
    "near and far": np.append(1 + 2.0**-52 * np.arange(99)[::-1], [-1e300, 1e300]),
    "zeros": np.where(NORMAL > 0, 0.0, -0.0),
    "one": NORMAL[:1],
    "none": NORMAL[:0],
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES.keys())
def test_the_order_is_that_of_a_stable_argsort(values):
    """Also where leading bits are shared, and of both zeros."""
    assert order_of(values).tolist() == np.argsort(values, kind="stable").tolist()


@pytest.mark.parametrize("by_numpy", [True, False])
def test_integers_are_sorted_by_numpy_and_by_polars(monkeypatch, by_numpy):
    """Whichever is faster on a processor, and in pieces."""
    monkeypatch.setattr(integer_sort, "_numpy_is_faster", lambda: by_numpy)
    monkeypatch.setattr(integer_sort, "_AT_ONCE", 1000)
    monkeypatch.setattr(integer_sort, "_PIECE", 600)
    monkeypatch.setattr(integer_sort, "_FEW", 100)
    keys = np.random.default_rng(0).integers(0, 2**64, 2500, np.uint64, endpoint=False)
    expected = np.sort(keys).tolist()

    sort_integers(keys)

    assert keys.tolist() == expected


def test_the_faster_way_of_sorting_is_tried_once(monkeypatch):
    """A processor is asked by a clock, not by its name."""
    monkeypatch.setattr(integer_sort, "_sort_by_polars", lambda _: time.sleep(0.05))

    assert integer_sort._numpy_is_faster.__wrapped__()


@pytest.mark.parametrize("digits", [None, 0])
def test_rows_are_in_the_order_of_all_their_columns(digits):
    """By the first column, and by the others where it is tied."""
    frame = pl.DataFrame({"one": NORMAL, "same": 1.0, "other": NORMAL[::-1].copy()})
    frame = frame if digits is None else frame.with_columns(pl.col("one").round(digits))

    assert in_order_of_rows(frame).equals(frame.sort(frame.columns))
    assert in_order_of_rows(frame.sort(frame.columns)).equals(frame.sort(frame.columns))


@pytest.mark.parametrize("length", [0, 1, 32, 33, 1025, 3000])
def test_inversions_are_the_pairs_in_the_wrong_order(length):
    """Counted by one, two and three digits."""
    sequence = np.random.default_rng(length).permutation(length)
    pairs = int(np.triu(sequence[:, None] > sequence).sum())

    assert inversions(sequence) == pairs


@pytest.mark.parametrize("digits", [(None, None), (0, None), (None, 0), (0, 0)])
@pytest.mark.parametrize("ordered", [True, False])
def test_kendalls_tau_is_that_of_scipy_to_the_last_digit(digits, ordered):
    """With ties in either, in both and in none, in the order of the truth and in none."""
    truth, estimate = (
        values if d is None else values.round(d)
        for values, d in zip((NORMAL, NORMAL + NORMAL[::-1]), digits, strict=True)
    )
    frame = pl.DataFrame({"truth": truth, "estimate": estimate, "weight": 1.0})
    frame = frame.sort("truth", "estimate") if ordered else frame
    tau = frame.select(REGISTRY["regression"]["kendall_tau"].expression()).item()

    assert tau == kendalltau(truth, estimate).statistic


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES.keys())
def test_mean_ranks_are_those_of_polars(values):
    """Where values are tied they are halves."""
    assert mean_ranks(pl.Series(values)).equals(pl.Series(values).rank("average"))


@pytest.mark.parametrize(("rows", "most"), [(0, 1), (1, 1), (70_000, 9), (70_000, 2**45)])
def test_numbers_are_parted_as_by_numpy(rows, most):
    """Of more rows than are parted at once, and of numbers that leave no room for a place."""
    numbers = np.random.default_rng(0).integers(0, most, rows)
    numbers[:1] = most - 1
    for given in (numbers, numbers + 2**62):
        expected = np.unique(given, return_inverse=True)
        for found, wanted in zip(distinct_and_places(given), expected, strict=True):
            assert found.dtype == wanted.dtype
            assert np.array_equal(found, wanted)
