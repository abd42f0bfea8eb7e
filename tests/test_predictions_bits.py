"""What the bits of a column tell is what its values are."""

import itertools
import math

import polars as pl
import pytest

from reportgen.predictions import binary_labels, checks
from reportgen.predictions.checks import scan_floats

VALUES = [0.0, -0.0, 0.5, 1e308, 5e-324, -5e-324, -1e308, math.inf, -math.inf, math.nan, -math.nan]


@pytest.mark.parametrize("block", [1, 2, 2**16])
def test_signs_and_what_is_not_finite_are_seen_among_others(block, monkeypatch):
    monkeypatch.setattr(checks, "BLOCK", block)
    for row in itertools.product(VALUES, repeat=3):
        scan = scan_floats(pl.concat([pl.Series(row[:1]), pl.Series(row[1:])], rechunk=False))
        assert scan is not None
        assert scan.finite == all(map(math.isfinite, row)), row
        assert scan.minus_zero == any(v == 0 and math.copysign(1, v) < 0 for v in row), row
        if scan.unsigned:
            assert all(v >= 0 for v in row), row
        else:
            assert not scan.finite or any(math.copysign(1, v) < 0 for v in row), row


def test_nothing_is_known_of_other_columns_or_with_nulls():
    assert scan_floats(pl.Series([1, 2])) is None
    assert scan_floats(pl.Series([1.0, None])) is None
    assert scan_floats(pl.Series([], dtype=pl.Float64)) is not None


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        ([], {}),
        ([None], {}),
        ([True, None, True], {"true": 2}),
        ([1, 0, 1, None], {"1": 2, "0": 1}),
        ([1.0, 0.0, -0.0, 0.5], {"0": 2, "0.5": 1, "1": 1}),
        ([1.0, -0.0, 0.0], {"0": 2, "1": 1}),
        (["b", "a", "b", "c", None], {"b": 2, "a": 1, "c": 1}),
        (["b", None, "a", "a"], {"a": 2, "b": 1}),
    ],
)
def test_labels_are_counted_alike_whether_there_are_two_or_more(values, counts):
    assert binary_labels.counts(pl.Series("y", values)) == counts
    assert list(binary_labels.counts(pl.Series("y", values))) == list(counts)
