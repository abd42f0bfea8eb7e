"""The columns of a pandera table as plain values."""

from __future__ import annotations

import inspect
import math
from typing import Any

import pandera.polars as pa


def columns(table: type[pa.DataFrameModel]) -> dict[str, Any]:
    """Return a table's name, description and columns: dtype, nullable, required, checks."""
    listed = []
    for name, column in table.to_schema().columns.items():
        entry: dict[str, Any] = {"pattern" if column.regex else "name": name}
        entry["dtype"] = str(column.dtype)
        entry["nullable"] = column.nullable
        entry["required"] = column.required
        if column.description:
            entry["description"] = column.description
        checks = {str(check.name): _plain(check.statistics) for check in column.checks}
        if checks:
            entry["checks"] = checks
        listed.append(entry)
    return {
        "table": table.__name__,
        "description": inspect.cleandoc(table.__doc__ or ""),
        "columns": listed,
    }


def _plain(statistics: dict[str, Any] | None) -> dict[str, Any]:
    """Return the parameters of a check as JSON values; infinities become text."""
    return {
        key: str(value).replace("inf", "infinity")
        if isinstance(value, float) and math.isinf(value)
        else value
        for key, value in (statistics or {}).items()
    }
