"""Examples that return: an id that names a row only together with an attempt or a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reportgen.initial_spec.candidates import ColumnRoles
from reportgen.initial_spec.column_roles import hinted, id_column, names_example
from reportgen.initial_spec.profile import ColumnProfile
from reportgen.text.words import name_words as words

_ATTEMPTS = words("sample samples attempt attempts trial trials seed seeds try replicate draw")
"""Words in the name of a column that numbers the answers to one item, or the runs of a split."""

_MOST = 1000
"""Attempts at one item, at the most."""


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
