"""The JSON Schema of a frozen record, from the types of its fields."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

Schema = dict[str, Any]

_PLAIN = {str: "string", float: "number", int: "integer", bool: "boolean"}


def schema_of(record: type) -> Schema:
    """An object with a property per field, and nothing else."""
    hints = get_type_hints(record)
    properties = {field.name: _of(hints[field.name]) for field in fields(record)}
    return {
        "type": "object",
        "description": (record.__doc__ or "").partition("\n")[0],
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _of(hint: Any) -> Schema:
    """The schema of one type: plain, a choice, a record, several of one type, or null."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return {"anyOf": [*(_of(one) for one in inner if one is not type(None)), {"type": "null"}]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is tuple:
        return {"type": "array", "items": _of(inner[0])}
    if is_dataclass(hint):
        return schema_of(hint)  # type: ignore[arg-type]  # it is a class
    return {"type": _PLAIN[hint]}
