"""The cells of scores: order is kept, and the fast way gives the same keys."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.engines.keys import EDGES, UNIT, coarse, keyed

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def keys(scores: list[float], *, unit: bool = False) -> list[int]:
    frame = pl.DataFrame({"s": scores}, schema={"s": pl.Float64})
    return frame.select(keyed("s", unit=unit)).to_series().to_list()


@given(st.lists(FINITE | st.floats(0, 1), min_size=2, max_size=50))
def test_a_higher_score_never_has_a_lower_key(scores):
    ordered = sorted(scores)

    found = keys(ordered)

    assert found == sorted(found)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_the_fast_way_gives_the_same_keys(scores):
    assert keys(scores, unit=True) == keys(scores)


@pytest.mark.parametrize("edge", EDGES)
def test_no_cell_crosses_an_edge_of_a_calibration_bin(edge):
    below, at = keys([float(np.nextafter(edge, 0)), edge])

    assert below < at


def test_the_unit_interval_has_at_most_65536_cells_and_both_zeros_share_one():
    low, minus, high = keys([0.0, -0.0, 1.0])

    assert low == minus
    assert high // 2 - low // 2 <= UNIT == 2**16


def test_a_larger_cell_holds_whole_cells():
    frame = pl.DataFrame({"s": np.linspace(-3, 3, 5001)})

    found = frame.select(k=keyed("s", unit=False)).with_columns(c=coarse(pl.col("k"), 5))

    assert found.group_by("k").agg(pl.col("c").n_unique())["c"].max() == 1
    assert found["c"].is_sorted()
