"""The cells that numbers of any size are counted in: 512 for each factor of two."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.array_types import Floats

FINE_BITS = 9
CELLS = 1 << FINE_BITS
"""Cells for each factor of two."""

_DROPPED = 52 - FINE_BITS


def number_keys(values: Floats) -> pl.Series:
    """Key of each number, in the order of the numbers; 0 for 0.

    >>> number_keys(np.array([-2.0, 0.0, 1.0, 1.001, 1.0025])).diff().to_list()[3:]
    [0, 1]
    """
    size = (np.abs(values).view(np.int64) >> _DROPPED).astype(np.int32)
    return pl.Series("key", np.where(values < 0, -size, size))


def significands(values: Floats) -> Floats:
    """The numbers over the power of two of their cell: from 1 to 2, or from −2 to −1.

    >>> significands(np.array([-3.0, 0.0, 0.25])).tolist()
    [-1.5, 0.0, 1.0]
    """
    mantissa, _ = np.frexp(values)
    return 2 * mantissa


def sizes(keys: pl.Series) -> Floats:
    """The power of two of each cell."""
    exponent = (np.abs(keys.to_numpy()).astype(np.int64) >> FINE_BITS) - 1023
    size: Floats = np.ldexp(1.0, exponent)
    return size
