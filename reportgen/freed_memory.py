"""Freed memory, given back to the system between the parts of an evaluation.

The allocator keeps what arrays of a few megabytes leave behind, in pieces that the next ones do
not fit into: a fifth of the peak of a million rows.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, TypeVar

import polars as pl

MANY = 2**20
"""Of fewer cells nothing large was freed."""

T = TypeVar("T")


def each_alone(parts: Iterable[T], rows: pl.DataFrame) -> Iterator[T]:
    """The parts, with the memory that work on each leaves given back before the next.

    >>> list(each_alone("ab", pl.DataFrame({"a": range(MANY)})))
    ['a', 'b']
    """
    for part in parts:
        yield part
        give_back(rows)


def give_back(rows: pl.DataFrame) -> None:
    """Give back what work on these rows has left, where there are many."""
    library = _library()
    if rows.height * rows.width >= MANY and library is not None:
        library.malloc_trim(0)


@cache
def _library() -> Any:
    """The C library where it is glibc: others keep less, and have no such function."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") else None
