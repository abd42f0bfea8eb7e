"""Names that look the same and are not: they split what may be one class, model, slice or fold."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import polars as pl

from reportgen.predictions.column_names import role, slice_names
from reportgen.predictions.model import Check

NAME = "look-alike names"

MOST_VALUES = 10_000
"""Names of a column that are compared."""

SHOWN = 3
"""Pairs that are named."""


def folded(name: str) -> str:
    r"""A name without what is easily overlooked: case, spaces and the form of its characters.

    >>> folded(" Café ") == folded("CAFE\u0301")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Each name that looks like an earlier one, behind that one.

    >>> pairs(["north", "south", "North ", "south"])
    [('north', 'North ')]
    """
    first: dict[str, str] = {}
    both = [(first.setdefault(folded(name), name), name) for name in dict.fromkeys(names)]
    return [(one, other) for one, other in both if one != other]


def look_alikes(frame: pl.DataFrame, classes: Iterable[str], models: Iterable[str]) -> list[Check]:
    """Return a warning for classes, models, slices and folds with names that look the same."""
    named = {"classes": list(classes), "models": list(models)}
    for column in frame.columns:
        if frame[column].dtype == pl.String and role(column) in ("slice", "fold", "dataset"):
            values = frame[column].drop_nulls().unique().sort()
            name = slice_names([column]).get(column, column)
            named[name] = values.to_list() if len(values) <= MOST_VALUES else []
    details = [text for name, names in named.items() if (text := _text(name, pairs(names)))]
    return [Check(NAME, "; ".join(details), warning=True)] if details else []


def _text(name: str, alike: list[tuple[str, str]]) -> str:
    if not alike:
        return ""
    listed = ", ".join(f"{one!r} and {other!r}" for one, other in alike[:SHOWN])
    more = ", …" if len(alike) > SHOWN else ""
    how = "differ only in case, spaces or Unicode form, and count as different"
    return f"{name}: {listed}{more} {how}"
