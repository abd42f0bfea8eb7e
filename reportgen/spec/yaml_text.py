"""Plain values as YAML text that the spec's own reader reads as the same values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from reportgen.spec.scalars import Plain, resolve, spelled

WIDTH = 88
"""Characters up to which a collection stands on one line."""

EXACT = 2.0**53
"""Whole numbers below this are written without a fraction, as labels are."""

_PLAIN = re.compile(r"[^\W\d](?:[\w./-]| (?=[\w]))*\Z")


def quoted(text: str) -> str:
    """Return text as a YAML scalar that is read as the same text, quoted where it must be.

    >>> print(quoted("site"), quoted("no"), quoted("1"), quoted("a: b"), quoted("好瓜"))
    site no "1" "a: b" 好瓜
    """
    if _PLAIN.match(text) and resolve(text) == text and not isinstance(resolve(text), Plain):
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable() or character == "\u3000":
        return character
    code = ord(character)
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def flow(value: Any) -> str:
    """Return a value on one line.

    >>> print(flow({"recall": ">= 0.9", "ids": ["01", Plain("01"), 1.0, True, None]}))
    {recall: ">= 0.9", ids: ["01", 01, 1, true, null]}

    Raises:
        TypeError: it is none of the values that a spec has.
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{quoted(str(k))}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Plain):
        return str(value)
    if isinstance(value, str | PurePath):
        return quoted(str(value))
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(flow, value)) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            return ".nan" if math.isnan(value) else f"{'-' if value < 0 else ''}.inf"
        return str(spelled(float(value))) if abs(value) < EXACT else repr(float(value))
    raise TypeError(f"{type(value).__name__} cannot be written in a spec")


def block(values: Mapping[str, Any]) -> str:
    """Return a mapping as YAML, one line per entry where it fits, in its order.

    >>> print(block({"data": "p.csv", "models": {"m": {"score": "p"}}}), end="")
    data: p.csv
    models: {m: {score: p}}
    """
    return "".join(f"{line}\n" for line in _lines(values, ""))


def _lines(values: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in values.items():
        yield from _entry(f"{indent}{quoted(str(key))}:", value, indent)


def _entry(head: str, value: Any, indent: str) -> Iterator[str]:
    line = f"{head} {flow(value)}"
    if len(line) <= WIDTH or not value or isinstance(value, str | PurePath):
        yield line
    elif isinstance(value, Mapping):
        yield head
        yield from _lines(value, indent + "  ")
    elif isinstance(value, Sequence):
        yield head
        yield from (f"{indent}  - {flow(item)}" for item in value)
    else:
        yield line
