"""Plain values as YAML text, and plain scalars as the spec reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

WIDTH = 88
"""Characters up to which a collection stands on one line."""

EXACT = 2.0**53
"""Whole numbers below this are written without a fraction, as labels are."""

_PLAIN = re.compile(r"[^\W\d](?:[\w./-]| (?=[\w]))*\Z")


_TRUTH_VALUES = frozenset({"yes", "no", "on", "off", "true", "false", "null"})


def quoted(text: str) -> str:
    """Return text as a YAML scalar that is read as the same text, quoted where it must be.

    Also words such as no, which other readers of YAML take for a truth value.

    >>> print(quoted("site"), quoted("no"), quoted("1"), quoted("a: b"), quoted("好瓜"))
    site "no" "1" "a: b" 好瓜
    """
    if text.casefold() in _TRUTH_VALUES:
        return f'"{text}"'
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


_NULL = re.compile(r"(null|Null|NULL|~|)\Z")
_BOOLEAN = re.compile(r"(true|True|TRUE|false|False|FALSE)\Z")
_INTEGER = re.compile(r"([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_SPECIAL = re.compile(r"([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z")


LONGEST = 400
"""Digits of a whole number that are read, in any notation; longer ones are beyond a Float64."""


class Plain(str):
    """An unquoted number or boolean, as it was written.

    >>> Plain("01") == "01", Plain("01").value, Plain("1e-3").value, Plain("True").value
    (True, 1, 0.001, True)
    """

    __slots__ = ()

    @property
    def value(self) -> bool | int | float:
        """What the core schema of YAML 1.2 reads."""
        text = str(self)
        if _BOOLEAN.match(text):
            return text.lower() == "true"
        if _INTEGER.match(text):
            return _whole(text)
        if _SPECIAL.match(text):
            return float(text.replace(".", ""))
        return float(text)


def _whole(text: str) -> int | float:
    """Return a whole number; infinity beyond the range of a Float64, as for ``1e400``."""
    if len(text.lstrip("+-0")) > LONGEST:
        return float("-inf") if text.startswith("-") else float("inf")
    return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))


def resolve(text: str) -> str | None:
    """Return what an unquoted scalar stands for: None, a ``Plain``, or the text itself.

    >>> resolve("no"), resolve("~"), type(resolve("0.5")).__name__
    ('no', None, 'Plain')
    """
    if _NULL.match(text):
        return None
    if any(p.match(text) for p in (_BOOLEAN, _INTEGER, _FLOAT, _SPECIAL)):
        return Plain(text)
    return text


def spelled(value: object) -> object:
    """Return a scalar as the data would spell it; anything else as it is.

    >>> spelled(True), spelled(1), spelled(1.0), spelled(0.5), spelled(Plain("01"))
    ('true', '1', '1', '0.5', '01')
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value) if isinstance(value, int) else value
