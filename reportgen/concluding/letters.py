"""Letters for models that do not differ significantly: those that share one are level."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from string import ascii_lowercase

from reportgen.concluding.leading import Contest

LEAST = 4
"""Of fewer models a sentence says it."""


def letters(between: Contest) -> dict[str, str]:
    """The compact letter display of all pairs, best model first; empty unless all were tested.

    Two models share a letter where their test does not reject. Insert and absorb:
    each significant pair splits the columns that hold both, and a column within
    another one is dropped. Piepho (2004), doi:10.1198/1061860043515.
    """
    order = between.order
    pairs = [frozenset(pair) for pair in combinations(order, 2)]
    if len(order) < LEAST or any(pair not in between.tests for pair in pairs):
        return {}
    columns = [frozenset(order)]
    for pair in pairs:
        if between.tests[pair]["reject"]:
            columns = _absorbed(
                part
                for column in columns
                for part in ([column - {m} for m in pair] if pair <= column else [column])
            )
    if len(columns) > len(ascii_lowercase):
        return {}
    ranked = sorted(columns, key=lambda column: sorted(order.index(m) for m in column))
    named = dict(zip(ascii_lowercase, ranked, strict=False))
    return {m: "".join(letter for letter, column in named.items() if m in column) for m in order}


def _absorbed(columns: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """The columns that no other one holds."""
    unique = list(dict.fromkeys(columns))
    return [c for c in unique if not any(c < other for other in unique)]
