"""Why a file cannot be read, in words of its own: a library's say little to most readers."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping
from contextlib import suppress

import polars as pl

from reportgen import interrupts
from reportgen.errors import Problem
from reportgen.exhaustion import exhausted
from reportgen.predictions import json_lines
from reportgen.predictions.files import DataFile, FileFormat, decoded
from reportgen.predictions.packed import PackedError
from reportgen.predictions.workbooks import WorkbookError

UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
_REASONS = {
    "found more fields": (
        ": a row has more fields than the header",
        "put fields that hold commas in double quotes",
    ),
    "invalid utf-8": (": it is not UTF-8 text", "save it as UTF-8"),
    "has more than one occurrence": (": two columns have one name", "rename one of them"),
    **dict.fromkeys(
        ("cannot parse '", "failed to determine supertype", "unexpected value while building"),
        (": a key has values of several types", json_lines.ONE_TYPE),
    ),
    **dict.fromkeys(
        ("not yet implemented", "not supported by Polars"),
        (
            ": it has a column of a type that Polars does not read",
            "leave the column out, or convert it",
        ),
    ),
    "range end index": (
        ": it is damaged, or has compressed text views, which Polars does not read",
        "write it again, its text not as string_view, or without compression",
    ),
    "unable to parse time zone": (
        ": it has times in an unknown time zone",
        "write them in UTC, or in a zone with a name, such as Europe/Berlin",
    ),
    **dict.fromkeys(
        ("Int256", "precision must be between 1 and 38", "decode Decimal128"),
        (
            ": it has decimals of more than 38 digits",
            "write the column with at most 38 digits, or as text",
        ),
    ),
}
"""What a library says of a file: the message for it, and its hint."""
_BEGINNINGS: Mapping[FileFormat, Mapping[bytes, tuple[str, str]]] = {
    "ipc": {b"\xff\xff\xff\xff": (": it is an Arrow stream", "write it as an Arrow file")},
    "ndjson": {
        b"[": (": it is a list", "write one object a line, without brackets and commas around"),
        BOM_UTF8: (": it begins with a byte-order mark", "add encoding: utf-8-sig to the spec"),
    },
}
"""What the first bytes of a file that cannot be read say: the message for it, and its hint."""
_DAMAGED = "write it again, or check that its ending names its format"


def unreadable(file: DataFile, fault: BaseException) -> Problem:
    """Return why a file could not be read; what a library quotes from it goes to ``value``."""
    interrupts.check()
    if limit := exhausted(fault):
        raise limit
    if isinstance(fault, WorkbookError):
        message = f"the workbook cannot be read: {fault.reason}"
        return Problem("unreadable", message, file.name, fault.hint)
    message = str(fault)
    if "empty string is not a valid JSON" in message or not file.path.stat().st_size:
        return Problem("no-rows", "the file is empty", file.name)
    if isinstance(fault, pl.exceptions.NoDataError):
        return Problem("no-rows", "the file has no rows", file.name)
    with file.path.open("rb") as opened:
        first = opened.read(8)
    beginnings = _BEGINNINGS.get(file.format, {}).items()
    starts = [entry for start, entry in beginnings if first.startswith(start)]
    reasons = starts + [entry for part, entry in _REASONS.items() if part in message]
    value = message.splitlines()[0][:200] if message else None
    if file.format == "ndjson" and not starts and (line := _line(file)):
        return Problem(
            "unreadable", line.reason, f"{file.name}, line {line.line}", line.hint, value=value
        )
    damaged = f"the file is damaged or is not {file.format}"
    reason, hint = reasons[0] if reasons else ("", _DAMAGED)
    whole = f"the file cannot be read{reason}" if reason else damaged
    return Problem("unreadable", whole, file.name, hint, value=value)


def _line(file: DataFile) -> json_lines.BrokenLine | None:
    """Where JSON lines break their rules, as far as that can be read."""
    with suppress(PackedError, UnicodeDecodeError, OSError):
        return json_lines.broken_line(decoded(file))
    return None
