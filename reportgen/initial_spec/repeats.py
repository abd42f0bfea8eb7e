"""Examples that return: an id that names a row only together with an attempt or a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from reportgen.column_statistics import as_float
from reportgen.initial_spec.candidates import ColumnRoles
from reportgen.initial_spec.column_roles import hinted
from reportgen.initial_spec.profile import ColumnProfile
from reportgen.predictions.undeclared import named_as_units
from reportgen.text.words import name_words as words

_ATTEMPTS = words("sample samples attempt attempts trial trials seed seeds try replicate draw")
"""Words in the name of a column that numbers the answers to one item, or the runs of a split."""

_MOST = 1000
"""Attempts at one item, at the most."""

_ITEMS = words("item question prompt problem doc document")
"""Words in the name of a column of what several models answer."""


def names_example(column: ColumnProfile) -> bool:
    """Whether a column's name says that it names the examples, or the items that are answered."""
    return hinted(column, "id") or (not column.stated_truth and bool(column.words & _ITEMS))


def id_column(
    columns: Sequence[ColumnProfile], parts: Sequence[ColumnProfile]
) -> ColumnProfile | None:
    """Return a column that names each row once, within the columns that may repeat it.

    Whatever its name is, where all of its values return equally often, or none does.
    """
    named = [c for c in columns if names_example(c)]
    plain = [c for c in columns if not c.fractional and _returns_evenly(c, parts)]
    for column in [*named, *plain]:
        if column.missing or column.fractional or column.distinct < 2:
            continue
        keys = [column.texts.alias("0"), *(p.texts.alias(str(i)) for i, p in enumerate(parts, 1))]
        if column.distinct == len(column.texts) or not pl.DataFrame(keys).is_duplicated().any():
            return column
    return None


def _returns_evenly(column: ColumnProfile, parts: Sequence[ColumnProfile]) -> bool:
    rows = len(column.texts)
    if not parts:
        return column.distinct == rows > 1
    often = column.distinct > 1 and rows % column.distinct == 0
    return often and column.texts.value_counts()["count"].n_unique() == 1


def identified(
    roles: ColumnRoles, columns: Sequence[ColumnProfile], parts: Sequence[ColumnProfile]
) -> tuple[ColumnProfile | None, ColumnRoles, list[ColumnProfile]]:
    """Return the column of the example, the roles with data set and repeat, and the other columns.

    ``parts`` are the columns that may repeat an example. Where no id names each row within them,
    one may with a column of attempts or seeds, of which there are fewer.
    """
    dataset = _dataset_column(columns)
    if dataset is not None:
        roles = replace(roles, used={**roles.used, "dataset": dataset})
        columns = [c for c in columns if c is not dataset]
        parts = [*parts, dataset]
    identity = id_column(columns, parts)
    if identity is not None or "fold" in roles.used:
        return identity, roles, list(columns)
    named = roles.used.get("repeat")
    for attempt in [named] if named else list(filter(numbers_runs, columns)):
        example = _example(roles, columns, attempt, parts)
        if example is not None:
            uses = {use: c for use, c in roles.used.items() if c is not example}
            roles = replace(roles, used=uses | {"repeat": attempt})
            return example, roles, [c for c in columns if c is not attempt]
    return identity, roles, list(columns)


def _example(
    roles: ColumnRoles,
    columns: Sequence[ColumnProfile],
    attempt: ColumnProfile,
    parts: Sequence[ColumnProfile],
) -> ColumnProfile | None:
    """The column that names each row within a run, by its name or as units that recur."""
    group = roles.used.get("group")
    free = [c for c in [*columns, group] if c is not None and c is not attempt]
    free = [c for c in free if c.distinct > attempt.distinct]
    keys = [attempt, *(p for p in parts if p is not attempt)]
    units = (c for c in free if c is group or named_as_units(c.name))
    named = id_column([c for c in free if names_example(c)], keys)
    return named or next((c for c in units if _recurs(c, roles.truth, keys)), None)


def numbers_runs(column: ColumnProfile) -> bool:
    """Whether a column is named for attempts, seeds or runs, of which there are some."""
    numbered = column.complete and 2 <= column.distinct <= _MOST
    return numbered and bool(column.words & _ATTEMPTS or hinted(column, "repeat"))


def _recurs(column: ColumnProfile, truth: ColumnProfile, keys: Sequence[ColumnProfile]) -> bool:
    """Whether whole numbers or names stand once in a run, several in more, all with one truth."""
    rows = len(column.texts)
    if not column.complete or column.fractional or column.distinct in (1, rows):
        return False
    in_runs = pl.DataFrame([c.texts.alias(str(k)) for k, c in enumerate([column, *keys])])
    if in_runs.is_duplicated().any():
        return False
    runs = in_runs.select("0", "1").unique()["0"].value_counts()["count"]
    pairs = pl.DataFrame([column.texts.alias("0"), truth.texts.alias("1")]).n_unique()
    return pairs == column.distinct and as_float((runs > 1).mean(), 0.0) >= _OFTEN


_OFTEN = 0.2
"""Share of the values that stand in two runs or more, from which they name examples."""


_DATASET = frozenset({"dataset", "datasets"})


def _dataset_column(columns: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """The column that is named for the data set of each row: names that return in many rows."""
    for column in columns:
        named = column.words & _DATASET or {"data", "set"} <= column.words
        if named and column.complete and 2 <= column.distinct <= len(column.texts) // _ROWS:
            return column
    return None


_ROWS = 5
"""Rows of a data set, on average, from which a column names data sets and no rows."""
