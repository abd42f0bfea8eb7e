"""Write numbers as a reader expects them: as many digits as the interval supports.

A minus is "−", a small positive number is never "0.0", what has no value is
"n/a". Every function takes None and is pure, so each is also a Jinja filter.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import wraps
from math import floor, isfinite, log10
from typing import Any, TypeVar, cast

from reportgen.text import decimals
from reportgen.text.decimals import PLAIN_BELOW, POWERS

SIGNIFICANT = 12
"""Digits of a number that are looked at when it is rounded."""

UNDEFINED = "n/a"
PERCENT = "\u00a0%"
MOST_DIGITS = 6
"""Decimals of a limit that would else be rounded to 0."""

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Printed(str):
    """A number as text, with the number itself in ``value``, by which tables are sorted."""

    value: float


Writer = TypeVar("Writer", bound=Callable[..., str])


def _with_value(write: Writer) -> Writer:
    """Let the text of a number have the number."""

    @wraps(write)
    def printed(value: float | None, *args: Any, **kwargs: Any) -> str:
        text = write(value, *args, **kwargs)
        if value is None:
            return text
        result = Printed(text)
        result.value = float(value)
        return result

    return cast("Writer", printed)


def rounded(size: float, digits: int) -> str:
    """Round half to even, of the decimals that a reader would count with.

    So an accuracy and its error rate add up to 1 as they are printed, which rounding of their
    binary values does not give: 0.8875 and 0.1125 are nearly, but not quite, halfway.

    >>> rounded(0.8875, 3), rounded(0.1125, 3), rounded(1 - 0.8875, 3), rounded(1234.5, 0)
    ('0.888', '0.112', '0.112', '1,234')
    """
    exact = Decimal(f"{size:.{SIGNIFICANT}g}")
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN):,f}"


@_with_value
def number(value: float | None, digits: int = 3) -> str:
    """Write a number with ``digits`` decimals and thousands separators.

    >>> number(-0.01234)
    '−0.012'
    >>> number(0.00001), number(-0.00001), number(0.0)
    ('< 0.001', '0.000', '0')
    >>> number(1234.5678, 1), number(123456789012.0), number(None)
    ('1,234.6', '1.23 × 10¹¹', 'n/a')
    >>> number(3_716_130.0, POWERS)
    '3.72 × 10⁶'
    """
    if value is None:
        return UNDEFINED
    if not isfinite(value):
        return "−∞" if value < 0 else "∞"
    if value == 0:
        return "0"
    sign = "−" if value < 0 else ""
    size = abs(value)
    if size >= PLAIN_BELOW or digits == POWERS:
        return sign + _scientific(size)
    text = rounded(size, digits)
    if float(text.replace(",", "")) == 0:
        return text if value < 0 else f"< {10**-digits:.{digits}f}"
    return sign + text


@_with_value
def fixed(value: float | None, digits: int) -> str:
    """Write a limit of an interval: like ``number``, but zero keeps its decimals.

    >>> fixed(0.0, 3), fixed(1.0, 3), fixed(-0.5, 2), fixed(0.00001, 3)
    ('0.000', '1.000', '−0.50', '0.000')
    >>> fixed(123456789.0, 0)
    '1.23 × 10⁸'
    """
    if value is None or not isfinite(value) or abs(value) >= PLAIN_BELOW or digits == POWERS:
        return number(value, digits)
    text = rounded(abs(value), digits)
    return f"−{text}" if value < 0 and float(text.replace(",", "")) else text


@_with_value
def unsigned_limit(value: float, digits: int) -> str:
    """Write a limit of an interval whose plain numbers have no sign: none below 0 is rounded to 0.

    >>> unsigned_limit(-0.00031, 3), unsigned_limit(0.00031, 3), unsigned_limit(-1e-17, 3)
    ('−0.0003', '0.000', '0.000')
    """
    texts = [fixed(value, more) for more in range(digits, MOST_DIGITS + 1)]
    shown = (text for text in texts if text.startswith("−"))
    return next(shown, texts[0]) if value < 0 and digits >= 0 else fixed(value, digits)


@_with_value
def estimate(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    default: int = 3,
    least: int = 0,
) -> str:
    """Write a value with the digits that its interval supports, or as its neighbours have them.

    >>> estimate(0.95123, 0.93923, 0.96323), estimate(0.95123), estimate(None)
    ('0.951', '0.951', 'n/a')
    >>> estimate(0.0, 0.0, 0.01), estimate(1.0), estimate(12.6, 9.3, 30.8, least=1)
    ('0.000', '1.000', '12.6')
    >>> estimate(-0.04, -3.1, 0.8), estimate(0.00001, 0.0, 0.5), estimate(0.00001, -0.1, 0.1)
    ('0.0', '< 0.001', '0.000')
    """
    return estimated(value, low, decimals.of_value(value, low, high, default, least))


@_with_value
def estimated(value: float | None, low: float | None, digits: int) -> str:
    """Write a value with just so many decimals; near 0 as its lower limit allows.

    >>> estimated(-0.04, -3.1, 1), estimated(0.00001, 0.0, 3), estimated(0.00001, -0.1, 3)
    ('0.0', '< 0.001', '0.000')
    """
    vanishes = round(value or 0, max(0, digits)) == 0
    if low is not None and low < 0 and vanishes and digits >= 0:
        return fixed(value, digits)
    return aligned(value, digits)


def interval(value: float | None, low: float | None, high: float | None, default: int = 3) -> str:
    """Write both limits with the digits of the value; empty without an interval.

    >>> interval(0.95123, 0.93923, 0.96323)
    '0.939–0.963'
    >>> interval(0.01, -0.0123, 0.0323)
    '−0.012 to 0.032'
    >>> interval(0.5, None, None)
    ''
    """
    if low is None or high is None:
        return ""
    return limits(low, high, decimals.of_value(value, low, high, default))


@_with_value
def aligned(value: float | None, digits: int) -> str:
    """Write a value with just so many decimals, as its neighbours in a row have them.

    >>> aligned(0.0, 3), aligned(0.98412, 4), aligned(0.00001, 3), aligned(None, 3)
    ('0.000', '0.9841', '< 0.001', 'n/a')
    """
    return fixed(value, digits) if value == 0 else number(value, digits)


def limits(low: float, high: float, digits: int) -> str:
    """Write an interval with just so many decimals.

    >>> limits(0.9762, 0.99191, 3), limits(-0.1, 0.2, 2), limits(-0.0003, 0.019, 3)
    ('0.976–0.992', '−0.10 to 0.20', '−0.0003 to 0.019')
    """
    return between(unsigned_limit(low, digits), unsigned_limit(high, digits))


def between(low: str, high: str) -> str:
    """Two limits as one interval: a dash between plain numbers, a word beside signs.

    >>> between("0.976", "0.992"), between("> 0", "+0.438")
    ('0.976–0.992', '> 0 to +0.438')
    """
    return f"{low} to {high}" if {low[:1], high[:1]} & {"−", "+", "<", ">"} else f"{low}–{high}"


@_with_value
def difference(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """Write a difference with its sign; one that rounds to 0 has none.

    >>> difference(0.0123, 0.001, 0.0236), difference(-0.0123, -0.0236, -0.001)
    ('+0.012', '−0.012')
    >>> difference(0.00042, -0.013, 0.0139), difference(-0.00001, -0.013, 0.0139)
    ('0.000', '0.000')
    >>> difference(0.0), difference(None)
    ('0.000', 'n/a')
    """
    return signed(value, decimals.of_effect(value, low, high))


@_with_value
def signed(value: float | None, digits: int) -> str:
    """Write a value with its sign and just so many decimals; what rounds to 0 has no sign.

    >>> signed(0.0123, 3), signed(-0.0123, 3), signed(0.0, 2), signed(-0.00001, 3), signed(None, 3)
    ('+0.012', '−0.012', '0.00', '0.000', 'n/a')
    """
    if not value:
        return aligned(value, digits)
    text = signed_limit(value, digits)
    return text if text.strip("+−0.,") else text[1:]


def signed_limits(low: float, high: float, digits: int) -> str:
    """Write the interval of a difference, each limit with its sign.

    >>> signed_limits(0.0123, 0.04, 3), signed_limits(-0.1, 0.2, 2)
    ('+0.012 to +0.040', '−0.10 to +0.20')
    """
    return f"{signed_limit(low, digits)} to {signed_limit(high, digits)}"


def difference_limits(value: float | None, low: float | None, high: float | None) -> str:
    """Write the interval of a difference with the decimals of the difference; empty without one.

    Empty too where nothing differs and nothing can: the same outputs on the same rows.

    >>> difference_limits(0.007, -0.0526, 0.0666), difference_limits(0.007, None, None)
    ('−0.053 to +0.067', '')
    >>> difference_limits(0.0, 0.0, 0.0)
    ''
    """
    if low is None or high is None or low == high == value == 0:
        return ""
    return signed_limits(low, high, decimals.of_effect(value, low, high))


@_with_value
def signed_limit(value: float, digits: int) -> str:
    """Write one limit of the interval of a difference, with the sign that it has.

    >>> signed_limit(0.0123, 3), signed_limit(0.0, 2), signed_limit(-0.1, 2)
    ('+0.012', '+0.00', '−0.10')
    >>> signed_limit(-0.0004, 3)
    '−0.000'
    """
    return f"{'−' if value < 0 else '+'}{fixed(abs(value), digits)}"


@_with_value
def p_value(value: float | None, alpha: float = 0.05) -> str:
    """Write a p-value with its symbol and three decimals, more where rounding would hide alpha.

    >>> p_value(0.0000001), p_value(0.0123), p_value(0.0496), p_value(1.0), p_value(None)
    ('p < 0.001', 'p = 0.012', 'p = 0.0496', 'p = 1.000', 'p = n/a')
    """
    text = p_number(value, alpha)
    return f"p {text}" if text[0] in "<>" else f"p = {text}"


@_with_value
def p_number(value: float | None, alpha: float = 0.05) -> str:
    """Write a p-value without its symbol, for a column of them.

    Halves are rounded up: p is not below its floor.

    >>> p_number(0.0000001), p_number(0.0123), p_number(0.99996), p_number(1.0)
    ('< 0.001', '0.012', '> 0.999', '1.000')
    >>> p_number(0.0625)
    '0.063'
    """
    if value is None:
        return UNDEFINED
    if value < 0.001:
        return "< 0.001"
    if 0.9995 < value < 1:
        return "> 0.999"
    for digits in range(3, 8):
        exact = Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
        text = f"{exact:f}"
        if (float(text) < alpha) == (value < alpha):
            return text
    return text


@_with_value
def percent(value: float | None, digits: int = 1) -> str:
    r"""Write a share as a percentage.

    >>> percent(0.6274), percent(0.95, 0), percent(0.00001), percent(1.0), percent(None)
    ('62.7\xa0%', '95\xa0%', '< 0.1\xa0%', '100\xa0%', 'n/a')
    >>> percent(0.9999), percent(1037.3, 0)
    ('> 99.9\xa0%', '103,730\xa0%')
    """
    if value is None:
        return UNDEFINED
    if value in {0, 1}:
        return f"{value * 100:.0f}{PERCENT}"
    text = ("-" if value < 0 else "") + rounded(abs(value) * 100, digits)
    edge, shown = 10**-digits, float(text.replace(",", ""))
    if shown == 0:
        return f"< {edge:.{digits}f}{PERCENT}"
    if shown == 100:
        return f"> {100 - edge:.{digits}f}{PERCENT}"
    return f"{text}{PERCENT}".replace("-", "−")


def prevalence(value: float | None) -> str:
    r"""Write a share as a percentage, with two significant digits where it is below 1 %.

    >>> prevalence(0.37258), prevalence(0.000884), prevalence(0.0), prevalence(3e-9)
    ('37.3\xa0%', '0.088\xa0%', '0\xa0%', '0.00000030\xa0%')
    """
    return percent(value, max(1, decimals.two_significant(100 * value)) if value else 1)


def level(value: float) -> str:
    r"""Write a confidence level as a percentage without needless decimals.

    >>> level(0.95), level(0.9), level(0.999), level(0.975)
    ('95\xa0%', '90\xa0%', '99.9\xa0%', '97.5\xa0%')
    """
    return f"{round(value * 100, 6):g}{PERCENT}"


@_with_value
def count(value: float | None) -> str:
    """Write a count without decimals, a sum of weights with at most one.

    >>> count(1234567), count(1234.5), count(1234.0), count(0.02), count(None)
    ('1,234,567', '1,234.5', '1,234', '< 0.1', 'n/a')
    """
    if value is None:
        return UNDEFINED
    if float(value).is_integer():
        return f"{int(value):,}".replace("-", "−")
    return number(value, 1)


def plural(amount: float | None, one: str, many: str = "") -> str:
    """Write a count with its noun.

    >>> plural(1, "row"), plural(1200, "row"), plural(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{count(amount)} {one if amount == 1 else many or one + 's'}"


@_with_value
def threshold(value: float | None) -> str:
    """Write a threshold: four significant digits, no needless zeros.

    >>> threshold(0.5), threshold(0.123456), threshold(None), threshold(-12.0), threshold(1e-9)
    ('0.5', '0.1235', 'n/a', '−12', '1.00 × 10⁻⁹')
    >>> threshold(1234567.0), threshold(float("inf"))
    ('1,234,567', '∞')
    """
    if value is None or not isfinite(value) or value == 0:
        return number(value)
    size = abs(value)
    if size < 1e-4 or size >= PLAIN_BELOW:
        text = _scientific(size)
    else:
        text = f"{size:,.{max(0, 3 - floor(log10(size)))}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"−{text}" if value < 0 else text


def size(amount: float) -> str:
    """Write a number of bytes.

    >>> size(17), size(20480), size(3_400_000)
    ('17 bytes', '20 kB', '3.4 MB')
    """
    if amount < 1000:
        return plural(amount, "byte")
    for unit in ("kB", "MB", "GB"):
        amount /= 1000
        if amount < 1000 or unit == "GB":
            break
    return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:,.0f} {unit}"


def _scientific(size: float) -> str:
    digits, _, power = f"{size:.2e}".partition("e")
    return f"{digits} × 10{str(int(power)).translate(SUPERSCRIPTS)}"
