"""How large a file may become once it is unpacked: bombs of few bytes fill the memory."""

from __future__ import annotations

from reportgen.errors import Problem

MOST_UNPACKED = 1 << 28
"""Bytes to which a small file may unpack."""

MOST_TIMES = 200
"""How many times its size a larger one may become: constant columns pack about so well."""


def most_unpacked(size: int) -> int:
    """Bytes to which a file of a size may unpack.

    >>> most_unpacked(48_000), most_unpacked(10_000_000)
    (268435456, 2000000000)
    """
    return max(MOST_UNPACKED, MOST_TIMES * size)


def swollen(unpacked: int, size: int, name: str) -> Problem | None:
    """Return why a file may not be unpacked: it would become far larger than it is."""
    if unpacked <= most_unpacked(size):
        return None
    message = (
        f"its {size:,} bytes unpack to {unpacked:,}; "
        f"beyond {MOST_UNPACKED:,} it may be at most {MOST_TIMES} times its size"
    )
    return Problem("too-large", message, name, "write it with less compression if it is right")
