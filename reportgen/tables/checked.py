"""What all tables share: a declaration that is checked in one pass."""

from __future__ import annotations

import math
from functools import cache
from typing import Annotated, Any, Self, get_type_hints, overload

import pandera.polars as pa
import polars as pl
from pandera.api.polars.model_config import BaseConfig
from pandera.typing.polars import DataFrame, LazyFrame

from reportgen.tables.declared_checks import (
    KEEPS,
    broken_by,
    column_of,
    column_types,
    declared_columns,
)


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
    """Whether every check is kept for certain: cheaper than a query where rows are few."""
    return all(_keeps(frame[name], column) for name, column in declared_columns(table).items())


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
