"""Columns of dates: which one orders the rows in time, and which is a horizon of forecasts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from reportgen.initial_spec.profile import ColumnProfile
from reportgen.predictions.times import ordered

WORDS = frozenset(
    {
        "date",
        "day",
        "hour",
        "time",
        "datetime",
        "timestamp",
        "month",
        "year",
        "quarter",
        "week",
        "datum",
        "zeit",
        "fecha",
    }
    | {
        "jahr",
        "año",
        "année",
        "год",
        "年",
        "年份",
        "hora",
        "jour",
        "heure",
        "дата",
        "время",
        "日期",
        "时间",
    }
)
"""Words in a column's name that speak for the time of its row."""

_OF_A_PERSON = frozenset(["birth", "birthday", "birthdate", "born", "dob"])
"""Words of dates that say nothing of when a row is from."""

_ISO = r"^(19|20)\d\d-\d\d(-\d\d([T ]\d\d(:?\d\d)*([.,]\d+)?(Z|[+-]\d\d(:?\d\d)?)?)?)?$"
_PARTS = r"^(19|20)\d\d-?(W\d\d(-?\d)?|Q[1-4])$"
"""Weeks of ISO 8601, such as 2025-W01, and quarters."""
_COMPACT = r"^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$"
_YEAR = r"^(1[5-9]|20)\d\d$"
_DAY_FIRST = r"^\d{1,2}([./-])\d{1,2}([./-])(19|20)?\d\d\b"


def date_columns(columns: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """The columns whose every value is a date or a time, in whatever form."""
    return [c for c in columns if c.complete and _dates(c)]


def with_gaps(columns: Sequence[ColumnProfile]) -> list[str]:
    """Notes on dates that are missing in some rows, so that they order none."""
    notes = []
    for column in columns:
        rows = ~column.texts.is_null()
        if column.missing and rows.any():
            texts = column.texts.filter(rows)
            numbers = None if column.numbers is None else column.numbers.filter(rows)
            if _dates(replace(column, texts=texts, numbers=numbers)):
                few = "1 row" if column.missing == 1 else f"{column.missing:,} rows"
                notes.append(
                    f"{column.name!r} has no date in {few}, and a time in each row is needed to "
                    "order them: fill them in, or leave out those rows"
                )
    return notes


def time_column(dates: Sequence[ColumnProfile]) -> ColumnProfile | None:
    """The column that orders the rows in time: named for that, then the finest; else None."""
    candidates = [
        c for c in dates if c.distinct > 1 and not c.words & _OF_A_PERSON and ordered(c.texts)
    ]
    return max(candidates, key=lambda c: (bool(c.words & WORDS), c.distinct), default=None)


def besides(dates: Sequence[ColumnProfile], time: ColumnProfile | None) -> list[ColumnProfile]:
    """The columns of dates that do not order the rows, such as when forecasts were made."""
    return [c for c in dates if c is not time]


def unusable(dates: Sequence[ColumnProfile]) -> list[str]:
    """Notes on dates that do not sort as text."""
    return [
        f"{c.name!r}: {str(c.texts[0])!r} does not sort as text, so that rows are in no order; "
        "write dates as in 2026-05-31"
        for c in dates
        if not c.words & _OF_A_PERSON and not ordered(c.texts)
    ]


def returns(time: ColumnProfile) -> bool:
    """Whether years return, as in a panel of firms, where they order no single series."""
    years = bool(time.texts.str.contains(_YEAR).all())
    return years and time.distinct < len(time.texts)


def _dates(column: ColumnProfile) -> bool:
    if column.numbers is None:
        return bool(column.texts.str.contains(f"{_ISO}|{_PARTS}|{_DAY_FIRST}").all())
    named = bool(column.words & WORDS)
    return named and bool(column.texts.str.contains(f"{_COMPACT}|{_YEAR}").all())


_NAME = re.compile(r"(?:.*[\s_-])?(?:horizon|lead|lead[\s_-]?time|steps?|ahead|h)(?:[\s_-].*)?")


def horizons(frame: pl.DataFrame, time: str | None, slices: Sequence[str]) -> list[str]:
    """Those of ``slices`` that are named so, and that tell the rows of one time apart.

    Errors grow with the horizon: values of all horizons together hold for none of them.

    >>> frame = pl.DataFrame({"t": [1, 1, 2, 2], "horizon_h": [1, 24, 1, 24]})
    >>> horizons(frame, "t", ["horizon_h"])
    ['horizon_h']
    """
    if time is None or frame[time].n_unique() == frame.height:
        return []
    named = [name for name in slices if _NAME.fullmatch(name.lower())]
    return [name for name in named if not frame.select(time, name).is_duplicated().any()]
