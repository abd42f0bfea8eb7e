"""Values as text: one spelling whatever the type of the column.

Integer 1 and float 1.0 are "1", boolean true is "true", and text stays as it
is, so that "01" is not "1". Times are spelled with all their digits and no more,
whatever the unit of their column, and in UTC where it has a time zone.
"""

from __future__ import annotations

import polars as pl

from reportgen.predictions.exact_numbers import EXACT

_DAYS = 90_000_000
"""Days from 1970 that the calendars of libraries have, about 250,000 years."""


def is_scalar(dtype: pl.DataType) -> bool:
    """Whether a column's values are single values that have a spelling."""
    is_extension = isinstance(dtype, pl.BaseExtension)  # what it means its own library knows
    return not (dtype.is_nested() or is_extension or dtype in (pl.Binary, pl.Object))


def as_text(values: pl.Series) -> pl.Series:
    """Return the values as text."""
    dtype = values.dtype
    if dtype == pl.String:
        return values
    if dtype.is_decimal():  # not by floats, which are the same for neighbours beyond 2⁵³
        return values.cast(pl.String).str.replace(r"\.0+$|(\.\d*[1-9])0+$", "${1}")
    if dtype.is_temporal() and dtype != pl.Date:
        return _times(values)
    if values.dtype.is_float():
        whole = (values == values.round()) & (values.abs() < EXACT)
        whole = whole.fill_null(value=False)
        return (
            values.cast(pl.Int64, strict=False)
            .cast(pl.String)
            .zip_with(whole, values.cast(pl.String))
        )
    return values.cast(pl.String)


def _times(values: pl.Series) -> pl.Series:
    if values.dtype == pl.Time:
        return values.dt.to_string("%H:%M:%S%.f")
    if values.dtype == pl.Duration:
        return values.dt.to_string("iso")
    if isinstance(values.dtype, pl.Datetime) and values.dtype.time_zone is None:
        return values.dt.to_string("%Y-%m-%d %H:%M:%S%.f")
    return values.dt.convert_time_zone("UTC").dt.to_string("%Y-%m-%d %H:%M:%S%.f%:z")


def without_date(values: pl.Series) -> pl.Series:
    """Which values are days, times of day or time points that no calendar has."""
    physical = values.to_physical()
    if values.dtype == pl.Time:
        return ((physical < 0) | (physical >= 86_400 * 10**9)).fill_null(value=False)
    if values.dtype == pl.Date:
        return (physical.abs() > _DAYS).fill_null(value=False)
    unit = {"ms": 10**3, "us": 10**6, "ns": 10**9}.get(getattr(values.dtype, "time_unit", ""))
    if unit is None or values.dtype == pl.Duration:
        return pl.repeat(False, len(values), eager=True)
    return (physical.cast(pl.Float64).abs() > _DAYS * 86_400.0 * unit).fill_null(value=False)


DECIMAL_COMMA = r"^\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*$"


def has_decimal_commas(values: pl.Series) -> bool:
    """Whether numbers with a decimal comma are among texts, and no other with a point.

    >>> has_decimal_commas(pl.Series(["0,5", "1"])), has_decimal_commas(pl.Series(["0,5", "1.5"]))
    (True, False)
    """
    written = values.drop_nulls()
    return bool(written.str.contains(DECIMAL_COMMA).any()) and not bool(
        written.str.contains(".", literal=True).any()
    )


_THOUSANDS = r"^\s*[+-]?[1-9]\d{0,2}([,.'’ \u00a0\u202f]\d{3})+([.,]\d+)?\s*$"
THOUSANDS = "write thousands without a mark between them: 1234.5, not 1,234.5 or 1.234,5"


def has_thousands(wrong: pl.Series) -> bool:
    """Whether texts that are no numbers are all numbers with a mark between thousands.

    >>> has_thousands(pl.Series(["1,234", "1'000.5"])), has_thousands(pl.Series(["1,2345"]))
    (True, False)
    """
    written = wrong.drop_nulls()
    return not written.is_empty() and bool(written.str.contains(_THOUSANDS).all())


def with_point(values: pl.Series) -> pl.Series:
    """Numbers with a decimal comma as text with a point; null where there is a point already."""
    text = values.str.replace(",", ".", literal=True)
    return text.set(values.str.contains(".", literal=True).fill_null(value=False), None)
