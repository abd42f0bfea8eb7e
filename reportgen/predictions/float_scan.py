"""What the bits of a column of floats tell of all of them, in one pass through the cache."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

BLOCK = 2**16
"""So many values at a time stay in the processor's cache."""

_SIGN = 1 << 63
_INFINITE = 0x7FF << 52


@dataclass(frozen=True, slots=True)
class FloatScan:
    """Whether all are finite, whether none has a sign, and whether one is -0.0."""

    finite: bool
    unsigned: bool
    minus_zero: bool


def scan_floats(values: pl.Series) -> FloatScan | None:
    """What is known of a Float64 column; nothing of others, or where values are missing.

    As integers the bits of floats are in their order, those with a sign above
    all others and the other way round, infinity and then NaN at the ends.
    """
    if values.dtype != pl.Float64 or values.null_count():
        return None
    unsigned, positive, first = 0, 0, 1
    for chunk in values.get_chunks():
        bits = chunk.to_numpy().view(np.uint64)
        for start in range(0, len(bits), BLOCK):
            part = bits[start : start + BLOCK]
            highest = int(part.max())
            unsigned = max(unsigned, highest)
            if highest >= _SIGN:
                signed = part.view(np.int64)
                positive, first = max(positive, int(signed.max())), min(first, int(signed.min()))
            else:
                positive = max(positive, highest)
    return FloatScan(
        finite=positive < _INFINITE and unsigned < _SIGN + _INFINITE,
        unsigned=unsigned < _INFINITE,
        minus_zero=first == -_SIGN,
    )
