"""Text packed in several gzip members or Zstandard frames, byte by byte from RFC 1952 and 8878."""

from __future__ import annotations

import random
import zlib

from tests.hostile.layout_files import HEAD, SPEC, content, expected, read, rows_of, table
from tests.hostile.table_files import TableCase


def members(draw: random.Random) -> TableCase:
    """Text in several gzip members or Zstandard frames, cut anywhere, whole or damaged."""
    rows = rows_of(draw)
    ending = draw.choice(("csv", "tsv", "ndjson"))
    separator = "\t" if ending == "tsv" else ","
    text = (
        table(rows, HEAD, draw.choice(("\n", "\r\n")), separator).encode()
        if ending != "ndjson"
        else content(rows, HEAD, ending)
    )
    cuts = sorted(draw.choices(range(len(text) + 1), k=draw.randint(0, 4)))
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    packed, suffix = draw.choice(((_gzip_member, ".gz"), (_zstd_frame, ".zst")))
    packs = [packed(part, draw) for part in parts]
    fault = draw.choice((None, None, "cut", "more", "flipped", "second header"))
    at = draw.randrange(len(packs))
    if fault == "cut":
        packs[-1] = packs[-1][: draw.randrange(1, len(packs[-1]))]
    elif fault == "more":
        packs.append(draw.choice((b"more", b"y,p", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")))
    elif fault == "flipped":
        damaged = bytearray(packs[at])
        # the checksum, which ends a frame and stands before the length of a member
        damaged[-4 - 4 * (suffix == ".gz")] ^= 1 << draw.randrange(8)
        packs[at] = bytes(damaged)
    elif fault == "second header":
        packs.append(packed(text, draw))
    right = fault is None or (fault == "second header" and ending == "ndjson")
    return TableCase(
        f"members {suffix} {fault}",
        {f"d.{ending}{suffix}": b"".join(packs)},
        {**SPEC, "data": f"d.{ending}{suffix}", "slices": ["site"]},
        expected(rows, "site") if right and fault is None else None,
        read("slice:site"),
    )


def _gzip_member(text: bytes, draw: random.Random) -> bytes:
    """A member (RFC 1952) with or without a name, a comment, an extra field and their checksum."""
    flags, fields = 0, b""
    for flag, more in ((4, b"\3\0abc"), (8, b"name.csv\0"), (16, b"a comment\0")):
        if draw.random() < 0.3:
            flags, fields = flags | flag, fields + more
    if checked := draw.random() < 0.3:
        flags |= 2
    head = b"\x1f\x8b\x08" + bytes([flags]) + draw.randbytes(4) + b"\0\xff" + fields
    head += (zlib.crc32(head) & 0xFFFF).to_bytes(2, "little") if checked else b""
    packer = zlib.compressobj(draw.choice((0, 1, 9)), zlib.DEFLATED, -15)
    tail = zlib.crc32(text).to_bytes(4, "little") + len(text).to_bytes(4, "little")
    return head + packer.compress(text) + packer.flush() + tail


def _zstd_frame(text: bytes, draw: random.Random) -> bytes:
    """A frame (RFC 8878) of raw and repeated blocks with a checksum, perhaps behind a skipped one.

    Its size is given or not, in any of the widths that it may have.
    """
    skipped = (0x184D2A50 + draw.randrange(16)).to_bytes(4, "little") + b"\3\0\0\0abc"
    before = skipped if draw.random() < 0.2 else b""
    sized = draw.random() < 0.5
    head = bytes([0xA4]) + len(text).to_bytes(4, "little") if sized else b"\x04\x58"
    blocks, at = [], 0
    while at < len(text):
        alike = len(text[at:]) - len(text[at:].lstrip(text[at : at + 1]))
        size = alike if alike > 1 else draw.randint(1, 60)
        kind, body = (1, text[at : at + 1]) if alike > 1 else (0, text[at : at + size])
        at += min(size, len(text) - at)
        blocks.append((kind, len(body) if kind == 0 else size, body))
    blocks = blocks or [(0, 0, b"")]
    content = b"".join(
        ((size << 3) | kind << 1 | (n == len(blocks) - 1)).to_bytes(3, "little") + body
        for n, (kind, size, body) in enumerate(blocks)
    )
    check = (xxh64(text) & 0xFFFFFFFF).to_bytes(4, "little")
    return before + b"\x28\xb5\x2f\xfd" + head + content + check


_PRIMES = (
    11400714785074694791,
    14029467366897019727,
    1609587929392839161,
    9650029242287828579,
    2870177450012600261,
)
_64 = (1 << 64) - 1


def _turned(value: int, by: int) -> int:
    return (value << by | value >> (64 - by)) & _64


def _round(state: int, lane: int) -> int:
    return _turned((state + lane * _PRIMES[1]) & _64, 31) * _PRIMES[0] & _64


def xxh64(data: bytes) -> int:
    """The XXH64 of bytes with seed 0, of which a frame's checksum has the low half.

    >>> hex(xxh64(b"")), hex(xxh64(b"abc"))
    ('0xef46db3751d8e999', '0x44bc2cf5ad770999')
    """
    one, two, three, four, five = _PRIMES
    at = 0
    if len(data) >= 32:
        states = [(one + two) & _64, two, 0, -one & _64]
        while at + 32 <= len(data):
            for k in range(4):
                lane = int.from_bytes(data[at + 8 * k : at + 8 * k + 8], "little")
                states[k] = _round(states[k], lane)
            at += 32
        turns = zip(states, (1, 7, 12, 18), strict=True)
        result = sum(_turned(state, by) for state, by in turns) & _64
        for state in states:
            result = ((result ^ _round(0, state)) * one + four) & _64
    else:
        result = five
    result = (result + len(data)) & _64
    while at + 8 <= len(data):
        result ^= _round(0, int.from_bytes(data[at : at + 8], "little"))
        result, at = (_turned(result, 27) * one + four) & _64, at + 8
    if at + 4 <= len(data):
        result ^= int.from_bytes(data[at : at + 4], "little") * one & _64
        result, at = (_turned(result, 23) * two + three) & _64, at + 4
    for byte in data[at:]:
        result = _turned(result ^ byte * five & _64, 11) * one & _64
    for shift, prime in ((33, two), (29, three), (32, 1)):
        result = (result ^ result >> shift) * prime & _64
    return result
