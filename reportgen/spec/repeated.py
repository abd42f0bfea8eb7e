"""What a spec says of builds that are repeated: cadence, alarm budget, retention."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from reportgen.spec.base import SpecPart
from reportgen.spec.field_types import SpecNumber, Text

DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 365.25 / 12}
"""Days of each unit of a cadence."""

DAILY = "1 day"
"""The cadence of builds whose spec declares none."""

_EVERY = re.compile(r"(?:([1-9]\d{0,3})\s+)?(hour|day|week|month)s?")


def days_of(every: str) -> float:
    """The days between two builds of a cadence such as ``1 day`` or ``12 hours``.

    >>> days_of("1 day"), days_of("2 weeks"), days_of("12 hours")
    (1.0, 14.0, 0.5)
    """
    match = _EVERY.fullmatch(every.strip())
    if match is None:
        raise ValueError(f"{every!r} is not a cadence such as '1 day', '12 hours' or '2 weeks'")
    return int(match[1] or 1) * DAYS[match[2]]


def builds_a_year(every: str | None) -> float:
    """How many builds a cadence gives in a year: of none as many as a daily one.

    >>> round(builds_a_year("1 day")), round(builds_a_year("1 week")), round(builds_a_year(None))
    (365, 52, 365)
    """
    return 365.25 / days_of(every or DAILY)


def _cadence(every: str) -> str:
    try:
        days_of(every)
    except ValueError:
        message = "a cadence is expected, such as 1 day, 12 hours or 2 weeks"
        raise PydanticCustomError("cadence", message) from None
    return every


Cadence = Annotated[Text, AfterValidator(_cadence)]


class History(SpecPart):
    """How builds are compared with earlier ones."""

    alarms_per_year: SpecNumber = Field(1.0, gt=0, le=366)
    """False alarms a year that all gates against earlier builds may give together."""
    window: int = Field(120, ge=3, le=1000)
    """Earlier builds that the prediction limit is computed from, at most."""
    least: int = Field(14, ge=3, le=1000)
    """Earlier builds that it needs; with fewer, ``within history`` is inconclusive."""
    accumulate: bool = False
    """Whether gates between two models are decided on the rows of all builds, by a confidence
    sequence. Each build then has rows of its own, by ``columns.id``."""


class Keep(SpecPart):
    """Builds that ``reportgen prune`` keeps; all others may go."""

    last: Annotated[int, Field(ge=0, le=100_000)] = 0
    """How many of the newest builds to keep."""
    daily: Annotated[int, Field(ge=0, le=100_000)] = 0
    """For how many of the newest dates to keep the last build."""
    monthly: Annotated[int, Field(ge=0, le=100_000)] = 0
    """For how many of the newest months to keep the last build."""


FailOn = Literal["fail", "inconclusive"]
