"""Where each row stands among those of the other class: rows sorted as integers, counted in order.

What is made of a block of rows stays in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from reportgen.array_types import Flags, Floats, chunks
from reportgen.integer_sort import sort_integers

ScoreKeys = npt.NDArray[np.uint64]
RowNumbers = npt.NDArray[np.int64]
UnitCounts: TypeAlias = "npt.NDArray[np.uint32 | np.int64]"

BLOCK = 2**15
"""Rows of a block: of fewer, asking for a step takes longer than the step."""

FEW = 8
"""Where there are this many rows to a score, what is counted for the scores is looked up by row."""

_ONE = np.uint64(1)
_SIGN = _ONE << np.uint64(63)


@dataclass(frozen=True, slots=True)
class Order:
    """Rows from the lowest score up: their places, which are positive, and which are tied.

    ``tied`` says whether a row has the score of the one before; a last flag
    more is false.
    """

    rows: RowNumbers
    positive: Flags
    tied: Flags


def placements(scores: Floats, positive: Flags) -> UnitCounts:
    """Twice the rows of the other class below each row, ties half.

    Raises ValueError when a score is NaN or infinite.
    """
    near, whole = _sorted(scores, positive)
    if near.tied.sum() > len(scores) * (1 - 1 / FEW):
        counts = _by_score(near, scores, positive)
        if counts is not None:
            return counts
    return _by_row(near if whole else _resolved(scores, positive, near))


def ascending(scores: Floats, positive: Flags) -> Order:
    """The rows in the order of their scores.

    Raises ValueError when a score is NaN or infinite.
    """
    near, whole = _sorted(scores, positive)
    return near if whole else _resolved(scores, positive, near)


def ordered_placements(order: Order) -> UnitCounts:
    """The same in the order of the scores."""
    placed = np.empty(len(order.rows), _kind(len(order.rows)))
    for part, rows_twice in _placed(order):
        placed[part] = rows_twice
    return placed


def _by_row(order: Order) -> UnitCounts:
    """The placements, as they are met in the order of the scores."""
    placed = np.empty(len(order.rows), _kind(len(order.rows)))
    for part, rows_twice in _placed(order):
        placed[order.rows[part]] = rows_twice
    return placed


def _placed(order: Order) -> Iterator[tuple[slice, UnitCounts]]:
    """Stretches of the order, and the placements of their rows."""
    kind, positives = _kind(len(order.rows)), 0
    for start, stop in _whole_ties(order.tied):
        positive = order.positive[start:stop]
        positives_to = np.cumsum(positive, dtype=kind)
        positives_to += kind.type(positives)
        positives = int(positives_to[-1])
        if order.tied[start + 1 : stop].any():
            positives_twice, rows_twice = _of_ties(
                start, positive, positives_to, order.tied[start:stop]
            )
        else:
            positives_twice = 2 * positives_to - positive
            rows_twice = np.arange(2 * start + 1, 2 * stop, 2, dtype=kind)
        # Of a positive the others below it: by arithmetic, as branches on a class are slow.
        rows_twice -= positives_twice
        rows_twice -= positives_twice
        rows_twice *= positive
        rows_twice += positives_twice
        yield slice(start, stop), rows_twice


def _of_ties(
    start: int, positive: Flags, positives_to: UnitCounts, tied: Flags
) -> tuple[UnitCounts, UnitCounts]:
    """Twice the positives and twice the rows below each row, ties half."""
    firsts = np.flatnonzero(~tied)
    sizes = np.diff(firsts, append=len(positive))
    around = positives_to[firsts] - positive[firsts] + positives_to[firsts + sizes - 1]
    rows_twice = (2 * (start + firsts) + sizes).astype(positives_to.dtype)
    return np.repeat(around, sizes), np.repeat(rows_twice, sizes)


def _by_score(order: Order, scores: Floats, positive: Flags) -> UnitCounts | None:
    """The same where few scores are distinct; nothing if rows that seem tied are not."""
    firsts = np.flatnonzero(~order.tied[:-1])
    distinct_scores = scores[order.rows[firsts]]
    positives_to = np.cumsum(np.add.reduceat(order.positive, firsts, dtype=np.int64))
    rows_to = np.append(firsts[1:], len(scores))
    positives_twice = positives_to + np.append(0, positives_to[:-1])
    twice = np.column_stack([positives_twice, rows_to + firsts - positives_twice]).ravel()
    kind, number = _kind(len(scores)), -1
    placed = np.empty(len(scores), kind)
    for part in chunks(len(scores), BLOCK):
        numbers = number + np.cumsum(~order.tied[:-1][part])
        placed[order.rows[part]] = numbers.astype(kind)
        number = int(numbers[-1])
    for part in chunks(len(scores), BLOCK):
        at = placed[part].astype(np.intp)
        if (distinct_scores[at] != scores[part]).any():
            return None
        placed[part] = twice[2 * at + positive[part]]
    return placed


def _sorted(scores: Floats, positive: Flags) -> tuple[Order, bool]:
    """The rows in order but for the last bits of their scores, and whether those are all 0.

    As many of a score's bits as there is room for are sorted as an integer, the
    row's class and number below them, which is many times faster than an argsort.
    """
    n = len(scores)
    keys, of_class, whole = _keys(scores, positive)
    sort_integers(keys)
    sorted_positive, tied = np.empty(n, np.bool_), np.zeros(n + 1, np.bool_)
    for part in chunks(n, BLOCK):
        both = keys[part.start : part.stop + 1]
        np.less(
            both[1:] ^ both[:-1], 2 * of_class, out=tied[part.start + 1 : part.start + len(both)]
        )
        here = keys[part]
        np.not_equal(here & of_class, 0, out=sorted_positive[part])
        here &= of_class - _ONE
    return Order(keys.view(np.int64), sorted_positive, tied), whole


def _keys(scores: Floats, positive: Flags) -> tuple[ScoreKeys, np.uint64, bool]:
    """Scores above classes above rows, the bit of the class, and whether no bit was lost."""
    keys = np.empty(len(scores), np.uint64)
    if not len(scores):
        return keys, _ONE, True
    ends = np.array([scores.min(), scores.max()])
    if not np.isfinite(ends).all():
        raise ValueError("scores must be finite; one is NaN or infinite")
    ordered = _bits if ends[0] > 0 else _ordered
    lowest, highest = ordered(ends)
    place = np.uint64((len(scores) - 1).bit_length())
    shift = np.uint64(max(0, int(highest - lowest).bit_length() + int(place) + 1 - 64))
    last, lost = (_ONE << shift) - _ONE, False
    for part in chunks(len(scores), BLOCK):
        here = keys[part]
        np.subtract(ordered(scores[part]), lowest, out=here)
        lost = lost or bool(np.bitwise_or.reduce(here) & last)
        here >>= shift
        here <<= _ONE
        here |= positive[part]
        here <<= place
        here |= np.arange(part.start, part.stop, dtype=np.uint64)
    return keys, _ONE << place, not lost


def _bits(scores: Floats) -> ScoreKeys:
    """The bits of positive floats, which are in their order."""
    return scores.view(np.uint64)


def _ordered(scores: Floats) -> ScoreKeys:
    """Integers in the order of finite scores; -0.0 and 0.0 are one."""
    bits = (scores + 0.0).view(np.uint64)
    if bits.max(initial=0) < _SIGN:
        return bits | _SIGN
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _resolved(scores: Floats, positive: Flags, near: Order) -> Order:
    """The order by all bits of the scores, from that by the first of them, which it replaces."""
    rows, tied = near.rows, np.zeros_like(near.tied)
    falls = []
    for part in chunks(len(tied), BLOCK):
        at = part.start + np.flatnonzero(near.tied[part])
        here, before = scores[rows[at]], scores[rows[at - 1]]
        tied[at] = here == before
        falls.append(at[here < before])
    fallen = np.concatenate(falls)
    if len(fallen):
        members = np.flatnonzero(near.tied[:-1] | near.tied[1:])
        group = np.cumsum(~near.tied[members])
        misplaced = np.zeros(group[-1] + 1, np.bool_)
        misplaced[group[np.searchsorted(members, fallen)]] = True
        mixed = members[misplaced[group]]
        rows[mixed] = rows[mixed][np.lexsort((scores[rows[mixed]], group[misplaced[group]]))]
        near.positive[mixed] = positive[rows[mixed]]
        tied[mixed] = near.tied[mixed] & (scores[rows[mixed]] == scores[rows[mixed - 1]])
    return Order(rows, near.positive, tied)


def _kind(rows: int) -> np.dtype[Any]:
    """Integers that hold twice as many rows."""
    return np.dtype(np.uint32 if rows < 2**31 else np.int64)


def _whole_ties(tied: Flags) -> Iterator[tuple[int, int]]:
    """Stretches of about ``BLOCK`` rows that do not part rows with one score."""
    start, rows = 0, len(tied) - 1
    while start < rows:
        stop = min(start + BLOCK, rows)
        stop += int(np.argmin(tied[stop:]))
        yield start, stop
        start = stop
