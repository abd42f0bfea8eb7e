"""Rows counted by truth and by the decisions of two models."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import Groups

CELLS = tuple(product((True, False), repeat=3))
"""Truth, prediction of the first model, prediction of the second."""

CELLS_OF_CLASS = {
    truth: [k for k, cell in enumerate(CELLS) if cell[0] == truth] for truth in (True, False)
}
"""The places of the cells of each class."""


def joint_counts(
    frame: pl.DataFrame,
    first: pl.Expr | str,
    second: pl.Expr | str,
    *,
    truth: str = "truth",
    weight: str | None = None,
) -> pl.DataFrame:
    """Count the rows by truth and by the predictions of two models.

    All three are Boolean. Returns ``truth first second rows squares``, at most
    eight lines; ``rows`` are sums of weights where there are some, ``squares``
    those of squared weights. Rows with a null are not counted.

    >>> frame = pl.DataFrame({"truth": [True, True], "a": [True, True], "b": [False, True]})
    >>> joint_counts(frame, "a", "b").height
    2
    """
    decisions = [
        pl.col(prediction) if isinstance(prediction, str) else prediction
        for prediction in (first, second)
    ]
    mass = pl.lit(1.0) if weight is None else pl.col(weight).cast(pl.Float64)
    return (
        frame.lazy()
        .select(truth=pl.col(truth), first=decisions[0], second=decisions[1], mass=mass)
        .drop_nulls()
        .group_by("truth", "first", "second")
        .agg(rows=pl.col("mass").sum(), squares=(pl.col("mass") ** 2).sum())
        .sort("truth", "first", "second", descending=True)
        .collect(engine="in-memory")
    )


def joint_counts_by_group(
    frame: pl.DataFrame,
    first: pl.Expr | str,
    second: pl.Expr | str,
    groups: Groups,
    *,
    truth: str = "truth",
    weight: str | None = None,
) -> Floats:
    """The rows of each group by truth and by the predictions of two models: group × cell.

    The cells are those of ``joint_counts``, in the order of ``CELLS``.
    """
    decisions = [
        pl.col(prediction) if isinstance(prediction, str) else prediction
        for prediction in (first, second)
    ]
    parts = zip((pl.col(truth), *decisions), (4, 2, 1), strict=True)
    cell = frame.select(pl.sum_horizontal((~e).cast(pl.Int64) * k for e, k in parts))
    mass = groups.counts if weight is None else frame[weight].cast(pl.Float64).to_numpy()
    code = groups.code * len(CELLS) + cell.to_series().to_numpy()
    counts = np.bincount(code, mass, groups.number * len(CELLS)).reshape(-1, len(CELLS))
    return counts.astype(np.float64, copy=False)
