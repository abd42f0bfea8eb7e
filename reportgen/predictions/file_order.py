"""The order of the rows, where no column says why rows that follow each other belong together."""

from __future__ import annotations

import polars as pl

from reportgen.predictions.column_names import period_column
from reportgen.predictions.dated_rows import in_periods

FILE_ORDER = "row order"

MOST_RUNS = 1.1
"""Values that stand together have so many runs each, at most: rows are sorted by them."""


def in_order(rows: int, first: pl.DataFrame) -> pl.Series | None:
    """Consecutive rows as periods; None of few rows, or where they are sorted by a column.

    ``first`` are the first rows, with every column. Errors that change along a sorted column say
    nothing of how rows depend on each other. Numbers of the rows, and dates, are no such column.

    >>> truths = pl.DataFrame({"row": range(60), "y": [3, 1, 2] * 20})
    >>> in_order(60, truths).n_unique(), in_order(60, truths.sort("y")) is None
    (12, True)
    """
    if any(_are_sorted(column.alias("value")) for column in first):
        return None
    periods = in_periods(pl.Series("row", range(rows), pl.Int64))
    return None if periods is None else periods.alias(period_column(FILE_ORDER))


def _are_sorted(column: pl.Series) -> bool:
    """Whether values rise or fall along the rows, or each stands in one run."""
    if isinstance(column.dtype, pl.Categorical | pl.Enum):
        column = column.cast(pl.String)
    if not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.String)):
        return False
    values = column.drop_nulls()
    number = values.n_unique()
    if number < 2:
        return False
    if 2 * number <= len(values):
        return int(values.rle_id()[-1]) + 1 <= MOST_RUNS * number
    if values.dtype == pl.String:
        numbers = values.cast(pl.Float64, strict=False)
        values = values if numbers.null_count() else numbers
    is_monotone = values.is_sorted() or values.is_sorted(descending=True)
    return is_monotone and (number < len(values) or not _are_whole(values))


def _are_whole(values: pl.Series) -> bool:
    return values.dtype.is_numeric() and bool((values == values.round()).all())
