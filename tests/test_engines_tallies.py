"""Rows that are counted in places, and keys in one number: the same as by groups of columns."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.engines import tallies
from reportgen.engines.packed_keys import PackedKeys
from reportgen.engines.partial import to_fixed_point
from reportgen.engines.tallies import Tally

SCORES = st.floats(-2, 2) | st.floats(0, 1) | st.sampled_from([0.0, 1.0, 2.0**-64, 5e-324, 0.1])
TEXTS = st.sampled_from(["", "B", "a", "ä", "true"])
ROWS = st.tuples(TEXTS, st.integers(-3, 3), st.booleans(), SCORES)


def totals(rows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """The totals by Polars alone, without keys in one number and without places."""
    score = pl.col("score")
    return (
        rows.group_by(keys)
        .agg(
            pl.len().alias("rows"),
            low=score.min(),
            high=score.max(),
            scores=to_fixed_point(score.clip(0, 1)).sum(),
        )
        .sort(keys)
    )


@given(st.lists(ROWS, min_size=1, max_size=60))
@pytest.mark.parametrize("places", [True, False])
def test_totals_by_places_are_those_of_groups(places, drawn):
    rows = pl.DataFrame(drawn, schema=["text", "number", "flag", "score"], orient="row")
    rows = rows.with_columns(
        pl.when(pl.col("score") == 0).then(0.0).otherwise("score").alias("score")
    )
    keys = ["text", "number", "flag"]
    with pytest.MonkeyPatch.context() as patch:
        if not places:
            patch.setattr(tallies, "_MOST_ROWS", 0)

        table = Tally(score="score").by(rows, rows.select(keys)).sort(keys)

    assert table.select(*keys, "rows", "low", "high", "scores").rows() == totals(rows, keys).rows()


@pytest.mark.parametrize("weighted", [False, True])
def test_weights_are_added_up_with_the_rows(weighted):
    rows = pl.DataFrame({"score": [0.5, 0.25, 1.0], "value": [2.0, 0.5, 1.0]}).with_columns(
        to_fixed_point(pl.col("value")).alias("weight"),
        to_fixed_point(pl.col("value") ** 2).alias("weight2"),
    )
    keys = pl.DataFrame({"k": [1, 1, 2]})

    table = Tally(weighted, "score").by(rows, keys).sort("k")

    expected = [1.125, 1.0] if weighted else [0.75, 1.0]
    assert [n / 2**64 for n in table["scores"]] == expected
    assert ("weight" in table.columns) == weighted
    if weighted:
        assert [n / 2**64 for n in table["weight2"]] == [4.25, 1.0]


@pytest.mark.parametrize(
    ("value", "whole"), [(1 - 2.0**-53, 2**64 - 2**11), (2.0**-65, 0), (7 * 2.0**-65, 3)]
)
def test_sums_of_many_scores_lose_no_digit_but_those_below_the_unit(value, whole):
    score = np.full(2**17, value)
    rows = pl.DataFrame({"score": score})

    table = Tally(score="score").by(rows, pl.DataFrame({"k": np.zeros(len(score), np.int64)}))

    assert table["scores"].to_list() == [2**17 * whole]


@given(st.lists(st.tuples(TEXTS, st.integers(2**62, 2**62 + 5), st.integers(-9, 9)), min_size=1))
def test_packed_keys_have_the_order_of_their_columns(drawn):
    rows = pl.DataFrame(
        drawn, schema={"text": pl.String, "id": pl.Int64, "number": pl.Int8}, orient="row"
    )

    packed = PackedKeys.of(rows)

    assert packed is not None
    by_code = rows.with_columns(packed.codes).sort(packed.codes.name)
    assert by_code.select(rows.columns).equals(rows.sort(rows.columns))
    assert packed.unpacked(packed.codes.to_frame()).equals(rows)


@pytest.mark.parametrize(
    "keys",
    [
        {"missing": ["a", None]},
        {"no whole number": [0.5, 1.0]},
        {"one": [0, 2**40], "other": [0, 2**40]},
        {"unsigned": pl.Series([2**64 - 1, 0], dtype=pl.UInt64)},
        {"none": pl.Series([], dtype=pl.Int64)},
    ],
)
def test_keys_that_are_not_packed_are_grouped(keys):
    frame = pl.DataFrame(keys)
    rows = pl.DataFrame({"score": [0.25] * frame.height}, schema={"score": pl.Float64})

    table = Tally(score="score").by(rows, frame)

    assert PackedKeys.of(frame) is None
    assert table["rows"].to_list() == [1] * frame.height
    assert table.select(frame.columns).sort(frame.columns).equals(frame.sort(frame.columns))
