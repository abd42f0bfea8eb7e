"""Sums of floats without rounding: whole numbers by exponent, the same in any order.

A float is m·2^e with a whole m of 53 bits. Those of 32 neighbouring exponents, a *band*, are
added up as whole numbers, so that no sum of 2^43 of them leaves 128 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers

DIGITS, WIDTH = 53, 32

NOT_FINITE = 2**14
"""The band that counts values that are no numbers, or infinite."""

_HALF = 27
_SPLIT = 2.0**_HALF + 1


def banded(values: Floats, part: Integers | None, parts: int) -> pl.DataFrame:
    """Sums of the values by ``part``, from 0 to ``parts`` − 1: ``place band total``."""
    place = np.zeros(len(values), np.int64) if part is None else part
    frames = []
    finite = np.isfinite(values)
    if not finite.all():
        lost = np.bincount(place[~finite], minlength=parts)
        values = np.where(finite, values, 0.0)
        frames.append(_table(np.flatnonzero(lost), NOT_FINITE, lost[lost > 0]))
    mantissa, exponent = np.frexp(values)
    lowest = int(exponent.min(initial=0))
    width = int(exponent.max(initial=0)) - lowest + 1
    whole = np.ldexp(mantissa, DIGITS).astype(np.int64)
    cell = exponent - np.int64(lowest)
    if part is not None:
        cell += part * width
    # Both halves are added up as floats, exactly: 26 bits of at most 2^27 values each.
    high = np.bincount(cell, whole >> _HALF, parts * width).astype(np.int64)
    low = np.bincount(cell, whole & (2**_HALF - 1), parts * width).astype(np.int64)
    used = np.flatnonzero((high != 0) | (low != 0))
    power = used % width + lowest
    frame = pl.DataFrame(
        {"place": used // width, "power": power, "high": high[used], "low": low[used]},
        schema=dict.fromkeys(("place", "power", "high", "low"), pl.Int64),
    )
    total = pl.col("high").cast(pl.Int128) * 2**_HALF + pl.col("low")
    shift = pl.lit(2, pl.Int128) ** (pl.col("power") % WIDTH).cast(pl.UInt32)
    frames.append(
        frame.select("place", band=(pl.col("power") // WIDTH).cast(pl.Int16), total=total * shift)
        .group_by("place", "band")
        .sum()
    )
    return pl.concat(frames)


def exact(bands: Iterable[tuple[int, int]]) -> Fraction | None:
    """The sum of bands with their totals; None where a value was no finite number.

    >>> table = banded(np.array([1e300, 0.1, -1e300]), None, 1)
    >>> float(exact(table.select("band", "total").iter_rows()))
    0.1
    """
    whole = Fraction(0)
    for band, total in bands:
        if band == NOT_FINITE:
            return None
        power = WIDTH * band - DIGITS
        whole += total << power if power >= 0 else Fraction(total, 1 << -power)
    return whole


def powers(value: Floats, most: int) -> list[tuple[Floats, Floats]]:
    """The powers of values from the first, each as two floats that it is the sum of."""
    result = [(value, np.zeros_like(value))]
    for _ in range(1, most):
        high, low = result[-1]
        product, error = product_of(high, value)
        result.append((product, error + low * value))
    return result


def product_of(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The product, and what is lost as it is rounded. Dekker (1971), doi:10.1007/BF01397083."""
    product = one * other
    with np.errstate(over="ignore", invalid="ignore"):
        (a, b), (c, d) = _halves(one), _halves(other)
        error = ((a * c - product) + a * d + b * c) + b * d
    return product, np.where(np.isfinite(error), error, 0.0)


def _halves(value: Floats) -> tuple[Floats, Floats]:
    shifted = value * _SPLIT
    high = shifted - (shifted - value)
    return high, value - high


def _table(place: Integers, band: int, total: Integers | Sequence[int]) -> pl.DataFrame:
    return pl.DataFrame(
        {"place": place, "total": total}, schema={"place": pl.Int64, "total": pl.Int128}
    ).select("place", pl.lit(band, pl.Int16).alias("band"), "total")
