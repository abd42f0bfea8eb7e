"""Frozen records from the plain values of JSON, by the types of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

RecordType = TypeVar("RecordType")


def from_plain(record: type[RecordType], values: Mapping[str, Any]) -> RecordType:
    """A record from what ``dataclasses.asdict`` made of it.

    Raises KeyError where a field is missing.
    """
    hints = _hints(cast("type", record))
    return record(**{name: _value(hint, values[name]) for name, hint in hints.items()})


@cache
def _hints(record: type) -> Mapping[str, Any]:
    hints = get_type_hints(record)
    return {field.name: hints[field.name] for field in fields(record)}


def _value(hint: Any, value: Any) -> Any:
    """The value of a field: a tuple, a record, or as it is."""
    if value is None:
        return None
    hints = (hint, *get_args(hint))
    of_many = next((one for one in hints if get_origin(one) is tuple), None)
    if of_many is not None:
        return tuple(_value(get_args(of_many)[0], one) for one in value)
    types = [one for one in hints if isinstance(one, type)]
    record = next(filter(is_dataclass, types), None)
    return value if record is None else from_plain(record, value)
