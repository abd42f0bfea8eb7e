"""Numbers of any type as Float64: narrow floats as they were written, whole numbers unrounded."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from reportgen.array_types import chunks
from reportgen.predictions.source import counted

DIGITS: dict[object, int] = {pl.Float16: 3, pl.Float32: 6}
"""Decimals of so many digits stay apart in a narrower float, and are recovered from it."""

EXACT = 2.0**53
"""Up to here every whole number is a Float64."""

EXACT_OF: dict[object, float] = {pl.Float16: 2.0**11, pl.Float32: 2.0**24}
"""The same of narrower floats."""

_BLOCK = 2**14
"""So many numbers at a time stay near the processor."""

_WHOLE = r"^\s*[+-]?\d+(\.0*)?\s*$"


def as_floats(values: pl.Series, threshold: float | None = None) -> pl.Series:
    """A column of numbers as Float64, narrower ones compared with a threshold as they are.

    The 0.7 of a narrower float is 0.7 again, not the 0.699999988 that its bits stand for: it is
    compared with thresholds and edges of bins. Numbers of more digits are those of their bits;
    only the one that the threshold is in the column's own precision is the threshold.

    >>> as_floats(pl.Series([0.7, 0.126953125], dtype=pl.Float32)).to_list()
    [0.7, 0.126953125]
    >>> as_floats(pl.Series([0.1234567], dtype=pl.Float32), threshold=0.1234567).to_list()
    [0.1234567]
    """
    wide = values.cast(pl.Float64)
    digits = DIGITS.get(values.dtype.base_type())
    if digits is None:
        return wide
    numbers = _as_written(values, wide, digits)
    if threshold is None:
        return numbers
    narrow = pl.Series([threshold]).cast(values.dtype)
    if as_floats(narrow)[0] == threshold:
        return numbers
    return numbers.set((values == narrow[0]).fill_null(value=False), threshold)


def _as_written(values: pl.Series, wide: pl.Series, digits: int) -> pl.Series:
    """``wide``, and where a decimal of few digits is one of ``values``, that decimal.

    Rounding to digits takes a logarithm of each number; decades are compared instead where
    their powers of ten are floats: of a million scores between 0 and 1, 8 ms instead of 32 ms.
    """
    sizes = wide.abs()
    least, most = sizes.filter(sizes > 0).min(), sizes.max()
    if (
        values.dtype != pl.Float32
        or values.null_count()
        or not isinstance(least, float)
        or not isinstance(most, float)
        or not 10.0 ** (digits - 22) <= least <= most < 10.0**digits
    ):
        short = wide.round_sig_figs(digits)
        return short.zip_with(short.cast(values.dtype) == values, wide)
    decades = [10.0**k for k in range(math.floor(math.log10(least)), digits + 1)]
    edges = [decade for decade in decades if least < decade <= most]
    narrow, numbers = values.to_numpy(), wide.to_numpy(writable=True)
    places = digits - 1 - math.floor(math.log10(most)) + np.arange(len(edges) + 1)
    scales = 10.0**places
    for rows in chunks(len(numbers), _BLOCK):
        block = numbers[rows]
        size, below = np.abs(block), np.zeros(len(block), np.uint8)
        for edge in edges:
            below += size < edge
        scale = scales.take(below)
        short = np.rint(np.multiply(block, scale, out=size), out=size)
        short /= scale
        np.copyto(block, short, where=short.astype(np.float32) == narrow[rows])
    return pl.Series(values.name, numbers)


ROUNDED = (
    "not-exact",
    lambda n: counted(n, "whole number is", "whole numbers are") + " too large for a Float64",
    "subtract a constant, or divide by a power of ten; up to 2^53 all are exact",
)
"""Code, message and hint of whole numbers that a Float64 rounds."""


def rounded(values: pl.Series, number: pl.Series) -> pl.Series:
    """Which of ``values`` are whole numbers that ``number``, the same as Float64, rounds.

    Beyond 2⁵³ not every whole number is a float, and different ones become the same.
    """
    largest = None if values.dtype.is_float() else number.abs().max()
    if not isinstance(largest, float) or largest < EXACT:
        return pl.repeat(False, len(values), eager=True)
    large = number.abs() >= EXACT
    if values.dtype == pl.String:
        large &= values.str.contains(_WHOLE)
        values = values.str.strip_chars().str.replace(r"\.0*$", "").str.strip_prefix("+")
    elif values.dtype.is_decimal():
        large &= values == values.round(0)
    given = values.cast(pl.Int128, strict=False)
    differs = given.ne_missing(number.cast(pl.Int128, strict=False))
    return (large & differs).fill_null(value=False)
