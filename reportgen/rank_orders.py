"""Numbers by their ranks: ties, mean ranks, and the pairs that are out of order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import Floats, Indices, Integers, SmallIntegers
from reportgen.integer_sort import order_of, sort_integers

Sequences = npt.NDArray[np.uint32]
"""Sequences of one length, which share the integers from 0 up between them."""

_DIGIT = 5
_BLOCK = 2**_DIGIT
"""Integers are compared by so many values of a digit, and within so many neighbours one by one."""


@dataclass(frozen=True)
class Ranks:
    """Values by the places that put them in order, and where in it each different one begins."""

    order: Indices
    first: Indices

    @classmethod
    def of(cls, values: Floats) -> Ranks:
        """Those of finite values."""
        rising = bool((values[1:] >= values[:-1]).all())
        order = np.arange(len(values)) if rising else order_of(values)
        return cls(order, np.flatnonzero(_new(values if rising else values[order])))

    @property
    def sizes(self) -> Indices:
        """How many values are like each of the different ones."""
        return np.diff(self.first, append=len(self.order))

    @cached_property
    def tied_pairs(self) -> int:
        """Pairs of equal values."""
        return _pairs(self.sizes)

    @property
    def means(self) -> Floats:
        """The rank of each value from 1, that of equal ones the mean of theirs."""
        ranks = np.empty(len(self.order))
        if len(self.first) == len(ranks):
            ranks[self.order] = np.arange(1.0, len(ranks) + 1)
        else:
            ranks[self.order] = np.repeat(self.first + (self.sizes + 1) / 2, self.sizes)
        return ranks

    @property
    def numbers(self) -> Indices:
        """The number of each value among the different ones, from 0."""
        numbers = np.empty(len(self.order), np.int64)
        numbers[self.order] = np.repeat(np.arange(len(self.first)), self.sizes)
        return numbers

    def sorted_with(self, others: Ranks) -> tuple[Indices, int, int]:
        """Places of the other values in the order of these, and pairs tied in these and in both.

        Where these are equal the others ascend, and equal others have their places as they come.
        """
        number, in_both = others.numbers[self.order], 0
        if len(self.first) < len(number):
            run = np.repeat(np.arange(len(self.first)) * len(number), self.sizes)
            number += run
            sort_integers(number.view(np.uint64))
            in_both = _pairs(np.diff(np.flatnonzero(_new(number)), append=len(number)))
            number -= run
        return _places(number) if others.tied_pairs else number, self.tied_pairs, in_both


def agreement(first: Ranks, second: Ranks) -> tuple[int, int, int]:
    """Concordant less discordant pairs, and the pairs that are not tied in each.

    >>> agreement(Ranks.of(np.array([1.0, 2.0, 2.0])), Ranks.of(np.array([5.0, 4.0, 6.0])))
    (0, 2, 3)
    """
    number = len(first.order)
    every = number * (number - 1) // 2
    in_order, tied, tied_in_both = first.sorted_with(second)
    untied = every - tied
    agreeing = untied - second.tied_pairs + tied_in_both - 2 * inversions(in_order)
    return agreeing, untied, every - second.tied_pairs


def _new(values: Floats | Indices) -> npt.NDArray[np.bool_]:
    return np.append([True] * bool(len(values)), values[1:] != values[:-1])


def _places(numbers: Indices) -> Indices:
    """The place of each integer in order, equal ones as they come."""
    bits = np.uint64(len(numbers).bit_length())
    keys = (numbers.view(np.uint64) << bits) | np.arange(len(numbers), dtype=np.uint64)
    sort_integers(keys)
    places = np.empty(len(numbers), np.int64)
    places[(keys & ((np.uint64(1) << bits) - np.uint64(1))).view(np.int64)] = np.arange(len(keys))
    return places


def _pairs(sizes: Indices) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def mean_ranks(values: pl.Series) -> pl.Series:
    """The rank of each value, of equal ones the mean: as ``rank`` has them, in half its time.

    >>> mean_ranks(pl.Series([0.5, 0.1, 0.5])).to_list()
    [2.5, 1.0, 2.5]
    """
    if values.null_count() or not values.is_finite().all():
        return values.rank("average")
    return pl.Series(values.name, Ranks.of(values.to_numpy()).means)


def inversions(sequence: Indices) -> int:
    """Pairs of which the earlier one is larger, of a sequence that has each of 0, 1, ... once.

    >>> inversions(np.array([2, 0, 1]))
    2
    """
    number = len(sequence)
    return number * (number - 1) // 2 - int(earlier_and_lower(sequence).sum())


def earlier_and_lower(places: Indices) -> Integers:
    """Of each integer from 0 up, by its place, how many lower ones have an earlier place.

    By the leading digit first, then among those that share it, which stand together in the order
    of their places: each pair is counted at the digit in which it first differs.

    >>> earlier_and_lower(np.array([1, 2, 0, 3])).tolist()
    [0, 1, 0, 3]
    """
    shift, number = 0, len(places)
    while number > _BLOCK << shift:
        shift += _DIGIT
    length = -(-number // max(_BLOCK, 1 << shift)) * max(_BLOCK, 1 << shift)
    integers = np.arange(length, dtype=np.uint32)  # what is added at the end is in order
    integers[places] = np.arange(number, dtype=np.uint32)
    counts = np.zeros(length, np.int64)
    rows = integers[None, :]
    while True:
        digits = (rows >> np.uint32(shift) & np.uint32(_BLOCK - 1)).astype(np.uint8)
        counts[rows] += _by_digit(digits)
        if not shift:
            return counts[:number]
        rows = _parted(rows, digits, shift)
        shift -= _DIGIT


def _by_digit(digits: npt.NDArray[np.uint8]) -> SmallIntegers:
    """Of each digit the earlier lower ones in its row."""
    by_place = np.ascontiguousarray(digits.reshape(-1, _BLOCK).T)
    near = np.zeros_like(by_place)
    for place in range(1, _BLOCK):
        near[place] = (by_place[:place] < by_place[place]).sum(axis=0, dtype=np.uint8)
    lower = near.T.reshape(digits.shape).astype(np.int32)
    if digits.shape[1] == _BLOCK:
        return lower
    at = np.repeat(np.arange(near.shape[1]) << _DIGIT, _BLOCK)
    at += digits.ravel()
    counts = np.bincount(at, minlength=near.size).reshape(len(digits), -1, _BLOCK)
    before = np.cumsum(counts, axis=1, dtype=np.int32)
    before -= counts  # those of each digit in the earlier blocks
    below = np.cumsum(before, axis=2, dtype=np.int32)
    below -= before
    lower += below.ravel()[at].reshape(digits.shape)
    return lower


def _parted(rows: Sequences, digits: npt.NDArray[np.uint8], shift: int) -> Sequences:
    """For each row and digit the integers that have it, in their order."""
    place = np.arange(rows.size, dtype=np.uint64).reshape(rows.shape)
    keys = (place // np.uint64(rows.shape[1])) << np.uint64(_DIGIT)
    keys += digits
    keys <<= np.uint64(int(rows.size).bit_length())
    keys |= place
    keys <<= np.uint64(shift)
    keys |= rows & np.uint32((1 << shift) - 1)
    keys = keys.ravel()
    sort_integers(keys)
    keys &= np.uint64((1 << shift) - 1)
    whole = np.arange(rows.size, dtype=np.uint32) >> np.uint32(shift) << np.uint32(shift)
    whole |= keys.astype(np.uint32)
    return whole.reshape(-1, 1 << shift)
