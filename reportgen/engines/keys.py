"""The cells that scores are counted in: a fixed key that keeps their order.

The key is cut from the bits of a float, so a cell is narrow where scores
crowd: in the unit interval there are 512 cells per factor of two of the score
below one half, and of its distance from 1 above it, 2¹⁶ in all down to 2⁻⁶⁴.
Scores outside have 1,024 cells per factor of two of their size, from 2⁻¹⁶ to
2¹⁶. The key does not look at the data, so counts of any parts can be added.
"""

from __future__ import annotations

from functools import cache

import polars as pl

FINE_BITS, SMALLEST = 9, -64
WIDE_BITS, WIDE = 10, 16
UNIT = 2 * -SMALLEST << FINE_BITS
"""Cells of the unit interval."""

EDGES = tuple(k / 10 for k in range(1, 10))
"""Edges of calibration bins; a cell that one of them falls into is counted in two halves."""


def keyed(score: str, *, unit: bool) -> pl.Expr:
    """Key of each score: twice its cell, and 1 more from a calibration edge in the cell upwards.

    ``score`` is a Float64 column of finite numbers. ``unit`` says that all of
    these rows lie in [0, 1], which is faster and gives the same keys.
    """
    value = pl.col(score)
    cell = _in_unit(value)
    if not unit:
        cell = (
            pl.when(value < 0)
            .then(-1 - _wide(-value))
            .when(value > 1)
            .then(UNIT + 1 + _wide(value))
            .otherwise(cell)
        )
    past = pl.any_horizontal(
        (cell == at) & (value >= edge) for edge, at in zip(EDGES, _edge_cells(), strict=True)
    )
    key: pl.Expr = cell * 2 + past.cast(pl.Int32)
    return key


def coarse(key: pl.Expr, bits: int) -> pl.Expr:
    """Key of the larger cell of 2^bits neighbouring cells that a keyed score lies in."""
    larger: pl.Expr = key // 2 ** (bits + 1)
    return larger


def _in_unit(value: pl.Expr) -> pl.Expr:
    # 1 - score is exact from one half upwards (Sterbenz), so that order is kept to the last bit.
    upper = value > 0.5
    distance = pl.when(upper).then(1 - value).otherwise(value).clip(2.0**SMALLEST, 0.5)
    place = _octave(distance, SMALLEST, FINE_BITS)
    cell: pl.Expr = pl.when(upper).then(UNIT - place).otherwise(place)
    return cell


def _wide(size: pl.Expr) -> pl.Expr:
    return _octave(size.clip(2.0**-WIDE, 2.0**WIDE), -WIDE, WIDE_BITS)


def _octave(size: pl.Expr, lowest: int, bits: int) -> pl.Expr:
    """Place of a positive number among 2^bits cells per factor of two from 2^lowest up."""
    leading = size.reinterpret(dtype=pl.UInt64) // 2 ** (52 - bits)
    place: pl.Expr = leading.cast(pl.Int32) - ((1023 + lowest) << bits)
    return place


@cache
def _edge_cells() -> tuple[int, ...]:
    edges = pl.DataFrame({"edge": EDGES})
    return tuple(edges.select(_in_unit(pl.col("edge"))).to_series().to_list())
