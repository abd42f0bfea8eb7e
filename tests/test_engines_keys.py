"""The cells of scores: order is kept, and no key lies outside what is known."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.engines.score_bins import EDGES, LEAST, SIZE, UNIT, bin_keys, coarse

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def keys(scores: list[float]) -> list[int]:
    return bin_keys(pl.Series(scores, dtype=pl.Float64)).to_list()


@given(st.lists(FINITE | st.floats(0, 1), min_size=2, max_size=50))
def test_a_higher_score_never_has_a_lower_key(scores):
    ordered = sorted(scores)

    ordered_keys = keys(ordered)

    assert ordered_keys == sorted(ordered_keys)


@given(st.lists(FINITE, min_size=1, max_size=50))
def test_every_key_is_one_of_those_that_are_known(scores):
    assert all(LEAST <= key < LEAST + SIZE for key in keys(scores))


def test_keys_do_not_depend_on_the_other_scores():
    scores = np.random.default_rng(0).normal(size=100_000)

    assert keys(scores) == [key for part in np.split(scores, 8) for key in keys(part)]


@pytest.mark.parametrize("edge", EDGES)
def test_no_cell_crosses_an_edge_of_a_calibration_bin(edge):
    below, at = keys([float(np.nextafter(edge, 0)), edge])

    assert below < at


def test_the_unit_interval_has_at_most_65536_cells_and_both_zeros_share_one():
    low, minus, high = keys([0.0, -0.0, 1.0])

    assert low == minus
    assert high // 2 - low // 2 <= UNIT == 2**16


def test_a_larger_cell_holds_whole_cells():
    key = bin_keys(pl.Series(np.linspace(-3, 3, 5001)))

    table = pl.DataFrame({"k": key}).with_columns(c=coarse(pl.col("k"), 5))

    assert table.group_by("k").agg(pl.col("c").n_unique())["c"].max() == 1
    assert table["c"].is_sorted()


@pytest.mark.parametrize("scale", [1e5, 1e6, 1e9])
def test_large_scores_keep_cells_of_their_own(scale):
    scores = np.exp(np.random.default_rng(1).normal(size=2000)) * scale / 100

    assert len(set(keys([*map(float, scores)]))) > 1500
    assert len(set(keys([*map(float, -scores)]))) > 1500
