"""Whether a PNG can be shown: its chunks are whole, and hold as many pixels as it says."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

PNG = b"\x89PNG\r\n\x1a\n"

_WIDEST = 4000
"""Pixels of a side at most."""

_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
"""Bits of a sample by the kind of colours (PNG specification, table 11.1)."""

_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Samples of a pixel by the kind of colours."""

_ADAM7 = (
    *((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4)),
    *((0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)),
)
"""First column and row of each pass of an interlaced image, and the steps between them."""

_AT_ONCE = 1 << 16
"""Bytes that are unpacked at a time."""

_DAMAGED = "is a damaged PNG"


def fault_of_png(content: bytes) -> str | None:
    """What keeps a PNG from being shown; None if nothing does."""
    if len(content) < 33 or content[12:16] != b"IHDR":
        return _DAMAGED
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", content[16:29])
    if not (0 < width <= _WIDEST and 0 < height <= _WIDEST):
        return f"has {width:,} × {height:,} pixels; at most {_WIDEST:,} a side are shown"
    chunks = list(_chunks(content))
    if not chunks or chunks[-1][0] != b"IEND" or depth not in _DEPTHS.get(colour, ()):
        return _DAMAGED
    packed = b"".join(data for kind, data in chunks if kind == b"IDAT")
    expected = _size(width, height, depth * _SAMPLES[colour], interlaced=bool(interlaced))
    return None if _unpacks_to(packed, expected) else _DAMAGED


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks with their kind, up to the last one or to the first that is damaged."""
    at = len(PNG)
    while at + 12 <= len(content):
        (size,) = struct.unpack(">I", content[at : at + 4])
        body, check = content[at + 4 : at + 8 + size], content[at + 8 + size : at + 12 + size]
        if check != struct.pack(">I", zlib.crc32(body)):
            return
        yield body[:4], body[4:]
        if body[:4] == b"IEND":
            return
        at += 12 + size


def _size(width: int, height: int, bits: int, *, interlaced: bool) -> int:
    """Bytes of the pixels, with one of its filter before each line."""
    passes = _ADAM7 if interlaced else ((0, 0, 1, 1),)
    sides = [(-(-(width - x) // dx), -(-(height - y) // dy)) for x, y, dx, dy in passes]
    return sum(h * (1 + -(-w * bits // 8)) for w, h in sides if w > 0 and h > 0)


def _unpacks_to(packed: bytes, size: int) -> bool:
    unpacker, unpacked = zlib.decompressobj(), 0
    try:
        while unpacked < size:
            part = unpacker.decompress(packed, _AT_ONCE)
            if not part:
                return False
            unpacked, packed = unpacked + len(part), unpacker.unconsumed_tail
    except zlib.error:
        return False
    return True
