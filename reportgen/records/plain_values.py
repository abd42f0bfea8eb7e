"""Frozen records from the plain values of JSON, by the types of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

RecordType = TypeVar("RecordType")


def from_plain(record: type[RecordType], values: Mapping[str, Any]) -> RecordType:
    """A record from what ``dataclasses.asdict``, or ``without_defaults``, made of it.

    Raises KeyError where a field without default is missing.
    """
    hints, defaults = field_hints(cast("type", record)), _defaults(cast("type", record))
    needed = (name for name in hints if name in values or name not in defaults)
    return record(**{name: _value(hints[name], values[name]) for name in needed})


def without_defaults(record: DataclassInstance) -> dict[str, Any]:
    """The fields of a record that are not at their default."""
    defaults = _defaults(type(record))
    return {
        name: value
        for name, value in asdict(record).items()
        if name not in defaults or value != defaults[name]
    }


@cache
def _defaults(record: type) -> Mapping[str, Any]:
    """The fields that have a plain default."""
    return {one.name: one.default for one in fields(record) if one.default is not MISSING}


@cache
def field_hints(record: type) -> Mapping[str, Any]:
    """The type of each field."""
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
