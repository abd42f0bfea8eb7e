"""Columns of small frames: planned as little as they can be."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

_SHARED = pl.QueryOptFlags.none(comm_subexpr_elim=True)
"""Where rows are few a plan costs more than it saves, but for what the columns share."""


def selected(frame: pl.DataFrame, columns: Mapping[str, pl.Expr]) -> pl.DataFrame:
    """The named columns.

    In memory, so that sums of floats do not depend on how the rows were cut.
    """
    return collected(frame.lazy().select(**columns))


def collected(query: pl.LazyFrame) -> pl.DataFrame:
    """What a query on few rows gives, in memory too."""
    return query.collect(engine="in-memory", optimizations=_SHARED)
