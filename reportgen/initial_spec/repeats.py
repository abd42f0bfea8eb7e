"""Examples that return: an id that names a row only together with an attempt or a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from reportgen.initial_spec.candidates import ColumnRoles
from reportgen.initial_spec.column_roles import hinted
from reportgen.initial_spec.profile import ColumnProfile
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
    """Return the column of the example, the roles with that of its repeat, and the other columns.

    ``parts`` are the columns that may repeat an example. Where no id names each row within them,
    one may with a column of attempts or seeds, of which there are fewer.
    """
    identity = id_column(columns, parts)
    for attempt in columns if identity is None and "repeat" not in roles.used else []:
        numbered = attempt.complete and 2 <= attempt.distinct <= _MOST
        if not numbered or not (attempt.words & _ATTEMPTS or hinted(attempt, "repeat")):
            continue
        others = [c for c in columns if c is not attempt and c.distinct > attempt.distinct]
        example = id_column([c for c in others if names_example(c)], [attempt, *parts])
        if example is not None:
            uses = {**roles.used, "repeat": attempt}
            return example, replace(roles, used=uses), [c for c in columns if c is not attempt]
    return identity, roles, list(columns)
