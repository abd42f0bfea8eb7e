"""The checksums of a Parquet file's pages: CRC-32 of each page's bytes, where a writer gave them.

Readers do not look at them by default, so that a flipped bit is another number. The headers of
pages and the footer are in Thrift's compact protocol and have no checksum of their own
(https://parquet.apache.org/docs/file-format/data-pages/checksumming/).
"""

from __future__ import annotations

import mmap
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from reportgen.errors import Problem
from reportgen.predictions import mapped
from reportgen.predictions.packed import swollen
from reportgen.predictions.source import place

_MAGIC = b"PAR1"
_DEEPEST, _WIDEST = 32, 63
_BROKEN = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What reading headers that are not as they should be raises."""

# fields by number: https://github.com/apache/parquet-format/blob/master/src/main/thrift
_ROW_GROUPS, _COLUMNS, _META = 4, 1, 3
_PATH, _SIZE, _FIRST_PAGE, _DICTIONARY = 3, 7, 9, 11
_UNPACKED_SIZE, _PAGE_SIZE, _CHECKSUM, _DATA_PAGE, _DATA_PAGE_2 = 2, 3, 4, 5, 8
_ROWS, _VALUES = 3, 5
_SCHEMA, _TYPE, _NAME, _CHILDREN = 2, 1, 4, 5
_REPETITION, _SCALE, _PRECISION, _LOGICAL, _DECIMAL = 3, 7, 8, 10, 5
_REQUIRED, _OPTIONAL = 0, 1
_CODEC, _UNCOMPRESSED = 4, 0
_LEVELS_2, _REPEATS_2 = 5, 6

# The types of the fields by their numbers; others may come with later versions of the format.
_OF_STATISTICS = {1: bytes, 2: bytes, 3: int, 4: int, 5: bytes, 6: bytes, 7: bool, 8: bool}
_OF_PAGE = {
    **dict.fromkeys((1, 2, 3, 4), int),
    _DATA_PAGE: {**dict.fromkeys((1, 2, 3, 4), int), 5: _OF_STATISTICS},
    7: {1: int, 2: int, 3: bool},
    _DATA_PAGE_2: {**dict.fromkeys((1, 2, 3, 4, 5, 6), int), 7: bool, 8: _OF_STATISTICS},
}
_OF_META = {
    **dict.fromkeys((_TYPE, 4, 5, 6, 7, 9, 10, 11, 14, 15), int),
    **dict.fromkeys((2, 8, 13), list),
    _PATH: [bytes],
    12: _OF_STATISTICS,
    16: dict,
    17: dict,
}
_OF_CHUNK = {**dict.fromkeys((2, 4, 5, 6, 7), int), 1: bytes, _META: _OF_META, 8: dict, 9: bytes}
_OF_GROUP = {**dict.fromkeys((2, 3, 5, 6, 7), int), _COLUMNS: [_OF_CHUNK], 4: list}
_OF_ELEMENT = {**dict.fromkeys((1, 2, 3, 5, 6, 7, 8, 9), int), _NAME: bytes, _LOGICAL: dict}
_OF_FILE = {
    **dict.fromkeys((1, _ROWS), int),
    **dict.fromkeys((6, 9), bytes),
    **dict.fromkeys((5, 7), list),
    _SCHEMA: [_OF_ELEMENT],
    _ROW_GROUPS: [_OF_GROUP],
    8: dict,
}

ChecksumState = Literal["intact", "none"]


@dataclass
class _Reader:
    """Values in Thrift's compact protocol, from a place in bytes on."""

    data: mmap.mmap | bytes
    at: int

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > _WIDEST:
                raise ValueError("a number of more bits than there are types for")

    def integer(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The fields of a struct by their numbers."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self.data[self.at]:
            self.at += 1
            number = number + (head >> 4) if head >> 4 else self.integer()
            kind = head & 0x0F
            fields[number] = kind == 1 if kind in (1, 2) else self.value(kind, depth + 1)
        self.at += 1
        return fields

    def value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        if kind in (1, 2, 3):
            self.at += 1
            return self.data[self.at - 1]
        if kind in (4, 5, 6):
            return self.integer()
        if kind == 7:
            self.at += 8
            return None
        if kind == 8:
            size = self.varint()
            self.at += size
            return self.data[self.at - size : self.at]
        if kind in (9, 10):
            return self.items(depth)
        if kind == 12:
            return self.struct(depth)
        raise ValueError(f"unknown type {kind}")

    def items(self, depth: int) -> list[Any]:
        head = self.data[self.at]
        self.at += 1
        size, kind = head >> 4, head & 0x0F
        if size == 15:
            size = self.varint()
        if size > len(self.data):
            raise ValueError("more items than bytes")
        return [self.value(kind, depth + 1) for _ in range(size)]


def swelling(data: mmap.mmap | bytes, name: str) -> Problem | None:
    """Return why the pages of a file may not be unpacked: they would become far larger than it is.

    By the sizes in the headers of the pages, which a reader allocates. None where
    they cannot be read: then no reader unpacks them either.
    """
    try:
        total = sum(_unpacked(data))
    except _BROKEN:
        return None
    return swollen(total, len(data), name)


def check_pages(data: mmap.mmap | bytes, name: str) -> ChecksumState | Problem:
    """Return whether all pages of a file have a checksum and are intact, or the first that is not.

    ``none`` where its first page has none, or where that is not Parquet at all.
    """
    try:
        if _Reader(data, len(_MAGIC)).struct().get(_CHECKSUM) is None:
            return "none"
    except _BROKEN:
        return "none"
    hint = "the file is damaged: write it again"
    every = True
    try:
        for column, number, crc, start, size in _pages(data):
            every &= crc is not None
            if crc is not None and zlib.crc32(memoryview(data)[start : start + size]) != crc:
                message = f"page {number} does not have the bytes of its checksum"
                return Problem("integrity", message, place(name, column), hint)
    except _BROKEN:
        return Problem("integrity", "the headers of its pages cannot be read", name, hint)
    return "intact" if every else "none"


def _pages(data: mmap.mmap | bytes) -> Iterator[tuple[str, int, int | None, int, int]]:
    """Yield of each page its column, number, checksum, place and size."""
    for column, number, header, at in _headers(data):
        crc = header.get(_CHECKSUM)
        yield column, number, None if crc is None else crc & 0xFFFFFFFF, at, header[_PAGE_SIZE]


def _unpacked(data: mmap.mmap | bytes) -> Iterator[int]:
    """Yield the size of each page once it is unpacked."""
    return (header[_UNPACKED_SIZE] for _, _, header, _ in _headers(data))


def _headers(data: mmap.mmap | bytes) -> Iterator[tuple[str, int, dict[int, Any], int]]:
    """Yield of each page its column, number, header and place; what lies behind is let go.

    Raises ``ValueError`` where they do not have the rows that the footer says, or it says
    twice of what type a column is, and not the same.
    """
    if data[-4:] != _MAGIC:
        raise ValueError("no footer")
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    if footer < len(_MAGIC):
        raise ValueError("no footer")
    whole, rows = _Reader(data, footer).struct(), 0
    _require_types(whole, _OF_FILE)
    leaves, seen = _leaves(whole[_SCHEMA]), 0
    for group in whole[_ROW_GROUPS]:
        for chunk, leaf in zip(group[_COLUMNS], leaves, strict=True):
            meta = chunk[_META]
            if (meta[_TYPE], bytes(meta[_PATH][-1])) != (leaf[_TYPE], bytes(leaf[_NAME])):
                raise ValueError("a column of another type or name than in the schema")
            column = ".".join(part.decode("utf-8", "replace") for part in meta[_PATH])
            first = meta[_FIRST_PAGE]
            start = min(first, meta.get(_DICTIONARY) or first)
            end = start + meta[_SIZE]
            number = values = 0
            while start < end:
                number += 1
                seen = mapped.release_before(data, seen, start)
                reader = _Reader(data, start)
                header = reader.struct()
                _require_types(header, _OF_PAGE)
                size = header[_PAGE_SIZE]
                if size < 0 or reader.at + size > end:
                    raise ValueError("a page ends behind its column")
                _require_levels(reader, header, leaf, meta)
                yield column, number, header, reader.at
                start = reader.at + size
                values += _values(header)
            if len(meta[_PATH]) == 1 and not {values, meta[_VALUES]} <= {group[_ROWS]}:
                raise ValueError("pages with other rows than their group")
        rows += group[_ROWS]
    if rows != whole[_ROWS]:
        raise ValueError("groups with other rows than the file")


def _leaves(schema: list[dict[int, Any]]) -> list[dict[int, Any]]:
    """What the schema says of each column that has values.

    Raises ``ValueError`` where the two notes of the scale of a decimal differ.
    """
    leaves = [element for element in schema if not element.get(_CHILDREN)]
    for leaf in leaves:
        if decimal := (leaf.get(_LOGICAL) or {}).get(_DECIMAL):
            noted = leaf.get(_SCALE, decimal[1]), leaf.get(_PRECISION, decimal[2])
            if noted != (decimal[1], decimal[2]):
                raise ValueError("a decimal of two scales")
    return leaves


def _require_types(value: Any, form: type | list[Any] | dict[int, Any]) -> None:
    """Raise ``ValueError`` where a field is not of its type: a reader misreads what follows it."""
    kind = type(value)
    if kind is not (form if isinstance(form, type) else type(form)):
        raise ValueError("a field of another type")
    if isinstance(form, list):
        for entry in value:
            _require_types(entry, form[0])
    elif isinstance(form, dict):
        for number in value.keys() & form.keys():
            _require_types(value[number], form[number])


def _require_levels(
    reader: _Reader, header: dict[int, Any], leaf: dict[int, Any], meta: dict[int, Any]
) -> None:
    """Raise ``ValueError`` where what a page says of its missing values cannot be so.

    In a column of a table the levels that tell which values are missing are as many as its
    values, and take the bytes that are theirs.
    """
    page, later = header.get(_DATA_PAGE), header.get(_DATA_PAGE_2)
    data = page or later
    if data is None or len(meta[_PATH]) > 1:
        return
    optional, at = leaf[_REPETITION] == _OPTIONAL, reader.at
    if later is not None:
        size = later[_LEVELS_2]
        if later[_REPEATS_2] or bool(size) > optional:
            raise ValueError("levels of a column that has none")
    elif optional and meta[_CODEC] == _UNCOMPRESSED:
        size, at = int.from_bytes(reader.data[at : at + 4], "little"), at + 4
    else:
        return
    if optional and not _covers(_Reader(reader.data, at), at + size, int(data[1])):
        raise ValueError("other levels than values")


def _covers(reader: _Reader, end: int, values: int) -> bool:
    """Whether runs of levels of one bit end where they should, with one for each value."""
    levels = 0
    while reader.at < end and levels < values:
        run = reader.varint()
        packed = run & 1
        levels += (run >> 1) * (8 if packed else 1)
        reader.at += run >> 1 if packed else 1
    return reader.at == end and levels >= values


def _values(header: dict[int, Any]) -> int:
    """How many values a page has; none where it is a dictionary."""
    page = header.get(_DATA_PAGE) or header.get(_DATA_PAGE_2)
    return 0 if page is None else int(page[1])
