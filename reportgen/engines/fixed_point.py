"""Weights as whole numbers of 2⁻⁶⁴: sums of them are the same in any order, those of floats not."""

from __future__ import annotations

import polars as pl

SCALE = 2.0**64

SMALLEST, LARGEST = 2.0**-20, 2.0**16
"""Weights between which no sum of squares of 2·10⁹ rows overflows, and none is lost."""


def to_fixed_point(value: pl.Expr) -> pl.Expr:
    """Return numbers as whole ones of 2⁻⁶⁴; what is finer is cut off."""
    fixed_point: pl.Expr = (value * SCALE).cast(pl.Int128)
    return fixed_point


def from_fixed_point(value: pl.Expr) -> pl.Expr:
    """Return sums of such whole numbers as Float64."""
    result: pl.Expr = value.cast(pl.Float64) / SCALE
    return result
