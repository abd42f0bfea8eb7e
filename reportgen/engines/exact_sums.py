"""Sums of floats without rounding: whole numbers by size, the same in any order.

A float is cut into parts that are multiples of 2^(32·b), one for each *band* b that it has bits
in. In a band the parts of not too many floats are added up exactly, also as floats.
Demmel & Nguyen (2013), doi:10.1109/ARITH.2013.9.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats, Integers, chunks
from reportgen.clusters import ranks_of_hashes
from reportgen.engines.group_counting import lined, plain_kinds
from reportgen.engines.scope import Scope

WIDTH, DIGITS = 32, 52

NOT_FINITE = 2**14
"""The band that counts values that are no numbers, or infinite."""

HUGE, _OF_HUGE = 2.0**991, 29
"""From here on floats are cut one by one, into multiples of this band: scaled, they overflow."""

_BLOCK = 2**15
"""So many parts of 34 bits add up to no more than 52."""

_IN_CACHE = 2**13
"""So many rows at once, whose columns between stay close to the processor."""

_SPLIT = 2.0**27 + 1

Totals = defaultdict[int, Integers]


def banded_columns(columns: Iterable[Floats], part: Integers | None, parts: int) -> pl.DataFrame:
    """Sums of each column by ``part``, from 0 to ``parts`` − 1: ``column place band total``.

    >>> banded_columns([np.array([1.0, 2.0]), np.array([4.0, 8.0])], None, 1).rows()
    [(0, 0, 0, 3), (1, 0, 0, 12)]
    """
    places: list[Integers] = [np.zeros(0, np.int64)]
    totals: list[Integers] = [places[0]]
    keys: list[tuple[int, int]] = []
    rare: list[tuple[int, int, int, int]] = []
    for column, values in enumerate(columns):
        huge, usable = _without_huge(values, part)
        rare += [(column, *line) for line in huge]
        for band, of_band in totals_by_band(usable, part, parts).items():
            places.append(np.flatnonzero(of_band))
            totals.append(of_band[places[-1]])
            keys.append((column, band))
    number, bands = np.array(keys, np.int64).reshape(-1, 2).T
    lengths = [len(place) for place in places[1:]]
    table = pl.DataFrame(
        {
            "column": np.repeat(number, lengths),
            "place": np.concatenate(places),
            "band": np.repeat(bands, lengths).astype(np.int16),
            "total": np.concatenate(totals),
        }
    ).with_columns(pl.col("total").cast(pl.Int128))
    if not rare:
        return table
    huge_sums = pl.DataFrame(rare, schema=table.schema, orient="row")
    return pl.concat([huge_sums, table]).group_by("column", "place", "band").sum()


def _without_huge(
    values: Floats, part: Integers | None
) -> tuple[list[tuple[int, int, int]], Floats]:
    """What is ``HUGE``, as lines of place, band and total, and the values without it."""
    if _largest(values) < HUGE:
        return [], values
    place = np.zeros(len(values), np.int64) if part is None else part
    huge = np.isfinite(values) & (np.abs(values) >= HUGE)
    unit = Fraction(2) ** (WIDTH * _OF_HUGE)
    lines = [
        (int(k), _OF_HUGE, int(Fraction(v) / unit))
        for k, v in zip(place[huge], values[huge].tolist(), strict=True)
    ]
    return lines, np.where(huge, 0.0, values)


def totals_by_band(values: Floats, part: Integers | None, parts: int) -> Totals:
    """Sums of the values by part, for each band; how many are no numbers, or as large as ``HUGE``.

    >>> {band: int(sums[0]) for band, sums in totals_by_band(np.array([0.5, 4.0]), None, 1).items()}
    {0: 4, -1: 2147483648}
    """
    totals: Totals = defaultdict(lambda: np.zeros(parts, np.int64))
    largest = _largest(values)
    if not largest < HUGE:
        place = np.zeros(len(values), np.int64) if part is None else part
        usable = np.abs(values) < HUGE
        totals[NOT_FINITE] += np.bincount(place[~usable], minlength=parts)
        values = np.where(usable, values, 0.0)
        largest = _largest(values)
    top = int(np.frexp(largest)[1]) // WIDTH
    for rows in chunks(len(values), _BLOCK):
        _add(values[rows], None if part is None else part[rows], top, totals)
    return totals


def _largest(values: Floats) -> float:
    """The largest size of any value, NaN where one is no number."""
    return float(np.maximum(values.max(initial=0.0), -values.min(initial=0.0)))


def _add(values: Floats, part: Integers | None, band: int, totals: Totals) -> None:
    """Add a block of values, from the highest band that any has bits in."""
    rest, (high, left) = values, np.empty((2, len(values)))
    while rest.any():
        at = 1.5 * 2.0 ** (DIGITS + WIDTH * band)
        np.add(rest, at, out=high)
        high -= at
        rest = np.subtract(rest, high, out=left)
        if part is None:
            totals[band][0] += int(np.ldexp(high.sum(), -WIDTH * band))
        else:
            sums = np.bincount(part, high, len(totals[band]))
            totals[band] += np.ldexp(sums, -WIDTH * band).astype(np.int64)
        band -= 1


def exact(bands: Iterable[tuple[int, int]]) -> Fraction | None:
    """The sum of bands with their totals; None where a value was no finite number.

    >>> table = banded_columns([np.array([1e300, 0.1, -1e300])], None, 1)
    >>> float(exact(table.select("band", "total").iter_rows()))
    0.1
    """
    whole = Fraction(0)
    for band, total in bands:
        if band == NOT_FINITE:
            return None
        power = WIDTH * band
        whole += total << power if power >= 0 else Fraction(total, 1 << -power)
    return whole


def powers(value: Floats, most: int) -> list[tuple[Floats, Floats]]:
    """The powers of values from the first, each as two floats that it is the sum of."""
    result = [(value, np.zeros_like(value))]
    for _ in range(1, most):
        high, low = result[-1]
        with np.errstate(over="ignore", invalid="ignore"):
            product, error = product_of(high, value)
            rest = error + low * value  # an infinite power has no rest
        result.append((product, np.where(np.isfinite(product), rest, 0.0)))
    return result


def product_of(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The product, and what is lost as it is rounded. Dekker (1971), doi:10.1007/BF01397083."""
    product, errors = one * other, np.empty_like(one)
    space = np.empty((5, min(len(one), _IN_CACHE)))
    with np.errstate(over="ignore", invalid="ignore"):
        for rows in chunks(len(one), _IN_CACHE):
            error = errors[rows]
            a, b, c, d, part = space[:, : len(error)]
            _halve(one[rows], a, b)
            if other is one:
                c, d = a, b
            else:
                _halve(other[rows], c, d)
            np.multiply(a, c, out=error)
            error -= product[rows]
            for first, second in ((a, d), (b, c), (b, d)):
                error += np.multiply(first, second, out=part)
    if not np.isfinite(errors).all():
        errors[~np.isfinite(errors)] = 0.0
    return product, errors


