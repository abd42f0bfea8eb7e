"""What all tables share: declarations, compiled to expressions that are checked in one pass."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Self,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

import pandera.polars as pa
import polars as pl
from pandera.api.polars.model_config import BaseConfig
from pandera.typing.polars import DataFrame, LazyFrame


class Checked(pa.DataFrameModel):
    """A declaration that is checked in one pass.

    Pandera collects once per check and column, 20 ms for a table of ten rows.
    Here the declared types are compared and all checks are one aggregate;
    pandera itself runs only on a table that fails, to say where.
    """

    @overload
    @classmethod
    def validate(cls, check_obj: pl.DataFrame, *args: Any, **options: Any) -> DataFrame[Self]: ...
    @overload
    @classmethod
    def validate(cls, check_obj: pl.LazyFrame, *args: Any, **options: Any) -> LazyFrame[Self]: ...
    @classmethod
    def validate(cls, check_obj: Any, *args: Any, **options: Any) -> Any:
        """Return the frame as it is when it fits the declaration, else raise pandera's error."""
        if isinstance(check_obj, pl.DataFrame) and _fits(check_obj, cls):
            return check_obj
        return super().validate(check_obj, *args, **options)


def _fits(frame: pl.DataFrame, table: type[pa.DataFrameModel]) -> bool:
    """Whether a frame has the columns of a table in order, and keeps its checks."""
    types, broken, strict = _compiled(table)
    schema = dict(frame.schema)
    if not (schema == types if strict else types.items() <= schema.items()):
        return False
    if list(types) != [c for c in schema if c in types]:
        return False
    return _kept(frame, table) or not frame.select(pl.any_horizontal(broken)).item()


@cache
def _compiled(table: type[pa.DataFrameModel]) -> tuple[dict[str, pl.DataType], list[pl.Expr], bool]:
    """Declared types; a Boolean aggregate per check, true where it is broken; strict or not."""
    columns = declared_columns(table)
    broken = [
        broken_by(check, name).any() for name, column in columns.items() for check in column.checks
    ]
    broken += [pl.col(n).is_null().any() for n, column in columns.items() if not column.nullable]
    return column_types(table), broken, bool(table.to_schema().strict)


def _kept(frame: pl.DataFrame, table: type[pa.DataFrameModel]) -> bool:
    """Whether every check is kept for certain: cheaper than a query where rows are few.

    What may be anything is not looked at: a column of one value would be written out for it.
    """
    declared = declared_columns(table).items()
    asked = ((name, column) for name, column in declared if column.checks or not column.nullable)
    return all(_keeps(frame[name], column) for name, column in asked)


def _keeps(values: pl.Series, declared: Any) -> bool:
    checks, missing = declared.checks, values.null_count()
    if missing and not declared.nullable:
        return False
    if not checks or missing == len(values):
        return True
    if [check.name for check in checks] == ["isin"]:
        return set(values.unique()) <= {*checks[0].statistics["allowed_values"], None}
    if not all(check.name in KEEPS for check in checks):
        return False
    least, most, total = values.min(), values.max(), values.sum()
    # Neither end of a column shows that it holds NaN; its sum does.
    return not math.isnan(total) and all(KEEPS[c.name](least, most, c.statistics) for c in checks)


Proportion = Annotated[float, ("ge", 0), ("le", 1)]
Positive = Annotated[float, ("gt", 0)]
NotNegative = Annotated[float, ("ge", 0)]
AtLeastOne = Annotated[float, ("ge", 1)]
AtLeastTwo = Annotated[float, ("ge", 2)]


class ResultTable(Checked):
    """What the tables of the results share: no column but the declared ones, in order.

    Its columns are the fields of ``row``, a TypedDict or dataclass, where there is one.
    """

    class Config(BaseConfig):
        strict = True
        ordered = True

    def __init_subclass__(cls, row: type | None = None, **options: Any) -> None:
        for name, hint in ({} if row is None else get_type_hints(row, include_extras=True)).items():
            cls.__annotations__[name], declared = column_of(hint)
            declared.__set_name__(cls, name)
            setattr(cls, name, declared)
        pandera: Any = super()
        pandera.__init_subclass__(**options)


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
    if get_origin(plain) in (Sequence, tuple):
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
