"""The checks that tables declare, compiled to expressions.

Pandera collects once per check and column; here a whole declaration is one aggregate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin

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


def column_types(table: type[pa.DataFrameModel]) -> dict[str, pl.DataType]:
    """The declared type of each column of a table."""
    return {name: column.dtype.type for name, column in declared_columns(table).items()}


def column_of(hint: Any) -> tuple[Any, Any]:
    """The type of the column of a row's field, and what pandera checks of its values.

    >>> column_of(str | None)[0], column_of(Sequence[float])[0]
    (String, List(Float64))
    """
    if get_origin(hint) is NotRequired:
        (hint,) = get_args(hint)
    options = [one for one in get_args(hint) if one is not NoneType]
    nullable = get_origin(hint) in (Union, UnionType) and len(options) < len(get_args(hint))
    plain = options[0] if nullable else hint
    checks: dict[str, Any] = {}
    if get_origin(plain) is Annotated:
        plain, *limits = get_args(plain)
        checks = dict(limits)
    elif get_origin(plain) is Literal:
        plain, checks = str, {"isin": list(get_args(plain))}
    if get_origin(plain) is Sequence:
        dtype: Any = pl.List(column_of(get_args(plain)[0])[0])
    else:
        dtype = _DTYPES[plain]
    return dtype, pa.Field(nullable=nullable, **checks)


_DTYPES = {str: pl.String, float: pl.Float64, bool: pl.Boolean}


def broken_by(check: Any, column: str) -> pl.Expr:
    """Whether a value of a column breaks a declared check; null where the value is null.

    Raises KeyError for a check that is not compiled.
    """
    return BREAKS[check.name](pl.col(column), check.statistics)
