"""Names that look the same and are not: they split what may be one class, model, slice or fold.

And names that other programs write where a value is missing, which make a class or fold of it.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from decimal import Decimal

import polars as pl

from reportgen.predictions.column_names import role, slice_names
from reportgen.predictions.source import counted
from reportgen.predictions.validated import Check

NAME, OF_MISSING = "look-alike names", "names of missing values"

MOST_VALUES = 10_000
"""Names of a column that are compared."""

SHOWN = 3
"""Pairs that are named."""

_LOOKS = "differ only in case, spaces or Unicode form"
_VALUES = "the same value"
_SPACES = "the same but for spaces or Unicode form"
_APART = ", and count as different"
_MISSING = "often stands for a missing value; here it is a name like the others"

MISSING = frozenset(
    {"NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "NaT", "None", "null", "NULL", "nil"}
    | {"-", "?", "."}
)
"""What pandas, R, SQL, JSON, SAS and Weka write for a value that is not there."""

_TRUTH = {"true": Decimal(1), "false": Decimal(0)}


def folded(name: str) -> str:
    r"""A name without what is easily overlooked: case, spaces and the form of its characters.

    >>> folded(" Café ") == folded("CAFE\u0301")
    True
    """
    return _spaced(name).casefold()


def _spaced(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).split())


_NUMBER = re.compile(r"[+-]?\d{1,40}(?:\.\d{0,40})?(?:[eE][+-]?\d{1,3})?")
_DAY = r"\d{4}-\d\d-\d\d"
_TIME = r"\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?"
_MOMENT = re.compile(rf"(?:{_DAY}(?:[T ]{_TIME}(?:Z|[+-]\d\d(?::?\d\d)?)?)?|{_TIME})")


def value(name: str) -> object | None:
    """The number or the time that a name stands for; None where it is neither.

    Files of several types spell it in several ways; a truth value is the number 1 or 0.

    >>> value("1.0") == value("01") == 1, value("2024-05-31T10:30") == value("2024-05-31 10:30:00")
    (True, True)
    >>> value("2024-05-31") == value("2024-05-31 00:00:00"), value("2024-13-45"), value("north")
    (True, None, None)
    """
    if len(name) < 6 and name.lower() in _TRUTH:
        return _TRUTH[name.lower()]
    with suppress(ValueError, OverflowError):
        if _NUMBER.fullmatch(name):
            return Decimal(name)
        if _MOMENT.fullmatch(name):
            if len(name) < 5 or name[2] == ":":
                return dt.time.fromisoformat(name)
            moment = dt.datetime.fromisoformat(name)
            return moment if moment.tzinfo is None else moment.astimezone(dt.UTC)
    return None


def pairs(names: Iterable[str], form: Callable[[str], str] = folded) -> list[tuple[str, str]]:
    """Each name that looks like an earlier one, behind that one.

    >>> pairs(["north", "south", "North ", "south"])
    [('north', 'North ')]
    """
    return _pairs((form(name), name) for name in dict.fromkeys(names))


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
    """Return warnings about names: those that look the same, and those of missing values.

    Of classes, models, slices, folds, groups and ids. A slice of missing values is seen in its
    table; groups and ids may be people, and are only counted.
    """
    named = {"classes": list(classes), "models": list(models)}
    for column in frame.columns:
        if role(column) in ("slice", "fold", "repeat", "dataset"):
            named[slice_names([column]).get(column, column)] = _values(frame[column])
    counted_only = {n: _values(frame[n]) for n in ("group", "id") if n in frame.columns}
    alike = [text for name, names in named.items() for text in _texts(name, names)]
    alike += [text for name, names in counted_only.items() for text in _counts(name, names)]
    slices = slice_names(frame.columns).values()
    missing = [
        f"{name}: {', '.join(map(repr, words))} {_MISSING}"
        for name, names in (named | counted_only).items()
        if name not in slices and (words := sorted(MISSING.intersection(names)))
    ]
    warnings = {NAME: alike, OF_MISSING: missing}
    return [
        Check(name, "; ".join(texts), warning=True) for name, texts in warnings.items() if texts
    ]


def _values(column: pl.Series) -> list[str]:
    """The names in a column; none where it holds no text, or too many names.

    Each row may have an id of its own: many rows are not searched for them.
    """
    text = column.dtype == pl.String and (column.name != "id" or column.len() <= MOST_VALUES)
    values = column.drop_nulls().unique() if text else column.clear()
    return values.sort().to_list() if len(values) <= MOST_VALUES else []


def _texts(name: str, names: list[str]) -> Iterator[str]:
    looks = pairs(names)
    values = [pair for pair in spellings(names) if pair not in looks]
    for alike, how in ((looks, _LOOKS), (values, f"are {_VALUES}")):
        if alike:
            listed = ", ".join(f"{one!r} and {other!r}" for one, other in alike[:SHOWN])
            more = ", …" if len(alike) > SHOWN else ""
            yield f"{name}: {listed}{more} {how}{_APART}"


def _counts(name: str, names: list[str]) -> Iterator[str]:
    """How many names of groups or ids look like another one; case tells them apart."""
    for alike, how in ((pairs(names, _spaced), _SPACES), (spellings(names), _VALUES)):
        if alike:
            pairs_of_names = counted(len(alike), "pair of names is", "pairs of names are")
            yield f"{name}s: {pairs_of_names} {how}{_APART}"
