"""Columns of dates: the days that rows share, and periods of rows that each have their own."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.text.words import name_words

TIMES = name_words("date datum day jahr month period quarter week year yr 年 年份 月份 日期")
"""Words in the name of a column whose digits are a date."""

_OF_A_ROW = name_words(
    "birth birthday born build built construction dob enrolled established expiry founded "
    "graduation hired income joined light made model opened release released remod remodeled "
    "renovated renovation vintage"
)
"""Words in the name of a date that is what a row is like, and nothing that happened to several."""

_MONTH, _DAY, _YEAR = "(0?[1-9]|1[0-2])", "(0?[1-9]|[12][0-9]|3[01])", "[12][0-9]{3}"
_WRITTEN = (
    rf"^\s*({_YEAR}[-/.]{_MONTH}([-/.]{_DAY})?|{_DAY}[-/.]{_DAY}[-/.]({_YEAR}|[0-9]{{2}}))"
    rf"([T ].*)?$|^\s*{_YEAR}[- ]?(W[0-5][0-9]|Q[1-4])\s*$"
)
"""Days, months, weeks and quarters; times of day group the rows by their days."""

_DIGITS = rf"^\s*[A-Za-z]?{_YEAR}((0[1-9]|1[0-2])([0-2][0-9]|3[01])?)?(\.0+)?\s*$"
"""Years, months and days of which only a name says that they are such."""


def are_dates(column: pl.Series) -> bool:
    """Whether a column holds days, or longer parts of a year, whose rows share what happened then.

    Months of any year, days of the week and hours are kinds of rows.

    >>> are_dates(pl.Series("year", [1970, 1971])), are_dates(pl.Series("month", [1, 2]))
    (True, False)
    >>> are_dates(pl.Series("sold", ["31.12.1972"])), are_dates(pl.Series("birth_year", [1970]))
    (True, False)
    """
    words, values = name_words(column.name), column.drop_nulls()
    if words & _OF_A_ROW:
        return False
    if values.is_empty() or is_day(column.dtype):
        return is_day(column.dtype)
    is_named = bool(words & TIMES)
    if not (holds_names(column.dtype) or (is_named and column.dtype.is_float())):
        return False
    texts = values.cast(pl.String)
    if texts.str.contains(_WRITTEN).all():
        return True
    return is_named and bool(texts.str.contains(_DIGITS).all())


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
    if isinstance(column.dtype, pl.Datetime):
        days = column.to_physical() // _UNITS_A_DAY[column.dtype.time_unit]
        return days.cast(pl.Int32, strict=False).cast(pl.Date)
    if column.dtype == pl.String and are_dates(column.head(FIRST)):
        return column.str.extract(r"^\s*([^T ]*)")
    return column


MOST_PERIODS, ROWS_EACH = 20, 5
"""So many periods at most, of so many rows or more: batch means with 19 degrees of freedom."""

FEWEST_PERIODS = 8

EVENLY, NEAR = 0.9, 0.15
"""Share of the span of a series that steps of about the usual length make up."""

_FORMATS = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y",
    "%d.%m.%y", "%m/%d/%y", "%d/%m/%y",
)  # fmt: skip


def are_times(column: pl.Series) -> bool:
    """Whether the values of a column are dates, or numbers that are named as such and count them.

    >>> are_times(pl.Series("ordinal_date", [736_343])), are_times(pl.Series("age", [70]))
    (True, False)
    """
    words = name_words(column.name)
    named = bool(words & (TIMES | {"timestamp"})) and not words & _OF_A_ROW
    return are_dates(column) or (named and _are_whole(column))


def _are_whole(column: pl.Series) -> bool:
    """Whether a column holds whole numbers, which text may stand for."""
    if column.dtype.is_integer() or not holds_names(column.dtype) or is_day(column.dtype):
        return column.dtype.is_integer()
    texts = column.drop_nulls().cast(pl.String)
    return not texts.is_empty() and bool(texts.str.contains(r"^\s*[0-9]{1,18}\s*$").all())


def in_periods(column: pl.Series) -> pl.Series | None:
    """Consecutive rows of a series as periods; none where several rows share most of the times.

    A forecast has one row per date, and what happens then lasts. Rows with a time of day of their
    own share their day, unless they follow each other at even intervals.

    >>> in_periods(pl.Series("week", range(100))).to_list()[::25]
    [0, 5, 10, 15]
    >>> in_periods(pl.Series("year", [1990, 1991] * 50)) is None
    True
    """
    order = _in_order(column)
    known = order.drop_nulls()
    periods = min(MOST_PERIODS, len(known) // ROWS_EACH)
    if periods < FEWEST_PERIODS or not _is_series(column, known):
        return None
    ranks = order.rank("min").cast(pl.Int64) - 1
    return (ranks * periods // len(known)).alias(column.name)


def _is_series(column: pl.Series, order: pl.Series) -> bool:
    """Whether most rows have a time of their own, and no day, or follow each other evenly."""
    if 2 * order.n_unique() <= len(order):
        return False
    steps = np.diff(np.unique(order.to_numpy()))
    usual = np.abs(steps - np.median(steps)) <= NEAR * np.median(steps)
    evenly = float(steps[usual].sum()) >= EVENLY * float(steps.sum())
    return evenly or 2 * by_day(column).n_unique() > len(order)


def _in_order(column: pl.Series) -> pl.Series:
    """Numbers in the order of the times; text that is no day in a known form by its letters."""
    if column.dtype.is_numeric() or is_day(column.dtype):
        return column.to_physical()
    texts = column.cast(pl.String).str.strip_chars()
    if _are_whole(column):
        return texts.cast(pl.Int64)
    for form in _FORMATS:
        days = texts.str.to_date(form, strict=False)
        if days.null_count() == texts.null_count():
            return days.to_physical()
    moments = texts.str.to_datetime(strict=False, time_unit="us") if _has_times(texts) else texts
    if moments.dtype != pl.String and moments.null_count() == texts.null_count():
        return moments.to_physical()
    return texts.rank("dense").cast(pl.Int64)


def _has_times(texts: pl.Series) -> bool:
    return bool(
        texts.drop_nulls().head(FIRST).str.contains(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]").all()
    )
