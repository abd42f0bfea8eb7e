"""Columns that a table of splits or predictions keeps, so that it shows how its rows depend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.errors import DataError, Problem
from reportgen.spec.nearest import suggestion


@dataclass(frozen=True, slots=True)
class KeptColumns:
    """The columns to keep, by the line of a spec that reads each of them."""

    group: str | None = None
    time: str | None = None
    weight: str | None = None
    slices: Sequence[str] = ()

    def columns(self) -> list[str]:
        """The columns in the order in which they are kept, each once."""
        single = (self.group, self.time, self.weight)
        return list(dict.fromkeys([*(name for name in single if name), *self.slices]))


def kept_columns(
    data: pl.DataFrame, columns: Iterable[str], keys: Iterable[str], name: str = "data frame"
) -> pl.DataFrame:
    """The columns of ``data`` that are kept, as they are; ``keys`` are those of the table itself.

    Raises:
        DataError: a column is missing, or is named like one of the table's own.
    """
    names, taken = list(columns), set(keys)
    problems = [
        Problem(
            "missing-column",
            f"there is no column {column!r}",
            name,
            suggestion(column, data.columns),
            value=column,
        )
        for column in names
        if column not in data.columns
    ]
    problems += [
        Problem(
            "reserved-name",
            f"the column {column!r} cannot be kept: the table has a column {column!r} of its own",
            name,
            "rename it in the data",
            value=column,
        )
        for column in names
        if column in data.columns and column in taken
    ]
    if problems:
        raise DataError(*problems)
    return data.select(names)
