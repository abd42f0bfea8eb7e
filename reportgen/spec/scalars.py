"""Plain YAML scalars under the core schema of YAML 1.2.

A number or a boolean keeps its spelling (``Plain``), because only the field
that it is read into knows whether it is a number (a threshold) or a text (the
label ``01``, which is not the label ``1``).
"""

from __future__ import annotations

import re

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
