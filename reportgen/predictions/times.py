"""Times that are text must sort as time does: numbers, or one form such as ISO 8601."""

from __future__ import annotations

import polars as pl

from reportgen.errors import Problem
from reportgen.predictions.source import Source, counted, row_problems

_FRACTION, _OFFSET = r"[.,]\d+", r"(?::\d\d(?:[.,]\d+)?)(Z|[+-]\d\d:?\d\d)$"
_DAY_FIRST = r"^\d{1,2}[./-]\d{1,2}[./-]\d"


def unordered(values: pl.Series, column: str, source: Source) -> list[Problem]:
    """Return the rows whose time is in another form than the first one's, or begins with a day.

    Text sorts as time where all values have the same form, the largest unit first, and
    the same offset from UTC; ``values`` are text.
    """
    numbers = values.cast(pl.Float64, strict=False)
    if numbers.null_count() == values.null_count():
        return []
    given = values.drop_nulls()
    forms = given.unique()
    if _form(forms).n_unique() == 1 and not forms.str.contains(_DAY_FIRST).any():
        return []
    other = (_form(values) != _form(given.head(1))[0]) | values.str.contains(_DAY_FIRST)
    return row_problems(
        "unordered-time",
        lambda n: counted(n, "time does", "times do") + " not sort as text like the others",
        "write numbers, or dates as in 2026-05-31T10:30, all in one form and with one offset",
        column=column,
        wrong=other.fill_null(value=False),
        source=source,
        values=values,
    )


def _form(values: pl.Series) -> pl.Series:
    """The values with 0 for each digit, without fractions of a second; their offset stays."""
    offset = values.str.extract(_OFFSET).fill_null("")
    return values.str.replace_all(_FRACTION, "").str.replace_all(r"\d", "0") + offset
