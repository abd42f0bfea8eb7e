"""Integers sorted in place."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

_IN_PLACE = 2**25
"""From so many on a second copy of them is too much memory, and NumPy sorts them."""


def sort_integers(keys: npt.NDArray[np.uint64]) -> None:
    """Sort ascending, as ``keys.sort()`` does, in less time.

    >>> keys = np.array([3, 1, 2], np.uint64)
    >>> sort_integers(keys)
    >>> keys.tolist()
    [1, 2, 3]
    """
    if len(keys) >= _IN_PLACE:
        keys.sort()
        return
    # Polars sorts in a third of the time of NumPy where that has no AVX-512.
    keys[:] = pl.Series(keys).sort(multithreaded=False).to_numpy()
