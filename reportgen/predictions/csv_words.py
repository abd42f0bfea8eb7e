"""Bytes of a CSV file as bits, 64 to a word: where separators, line ends and quotation marks are.

One bit per byte makes the structure of a file about as cheap to check as its hash.
A place is within quotation marks where an odd number of them stands before it (Langdale
and Lemire 2019, doi:10.1007/s00778-019-00578-5).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
WordPlaces = npt.NDArray[np.int64]

_LAST_MARK = 34
"""The quotation mark: it, space and all controls are up to here."""

_ONE = np.uint64(1)
_LAST = np.uint64(63)
_SHIFTS = tuple(np.uint64(1 << power) for power in range(6))


def bits_of(data: Bytes, value: int) -> Words:
    """Which bytes have a value; zeros fill the last word."""
    packed = np.packbits(data == value, bitorder="little")
    words = np.zeros((len(packed) + 7) // 8, np.uint64)
    words.view(np.uint8)[: len(packed)] = packed
    return words


def is_simple(data: Bytes, line_ends: int) -> bool:
    """Whether bytes are ASCII without spaces, quotation marks and controls but their line ends.

    In one pass, as bytes of other characters are below zero with a sign.
    """
    return bool(np.count_nonzero(data.view(np.int8) <= _LAST_MARK) == line_ends)


def total(words: Words) -> int:
    """How many bits there are."""
    return int(np.bitwise_count(words).sum(dtype=np.int64))


def places(words: Words) -> WordPlaces:
    """Where the bits are."""
    return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))


def behind(words: Words) -> Words:
    """The place behind each bit, and the first one."""
    shifted: Words = words << _ONE
    shifted[1:] |= words[:-1] >> _LAST
    shifted[0] |= _ONE
    return shifted


def before(words: Words) -> Words:
    """The place before each bit."""
    shifted: Words = words >> _ONE
    shifted[:-1] |= words[1:] << _LAST
    return shifted


def within(quotes: Words, *, inside: bool) -> Words:
    """The places from an opening quotation mark up to the one before the closing mark.

    ``inside``: whether the first place is within quotation marks already.
    """
    counts = np.bitwise_count(quotes).astype(np.int64)
    odd = (np.cumsum(counts) - counts + inside) & 1
    parity = quotes.copy()
    for shift in _SHIFTS:
        parity ^= parity << shift
    flipped: Words = parity ^ (np.uint64(0) - odd.astype(np.uint64))
    return flipped


def regular(separators: Words, ends: Words, each: int, already: int) -> bool:
    """Whether every record, up to its line end, has ``each`` separators.

    The first record has ``already`` that many before these words.
    """
    due = _counts_before(ends, each)
    due += 1
    due *= each
    due -= _counts_before(separators, each)
    due -= already
    while len(ends):
        lowest = ends & (~ends + _ONE)
        there = np.bitwise_count(separators & (lowest - _ONE))
        if not ((there == due) | (lowest == 0)).all():
            return False
        ends = ends ^ lowest
        more = ends != 0
        ends, separators, due = ends[more], separators[more], due[more] + each
    return True


def _counts_before(words: Words, each: int) -> npt.NDArray[np.signedinteger[Any]]:
    """How many bits stand before each word, in a type that holds ``each`` times as many."""
    counts = np.bitwise_count(words)
    wide = np.int32 if (each + 1) * 64 * len(words) < 2**31 else np.int64
    running: npt.NDArray[np.signedinteger[Any]] = np.cumsum(counts, dtype=wide)
    running -= counts
    return running
