"""Times that are text must sort as time does: numbers, or one form such as ISO 8601."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reportgen.errors import Problem
from reportgen.predictions.source import Source, counted, row_problems
from reportgen.predictions.text_values import as_text

_FRACTION = r"(:\d\d|T\d{6})[.,]\d+"
_TIME = r"(?:T\d\d(?::?\d\d)*|\d:\d\d(?::\d\d)*)(?:[.,]\d+)?"
_OFFSETS = (
    _TIME + r"([^\d.,:].*)$",
    r"\s\d{2,6}(\s*[\p{L}+\u2212-].*)$",
)
"""What follows a time of day: Z, +02, GMT+2, +02:00[Europe/Berlin]."""

_NOT_AS_TEXT = r"[,\u2212]|\d[\p{L}--[TW]]"
"""A decimal comma, or an offset that sorts behind the point of a fraction."""

_SMALLER_FIRST = (
    r"^\d{1,2}[./-]\d{1,2}[./-]\d",
    r"^\D*\d{1,2}\D.*(?:19|20)\d\d(?:\D|$)",  # Q1 2024, 5 Jan 2024
    r"(?i)\d\s?[ap]\.?m\b",  # 12:30 PM is before 01:30 PM
    r"^\d{4}\D(?:1[3-9]|2\d|3[01])\D\d\d(?:\D|$)",  # 2024-27-10
    r"^-",
)
_MONTHS = r"^(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d$"
_JOINED_MONTHS = r"^(?:0[1-9]|1[0-2])(?:19|20)\d\d$"
_DAYS = r"^(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d\d$"


_OFFSET = r"(Z|[+-]\d\d(?::?\d\d)?)"
_INSTANT = rf"^\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{{1,9}})?)?{_OFFSET}$"
"""A date of ISO 8601 with a time of day and its offset from UTC."""


def in_one_offset(values: pl.Series) -> pl.Series:
    """The values in UTC, where they are ISO times whose offsets differ, as where clocks change.

    >>> in_one_offset(pl.Series(["2026-10-25T02:30:00+02:00", "2026-10-25T02:00Z"])).to_list()
    ['2026-10-25 00:30:00+00:00', '2026-10-25 02:00:00+00:00']
    >>> in_one_offset(pl.Series(["2026-10-25T02:30+02:00"])).to_list()
    ['2026-10-25T02:30+02:00']
    """
    first = values.drop_nulls().head(1).str.contains(_INSTANT)
    if not first.any() or values.str.extract(_INSTANT).drop_nulls().n_unique() == 1:
        return values
    plain = values.str.replace("T", " ", literal=True)
    plain = plain.str.replace(",", ".", literal=True).str.replace(r"Z$", "+00:00")
    plain = plain.str.replace(r"([+-]\d\d)$", "${1}:00").str.replace(
        r"^(.{10} \d\d:\d\d)([+-])", "${1}:00${2}"
    )
    fine = bool(values.str.contains(r"[.,]\d{7}").any())
    instants = plain.str.to_datetime(
        "%Y-%m-%d %H:%M:%S%.f%z", time_unit="ns" if fine else "us", time_zone="UTC", strict=False
    )
    is_read = (values.str.contains(_INSTANT) & instants.is_not_null()) | values.is_null()
    return as_text(instants) if is_read.all() else values


def unordered(values: pl.Series, column: str, source: Source) -> list[Problem]:
    """Return the rows whose time is in another form than the first one's, or begins with a day.

    Text sorts as time where all values have the same form, the largest unit first, and
    the same offset from UTC, which those of ``in_one_offset`` have; ``values`` are text.
    """
    given = values.drop_nulls()
    if ordered(given):
        return []
    if _numbers(given):
        wrong = values.is_not_null()
    else:
        wrong = (_form(values) != _form(given.head(1))[0]) | _smaller_first(values)
    return row_problems(
        "unordered-time",
        lambda n: counted(n, "time does", "times do") + " not sort as text like the others",
        "write numbers, or dates as in 2026-05-31T10:30 or 2026-05-31T10:30+02:00, all in one form",
        column=column,
        wrong=wrong.fill_null(value=False),
        source=source,
        values=values,
    )


def ordered(given: pl.Series) -> bool:
    """Whether texts without nulls sort as time does.

    >>> ordered(pl.Series(["2026-05-31", "2026-06-01"])), ordered(pl.Series(["31.5.2026"]))
    (True, False)
    """
    if _numbers(given):
        return not _dates_as_numbers(given)
    forms = in_one_offset(given.unique())
    return _form(forms).n_unique() == 1 and not bool(_smaller_first(forms).any())


def points(time: pl.Series) -> pl.Series:
    """The place in time of each row, from 0, so that what follows compares no text.

    Rows of one text are one time point; ``time`` is text without nulls.

    >>> points(pl.Series("time", ["9", "10", "8", "10"])).to_list()
    [1, 2, 0, 2]
    """
    key = _key(time)
    if key is not None:
        return (key.rank("dense") - 1).alias("point")
    distinct = pl.DataFrame({"time": time}).unique().sort(*in_order(time)).with_row_index("point")
    return pl.DataFrame({"time": time}).join(
        distinct, on="time", how="left", maintain_order="left"
    )["point"]


def in_order(time: pl.Series) -> Iterator[pl.Expr]:
    """What sorts time points: as numbers where all are, else as text, which suits ISO dates.

    >>> names = ["10:00:00Z", "10:00:00,5Z", "10:00:00.25Z"]
    >>> pl.DataFrame({"time": names}).sort(*in_order(pl.Series(names)))["time"].to_list()
    ['10:00:00Z', '10:00:00.25Z', '10:00:00,5Z']
    """
    for dtype in (pl.Int128, pl.Float64):  # whole nanoseconds are beyond the exact floats
        if time.cast(dtype, strict=False).null_count() == time.null_count():
            yield pl.col("time").cast(dtype, strict=False)
            break
    # a fraction of a second comes after none, whatever its mark and the offset behind it
    shorter = pl.col("time").str.replace(f"({_TIME})[^\\d.,:].*$", "${1}")
    yield shorter.str.replace(",", ".", literal=True)
    yield pl.col("time")


def _key(time: pl.Series) -> pl.Series | None:
    """One value per text that sorts as ``in_order`` does; null where it takes several."""
    whole = time.cast(pl.Int64, strict=False)
    if not whole.null_count():
        return whole if (whole.cast(pl.String) == time).all() else None
    if not time.cast(pl.Float64, strict=False).null_count():
        return None
    return None if time.str.contains(_NOT_AS_TEXT).any() else time


def _numbers(given: pl.Series) -> bool:
    """Whether all are finite numbers; "nan" and "inf" are none, and no times."""
    return bool(given.cast(pl.Float64, strict=False).is_finite().fill_null(value=False).all())


def _dates_as_numbers(given: pl.Series) -> bool:
    """Whether numbers are months or days before their year: 05.2024, 31122024, 052024."""
    shapes = [_MONTHS, _DAYS]
    if given.str.head(2).n_unique() > 1:  # those of one month sort by their years
        shapes.append(_JOINED_MONTHS)
    return any(
        given.head(1).str.contains(dates).any() and given.str.contains(dates).all()
        for dates in shapes
    )


def _smaller_first(values: pl.Series) -> pl.Series:
    """Which values begin with a smaller unit than a later one, or run backwards as text."""
    return values.str.contains("|".join(_SMALLER_FIRST)).fill_null(value=False)


def _form(values: pl.Series) -> pl.Series:
    """The values with 0 for each digit, without fractions of a second; their offset stays."""
    result = values.str.replace_all(_FRACTION, "${1}").str.replace_all(r"\d", "0")
    for offset in _OFFSETS:
        result += "|" + values.str.extract(offset).fill_null("")
    return result
