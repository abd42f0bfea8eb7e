"""``{date}`` in names of files: the logical date of the build."""

from __future__ import annotations

import datetime as dt
import re

_DATE = re.compile(r"\{date(?::([%\w-][%\w/-]*))?\}")
"""With a form, which holds no dots: a name never leaves its folder by a date."""


def dated_name(name: str, date: dt.date) -> str:
    """A name with the date in the place of ``{date}``, or in a form of its own.

    >>> dated_name("nights/{date}.parquet", dt.date(2026, 1, 31))
    'nights/2026-01-31.parquet'
    >>> dated_name("{date:%Y/%m}/night-{date:%d}.csv", dt.date(2026, 1, 31))
    '2026/01/night-31.csv'
    >>> dated_name("{date:../../secret}.csv", dt.date(2026, 1, 31))
    '{date:../../secret}.csv'
    """
    return _DATE.sub(lambda match: date.strftime(match[1]) if match[1] else date.isoformat(), name)
