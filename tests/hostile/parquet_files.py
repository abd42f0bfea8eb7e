"""Parquet files byte by byte from the format: plain pages, with or without their checksums."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from tests.hostile.cases import Case, Row

INT64, FLOAT, DOUBLE, TEXT = 2, 4, 5, 6
_PACKED = {INT64: "<q", FLOAT: "<f", DOUBLE: "<d"}
_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12


def _varint(value: int) -> bytes:
    result = bytearray()
    while value > 0x7F:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*result, value])


def _integer(value: int) -> bytes:
    return _varint(value << 1 if value >= 0 else (-value << 1) - 1)


def _value(kind: int, value: Any) -> bytes:
    if kind in (_I32, _I64):
        return _integer(value)
    if kind == _BINARY:
        return _varint(len(value)) + value
    if kind == _STRUCT:
        return _struct(value)
    of, items = value
    head = bytes([len(items) << 4 | of]) if len(items) < 15 else bytes([0xF0 | of])
    size = b"" if len(items) < 15 else _varint(len(items))
    return head + size + b"".join(_value(of, item) for item in items)


def _struct(fields: Mapping[int, tuple[int, Any]]) -> bytes:
    result, last = b"", 0
    for number, (kind, value) in sorted(fields.items()):
        result += bytes([(number - last) << 4 | kind]) + _value(kind, value)
        last = number
    return result + b"\0"


def _plain(kind: int, values: Sequence[Any]) -> bytes:
    if kind == TEXT:
        texts = [value.encode() for value in values]
        return b"".join(struct.pack("<i", len(text)) + text for text in texts)
    return b"".join(struct.pack(_PACKED[kind], value) for value in values)


def _page(body: bytes, count: int, *, checksum: bool) -> bytes:
    data_page = {1: (_I32, count), 2: (_I32, 0), 3: (_I32, 3), 4: (_I32, 3)}
    fields = {1: (_I32, 0), 2: (_I32, len(body)), 3: (_I32, len(body)), 5: (_STRUCT, data_page)}
    if checksum:
        (signed,) = struct.unpack("<i", struct.pack("<I", zlib.crc32(body)))
        fields[4] = (_I32, signed)
    return _struct(fields) + body


def written(
    columns: Mapping[str, tuple[int, Sequence[Any]]], *, checksum: bool, page: int = 7
) -> bytes:
    """A file of one row group, each column cut into pages of a few values."""
    content, chunks, schema = b"PAR1", [], []
    rows = 0
    for name, (kind, values) in columns.items():
        rows = len(values)
        start = len(content)
        for first in range(0, rows, page):
            some = values[first : first + page]
            content += _page(_plain(kind, some), len(some), checksum=checksum)
        size = len(content) - start
        meta = {
            1: (_I32, kind),
            2: (_LIST, (_I32, [0, 3])),
            3: (_LIST, (_BINARY, [name.encode()])),
            4: (_I32, 0),
            5: (_I64, rows),
            6: (_I64, size),
            7: (_I64, size),
            9: (_I64, start),
        }
        chunks.append({2: (_I64, start), 3: (_STRUCT, meta)})
        text = {6: (_I32, 0)} if kind == TEXT else {}
        schema.append({1: (_I32, kind), 3: (_I32, 0), 4: (_BINARY, name.encode()), **text})
    root = {4: (_BINARY, b"schema"), 5: (_I32, len(schema))}
    size = len(content) - 4
    group = {1: (_LIST, (_STRUCT, chunks)), 2: (_I64, size), 3: (_I64, rows)}
    footer = _struct(
        {
            1: (_I32, 1),
            2: (_LIST, (_STRUCT, [root, *schema])),
            3: (_I64, rows),
            4: (_LIST, (_STRUCT, [group])),
        }
    )
    return content + footer + struct.pack("<I", len(footer)) + b"PAR1"


def flipped(random_: random.Random) -> Case:
    """A file with checksums in whose pages or footer one bit is another one."""
    rows = [
        Row(f"c{i}", "sick" if i % 2 else "well", random_.random(), i / 60, str(i % 3), "x")
        for i in range(random_.randrange(20, 60))
    ]
    columns = {
        "case": (TEXT, [r.case for r in rows]),
        "y": (TEXT, [r.y for r in rows]),
        "p": (DOUBLE, [r.p for r in rows]),
        "q": (DOUBLE, [r.q for r in rows]),
        "part": (INT64, [int(r.part or 0) for r in rows]),
        "site": (TEXT, ["x"] * len(rows)),
    }
    content = bytearray(written(columns, checksum=True))
    if random_.random() < 0.1:
        return Case("parquet", {"d.parquet": bytes(content)}, rows, valid=True)
    at = random_.randrange(len(content))
    content[at] ^= 1 << random_.randrange(8)
    return Case("flipped bit", {"d.parquet": bytes(content)}, rows, valid=False)
