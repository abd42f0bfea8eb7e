"""A data file is examined before it is read: its hash, its text, its state in the file system.

One pass over the bytes gives the hash and checks the text, so that what bears the hash
is what was checked. ``changes`` looks again when the file has been read.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import mmap
import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from reportgen import interrupts
from reportgen.errors import Problem
from reportgen.exhaustion import exhausted
from reportgen.predictions import mapped
from reportgen.predictions.arrow_buffers import fault_of_buffers
from reportgen.predictions.csv_structure import LF, Scanner, header_end
from reportgen.predictions.csv_words import Bytes, bits_of, is_simple, total
from reportgen.predictions.files import (
    TEXT,
    DataFile,
    Examined,
    FileFormat,
    FileState,
    Verified,
    decoded,
)
from reportgen.predictions.packed import PackedError
from reportgen.predictions.parquet_pages import ChecksumState, check_pages, swelling

BLOCK = 1 << 20
"""Bytes that are looked at together, so that they stay near the processor."""

LONGEST_LINE = 1 << 26

RECENT = 2_000_000_000
"""Nanoseconds within which a file may change again without showing another time."""

_JOINTS: Mapping[FileFormat, bytes] = {"parquet": b"PAR1PAR1", "ipc": b"ARROW1ARROW1"}
"""What stands where one file ends and another begins; the size of a footer stands before it."""

_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"PK\x03\x04": "zip"}
"""How compressed files begin; unpacked by a reader they would have no bound."""

_UNPACK = "unpack it, or let its name end in .gz or .zst where that is how it is packed"


def examine(file: DataFile) -> tuple[Examined, list[Problem]]:
    """Return what is known of a file, and what is wrong with its text.

    Raises ``OSError`` where it cannot be read.
    """
    started = time.time_ns()
    digest = hashlib.sha256()
    with file.path.open("rb", buffering=0) as stream:
        state = FileState.of(os.fstat(stream.fileno()))
        scanner = None if file.between is None else Scanner(file.name, file.between)
        problems: list[Problem] = []
        if file.format not in TEXT or not file.plain:
            digest = hashlib.file_digest(stream, "sha256")
        else:
            problems = _text(stream, file, scanner, digest.update)
    if not file.plain:
        problems = _decoded(file, scanner)
    unchanged = started - state.latest > RECENT
    if scanner is None:
        pages = _inside(file) if file.format in _JOINTS and state.size else "none"
        if isinstance(pages, Problem):
            problems = [pages]
        verified: Verified = "page checksums" if pages == "intact" else "not verified"
        return Examined(digest.hexdigest(), state, unchanged, verified=verified), problems
    structure = scanner.finish()
    examined = Examined(
        digest.hexdigest(),
        state,
        unchanged,
        structure.records,
        structure.spanning,
        tuple(structure.first_spanning),
    )
    return examined, problems or structure.problems


def changes(file: DataFile) -> list[Problem]:
    """Return whether a file is another one than was examined, now that it has been read."""
    examination = file.examined
    if examination is None:
        return []
    hint = "something is writing to it: build again when it has finished"
    try:
        with file.path.open("rb", buffering=0) as stream:
            same = FileState.of(os.fstat(stream.fileno())) == examination.state
            if same and not examination.settled:
                again = hashlib.file_digest(stream, "sha256").hexdigest()
                same = again == examination.sha256
    except OSError as fault:
        if limit := exhausted(fault):
            raise limit from None
        same = False
    if same:
        return []
    return [Problem("changed", "the file was changed while it was read", file.name, hint)]


def _inside(file: DataFile) -> ChecksumState | Problem:
    """Whether a file has page checksums that hold; a problem too where it is two files in one."""
    with (
        file.path.open("rb") as stream,
        mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        joint = mapped.find(data, _JOINTS[file.format])
        if joint > 8 and int.from_bytes(data[joint - 4 : joint], "little") < joint - 4:
            message = "the file holds two files, of which only one would be read"
            hint = "list them under data: as separate files"
            return Problem("unreadable", message, file.name, hint)
        if file.format != "parquet":
            return fault_of_buffers(data, file.name) or "none"
        return swelling(data, file.name) or check_pages(data, file.name)


def _decoded(file: DataFile, scanner: Scanner | None) -> list[Problem]:
    """Check the text of a file in another encoding, or of a compressed one."""
    try:
        text = decoded(file)
    except PackedError as fault:
        return [fault.problem]
    except UnicodeDecodeError as fault:
        byte = fault.object[fault.start]
        message = (
            f"the text is not {file.encoding}: byte 0x{byte:02X} "
            f"at place {fault.start:,} of the file ({fault.reason})"
        )
        where = f"{file.name}, byte {fault.start}"
        return [Problem("unreadable", message, where, "is encoding: right in the spec?")]
    return _text(io.BytesIO(text), file, scanner, lambda _: None)


def _text(
    stream: io.FileIO | io.BytesIO,
    file: DataFile,
    scanner: Scanner | None,
    update: Callable[[memoryview], object],
) -> list[Problem]:
    """Look at a text block by block; all of it is hashed, whatever is wrong with it."""
    problems: list[Problem] = []
    lines = 0
    for index, block in enumerate(_blocks(stream, update, header=scanner is not None)):
        interrupts.check()
        if problems or (scanner and scanner.stopped):
            continue
        if not index:
            packed = [name for start, name in _PACKED.items() if bytes(block[:4]).startswith(start)]
            if packed:
                message = f"the file is compressed ({packed[0]})"
                problems = [Problem("unreadable", message, file.name, _UNPACK)]
                continue
        if len(block) > LONGEST_LINE:
            message = f"a line after line {lines:,} has more than {LONGEST_LINE:,} bytes"
            problems = [Problem("too-large", message, file.name, "is this a text file?")]
            continue
        ends = bits_of(block, LF)
        simple = is_simple(block, total(ends))
        problems = [] if simple else fault_of_text(block, file.name, lines)
        if problems:
            continue
        if scanner is None:
            lines += total(ends)
            continue
        if index and scanner.each is not None:
            scanner.see_lines(block, ends, is_simple=simple)
        else:
            scanner.see(block[len(BOM) :] if not index and bytes(block[:3]) == BOM else block)
        lines = scanner.lines
    return problems


def _blocks(
    stream: io.FileIO | io.BytesIO, update: Callable[[memoryview], object], *, header: bool
) -> Iterator[Bytes]:
    """Yield the bytes cut at line ends, the first ones with the whole header; hash them beside."""
    buffer, held, seen = bytearray(BLOCK), 0, not header
    with ThreadPoolExecutor(1) as beside:
        while True:
            view = memoryview(buffer)
            size = stream.readinto(view[held:]) or 0
            hashed = beside.submit(update, view[held : held + size])
            held += size
            last = not size
            end = held if last else buffer.rfind(b"\n", 0, held) + 1
            if not seen and not last and held <= LONGEST_LINE:
                end = 0 if header_end(buffer, held) is None else end
            if not end and held > LONGEST_LINE:
                end = held
            if last and held and buffer[held - 1] != 10:
                yield np.frombuffer(bytes(view[:held]) + b"\n", np.uint8)
            elif end:
                yield np.frombuffer(view[:end], np.uint8)
            hashed.result()
            if last:
                return
            seen = seen or end > 0
            remainder = bytes(view[end:held]) if end else b""
            if end:
                view[: len(remainder)] = remainder
                held = len(remainder)
            elif held == len(buffer):
                view.release()
                buffer = buffer + bytes(len(buffer))


BOM = codecs.BOM_UTF8


def fault_of_text(block: Bytes, name: str, lines: int) -> list[Problem]:
    """Return the first byte of a block that is not UTF-8; ``lines`` stand before it in the file."""
    if not len(block) or block.max() < 128:
        return []
    data = block.tobytes()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as fault:
        return [_problem(data, fault.start, name, lines)]
    return []


def _problem(data: bytes, at: int, name: str, lines: int) -> Problem:
    line = lines + data.count(b"\n", 0, at) + 1
    inside = at - data.rfind(b"\n", 0, at)
    message = f"the text is not UTF-8: byte 0x{data[at]:02X} is number {inside:,} of line {line:,}"
    utf16 = not lines and data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    encoding = "utf-16" if utf16 else "latin-1"
    hint = f"save it as UTF-8, or add its encoding to the spec, such as encoding: {encoding}"
    return Problem("unreadable", message, f"{name}, line {line}", hint, line=line)
