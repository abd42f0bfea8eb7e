"""Edits at random of what was read from JSON."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

VALUES = (
    *(None, True, "", "x", "\ud800", "../../x", "a\0b", "{{ 7 * 7 }}", "<script>"),
    *(-1, 0, 0.5, 10**400, float("nan"), float("-inf"), [], [None], [[]], {}, {"a": None}),
)


def places(value: Any, at: tuple = ()) -> Iterator[tuple]:
    """The way to every value that holds no other, and to its holders."""
    yield at
    if isinstance(value, dict | list):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(entry, (*at, key))


def edited(whole: dict[str, Any], chance: random.Random, ways: list[tuple]) -> dict[str, Any]:
    """A copy with one to three edits."""
    result = copy.deepcopy(whole)
    for _ in range(chance.randint(1, 3)):
        *way, last = chance.choice(ways)
        holder = result
        try:
            for step in way:
                holder = holder[step]
            edit(holder, last, chance)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier edit has taken it away
    return result


def edit(holder: Any, last: Any, chance: random.Random) -> None:
    match chance.randrange(4):
        case 0:
            del holder[last]
        case 1 if isinstance(holder, dict):
            holder[f"{last}x"] = holder.pop(last)
        case 2 if isinstance(holder, list):
            holder.append(holder[last])
        case _:
            holder[last] = chance.choice(VALUES)
