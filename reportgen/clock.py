"""The moment of a build: now, or the one that ``SOURCE_DATE_EPOCH`` fixes."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from reportgen.errors import Problem, SpecError

VARIABLE = "SOURCE_DATE_EPOCH"

LATEST = 253_402_300_799
"""The last second of the year 9999."""


def moment() -> datetime:
    """Return now, or the second since 1970 that ``SOURCE_DATE_EPOCH`` names; empty is unset.

    Raises ``SpecError`` where it is not a whole number of seconds up to the year 9999.
    """
    given = os.environ.get(VARIABLE, "")
    if not given:
        return datetime.now(UTC)
    if not (given.isascii() and given.isdecimal()) or len(given) > 12 or int(given) > LATEST:
        message = f"{given[:60]!r} is not a whole number of seconds since 1970, up to year 9999"
        hint = f"unset {VARIABLE}, or set it to a number such as 1735689600"
        raise SpecError(Problem("environment", message, VARIABLE, hint))
    return datetime.fromtimestamp(int(given), UTC)
