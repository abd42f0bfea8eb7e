"""A small table of predictions, ways to spoil it, and the problems that are then reported."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from reportgen import predictions
from reportgen import spec as specs
from reportgen.errors import DataError

SPEC = {
    "data": "d.csv",
    "truth": "y",
    "positive": "b",
    "models": {"m": {"score": "p"}},
}
TRUTH = ["a", "b"] * 10
SCORES = [i / 20 for i in range(20)]


def faults(base: Path | pl.DataFrame, **changes):
    """Read what must not be read, and return its problems."""
    in_memory = isinstance(base, pl.DataFrame)
    spec = specs.from_dict(SPEC | changes, Path() if in_memory else base)
    with pytest.raises(DataError) as caught:
        _ = predictions.from_frame(base, spec) if in_memory else predictions.read(spec)
    return list(caught.value.problems)


def frame(**columns) -> pl.DataFrame:
    """Return 20 good rows with some columns changed."""
    return pl.DataFrame({"y": TRUTH, "p": SCORES} | columns)


def changed(values, **places):
    """Return values with some of them changed: ``_3=x`` sets the third row of data."""
    rows = list(values)
    for row, value in places.items():
        rows[int(row.strip("_")) - 1] = value
    return rows
