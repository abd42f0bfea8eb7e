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
    """Yield of each page its column, number, header and place.

    Raises ``ValueError`` where they do not have the rows that the footer says.
    """
    if data[-4:] != _MAGIC:
        raise ValueError("no footer")
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    if footer < len(_MAGIC):
        raise ValueError("no footer")
    whole, rows = _Reader(data, footer).struct(), 0
    for group in whole[_ROW_GROUPS]:
        for chunk in group[_COLUMNS]:
            meta = chunk[_META]
            column = ".".join(part.decode("utf-8", "replace") for part in meta[_PATH])
            first = meta[_FIRST_PAGE]
            start = min(first, meta.get(_DICTIONARY) or first)
            end = start + meta[_SIZE]
            number = values = 0
            while start < end:
                number += 1
                reader = _Reader(data, start)
                header = reader.struct()
                size = header[_PAGE_SIZE]
                if size < 0 or reader.at + size > end:
                    raise ValueError("a page ends behind its column")
                yield column, number, header, reader.at
                start = reader.at + size
                values += _values(header)
            if len(meta[_PATH]) == 1 and not {values, meta[_VALUES]} <= {group[_ROWS]}:
                raise ValueError("pages with other rows than their group")
        rows += group[_ROWS]
    if rows != whole[_ROWS]:
        raise ValueError("groups with other rows than the file")


def _values(header: dict[int, Any]) -> int:
    """How many values a page has; none where it is a dictionary."""
    page = header.get(_DATA_PAGE) or header.get(_DATA_PAGE_2)
    return 0 if page is None else int(page[1])
