"""Names that look the same and are not: they split what may be one class, model, slice or fold."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from decimal import Decimal

import polars as pl

from reportgen.predictions.column_names import role, slice_names
from reportgen.predictions.source import counted
from reportgen.predictions.validated import Check

NAME = "look-alike names"

MOST_VALUES = 10_000
"""Names of a column that are compared."""

SHOWN = 3
"""Pairs that are named."""

_LOOKS = "differ only in case, spaces or Unicode form"
_VALUES = "the same number or time"
_APART = ", and count as different"


def folded(name: str) -> str:
    r"""A name without what is easily overlooked: case, spaces and the form of its characters.

    >>> folded(" Café ") == folded("CAFE\u0301")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


_NUMBER = re.compile(r"[+-]?\d{1,40}(?:\.\d{0,40})?(?:[eE][+-]?\d{1,3})?")
_DAY = r"\d{4}-\d\d-\d\d"
_TIME = r"\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?"
_MOMENT = re.compile(rf"(?:{_DAY}(?:[T ]{_TIME}(?:Z|[+-]\d\d(?::?\d\d)?)?)?|{_TIME})")


def value(name: str) -> object | None:
    """The number or the time that a name stands for; None where it is neither.

    Files of several types spell it in several ways.

    >>> value("1.0") == value("01") == 1, value("2024-05-31T10:30") == value("2024-05-31 10:30:00")
    (True, True)
    >>> value("2024-05-31") == value("2024-05-31 00:00:00"), value("2024-13-45"), value("north")
    (True, None, None)
    """
    with suppress(ValueError, OverflowError):
        if _NUMBER.fullmatch(name):
            return Decimal(name)
        if _MOMENT.fullmatch(name):
            if len(name) < 5 or name[2] == ":":
                return dt.time.fromisoformat(name)
            moment = dt.datetime.fromisoformat(name)
            return moment if moment.tzinfo is None else moment.astimezone(dt.UTC)
    return None


def pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Each name that looks like an earlier one, behind that one.

    >>> pairs(["north", "south", "North ", "south"])
    [('north', 'North ')]
    """
    return _pairs((folded(name), name) for name in dict.fromkeys(names))


def spellings(names: Iterable[str]) -> list[tuple[str, str]]:
    """Each name that is the number or the time of an earlier one, behind that one.

    >>> spellings(["1", "2", "north", "1.0"])
    [('1', '1.0')]
    """
    values = ((value(name), name) for name in dict.fromkeys(names))
    return _pairs((key, name) for key, name in values if key is not None)


def _pairs(named: Iterable[tuple[object, str]]) -> list[tuple[str, str]]:
    first: dict[object, str] = {}
    both = [(first.setdefault(key, name), name) for key, name in named]
    return [(one, other) for one, other in both if one != other]


def look_alikes(frame: pl.DataFrame, classes: Iterable[str], models: Iterable[str]) -> list[Check]:
    """Return a warning for classes, models, slices and folds with names that look the same."""
    named = {"classes": list(classes), "models": list(models)}
    for column in frame.columns:
        if role(column) in ("slice", "fold", "repeat", "dataset"):
            named[slice_names([column]).get(column, column)] = _values(frame[column])
    details = [text for name, names in named.items() for text in _texts(name, names)]
    if "group" in frame.columns and (alike := spellings(_values(frame["group"]))):
        names_of_groups = counted(len(alike), "name is", "names are")
        details.append(f"groups: {names_of_groups} {_VALUES} as another one{_APART}")
    return [Check(NAME, "; ".join(details), warning=True)] if details else []


def _values(column: pl.Series) -> list[str]:
    """The names in a column; none where it holds no text, or too many names."""
    values = column.drop_nulls().unique() if column.dtype == pl.String else column.clear()
    return values.sort().to_list() if len(values) <= MOST_VALUES else []


def _texts(name: str, names: list[str]) -> Iterator[str]:
    for alike, how in ((pairs(names), _LOOKS), (spellings(names), f"are {_VALUES}")):
        if alike:
            listed = ", ".join(f"{one!r} and {other!r}" for one, other in alike[:SHOWN])
            more = ", …" if len(alike) > SHOWN else ""
            yield f"{name}: {listed}{more} {how}{_APART}"
