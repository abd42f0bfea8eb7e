"""Slices of rows in groups: groups are counted to say which are small, as they are independent."""

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
    [(12, 6, True), (29, 12, True), (30, 9, True), (30, 21, True), (30, 10, False)],
)
def test_a_slice_is_small_by_its_groups_and_those_with_each_class(groups, positive, small):
    frame = rows(groups, 5, positive)
    (grouped,) = of_rows(frame, [("site",)], binary=True).to_dicts()
    (alone,) = of_rows(frame.drop("group"), [("site",)], binary=True).to_dicts()
    assert (grouped["rows"], grouped["positives"]) == (5.0 * groups, 5.0 * positive)
    assert grouped["small"] == small
    assert not alone["small"]


def test_without_two_classes_the_groups_alone_are_counted():
    (few,), (many,) = (
        of_rows(rows(n, 10, 0).drop("truth"), [("site",)], binary=False).to_dicts()
        for n in (29, 30)
    )
    assert (few["small"], many["small"]) == (True, False)
