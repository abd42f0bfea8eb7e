"""Plain values as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from json.encoder import encode_basestring
from math import isfinite
from types import NoneType
from typing import Any


def json_text(value: Any, line: str = "\n") -> str:
    """What ``json.dumps`` writes with an indent of 1, in half its time: it is Python there too.

    A number that is not finite is null. ``line`` begins each line of what is around the value.

    >>> print(json_text({"a": [1, float("nan")], "b": {}}))
    {
     "a": [
      1,
      null
     ],
     "b": {}
    }
    """
    write = _SCALARS.get(type(value))
    if write is not None:
        return write(value)
    inner = line + " "
    if isinstance(value, Mapping):
        parts = [f"{encode_basestring(k)}: {json_text(v, inner)}" for k, v in value.items()]
        return f"{{{inner}{f',{inner}'.join(parts)}{line}}}" if parts else "{}"
    if isinstance(value, list | tuple):
        items = [json_text(v, inner) for v in value]
        return f"[{inner}{f',{inner}'.join(items)}{line}]" if items else "[]"
    for kind, write in _SCALARS.items():  # a number of NumPy, a member of an enumeration
        if isinstance(value, kind):
            return write(value)
    raise TypeError(f"{type(value).__name__} is no value of JSON")


def _number(value: float) -> str:
    return float.__repr__(value) if isfinite(value) else "null"


_SCALARS: dict[type, Callable[[Any], str]] = {
    str: encode_basestring,
    float: _number,
    NoneType: lambda _: "null",
    bool: lambda value: "true" if value else "false",
    int: int.__repr__,
}
