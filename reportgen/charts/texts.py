"""Numbers and lists as words, for titles, legends and descriptions of charts.

They are written by ``reportgen.text``; charts alone need what is declared here.
"""

from __future__ import annotations

import math

from reportgen.text import numbers
from reportgen.text.decimals import POWERS
from reportgen.text.numbers import count, fixed, rounded, threshold
from reportgen.text.words import capitalised, listed

__all__ = [
    "amount",
    "capitalised",
    "count",
    "digits_apart",
    "interval",
    "listed",
    "number",
    "percent",
    "threshold",
]


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with a real minus sign; n/a for null.

    >>> number(-0.0312), number(None), number(-0.0001)
    ('−0.031', 'n/a', '0.000')
    """
    return fixed(value, digits)


def digits_apart(first: float, second: float) -> int:
    """Return so many decimals, three to six, that two numbers that differ print so.

    >>> digits_apart(0.5871, 0.5879), digits_apart(0.58741, 0.58743), digits_apart(0.5, 0.5)
    (3, 5, 3)
    """
    digits = 3
    while first != second and digits < 6 and number(first, digits) == number(second, digits):
        digits += 1
    return digits


def percent(share: float | None, digits: int = 1) -> str:
    r"""Return a share as a percentage; n/a for null.

    >>> percent(0.0312), percent(1.0), percent(None)
    ('3.1\xa0%', '100.0\xa0%', 'n/a')
    """
    return "n/a" if share is None else f"{number(100 * share, digits)}\N{NO-BREAK SPACE}%"


def amount(value: float | None, digits: int = 3) -> str:
    """Return a number of any size with so many significant digits; n/a for null.

    >>> amount(54.705), amount(-3340.9), amount(0.00012345), amount(2.5e12), amount(0.0)
    ('54.7', '−3,341', '0.000123', '2.50 × 10¹²', '0')
    """
    if value is None:
        return "n/a"
    size = abs(value)
    if value == 0 or not 1e-5 <= size < 1e7:
        return numbers.number(value, POWERS)
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    return f"{'−' if value < 0 else ''}{rounded(size, decimals)}"


def interval(low: float | None, high: float | None, digits: int = 3) -> str:
    """Return an interval in brackets, or nothing where there is none.

    >>> interval(0.1, 0.25), interval(None, None)
    ('(0.100 to 0.250)', '')
    """
    if low is None or high is None:
        return ""
    return f"({number(low, digits)} to {number(high, digits)})"
