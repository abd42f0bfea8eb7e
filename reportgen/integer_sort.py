"""Integers sorted in place."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

_AT_ONCE = 2**24
"""A second copy of more than these would be much memory: they are first parted in place."""


def sort_integers(keys: npt.NDArray[np.uint64]) -> None:
    """Sort ascending, as ``keys.sort()`` does, in less time.

    >>> keys = np.array([3, 1, 2], np.uint64)
    >>> sort_integers(keys)
    >>> keys.tolist()
    [1, 2, 3]
    """
    pieces = -(-len(keys) // _AT_ONCE)
    cuts = [len(keys) * k // pieces for k in range(1, pieces)]
    if cuts:
        keys.partition(cuts)
    for part in np.split(keys, cuts):
        # Polars sorts in a third of the time of NumPy.
        part[:] = pl.Series(part).sort(multithreaded=False).to_numpy()
