"""The cells that scores are counted in: a fixed key that keeps their order.

The key is cut from the bits of a float, so a cell is narrow where scores
crowd: in the unit interval there are 512 cells per factor of two of the score
below one half, and of its distance from 1 above it, 2¹⁶ in all down to 2⁻⁶⁴.
Scores outside have 1,024 cells per factor of two of their size, up to 2³² and, below 0,
from 2⁻¹⁶. The key does not look at the data, so counts of any parts can be added.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import Floats

Keys = npt.NDArray[np.int32]

FINE_BITS, SMALLEST = 9, -64
WIDE_BITS, TINY, LARGE = 10, -16, 32
UNIT = 2 * -SMALLEST << FINE_BITS
"""Cells of the unit interval."""

LEAST = -2 * (1 + ((LARGE - TINY) << WIDE_BITS))
SIZE = 2 * (UNIT + 2 + (LARGE << WIDE_BITS)) - LEAST
"""The least key, and how many keys there are at most."""

EDGES = tuple(k / 10 for k in range(1, 10))
"""Edges of calibration bins; a cell that one of them falls into is counted in two halves."""

_BLOCK = 2**15
"""Scores that are keyed together, so that they stay near the processor."""


def bin_keys(scores: pl.Series) -> pl.Series:
    """Key of each score: twice its cell, and 1 more from a calibration edge in the cell upwards.

    ``scores`` are finite Float64.
    """
    values = scores.to_numpy()
    keys = np.empty(len(values), np.int32)
    for start in range(0, len(values), _BLOCK):
        block = slice(start, start + _BLOCK)
        keys[block] = _keys(values[block])
    return pl.Series(keys)


def coarse(key: pl.Expr, bits: int) -> pl.Expr:
    """Key of the larger cell of 2^bits neighbouring cells that a keyed score lies in."""
    larger: pl.Expr = key // 2 ** (bits + 1)
    return larger


def _keys(values: Floats) -> Keys:
    cell = _in_unit(values)
    past = values >= _edge_within().take(cell)
    below, above = values < 0, values > 1
    if below.any() or above.any():
        cell[below] = -1 - _wide(-values[below], TINY)
        cell[above] = UNIT + 1 + _wide(values[above], 0)
    cell *= 2
    cell += past
    return cell


def _in_unit(values: Floats) -> Keys:
    """Cells of scores in the unit interval; the first and the last one of those below and above."""
    # 1 - score is exact from one half upwards (Sterbenz), so that order is kept to the last bit.
    distance = np.maximum(np.minimum(values, 1 - values), 2.0**SMALLEST)
    place = _octave(distance, SMALLEST, FINE_BITS)
    return np.where(values > 0.5, np.int32(UNIT) - place, place)


def _wide(size: Floats, lowest: int) -> Keys:
    return _octave(np.clip(size, 2.0**lowest, 2.0**LARGE), lowest, WIDE_BITS)


def _octave(size: Floats, lowest: int, bits: int) -> Keys:
    """Place of a positive number among 2^bits cells per factor of two from 2^lowest up."""
    place = (size.view(np.int64) >> (52 - bits)).astype(np.int32)
    place -= np.int32((1023 + lowest) << bits)
    return place


@cache
def _edge_within() -> Floats:
    """The calibration edge in each cell of the unit interval; ∞ where there is none."""
    edges = np.full(UNIT + 1, np.inf)
    edges[_in_unit(np.array(EDGES))] = EDGES
    return edges
