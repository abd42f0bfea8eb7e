"""Numbers and rows sorted as integers, which is many times faster than by comparing."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import Floats, Indices, Integers, chunks

IntegerKeys = npt.NDArray[np.uint64]

_AT_ONCE = 2**24
"""A second copy of more than these would be much memory: they are first parted in place."""

_PIECE = 2**22
"""So many are sorted at once then: their copy is small beside the keys."""

_FEW = 2**13
"""Of so many or fewer it does not matter what sorts them."""

_LARGE = 2**16
"""So many keys at a time are parted into numbers and places."""

_SIGN = np.uint64(2**63)


def sort_integers(keys: IntegerKeys) -> None:
    """Sort ascending, in place.

    >>> keys = np.array([3, 1, 2], np.uint64)
    >>> sort_integers(keys)
    >>> keys.tolist()
    [1, 2, 3]
    """
    if len(keys) <= _FEW or _numpy_is_faster():
        keys.sort()
        return
    pieces = 1 if len(keys) <= _AT_ONCE else -(-len(keys) // _PIECE)
    cuts = [len(keys) * k // pieces for k in range(1, pieces)]
    if cuts:
        keys.partition(cuts)
    for part in np.split(keys, cuts):
        _sort_by_polars(part)


def _sort_by_polars(keys: IntegerKeys) -> None:
    keys[:] = pl.Series(keys).sort(in_place=True, multithreaded=False).to_numpy()


def _sort_copy(sort: Callable[[IntegerKeys], None], keys: IntegerKeys) -> None:
    sort(keys.copy())


@cache
def _numpy_is_faster() -> bool:
    """Whether NumPy sorts faster than Polars on this processor, which is tried.

    Where it has vector instructions NumPy uses them: on some processors that takes a third of
    the time of Polars, on others, whose compressed stores are slow, three times as long.
    """
    keys = np.random.default_rng(0).integers(0, 2**63, 2 * _FEW, dtype=np.uint64)
    by_numpy, by_polars = (
        min(timeit.repeat(partial(_sort_copy, sort, keys), number=1, repeat=5))
        for sort in (np.ndarray.sort, _sort_by_polars)
    )
    return by_numpy < by_polars


def sort_values(values: Floats) -> Floats:
    """Values that are numbers, ascending; both zeros are one.

    >>> sort_values(np.array([0.5, -1.0, -0.25, 2.0])).tolist()
    [-1.0, -0.25, 0.5, 2.0]
    """
    keys = _ascending_bits(values)
    sort_integers(keys)
    return np.where(keys < _SIGN, ~keys, keys ^ _SIGN).view(np.float64)


def order_of(values: Floats) -> Indices:
    """The places of finite values from the least to the greatest, equal ones as they come.

    As a stable ``argsort``, in a fifth of its time: the leading bits of each value are sorted
    with its place behind them, and those that share them put in order afterwards.

    >>> order_of(np.array([0.5, -1.0, 0.0, -0.0, 2.0])).tolist()
    [1, 2, 3, 0, 4]
    """
    keys = _ascending_bits(values)
    if not len(keys):
        return np.empty(0, np.intp)
    keys -= keys.min()
    place_bits = max(len(keys) - 1, 1).bit_length()
    surplus = max(int(keys.max()).bit_length() + place_bits - 64, 0)
    keys >>= np.uint64(surplus)
    keys <<= np.uint64(place_bits)
    keys |= np.arange(len(keys), dtype=np.uint64)
    sort_integers(keys)
    order = (keys & np.uint64(2**place_bits - 1)).view(np.int64)
    if surplus:
        keys >>= np.uint64(place_bits)
        _settle(values, order, keys)
    return order


def distinct_and_places(numbers: Integers) -> tuple[Integers, Integers]:
    """Distinct numbers of zero or more, ascending, and the place of each number among them.

    As ``numpy.unique``, in a quarter of its time where a number and a place fit into 64 bits.

    >>> [part.tolist() for part in distinct_and_places(np.array([7, 3, 7, 0]))]
    [[0, 3, 7], [2, 1, 2, 0]]
    """
    place_bits = max(len(numbers) - 1, 1).bit_length()
    if int(numbers.max(initial=0)).bit_length() + place_bits > 64:
        return np.unique(numbers, return_inverse=True)
    keys = numbers.astype(np.uint64)
    keys <<= np.uint64(place_bits)
    keys |= np.arange(len(keys), dtype=np.uint64)
    sort_integers(keys)
    last, places = np.uint64(2**place_bits - 1), np.empty(len(keys), np.int64)
    distinct, before, number = [np.empty(0, np.int64)], -1, -1
    for part in chunks(len(keys), _LARGE):
        numbers = (keys[part] >> np.uint64(place_bits)).view(np.int64)
        is_new = np.diff(numbers, prepend=before) > 0
        ascending: Integers = np.cumsum(is_new) + number
        places[(keys[part] & last).view(np.int64)] = ascending
        distinct.append(numbers[is_new])
        before, number = int(numbers[-1]), int(ascending[-1])
    return np.concatenate(distinct), places


def first_of_runs(values: npt.NDArray[Any]) -> Indices:
    """The places where a value is not that before it.

    >>> first_of_runs(np.array([5, 5, 2, 5])).tolist()
    [0, 2, 3]
    """
    starts = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=starts[1:])
    return np.flatnonzero(starts)


def _ascending_bits(values: Floats) -> IntegerKeys:
    """Integers in the order of the values; both zeros are one."""
    bits = (values + 0.0).view(np.int64)
    flipped = (bits >> 63).view(np.uint64)
    flipped |= _SIGN
    flipped ^= bits.view(np.uint64)
    return flipped


def _settle(values: Floats, order: Indices, leading: IntegerKeys) -> None:
    """Put values that share their leading bits in order."""
    rising = values[order]
    if not (rising[1:] < rising[:-1]).any():
        return
    shared = leading[1:] == leading[:-1]
    at = np.flatnonzero(np.append(shared, [False]) | np.append([False], shared))
    order[at] = order[at][np.lexsort((rising[at], leading[at]))]


def in_order_of_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows in the order of their columns: that of the first one, where no two tie in it."""
    varying = [c.name for c in frame.iter_columns() if c.ne_missing(c.head(1)).any()]
    if varying and _is_finite(frame[varying[0]]):
        first = frame[varying[0]].to_numpy()
        if (first[1:] > first[:-1]).all():
            return frame
        order = order_of(first)
        rising = first[order]
        if (rising[1:] != rising[:-1]).all():
            return frame[order]
    return frame.sort(varying) if varying else frame


def _is_finite(column: pl.Series) -> bool:
    return column.dtype == pl.Float64 and not column.null_count() and bool(column.is_finite().all())
