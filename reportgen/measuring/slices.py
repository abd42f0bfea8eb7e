"""The slices of the evaluated rows: which there are, how large, and which are too small."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.predictions.column_names import slice_column
from reportgen.records.model import typed
from reportgen.tables import Slices
from reportgen.tables.results import SliceSizeRow
from reportgen.text.value_order import BySize, by_size

MOST_VALUES = 200
"""A slicing with more values is left out."""

FEW_ROWS, FEW_OF_A_CLASS = 30, 10


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

    A slicing with more than ``MOST_VALUES`` values is left out. Weights do not count. Where rows
    have a ``group``, groups are counted to say which slices are small, and groups with each class.
    """
    units = _units("group" if "group" in rows.columns else None, binary=binary)
    positives = pl.col("truth").sum().cast(pl.Float64) if binary else pl.lit(None, pl.Float64)
    records: list[SliceSizeRow] = []
    for columns in slicings:
        parts = rows.group_by([slice_column(n) for n in columns]).agg(
            *units, rows=pl.len().cast(pl.Float64), positives=positives
        )
        if parts.height <= MOST_VALUES:
            slice_records = [_measured(columns, row) for row in parts.iter_rows()]
            records += sorted(slice_records, key=lambda part: in_order(part["values"]))
    return typed(Slices, records)


def _units(group: str | None, *, binary: bool) -> tuple[pl.Expr, pl.Expr]:
    """How many independent units a slice has, and how many of the rarer class: null without."""
    unit = pl.len() if group is None else pl.col(group).n_unique()
    number = unit.cast(pl.Float64).alias("units")
    if not binary:
        return number, pl.lit(None, pl.Float64).alias("rarer")
    one = pl.col("truth") if group is None else pl.col(group)
    of_class = (one.filter(pl.col("truth") == truth) for truth in (True, False))
    count = [of.len() if group is None else of.n_unique() for of in of_class]
    return number, pl.min_horizontal(count).cast(pl.Float64).alias("rarer")


def _measured(columns: Sequence[str], row: Sequence[Any]) -> SliceSizeRow:
    """A row of ``Slices`` from the values of a slice, its units, rows and positives."""
    *values, units, rarer, rows, positives = row
    small = units < FEW_ROWS or (rarer is not None and rarer < FEW_OF_A_CLASS)
    return {**record(columns, values, rows, positives), "small": small}


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
