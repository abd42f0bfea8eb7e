"""The slices of the evaluated rows: which there are, how large, and which are too small."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.predictions.column_names import MOST_SLICE_VALUES, slice_column
from reportgen.records.model import typed
from reportgen.tables import Slices
from reportgen.tables.results import SliceSizeRow
from reportgen.text.value_order import BySize, by_size

FEW_ROWS, FEW_OF_A_CLASS = 30, 10

FEW_GROUPS = 5
"""Fewer groups with a class say little of it, unless a slice has no others."""


def label(columns: Sequence[str], values: Sequence[Any]) -> str:
    """The name of a slice in every table of the results.

    >>> label(("site", "sex"), ("A", "f"))
    'site = A, sex = f'
    """
    return ", ".join(f"{n} = {v}" for n, v in zip(columns, values, strict=True))


def is_small(rows: float, positives: float | None = None) -> bool:
    """Whether a slice is too small to say much; ``positives`` are those of two classes.

    >>> is_small(29, 15), is_small(100, 9), is_small(100, 95), is_small(30, 15), is_small(30)
    (True, True, True, False, False)
    """
    if rows < FEW_ROWS:
        return True
    return positives is not None and min(positives, rows - positives) < FEW_OF_A_CLASS


def parts(rows: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The values of a slicing, and in ``rows`` the places of the rows that have them.

    >>> parts(pl.DataFrame({"slice:site": ["A", "B", "A"]}), ["site"]).sort("slice:site").rows()
    [('A', [0, 2]), ('B', [1])]
    """
    names = [slice_column(name) for name in columns]
    return rows.select(names).with_row_index("rows").group_by(names).agg("rows")


def of_rows(
    rows: pl.DataFrame, slicings: Iterable[tuple[str, ...]], *, binary: bool
) -> DataFrame[Slices]:
    """Every slice of rows with columns ``slice:<name>`` and, of two classes, a Boolean ``truth``.

    A slicing with more than ``MOST_SLICE_VALUES`` values is left out. Weights do not count. Where
    rows have a ``group``, a slice is small too if few of its groups have one of two classes.
    """
    positives = pl.col("truth").sum().cast(pl.Float64) if binary else pl.lit(None, pl.Float64)
    one_sided = pl.lit(value=False)
    if binary and "group" in rows.columns:
        group, truth = pl.col("group"), pl.col("truth")
        rarer = pl.min_horizontal(group.filter(t).n_unique() for t in (truth, ~truth))
        one_sided = rarer < pl.min_horizontal(group.n_unique(), FEW_GROUPS)
    records: list[SliceSizeRow] = []
    for columns in slicings:
        parts = rows.group_by([slice_column(n) for n in columns]).agg(
            rows=pl.len().cast(pl.Float64), positives=positives, one_sided=one_sided
        )
        if parts.height <= MOST_SLICE_VALUES:
            slice_records = [_measured(columns, row) for row in parts.iter_rows()]
            records += sorted(slice_records, key=lambda part: in_order(part["values"]))
    return typed(Slices, records)


def _measured(columns: Sequence[str], row: Sequence[Any]) -> SliceSizeRow:
    """A row of ``Slices`` from the values of a slice, its rows and positives."""
    *values, rows, positives, one_sided = row
    sizes = record(columns, values, rows, positives)
    return {**sizes, "small": sizes["small"] or one_sided}


def in_order(values: Sequence[Any]) -> tuple[BySize, ...]:
    """Return what sorts the slices of a slicing by their values."""
    return tuple(by_size(str(value)) for value in values)


def record(
    columns: Sequence[str], values: Sequence[Any], rows: float, positives: float | None
) -> SliceSizeRow:
    """A row of ``Slices``."""
    return {
        "slicing": list(columns),
        "slice": label(columns, values),
        "values": [str(value) for value in values],
        "rows": rows,
        "positives": positives,
        "small": is_small(rows, positives),
    }
