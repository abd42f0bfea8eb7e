"""Slices of rows in groups: one is small where few of its groups have a class."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.measuring.slices import of_rows


def rows(groups: int, size: int, positive_groups: int) -> pl.DataFrame:
    """As many groups of one site, of which some are positive."""
    code = np.repeat(np.arange(groups), size)
    return pl.DataFrame({"slice:site": "A", "group": code, "truth": code < positive_groups})


@pytest.mark.parametrize(
    ("groups", "positive", "small"),
    [(12, 6, False), (12, 4, True), (12, 8, True), (30, 5, False), (3, 1, True)],
)
def test_a_slice_is_small_where_few_of_its_groups_have_a_class(groups, positive, small):
    frame = rows(groups, 60, positive)
    (grouped,) = of_rows(frame, [("site",)], binary=True).to_dicts()
    (alone,) = of_rows(frame.drop("group"), [("site",)], binary=True).to_dicts()
    assert (grouped["rows"], grouped["positives"]) == (60.0 * groups, 60.0 * positive)
    assert grouped["small"] == small
    assert not alone["small"]


@pytest.mark.parametrize("groups", [1, 3])
def test_a_slice_whose_groups_all_have_both_classes_is_not_small(groups):
    truth = pl.Series("truth", [True, False] * 30 * groups)
    frame = rows(groups, 60, groups).with_columns(truth)
    (grouped,) = of_rows(frame, [("site",)], binary=True).to_dicts()
    assert not grouped["small"]


def test_without_two_classes_rows_alone_are_counted():
    (few,), (many,) = (
        of_rows(rows(n, 10, 0).drop("truth"), [("site",)], binary=False).to_dicts() for n in (2, 3)
    )
    assert (few["small"], many["small"]) == (True, False)
