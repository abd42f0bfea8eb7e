"""Mapped files whose bytes are looked at once: what was seen does not stay in memory."""

from __future__ import annotations

import mmap

STEP = 1 << 26
"""Bytes of a mapped file that are in memory together: a multiple of every size of a page."""


def find(data: mmap.mmap, pattern: bytes) -> int:
    """Return where a pattern first stands in a mapped file; −1 where it does not."""
    for start in range(0, len(data), STEP):
        at = data.find(pattern, start, start + STEP + len(pattern) - 1)
        if at >= 0:
            return at
        release(data, start)
    return -1


def release(data: mmap.mmap | bytes, start: int) -> None:
    """Give the memory of one step back, from ``start`` on; read again, it comes from the file.

    Without effect on bytes that are no mapped file, and where a system cannot do that.
    """
    if isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        data.madvise(mmap.MADV_DONTNEED, start, min(STEP, len(data) - start))


def release_before(data: mmap.mmap | bytes, kept: int, at: int) -> int:
    """Give the whole steps back that lie before a place, and return where the first left begins.

    Steps before ``kept`` have been given back. The headers of pages alone keep as much of a file
    in memory as it has, as a system maps what lies around them.
    """
    while at - kept >= STEP:
        release(data, kept)
        kept += STEP
    return kept
