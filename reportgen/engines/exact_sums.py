"""Sums of floats without rounding: whole numbers by size, the same in any order.

A float is cut into parts that are multiples of 2^(32·b), one for each *band* b that it has bits
in. In a band the parts of not too many floats are added up exactly, also as floats.
Demmel & Nguyen (2013), doi:10.1109/ARITH.2013.9.
"""

from __future__ import annotations

import itertools
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

_CUT = 47
"""So many bits are cut off at once where the parts of a block are added up in 64 bits."""

_LEAST_POWER = -1074
"""The power of two of the smallest float."""

_MANY = 256
"""Of more parts than this a block of rows is not worth its sums."""

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
    {-1: 2147483648, 0: 4}
    """
    totals: Totals = defaultdict(lambda: np.zeros(parts, np.int64))
    largest = _largest(values)
    if not largest < HUGE:
        place = np.zeros(len(values), np.int64) if part is None else part
        usable = np.abs(values) < HUGE
        totals[NOT_FINITE] += np.bincount(place[~usable], minlength=parts)
        values = np.where(usable, values, 0.0)
        largest = _largest(values)
    top = int(np.frexp(largest)[1])
    if part is None:
        for band, digit in _digits(_units_of(values, top)):
            totals[band][0] = digit
        return totals
    for rows in chunks(len(values), _rows_at_once(part, parts)):
        _add(values[rows], part[rows], top // WIDTH, totals)
    return totals


def _largest(values: Floats) -> float:
    """The largest size of any value, NaN where one is no number."""
    return float(np.maximum(values.max(initial=0.0), -values.min(initial=0.0)))


def _units_of(values: Floats, top: int) -> dict[int, int]:
    """Whole numbers by the power of two that they count; values are below 2^``top``.

    Next to a large number the last bits of a float count units. Whole numbers of 64 bits add up
    what is cut off, so that a cut takes as many bits as a block of rows leaves.
    """
    units: defaultdict[int, int] = defaultdict(int)
    cut, left = np.empty((2, min(len(values), _BLOCK)))
    for rows in chunks(len(values), _BLOCK):
        rest, power = values[rows], top
        for passes in itertools.count():
            power = max(power - _CUT, _LEAST_POWER)
            at = np.float64(1.5 * 2.0 ** (DIGITS + power))
            high = np.add(rest, at, out=cut[: len(rest)])
            bits = int(np.add.reduce(high.view(np.int64))) - len(rest) * int(at.view(np.int64))
            units[power] += (bits + 2**63) % 2**64 - 2**63
            high -= at
            rest = np.subtract(rest, high, out=left[: len(rest)])
            if not has_any(rest):
                break
            if passes:
                rest = rest[rest != 0.0]
    return units


def _digits(units: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """The bands of a whole number that is given in units of some powers of two."""
    band = min(units, default=0) // WIDTH
    whole = sum(number << (power - WIDTH * band) for power, number in units.items())
    sign, size = (-1, -whole) if whole < 0 else (1, whole)
    while size:
        if digit := size % 2**WIDTH:
            yield band, sign * digit
        band, size = band + 1, size >> WIDTH


def has_any(values: Floats) -> bool:
    """Whether any value is not zero."""
    return bool(values.max(initial=0.0) or values.min(initial=0.0))


def _rows_at_once(part: Integers, parts: int) -> int:
    """All rows where each part has few, as a block takes as long as there are parts."""
    few = parts > _MANY and np.bincount(part, minlength=1).max() <= _BLOCK
    return len(part) if few else _BLOCK


def _add(values: Floats, part: Integers, band: int, totals: Totals) -> None:
    """Add a block of values, from the highest band that any has bits in."""
    rest, (high, left) = values, np.empty((2, len(values)))
    while has_any(rest):
        at = 1.5 * 2.0 ** (DIGITS + WIDTH * band)
        np.add(rest, at, out=high)
        high -= at
        rest = np.subtract(rest, high, out=left)
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
    result += [(np.empty_like(value), np.empty_like(value)) for _ in range(1, most)]
    space = np.empty((5, min(len(value), _IN_CACHE)))
    with np.errstate(over="ignore", invalid="ignore"):
        for rows in chunks(len(value), _IN_CACHE):
            one = value[rows]
            a, b, *halves, part = space[:, : len(one)]
            _halve(one, a, b)
            high, low, (c, d) = one, None, (a, b)
            for products, errors in result[1:]:
                product = np.multiply(high, one, out=products[rows])
                error = _lost(product, (a, b), (c, d), errors[rows], part)
                if low is not None:
                    error += np.multiply(low, one, out=part)
                _without_infinite(error)
                high, low, (c, d) = product, error, halves
                _halve(high, c, d)
    return result


def product_of(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """The product, and what is lost as it is rounded. Dekker (1971), doi:10.1007/BF01397083."""
    product, errors = one * other, np.empty_like(one)
    space = np.empty((5, min(len(one), _IN_CACHE)))
    with np.errstate(over="ignore", invalid="ignore"):
        for rows in chunks(len(one), _IN_CACHE):
            a, b, c, d, part = space[:, : len(errors[rows])]
            _halve(one[rows], a, b)
            if other is one:
                c, d = a, b
            else:
                _halve(other[rows], c, d)
            _without_infinite(_lost(product[rows], (a, b), (c, d), errors[rows], part))
    return product, errors


Halves = tuple[Floats, Floats]
"""Two columns that each value is the sum of, of half its digits."""


def _lost(product: Floats, one: Halves, other: Halves, out: Floats, part: Floats) -> Floats:
    """What a product of two values has lost, given their halves."""
    (a, b), (c, d) = one, other
    np.multiply(a, c, out=out)
    out -= product
    for first, second in ((a, d), (b, c), (b, d)):
        out += np.multiply(first, second, out=part)
    return out


def _without_infinite(error: Floats) -> None:
    """Products that are infinite, or no numbers, lose nothing."""
    if not _largest(error) < np.inf:
        error[~np.isfinite(error)] = 0.0


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
