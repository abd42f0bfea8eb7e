"""The rows that are to be divided: ids, strata, groups and times, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

import polars as pl

from reportgen.errors import DataError, EmptyError, Problem, SpecError
from reportgen.predictions.source import Source, counted, place, row_problems
from reportgen.predictions.text_values import as_text, is_scalar
from reportgen.predictions.times import in_one_offset, points, unordered
from reportgen.spec.nearest import suggestion


@dataclass(frozen=True, slots=True)
class DependenceColumns:
    """The columns that say how rows belong together; each may be left out."""

    id: str | None = None
    stratify: str | None = None
    group: str | None = None
    time: str | None = None

    def given(self) -> Mapping[str, str]:
        """The columns that are named, by their use."""
        uses = ("id", "stratify", "group", "time")
        return {use: column for use in uses if (column := getattr(self, use)) is not None}


def prepared(data: pl.DataFrame, named: DependenceColumns, seed: int, name: str) -> pl.DataFrame:
    """One row per example in the order of the ids: order, id, key, stratum, and group or time.

    Without an id column the number of the row is its id.

    Raises:
        SpecError: groups and times together.
        DataError: a column is missing, has gaps, or names a row twice.
        EmptyError: fewer than two rows.
    """
    if named.group and named.time:
        raise SpecError(
            Problem(
                "scheme", "rows are divided by group or by time, not by both", hint="leave one out"
            )
        )
    if data.height < 2:
        raise EmptyError(Problem("no-rows", f"{data.height} rows cannot be divided", name))
    source = Source((name,), (data.height,))
    problems = [
        p for use, column in named.given().items() for p in _faults(data, use, column, source)
    ]
    if problems:
        raise DataError(*problems)
    ids = id_texts(data, named.id)
    columns: dict[str, pl.Series | None] = {
        "id": ids,
        "key": hashed(ids, seed),
        "stratum": _texts(data, named.stratify),
    }
    if named.group:
        columns["group"] = _texts(data, named.group)
    if named.time:
        columns["time"] = points(in_one_offset(as_text(data[named.time])))
    return pl.DataFrame(columns).sort("id").with_row_index("order")


def id_texts(data: pl.DataFrame, column: str | None) -> pl.Series:
    """The ids as text: those of the column, or without one the numbers of the rows from 1."""
    if column is None:
        return pl.int_range(1, data.height + 1, eager=True).cast(pl.String)
    return as_text(data[column])


def _texts(data: pl.DataFrame, column: str | None) -> pl.Series:
    if column is None:
        return pl.repeat("", data.height, eager=True)
    return as_text(data[column])


def _faults(data: pl.DataFrame, use: str, column: str, source: Source) -> list[Problem]:
    if column not in data.columns:
        hint = suggestion(column, data.columns)
        message = f"there is no column {column!r} ({use})"
        return [Problem("missing-column", message, source.title, hint, value=column)]
    values = data[column]
    if not is_scalar(values.dtype):
        message = f"the column is {values.dtype}"
        hint = "name a column of numbers, text or dates"
        return [Problem("wrong-type", message, place(source.title, column), hint)]
    problems = row_problems(
        "missing-value",
        lambda n: counted(n, "value is missing", "values are missing"),
        f"each row needs its {use}",
        column=column,
        wrong=values.is_null(),
        source=source,
    )
    if use == "id":
        problems += row_problems(
            "duplicate-id",
            lambda n: counted(n, "row repeats an id", "rows repeat an id"),
            "list each example once; name dependent rows with group",
            column=column,
            wrong=values.is_not_null() & values.is_first_distinct().not_(),
            source=source,
            values=values,
        )
    if use == "time" and not problems:
        problems = unordered(as_text(values), column, source)
    return problems


GOLDEN = 0x9E3779B97F4A7C15
_STEPS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def hashed(texts: pl.Series, seed: int) -> pl.Series:
    """The 64-bit key of every text."""
    key = str(seed).encode()
    keys = [
        int.from_bytes(blake2b(text.encode(), digest_size=8, key=key).digest(), "little")
        for text in texts.to_list()
    ]
    return pl.Series("key", keys, dtype=pl.UInt64)


def mixed(key: pl.Expr, step: pl.Expr | int) -> pl.Expr:
    """The key of one step: a repeat, or a draw."""
    count = pl.lit(step, dtype=pl.UInt64) if isinstance(step, int) else step.cast(pl.UInt64)
    z = key + count * _constant(GOLDEN)
    for bits, factor in _STEPS:
        z = (z ^ (z // _constant(2**bits))) * _constant(factor)
    return z ^ (z // _constant(2**31))


def uniform(key: pl.Expr) -> pl.Expr:
    """A number in [0, 1) from the 53 highest bits of a key."""
    return (key // _constant(2**11)).cast(pl.Float64) / 2.0**53


def _constant(value: int) -> pl.Expr:
    return pl.lit(value, dtype=pl.UInt64)
