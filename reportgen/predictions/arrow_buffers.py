"""What the buffers of an Arrow file unpack to, by its metadata, before a reader allocates it.

A compressed buffer begins with its size once unpacked, which readers allocate as it stands: of a
damaged one they abort. The metadata are tables of Flatbuffers
(https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.errors import Problem
from reportgen.predictions.packed import swollen

_MAGIC = b"ARROW1"
_BROKEN = (IndexError, struct.error, ValueError)
"""What reading metadata that are not as they should be raises."""

# fields by number: https://github.com/apache/arrow/tree/main/format
_FOOTER_DICTIONARIES, _FOOTER_BATCHES = 2, 3
_MESSAGE_TYPE, _MESSAGE_HEADER = 1, 2
_BATCH_BUFFERS, _BATCH_COMPRESSION = 2, 3
_DICTIONARY_DATA = 1
_IS_DICTIONARY = 2

_BLOCK = struct.Struct("<qi4xq")
_BUFFER = struct.Struct("<qq")
_CONTINUED = 0xFFFFFFFF
_AS_IT_IS = -1
"""The size that a buffer states which a compressed batch holds without compression."""


def fault_of_buffers(data: mmap.mmap | bytes, name: str) -> Problem | None:
    """Return why the buffers of a file may not be unpacked: too large, or not within the file.

    None too of what is no Arrow file at all, which a reader refuses.
    """
    if data[: len(_MAGIC)] != _MAGIC or data[-len(_MAGIC) :] != _MAGIC:
        return None
    try:
        total = sum(_unpacked(data))
    except _BROKEN:
        hint = "the file is damaged: write it again"
        return Problem("integrity", "its buffers are not where its metadata say", name, hint)
    return swollen(total, len(data), name)


def _unpacked(data: mmap.mmap | bytes) -> Iterator[int]:
    """Yield the size of each buffer once it is unpacked."""
    end = len(data) - len(_MAGIC) - 4
    start = end - _number("<i", data, end)
    if not len(_MAGIC) <= start < end:
        raise ValueError("the footer lies outside the file")
    footer = _Table.at(data, start)
    for field in (_FOOTER_DICTIONARIES, _FOOTER_BATCHES):
        for at in footer.structs(field, _BLOCK.size):
            begin, head, body = _BLOCK.unpack_from(data, at)
            if begin < 0 or head < 0 or body < 0 or begin + head + body > start:
                raise ValueError("a block lies outside the file")
            yield from _of_block(data, begin, begin + head, body)


def _of_block(data: mmap.mmap | bytes, begin: int, body: int, size: int) -> Iterator[int]:
    """Yield the sizes of a block's buffers; its message begins at ``begin``."""
    prefix = 8 if _number("<I", data, begin) == _CONTINUED else 4
    message = _Table.at(data, begin + prefix)
    batch = message.table(_MESSAGE_HEADER)
    if message.byte(_MESSAGE_TYPE) == _IS_DICTIONARY:
        batch = batch.table(_DICTIONARY_DATA)
    compressed = batch.field(_BATCH_COMPRESSION) is not None
    for at in batch.structs(_BATCH_BUFFERS, _BUFFER.size):
        offset, length = _BUFFER.unpack_from(data, at)
        if offset < 0 or length < 0 or offset + length > size:
            raise ValueError("a buffer lies outside its block")
        stated = _number("<q", data, body + offset) if compressed and length else _AS_IT_IS
        if stated < _AS_IT_IS:
            raise ValueError("a buffer of a negative size")
        yield length if stated == _AS_IT_IS else stated


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of Flatbuffers: where it begins, and where its table of fields does."""

    data: mmap.mmap | bytes
    start: int
    fields: int

    @classmethod
    def at(cls, data: mmap.mmap | bytes, root: int) -> _Table:
        """The table whose distance stands at a place."""
        start = root + _number("<I", data, root)
        return cls(data, start, start - _number("<i", data, start))

    def field(self, number: int) -> int | None:
        """Where a field stands; None where it is left out."""
        entry = 4 + 2 * number
        if entry >= _number("<H", self.data, self.fields):
            return None
        offset = _number("<H", self.data, self.fields + entry)
        return self.start + offset if offset else None

    def byte(self, number: int) -> int:
        """A field of one byte; 0 where it is left out."""
        at = self.field(number)
        return 0 if at is None else self.data[at]

    def table(self, number: int) -> _Table:
        """A field that is a table; ``ValueError`` where it is left out."""
        at = self.field(number)
        if at is None:
            raise ValueError("a table is missing")
        return _Table.at(self.data, at)

    def structs(self, number: int, size: int) -> range:
        """Where the entries of a vector of structs stand."""
        at = self.field(number)
        if at is None:
            return range(0)
        start = at + _number("<I", self.data, at)
        count = _number("<I", self.data, start)
        if start + 4 + count * size > len(self.data):
            raise ValueError("more entries than bytes")
        return range(start + 4, start + 4 + count * size, size)


def _number(form: str, data: mmap.mmap | bytes, at: int) -> int:
    if at < 0:
        raise ValueError("a place before the file")
    number: int = struct.unpack_from(form, data, at)[0]
    return number
