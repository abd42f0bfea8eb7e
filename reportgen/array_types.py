"""Arrays by what they hold, and many rows a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Integers: TypeAlias = npt.NDArray[np.int64]
Indices: TypeAlias = npt.NDArray[np.intp]
SmallIntegers: TypeAlias = npt.NDArray[np.int32]
IntegersOfAnySize: TypeAlias = npt.NDArray[np.integer[Any]]


BLOCK = 2**13
"""Rows of a block. Of more than 10,000 OpenBLAS shares a dot product among threads, at many times
its cost."""


def chunks(rows: int, size: int = BLOCK) -> Iterator[slice]:
    """All rows, at most ``size`` of them at a time."""
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))
