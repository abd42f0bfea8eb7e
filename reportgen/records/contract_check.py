"""Whether plain values follow a JSON Schema, as far as those of this package go.

Only the keywords that ``record_schema`` and ``contract`` write are known.
"""

from __future__ import annotations

import operator
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

SchemaPart = Mapping[str, Any]
Fault = tuple[str, str]
"""Where, such as ``metrics[3].value``, and what is wrong there."""

LARGEST = sys.float_info.max

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}
_PLAIN = {str: "string", float: "number", bool: "boolean", type(None): "null"}
_OF_TYPE = frozenset({"type", "description"})
_LIMITS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "minimum": ("at least", operator.ge),
    "exclusiveMinimum": ("greater than", operator.gt),
    "maximum": ("at most", operator.le),
    "exclusiveMaximum": ("less than", operator.lt),
}


def faults(value: Any, schema: SchemaPart, place: str = "") -> Iterator[Fault]:
    """Yield every place where a value does not follow its schema.

    >>> list(faults({"n": -1, "m": 0}, {"properties": {"n": {"type": "integer", "minimum": 0}},
    ...                                 "additionalProperties": False}))
    [('n', 'must be at least 0, not -1'), ('m', 'is unknown')]
    """
    if "anyOf" in schema:
        by_option = [list(faults(value, one, place)) for one in schema["anyOf"]]
        yield from min(by_option, key=len, default=[])
        return
    types = schema.get("type", ())
    listed = [types] if isinstance(types, str) else list(types)
    if listed and not any(_is(value, name) for name in listed):
        yield place, f"must be {' or '.join(listed)}, not {shown(value)}"
    elif "const" in schema and value != schema["const"]:
        yield place, f"must be {shown(schema['const'])}, not {shown(value)}"
    elif "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
        yield place, f"must be one of {', '.join(map(shown, schema['enum']))}, not {shown(value)}"
    elif isinstance(value, dict):
        yield from _of_object(value, schema, place)
    elif isinstance(value, list):
        yield from _of_list(value, schema.get("items", {}), place)
    elif isinstance(value, str):
        yield from _of_text(value, schema, place)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _of_number(value, schema, place)


def shown(value: Any) -> str:
    """A value in a message; of a large one its kind."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST:
        return "a number of hundreds of digits"
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES[name])


def _is_plainly(value: Any, schema: SchemaPart) -> bool:
    """Whether a value is of the type that is all its schema asks for: most are."""
    name = _PLAIN.get(type(value))
    if name is None or not schema.keys() <= _OF_TYPE:
        return False
    types = schema.get("type", name)
    if name != types and (isinstance(types, str) or name not in types):
        return False
    if name == "string":
        return bool(value.isascii())
    return name != "number" or -LARGEST <= value <= LARGEST


def _same(value: Any, other: Any) -> bool:
    return type(value) is type(other) and bool(value == other)


def _of_list(value: list[Any], schema: SchemaPart, place: str) -> Iterator[Fault]:
    for index, item in enumerate(value):
        if not _is_plainly(item, schema):
            yield from faults(item, schema, f"{place}[{index}]")


def _of_object(value: dict[str, Any], schema: SchemaPart, place: str) -> Iterator[Fault]:
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            yield _at(place, name), "is missing"
    for name, entry in value.items():
        if not name.isascii():
            yield from _of_text(name, {}, _at(place, name))
        if name in properties:
            if not _is_plainly(entry, properties[name]):
                yield from faults(entry, properties[name], _at(place, name))
        elif others is False:
            yield _at(place, name), "is unknown"
        else:
            schema_of_others = others if isinstance(others, Mapping) else {}
            yield from faults(entry, schema_of_others, _at(place, name))


def _of_text(value: str, schema: SchemaPart, place: str) -> Iterator[Fault]:
    if any("\ud800" <= mark <= "\udfff" for mark in value):
        yield place, "holds half of a surrogate pair"
    elif "pattern" in schema and not re.search(schema["pattern"], value):
        yield place, f"must match {schema['pattern']}, not {shown(value)}"


def _of_number(value: float, schema: SchemaPart, place: str) -> Iterator[Fault]:
    if not -LARGEST <= value <= LARGEST:
        yield place, "must be a finite number"
        return
    for keyword, (words, holds) in _LIMITS.items():
        if keyword in schema and not holds(value, schema[keyword]):
            yield place, f"must be {words} {schema[keyword]:g}, not {shown(value)}"


def _at(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
