"""The SHA-256 that a data file should have: stated in the spec, or in a checksum file beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from reportgen.errors import Problem
from reportgen.predictions.files import DataFile, Verified
from reportgen.spec import Spec

ENDING = ".sha256"

LARGEST = 1 << 16
"""Bytes of a checksum file that are looked at."""

_LINE = re.compile(r"\\?([0-9a-fA-F]{64})(?:[ \t]+[ *]?(.+))?")
_TAGGED = re.compile(r"SHA256 \((.+)\) = ([0-9a-fA-F]{64})")


@dataclass(frozen=True, slots=True)
class StatedHash:
    """A stated hash: by what in a message, where, and what it verifies the file by."""

    sha256: str
    by: str
    at: str
    verified: Verified


def stated_hash(file: DataFile, spec: Spec) -> StatedHash | Problem | None:
    """Return the hash that a file should have; a problem where its checksum file says none.

    The spec goes before ``FILE.sha256``, which is in the form of ``sha256sum`` or
    the hash alone.
    """
    given = spec.sha256.get(file.name)
    if given is not None:
        return StatedHash(given.lower(), "the spec", spec.locate(("sha256", file.name)), "stated")
    beside = file.path.with_name(file.path.name + ENDING)
    if not beside.exists():
        return None
    return _of_checksum_file(beside, file)


def _of_checksum_file(beside: Path, file: DataFile) -> StatedHash | Problem:
    name = file.name + ENDING
    try:
        with beside.open("rb") as stream:
            text = _whole_lines(stream.read(LARGEST)).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        reason = getattr(fault, "strerror", None) or "it is not UTF-8 text"
        return Problem("unreadable", f"the checksum file cannot be read: {reason}", name)
    for line in text.splitlines():
        entry = _entry(line.strip())
        if entry is not None and entry[1] in (None, file.path.name):
            return StatedHash(entry[0].lower(), name, name, "checksum file")
    message = f"the checksum file has no SHA-256 of {file.path.name}"
    hint = f"`sha256sum {file.path.name} > {beside.name}` writes one"
    return Problem("integrity", message, name, hint)


def _whole_lines(start: bytes) -> bytes:
    """What was read of a file without the line that its end cuts off."""
    return start if len(start) < LARGEST else start[: start.rfind(b"\n") + 1]


def _entry(line: str) -> tuple[str, str | None] | None:
    if match := _LINE.fullmatch(line):
        return match[1], None if match[2] is None else Path(match[2]).name
    if match := _TAGGED.fullmatch(line):
        return match[2], Path(match[1]).name
    return None
