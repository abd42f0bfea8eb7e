"""Many rows, a block at a time: what is made of one stays in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator

BLOCK = 2**13
"""Rows of a block. Of more than 10,000 OpenBLAS shares a dot product among threads, at many times
its cost."""


def chunks(rows: int, size: int = BLOCK) -> Iterator[slice]:
    """All rows, at most ``size`` of them at a time."""
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))
