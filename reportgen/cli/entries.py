"""The catalogue as it was published, and its entries by name.

Reading the registries takes longer than an answer may, so the catalogue is
published as ``schemas/catalogue.json`` beside the other contracts, made by
``reportgen.cli.collected``; a test says when it is out of date, and
``make schemas`` writes it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypedDict

from reportgen.metric_names import ALIASES, snake_case
from reportgen.resources import SCHEMAS


class EntryFacts(TypedDict, total=False):
    """What an entry may say, by its group; ``bounds`` are null where they are infinite."""

    label: str
    summary: str
    about: str | None
    formula: str
    bounds: list[float | None]
    better: str | None
    undefined: str | None
    interval: str | None
    core: bool
    kernel: bool
    book: str | None
    reference: str | None
    columns: list[str]
    compares: str
    units: list[str]
    allows: list[str]
    least: int
    shows: str
    symbol: str | None
    null: str
    assumes: str


class Entry(EntryFacts):
    """A measure, curve, comparison, interval or correction of the catalogue."""

    name: str
    group: str
    tasks: list[str]


PUBLISHED = SCHEMAS / "catalogue.json"

OVER_VALUES = frozenset({"data sets", "folds", "repeats"})
"""What the tests of a table of values are made over."""


def entries(task: str | None = None) -> list[Entry]:
    """Return everything that has a name, as it was published; for one task where it is given."""
    published_entries: list[Entry] = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    return [entry for entry in published_entries if task is None or _is_of(entry, task)]


def _is_of(entry: Entry, task: str) -> bool:
    if task == "comparison":
        return entry["group"] == "correction" or not OVER_VALUES.isdisjoint(entry.get("units", ()))
    return task in entry["tasks"]


def matching(word: str, entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries of this name, alias or label, however it is spelt.

    >>> [entry["name"] for entry in matching("RMSE", entries())]
    ['root_mean_squared_error']
    """
    key, every = snake_case(word), list(entries)
    key = ALIASES.get(key, key)
    by_name = [entry for entry in every if snake_case(entry["name"]) == key]
    return by_name or [
        entry for entry in every if key and snake_case(entry.get("label") or "") == key
    ]
