"""The checks that tables declare, compiled to expressions.

Pandera collects once per check and column; here a whole declaration is one aggregate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pandera.polars as pa
import polars as pl

BREAKS: dict[str, Callable[[pl.Expr, Mapping[str, Any]], pl.Expr]] = {
    "greater_than": lambda c, s: (c > s["min_value"]).not_(),
    "greater_than_or_equal_to": lambda c, s: (c >= s["min_value"]).not_(),
    "less_than": lambda c, s: (c < s["max_value"]).not_(),
    "less_than_or_equal_to": lambda c, s: (c <= s["max_value"]).not_(),
    "isin": lambda c, s: c.is_in(list(s["allowed_values"])).not_(),
    "zero_or_within": lambda c, s: (
        c.is_finite() & (((c > 0) & (c < s["min_value"])) | (c > s["max_value"]))
    ),
}
"""What breaks a declared check, by the check's name; null where the value is null."""

KEEPS: dict[str, Callable[[Any, Any, Mapping[str, Any]], bool]] = {
    "greater_than": lambda least, _, s: least > s["min_value"],
    "greater_than_or_equal_to": lambda least, _, s: least >= s["min_value"],
    "less_than": lambda _, most, s: most < s["max_value"],
    "less_than_or_equal_to": lambda _, most, s: most <= s["max_value"],
}
"""Checks that the least and the greatest value decide."""


@cache
def declared_columns(table: type[pa.DataFrameModel]) -> Mapping[str, Any]:
    """The declared columns of a table by name, or by the pattern of their names."""
    return dict(table.to_schema().columns)


def broken_by(check: Any, column: str) -> pl.Expr:
    """Whether a value of a column breaks a declared check; null where the value is null.

    Raises KeyError for a check that is not compiled.
    """
    return BREAKS[check.name](pl.col(column), check.statistics)
