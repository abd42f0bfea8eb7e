"""How many decimals a number has: as many as its interval supports, one rule for a whole column."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import ceil, floor, inf, isfinite, log10

MOST_DECIMALS = 4

PLAIN_FROM, PLAIN_BELOW = 1e-3, 1e7
"""Outside these a value is written with powers of ten."""

POWERS = -1
"""Instead of a number of decimals: a value and its limits are written with powers of ten."""

READ_PLAIN = 1e3
"""Values below it stay plain beside those that have powers of ten."""

SPURIOUS = 3
"""So many decimals more than its own interval supports are too many for a value."""

PLAIN_RATIO = 10
"""Below it a value has the default number of decimals, as proportions and ratios do."""

_KEPT = 1 << 14
"""So many answers are kept: sentences, tables and charts ask the same of each number."""

WithLimits = tuple[float | None, float | None, float | None]
"""A value, and the limits of its interval where it has one."""


@lru_cache(maxsize=_KEPT)
def of_value(
    value: float | None,
    low: float | None,
    high: float | None,
    default: int = 3,
    least: int = 0,
) -> int:
    """Number of decimals of a value and its limits: one rule for sentences, charts and tables.

    Three where the half-width is below 1, so that a column of proportions has
    one number of decimals; four where it is below 0.001. Wider intervals, of
    values with a unit, show two significant digits of the half-width. At least
    as many as give ``value`` two significant digits, unless the interval is far
    wider. Without an interval it is ``default``. ``least`` are those of the neighbours in a row
    or a column. All three have powers of ten where one of them is ten millions or more, and where
    none reaches 0.001.

    >>> of_value(0.951, 0.939, 0.963), of_value(0.68, 0.46, 0.85), of_value(0.97, 0.9698, 0.9702)
    (3, 3, 4)
    >>> of_value(0.0034, 0.001, 0.025)
    4
    >>> of_value(120.4, 80.0, 200.0), of_value(0.0068, -5.1, 5.2), of_value(55.0, 54.7, 55.3)
    (0, 1, 2)
    >>> of_value(2.1e7, 3.7e6, 3.9e7) == of_value(5e-5, 3e-5, 8e-5) == POWERS
    True
    """
    return shared([(value, low, high)], default, least)


def shared(numbers: Iterable[WithLimits], default: int = 3, least: int = 0) -> int:
    """Number of decimals of all the values of one unit, and of their limits, as in a column.

    As many as the narrowest interval supports, but at most one more than the one in the middle;
    a value without an interval has those of the others. The largest value has two significant
    digits: smaller ones may have fewer. Beside a value below 1,000 those of ten millions or more
    do not count: see ``among``.

    >>> shared([(0.024, -0.035, 0.082), (0.007, -0.0276, 0.0417)])
    3
    >>> shared([(4.777, 4.75, 4.8), (5.3, 3.1, 7.5), (5.1, 2.1, 8.5), (6.0, 3.0, 9.0)])
    2
    >>> shared([(911_562.0, 8e5, 1e6), (1.6e7, 1.1e7, 2.1e7)]) == POWERS
    True
    >>> shared([(-0.069, -0.31, 0.111), (-2.5e9, None, None)])
    3
    >>> shared([(28_225.258, None, None), (27_701.505, 15_246.0, 58_568.4)])
    0
    """
    rows = list(numbers)
    if any(0 < _largest(*row) < READ_PLAIN for row in rows):
        rows = [row for row in rows if _largest(*row) < PLAIN_BELOW]
    largest = max((_largest(*row) for row in rows), default=0.0)
    with_limits = [row for row in rows if _half_width(*row[1:]) is not None]
    limited = bool(with_limits)
    if largest >= PLAIN_BELOW or (limited and 0 < largest < PLAIN_FROM):
        return POWERS
    supported = sorted(_supported(*row, default) for row in with_limits or rows) or [default]
    digits = min(supported[-1], supported[len(supported) // 2] + 1)
    value, low, high = max(rows, key=lambda row: abs(row[0] or 0.0), default=(None, None, None))
    width = _half_width(low, high)
    if value and (width is None or width < 10 * abs(value)):
        digits = max(digits, two_significant(value))
    if value and abs(value) >= PLAIN_RATIO and not limited:
        digits = min(digits, 1 if abs(value) < 100 else 0)
    return max(0, min(MOST_DECIMALS, max(digits, least)))


def among(value: float | None, low: float | None, high: float | None, digits: int) -> int:
    """Number of decimals of one of the values that share ``digits``.

    A huge one has powers of ten, and one of 1,000 or more none that are spurious, as alone.

    >>> among(-0.069, -0.31, 0.111, 3), among(1.6e7, 9e6, 2.1e7, 3) == POWERS
    (3, True)
    >>> among(2500.407, 34.565, 23_695.79, 3), among(12.5, None, None, 3)
    (0, 3)
    """
    if _largest(value, low, high) >= PLAIN_BELOW:
        return POWERS
    own = of_value(value, low, high)
    return own if abs(value or 0.0) >= READ_PLAIN and digits - own >= SPURIOUS else digits


def _largest(*row: float | None) -> float:
    """The largest size of a value and its limits."""
    return max((abs(x) for x in row if x is not None and isfinite(x)), default=0.0)


def _supported(value: float | None, low: float | None, high: float | None, default: int) -> int:
    """Number of decimals that an interval supports."""
    width = _half_width(low, high)
    if width is None or not 0 < width < inf:
        return default
    is_ratio = 0.001 <= width < 1 and abs(value or 0) < PLAIN_RATIO
    return default if is_ratio else ceil(-log10(width)) + 1


def _half_width(low: float | None, high: float | None) -> float | None:
    return None if low is None or high is None else (high - low) / 2


@lru_cache(maxsize=_KEPT)
def of_effect(value: float | None, low: float | None, high: float | None) -> int:
    """Number of decimals of a difference: those of its interval, more where a limit prints as zero.

    A difference near 0 is no more exact than its interval: it has no further decimals.

    >>> of_effect(0.0004, -0.013, 0.0139), of_effect(-0.0086, -0.0163, -0.0009)
    (3, 3)
    >>> of_effect(0.033, -0.0004, 0.067), of_effect(-1.2143, -2.3824, -0.0461)
    (4, 2)
    >>> of_effect(0.0568, 0.00002, 0.114), of_effect(0.05, 0.0, 0.1)
    (3, 3)
    """
    return shared_by_effects([(value, low, high)])


def shared_by_effects(effects: Iterable[WithLimits]) -> int:
    """Number of decimals of all the differences of one unit, and of their limits.

    Differences without limits have powers of ten where all of them would print as zero.

    >>> shared_by_effects([(0.0004, -0.013, 0.0139), (0.033, -0.0004, 0.067)])
    4
    >>> shared_by_effects([(5e-8, None, None)]) == POWERS
    True
    """
    rows = list(effects)
    digits = shared(rows)
    limited = [row for row in rows if row[1] is not None and row[2] is not None]
    if not limited:
        largest = max((abs(value) for value, *_ in rows if value), default=0.0)
        return POWERS if 0 < largest < 0.5 * 10**-MOST_DECIMALS else digits
    if digits == POWERS:
        return digits
    digits = min(digits, shared((None, low, high) for _, low, high in limited))
    ends = [end for _, *limits in limited for end in limits if end]
    enough = range(digits, MOST_DECIMALS + 1)
    return next((more for more in enough if all(round(end, more) for end in ends)), digits)


def among_effects(value: float | None, low: float | None, high: float | None, digits: int) -> int:
    """Number of decimals of one of the differences that share ``digits``.

    One that has powers of ten where it stands alone has them beside larger ones, too.

    >>> among_effects(0.0, -4e-6, 4e-6, 4) == POWERS, among_effects(0.02, 0.01, 0.03, 4)
    (True, 4)
    """
    return POWERS if of_effect(value, low, high) == POWERS else digits


def of_scores(scores: Iterable[float | None], significant: int = 1) -> int:
    """Number of decimals of scores or estimates in a column: the smallest one is not all zeros.

    >>> of_scores([0.98, 0.51]), of_scores([0.000124, 0.98]), of_scores([412.0, 0.1])
    (3, 4, 1)
    >>> of_scores([0.38, 0.0052], significant=2), of_scores([1e-30, None, 0.0])
    (4, 6)
    """
    sizes = [abs(score) for score in scores if score and isfinite(score)]
    if not sizes:
        return 1
    digits = max(0, min(3, 3 - floor(log10(max(sizes)))))
    if max(sizes) >= PLAIN_RATIO:
        return digits
    return max(digits, min(6, significant - 1 - floor(log10(min(sizes)))))


def two_significant(value: float | None) -> int:
    """Number of decimals that show two significant digits.

    >>> two_significant(0.0034), two_significant(8.3), two_significant(120.0), two_significant(0.0)
    (4, 1, 0, 0)
    """
    return max(0, 1 - floor(log10(abs(value)))) if value and isfinite(value) else 0
