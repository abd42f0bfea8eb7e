"""Columns of dates: the days that rows share, and periods of rows that each have their own."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl

from reportgen.text.words import name_words

TIMES = name_words("date datum day jahr month period quarter week year yr 年 年份 月份 日期")
"""Words in the name of a column whose digits are a date."""

_OF_A_ROW = name_words(
    "birth birthday born build built construction dob enrolled established expiry founded "
    "graduation hire hired income joined light made membership opened registered "
    "registration release released remod remodeled renovated renovation signup subscribed vintage"
)
"""Words in the name of a date that is what a row is like, and nothing that happened to several."""

_WEEKDAY = r"((mon|tue|wed|thu|fri|sat|sun)[a-z]*,? +)?"
_MONTH, _DAY, _YEAR = "(0?[1-9]|1[0-2])", "(0?[1-9]|[12][0-9]|3[01])", "[12][0-9]{3}"
_NAMED_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_TIME = (
    r"(T[0-2][0-9](:?[0-5][0-9])?|[T ] *[0-2]?[0-9]:[0-5][0-9])\S*"
    r"( ?[APap]\.?[Mm]\.?)?( ?[+-][0-9]{2}:?[0-9]{2})?( ?\(?[A-Z]{3,4}\)?)?"
)
_WRITTEN = (
    rf"(?i)^\s*{_WEEKDAY}({_YEAR}[-/.]{_MONTH}([-/.]{_DAY})?|{_DAY}[-/.]{_DAY}[-/.]({_YEAR}|[0-9]{{2}})"
    rf"|{_DAY}[-/. ]{_NAMED_MONTH}[-/. ]{_YEAR}|{_NAMED_MONTH} {_DAY},? {_YEAR})({_TIME})?\s*$"
    rf"|^\s*{_YEAR}[- ]?(W[0-5][0-9]|Q[1-4])\s*$"
)
"""Days, months, weeks and quarters; times of day group the rows by their days."""

_DIGITS = (
    rf"^\s*[A-Za-z]?{_YEAR}((0[1-9]|1[0-2])([0-2][0-9]|3[01](T[0-9]+)?)?)?(\.0+)?\s*$"
    rf"|^\s*{_YEAR}(0[1-9]|1[0-2])([0-2][0-9]|3[01])T[0-9]+\s*$"
)
"""Years, months and days of which only a name says that they are such."""

_MOMENTS = (
    rf"^\s*{_YEAR}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])([01][0-9]|2[0-3])[0-5][0-9]([0-5][0-9])?"
    r"(\.0+)?\s*$"
)
"""Days with hours and minutes as twelve digits, or fourteen with seconds."""

_SECONDS = _MOMENTS.replace("([0-5][0-9])?", "[0-5][0-9]")
"""Fourteen digits, which need no name to say so."""

_YEARS = rf"^\s*{_YEAR}(\.0+)?\s*$"

UNREADABLE = 0.01
"""So many values of a column of dates may be none, as a word for a missing one."""


def are_dates(column: pl.Series) -> bool:
    """Whether a column holds days, or longer parts of a year, whose rows share what happened then.

    Months of any year, days of the week and hours are kinds of rows.

    >>> are_dates(pl.Series("year", [1970, 1971])), are_dates(pl.Series("month", [1, 2]))
    (True, False)
    >>> are_dates(pl.Series("sold", ["31.12.1972"])), are_dates(pl.Series("birth_year", [1970]))
    (True, False)
    """
    words, values = name_words(column.name), column.drop_nulls()
    if is_of_a_row(words):
        return False
    if values.is_empty() or is_day(column.dtype):
        return is_day(column.dtype)
    is_named, has_hours = bool(words & TIMES), bool(words & _HOURS)
    named = is_named or has_hours
    if not (holds_names(column.dtype) or (named and column.dtype.is_float())):
        return False
    texts = values.cast(pl.String)
    forms = [_WRITTEN, _SECONDS, *([_DIGITS] if is_named else []), *([_MOMENTS] if named else [])]
    return any(_are_most(texts.str.contains(form)) for form in forms)


def _are_moments(column: pl.Series) -> bool:
    """Whether numbers are days with a time of day, of a column that is named so."""
    form = _MOMENTS if name_words(column.name) & (TIMES | _HOURS) else _SECONDS
    texts = column.drop_nulls().cast(pl.String)
    return not texts.is_empty() and _are_most(texts.str.contains(form))


def is_of_a_row(words: Collection[str]) -> bool:
    """Whether a date of such a name is what a row is like, as the model year of a car."""
    return not _OF_A_ROW.isdisjoint(words) or {"model", "year"}.issubset(words)


def _are_most(flags: pl.Series) -> bool:
    return int(flags.sum()) >= (1 - UNREADABLE) * max(len(flags), 1)


def holds_names(dtype: pl.DataType) -> bool:
    """Whether a column of this type may hold names, or numbers and dates that stand for some."""
    is_text = isinstance(dtype, pl.String | pl.Categorical | pl.Enum)
    return dtype.is_integer() or is_text or is_day(dtype)


def is_day(dtype: pl.DataType) -> bool:
    """Whether a column of this type holds days, or moments of a day."""
    return isinstance(dtype, pl.Date | pl.Datetime)


FIRST = 1000
"""Rows that show what a column holds before all of it is read."""

_UNITS_A_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def by_day(column: pl.Series) -> pl.Series:
    """Times of day as their days; other columns as they are.

    >>> times = pl.Series("t", ["2024-01-02T03:04", "2024-01-02T05:06"])
    >>> by_day(times).to_list(), by_day(times.str.to_datetime()).n_unique()
    (['2024-01-02', '2024-01-02'], 1)
    """
    if column.dtype.is_numeric() and _are_moments(column.head(FIRST)):
        column = column.cast(pl.Int64, strict=False).cast(pl.String)
    if isinstance(column.dtype, pl.Datetime):
        days = column.to_physical() // _UNITS_A_DAY[column.dtype.time_unit]
        return days.cast(pl.Int32, strict=False).cast(pl.Date)
    if column.dtype == pl.String and are_dates(column.head(FIRST)):
        days = column.str.replace(rf"({_TIME})?\s*$", "").str.strip_chars()
        days = days.str.replace(rf"(?i)^{_WEEKDAY}", "")
        return days.str.replace(r"^([0-9]{8})[0-9]{4}([0-9]{2})?$", "${1}")
    return column


MOST_PERIODS, ROWS_EACH = 20, 5
"""So many periods at most, of so many rows or more: batch means with 19 degrees of freedom."""

FEWEST_PERIODS = 8

EVENLY, NEAR = 0.9, 0.15
"""Share of the span of a series that steps of about the usual length make up."""

_FORMATS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y",
    "%m-%d-%Y", "%d-%b-%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y",
    "%d.%m.%y", "%m/%d/%y", "%d/%m/%y",
)  # fmt: skip

_HOURS = name_words("datetime time timestamp")
"""Words in the name of a column whose digits are a day with a time of day."""

_STEPS = _HOURS | name_words("ds hour step t tick")
"""Words in the name of a column that counts even steps of time."""


def are_times(column: pl.Series) -> bool:
    """Whether the values of a column are dates, or numbers that are named as such and count them.

    >>> are_times(pl.Series("ordinal_date", [736_343])), are_times(pl.Series("age", [70]))
    (True, False)
    """
    words = name_words(column.name)
    named = bool(words & (TIMES | _STEPS)) and not is_of_a_row(words)
    return are_dates(column) or (named and _numbers(column) is not None)


def _numbers(column: pl.Series) -> pl.Series | None:
    """The numbers of a column, which text may stand for; None of other columns."""
    if column.dtype.is_numeric():
        numbers = column.cast(pl.Float64, strict=False)
    elif holds_names(column.dtype) and not is_day(column.dtype):
        numbers = column.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    else:
        return None
    numbers = numbers.set(~numbers.is_finite().fill_null(value=False), None)
    given = column.len() - column.null_count()
    known = numbers.len() - numbers.null_count()
    return numbers if known and known >= (1 - UNREADABLE) * given else None


def in_periods(column: pl.Series) -> pl.Series | None:
    """Consecutive rows of a series as periods; none where several rows share most of the times.

    A forecast has one row per date, and what happens then lasts. Rows with a time of day of their
    own share their day, unless they follow each other at even intervals. None where the order of
    the times cannot be read.

    >>> in_periods(pl.Series("week", range(100))).to_list()[::25]
    [0, 5, 10, 15]
    >>> in_periods(pl.Series("year", [1990, 1991] * 50)) is None
    True
    """
    order = _in_order(column)
    if order is None:
        return None
    known = order.drop_nulls()
    periods = min(MOST_PERIODS, len(known) // ROWS_EACH)
    if periods < FEWEST_PERIODS or not _is_series(column, known):
        return None
    ranks = order.rank("min").cast(pl.Int64) - 1
    return (ranks * periods // len(known)).alias(column.name)


def _is_series(column: pl.Series, order: pl.Series) -> bool:
    """Whether most rows have a time of their own, and no day, or follow each other evenly.

    Numbers that only count steps are to be even, as a time until something happens is not; those
    of seconds since 1970 are dates.
    """
    if 2 * order.n_unique() <= len(order):
        return False
    steps = np.diff(np.unique(order.to_numpy()))
    usual = np.abs(steps - np.median(steps)) <= NEAR * np.median(steps)
    if float(steps[usual].sum()) >= EVENLY * float(steps.sum()):
        return True
    if not are_dates(column):
        return any(bool(order.is_between(*ends).all()) for ends in _SINCE_1970)
    return not _are_years(column) and 2 * by_day(column).n_unique() > len(order)


_SINCE_1970 = tuple((9e8 * unit, 2.1e9 * unit) for unit in (1.0, 1e3, 1e6, 1e9))
"""From 1998 to 2036, in seconds, milliseconds, microseconds and nanoseconds."""


def _are_years(column: pl.Series) -> bool:
    return bool(column.head(FIRST).drop_nulls().cast(pl.String).str.contains(_YEARS).all())


def _in_order(column: pl.Series) -> pl.Series | None:
    """Numbers in the order of the times; None of text in no form that is known."""
    if is_day(column.dtype):
        return column.to_physical()
    numbers = _numbers(column)
    if not are_dates(column) or _are_years(column):
        return numbers
    texts = (column if numbers is None else numbers.cast(pl.Int64)).cast(pl.String)
    texts = texts.str.strip_chars()
    texts = texts.str.replace(r"^([0-9]{8})([0-9]{4}(?:[0-9]{2})?)$", "${1}T${2}")
    days = by_day(texts.alias(column.name))
    least = (1 - UNREADABLE) * (texts.len() - texts.null_count())
    if (form := _form_of(days.head(FIRST))) is not None:
        read = days.str.to_date(form, strict=False)
        if read.len() - read.null_count() >= least:
            return read.to_physical().cast(pl.Int64) * _SECONDS_A_DAY + _seconds(texts)
    of_months = days.str.replace(r"^([0-9]{4})[-/. ]?([0-9])$", "${1}-0${2}")
    lengths = of_months.str.len_chars().drop_nulls()
    if lengths.n_unique() == 1:  # years, months, weeks and quarters sort by their letters
        return of_months.rank("dense").cast(pl.Int64)
    return None


def _form_of(days: pl.Series) -> str | None:
    """The form in which all days can be read but for a few; of several that of the fewest days.

    Rows of a few days in January are not those of as many months, read the other way round.
    """
    least = (1 - UNREADABLE) * (days.len() - days.null_count())
    spans = {}
    for form in _FORMATS:
        read = days.str.to_date(form, strict=False).drop_nulls().to_physical().to_numpy()
        if len(read) and len(read) >= least:
            spans[form] = int(np.ptp(read))
    return min(spans, key=lambda form: spans[form], default=None)


_SECONDS_A_DAY = 86_400


def _seconds(texts: pl.Series) -> pl.Series:
    """The time of day in seconds; 0 where none is given."""
    clock = r"[T ] *([0-2]?[0-9])(?::?([0-5][0-9]))?(?::?([0-5][0-9](?:[.,][0-9]+)?))?"
    texts = texts.str.extract(rf"({_TIME})\s*$", 1)
    parts = texts.str.extract_groups(clock).struct.unnest()
    hours, minutes, seconds = (
        parts[name].str.replace(",", ".").cast(pl.Float64, strict=False).fill_null(0.0)
        for name in "123"
    )
    afternoon = texts.str.contains(r"(?i)p\.?m").fill_null(value=False)
    noon = texts.str.contains(r"(?i)[ap]\.?m").fill_null(value=False) & (hours == 12)
    hours = hours - 12 * noon.cast(pl.Float64) + 12 * afternoon.cast(pl.Float64)
    return hours * 3600 + minutes * 60 + seconds