def _halve(value: Floats, high: Floats, low: Floats) -> None:
    """Write the two halves of the digits of each value into two columns."""
    np.multiply(value, _SPLIT, out=high)
    np.subtract(high, value, out=low)
    high -= low
    np.subtract(value, high, out=low)


_BANDS = 3

NO_NUMBERS = "no numbers"
"""In place of the power of two of a column: how many values of a sum are no numbers."""


def column_of(model: int, what: str) -> str:
    """The name of a sum of a model, less the power of two that its columns end with."""
    return f"{model} {what} "


def summed_by_group(scope: Scope, sums: Mapping[str, Sequence[Floats | Flags]]) -> pl.DataFrame:
    """Lines of a scope with some sums, each of values that several columns add up to."""
    part = scope.rows.select(scope.place.cast(pl.Int64).alias("part"))["part"].to_numpy()
    part = np.broadcast_to(part, scope.rows.height)
    rows = lined(scope.rows["group"], plain_kinds(scope)[part])
    code, number = ranks_of_hashes(rows["line"].to_numpy())
    first = np.zeros(number, np.int64)
    first[code] = np.arange(len(code))
    lines = rows[first]
    columns = [c for name, values in sums.items() for c in _columns(name, values, code, number)]
    return lines.with_columns(columns)


def _columns(
    name: str, values: Sequence[Floats | Flags], code: Integers, number: int
) -> Iterator[pl.Series]:
    totals: dict[str, list[tuple[Integers, int]]] = {}
    for side in (v for v in values if v.any()):
        of_rows = side.astype(np.float64, copy=False)
        for band, of_band in totals_by_band(of_rows, code, number).items():
            at = (band + 1) // _BANDS
            power, shift = f"{WIDTH * (_BANDS * at - 1)}", band + 1 - _BANDS * at
            if band == NOT_FINITE:
                power, shift = NO_NUMBERS, 0
            totals.setdefault(f"{name}{power}", []).append((of_band, WIDTH * shift))
    yield from (_shifted(parts).alias(column) for column, parts in totals.items())


def _shifted(parts: Sequence[tuple[Integers, int]]) -> pl.Series:
    """The sum of whole numbers, each times a power of two, in 64 bits where that is enough."""
    most = sum(int(np.abs(numbers).max(initial=0)) << bits for numbers, bits in parts)
    if most < 2**63:
        return pl.Series(sum((numbers << bits for numbers, bits in parts), np.int64(0)))
    wide = (
        pl.lit(pl.Series(numbers, dtype=pl.Int128)) * pl.lit(1 << bits, pl.Int128)
        for numbers, bits in parts
    )
    return pl.select(pl.sum_horizontal(wide)).to_series()
