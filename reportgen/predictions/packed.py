"""Tables of text that are compressed: unpacked whole, within a bound, and only where intact."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import polars as pl

from reportgen.errors import Problem

Packed = Literal["gzip", "zstd"]

PACKED: Mapping[str, Packed] = {".gz": "gzip", ".zst": "zstd"}
"""How the names of compressed files end."""

# RFC 8878, sections 3.1.1 and 3.1.2
_FRAME, _SKIPPABLE = 0xFD2FB528, 0x184D2A50
_LARGEST_BLOCK = 1 << 17
_RAW, _REPEATED, _COMPRESSED = 0, 1, 2

_BROKEN = (EOFError, IndexError, OSError, ValueError, zlib.error, pl.exceptions.PolarsError)
"""What reading compressed data that are not as they should be raises."""


class PackedError(OSError):
    """A compressed file that is not unpacked: ``problem`` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def unpack(path: Path, packed: Packed, name: str) -> bytes:
    """Return what a file holds, without compression.

    Raises ``PackedError`` where it is damaged, is no such file, or would become too large;
    ``OSError`` where it cannot be read.
    """
    data = path.read_bytes()
    try:
        text = _gunzip(data, name) if packed == "gzip" else _of_zstd(data, name)
    except PackedError:
        raise
    except _BROKEN:
        message = f"the file is damaged or is not {packed}"
        hint = f"pack it again; `{packed} -t {path.name}` tests it"
        raise PackedError(Problem("unreadable", message, name, hint)) from None
    return text


def _gunzip(data: bytes, name: str) -> bytes:
    most = most_unpacked(len(data))
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        text = stream.read(most + 1)
    if problem := swollen(len(text), len(data), name):
        raise PackedError(problem)
    return text


def _of_zstd(data: bytes, name: str) -> bytes:
    """Unpack by Polars, which takes all for one value: it has no line ends and no separators."""
    if problem := swollen(sum(_blocks(data)), len(data), name):
        raise PackedError(problem)
    try:
        whole = pl.read_csv(
            data[_first_frame(data) :],
            has_header=False,
            schema={"": pl.String},
            separator="\0",
            eol_char="\0",
            quote_char=None,
        )
    except pl.exceptions.NoDataError:
        return b""
    except pl.exceptions.PolarsError as fault:
        if "utf" not in str(fault).lower():
            raise
        raise PackedError(_not_utf8(name)) from None
    if whole.shape != (1, 1):
        message = "the text has bytes 0, as UTF-16 has"
        hint = "save it as UTF-8, or pack it with gzip and state its encoding:"
        raise PackedError(Problem("control-character", message, name, hint))
    return str(whole.item() or "").encode()


def _not_utf8(name: str) -> Problem:
    hint = "save it as UTF-8, or pack it with gzip and state its encoding:"
    return Problem("unreadable", "the text is not UTF-8", name, hint)


def _first_frame(data: bytes) -> int:
    """Where the first frame begins that holds text: Polars tells Zstandard by it."""
    at = 0
    while int.from_bytes(data[at : at + 4], "little") & ~0xF == _SKIPPABLE:
        at = _behind_skippable(data, at)
    return at


def _behind_skippable(data: bytes, at: int) -> int:
    return at + 8 + int.from_bytes(data[at + 4 : at + 8], "little")


def _blocks(data: bytes) -> Iterator[int]:
    """Yield the most bytes that each block of a Zstandard file unpacks to.

    Raises ``ValueError`` or ``IndexError`` where its frames do not end with the file.
    """
    at = 0
    while at < len(data):
        magic = int.from_bytes(data[at : at + 4], "little")
        if magic & ~0xF == _SKIPPABLE:
            at = _behind_skippable(data, at)
            continue
        if magic != _FRAME:
            raise ValueError("no frame begins here")
        at, checked = _behind_header(data, at + 4)
        last = False
        while not last:
            head = data[at] | data[at + 1] << 8 | data[at + 2] << 16
            last, kind, size = bool(head & 1), head >> 1 & 3, head >> 3
            if kind > _COMPRESSED:
                raise ValueError("a block of an unknown kind")
            at += 3 + (1 if kind == _REPEATED else size)
            yield _LARGEST_BLOCK if kind == _COMPRESSED else size
        at += 4 * checked
    if at > len(data):
        raise ValueError("the last frame is not complete")


def _behind_header(data: bytes, at: int) -> tuple[int, bool]:
    """Where a frame's blocks begin, and whether a checksum follows them."""
    head = data[at]
    single = bool(head & 0x20)
    size = (int(single), 2, 4, 8)[head >> 6]
    return at + 1 + (not single) + (0, 1, 2, 4)[head & 3] + size, bool(head & 4)


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
