"""Statistics of a column as plain numbers."""

from __future__ import annotations

import math


def as_float(value: object, empty: float = math.nan) -> float:
    """A statistic that Polars gives as a literal of any type, as a float.

    Args:
        value: What ``Series.mean()``, ``max()`` or their like returned.
        empty: The result where there was no value.

    Raises:
        TypeError: the value is no number.

    >>> import polars as pl
    >>> as_float(pl.Series([1, 2]).mean()), as_float(pl.Series([], dtype=pl.Float64).max(), 0.0)
    (1.5, 0.0)
    """
    if value is None:
        return empty
    if isinstance(value, (int, float)):
        return float(value)
    raise TypeError(f"{value!r} is no number")
