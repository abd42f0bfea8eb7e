"""Whether bytes are UTF-8, and where they are not."""

from __future__ import annotations

import codecs

from reportgen.errors import Problem
from reportgen.predictions.csv_words import Bytes

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
