"""The form of ``results.json`` as a JSON Schema, generated from the typed tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import reduce
from operator import or_
from types import UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import pandera.polars as pa

from reportgen.curves import CURVES
from reportgen.records.decision import Decision
from reportgen.records.definitions import DEFINITIONS
from reportgen.records.model import FURTHER_RECORDS, LINE_KEYS, RESULT_TABLES, SCHEMA
from reportgen.records.rows import DataRecord
from reportgen.records.section_reading import Reading
from reportgen.spec.naming import PATTERN
from reportgen.tasks import TaskReport

FILE = "results.schema.json"
"""Its name in ``schemas/``."""

BUILD_ID = r"^\d{8}-[0-9a-f]{8}(-\d{1,6})?$"
"""A logical date, the beginning of a hash, and a number where an id was taken: a folder's name."""

DATE = r"^\d{4}-[01]\d-[0-3]\d$"

DATA = (
    "checks",
    "evaluation",
    "identical_rows",
    "share_without_labels",
    "counts",
    "shares_of_positives",
    "unlike_rows",
    "unlike_truths",
    "isolated_values",
    "same_rankings",
    "same_outputs",
    "points_of_time",
    "undeclared_in_folds",
    "undeclared_series",
    "median_gains",
    "rows_in_common",
    "on_common_rows",
    "timed",
    "undeclared_groups",
    "grouping_slices",
    "averaged",
)
"""The facts of the data whose form is published."""

CREATED = r"^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\dZ$"


_TYPES = {"String": "string", "Float64": "number", "Boolean": "boolean"}
_LIMITS = {
    "greater_than_or_equal_to": ("minimum", "min_value"),
    "greater_than": ("exclusiveMinimum", "min_value"),
    "less_than_or_equal_to": ("maximum", "max_value"),
    "less_than": ("exclusiveMaximum", "max_value"),
    "isin": ("enum", "allowed_values"),
}


def results_schema() -> Schema:
    """The schema: one record per number, one per line of a curve, one per test."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of a model evaluation",
        "description": "Numbers are at full precision or null; undefined ones give the reason.",
    }
    facts, tables = _facts(), _tables()
    further = {name: schema_of(record) for name, record in FURTHER_RECORDS.items()}
    required = (*facts, *tables)
    return head | _object({**facts, **tables, **further}, required, closed=True)


def _tables() -> Schema:
    """The tables of numbers, each a list of records."""
    return {
        **{
            name: _list_of(_line(table, LINE_KEYS[name]) if name in LINE_KEYS else _record(table))
            for name, table in RESULT_TABLES.items()
        },
        "curves": _object(
            {key: _list_of(_line(curve.table, curve.line_keys)) for key, curve in CURVES.items()},
            required=(),
        ),
    }


def _facts() -> Schema:
    """What every report says of itself: its spec, data, build and versions."""
    hints = get_type_hints(DataRecord, include_extras=True)
    build = {
        "name": {"type": "string", "pattern": PATTERN},
        "id": {"type": "string", "pattern": BUILD_ID},
        "date": {"type": "string", "format": "date", "pattern": DATE},
        "created": {"type": "string", "format": "date-time", "pattern": CREATED},
    }
    return {
        "schema": {"const": SCHEMA},
        "title": {"type": "string"},
        "decision": schema_of(Decision),
        "reading": schema_of(Reading),
        "data": _object({name: _of(hints[name]) for name in DATA}, required=()),
        "spec": {"type": "object"},
        "versions": {"type": "object", "additionalProperties": {"type": "string"}},
        "build": _object(build),
        "definitions": _object(
            {name: _list_of(_sparse(record)) for name, record in DEFINITIONS.items()}
            | {"task": _sparse(TaskReport)},
            tuple(DEFINITIONS),
            closed=True,
        ),
        "skipped": _list_of(_object({"reason": {"type": "string"}})),
    }


def _record(table: type[pa.DataFrameModel]) -> Schema:
    columns = table.to_schema().columns
    return _object({n: _value(c) for n, c in columns.items()}, closed=True) | _description(table)


def _line(table: type[pa.DataFrameModel], keys: Sequence[str]) -> Schema:
    columns = table.to_schema().columns
    named = {n: _value(c) if n in keys else _list_of(_value(c)) for n, c in columns.items()}
    return _object(named, closed=True) | _description(table)


def _value(column: Any) -> Schema:
    kind = str(column.dtype)
    if kind.startswith("List"):
        inner = _TYPES["Float64" if "Float64" in kind else "String"]
        # A region without a winner is null.
        return _list_of({"type": [inner, "null"]})
    schema: Schema = {"type": [_TYPES[kind], "null"] if column.nullable else _TYPES[kind]}
    for check in column.checks:
        keyword, statistic = _LIMITS[check.name]
        limit = check.statistics[statistic]
        allowed = [*limit, None] if column.nullable and keyword == "enum" else limit
        schema[keyword] = list(allowed) if keyword == "enum" else allowed
    return schema


def _description(table: type[pa.DataFrameModel]) -> Schema:
    return {"description": (table.__doc__ or "").partition("\n")[0]}


def _list_of(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def _object(
    properties: Mapping[str, Schema],
    required: tuple[str, ...] | None = None,
    *,
    closed: bool = False,
) -> Schema:
    schema: Schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties if required is None else required),
    }
    return schema | ({"additionalProperties": False} if closed else {})


Schema = dict[str, Any]

_PLAIN = {str: "string", float: "number", int: "integer", bool: "boolean"}


def schema_of(record: Any) -> Schema:
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


def _sparse(record: type) -> Schema:
    """The same, where a field at its default is left out."""
    required = [field.name for field in fields(record) if field.default is MISSING]
    return schema_of(record) | {"required": required}


def _typed(record: Any) -> Schema:
    """A record of plain values; those that may be absent are marked, or all of them are."""
    hints = get_type_hints(record, include_extras=True)
    required = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]
    properties = {name: _of(hint) for name, hint in hints.items()}
    return _object(properties, tuple(required if record.__total__ else ()), closed=True)


def _of(hint: Any) -> Schema:
    """The schema of one type: plain, a choice, a record, several of one type, or null."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _or_null([_of(one) for one in inner if one is not type(None)])
    if origin is NotRequired:
        return _of(inner[0])
    if origin in (tuple, Sequence):
        return _list_of(_of(reduce(or_, (each for each in inner if each is not ...))))
    if origin in (Literal, Mapping):
        return {"enum": list(inner)} if origin is Literal else {"type": "object"}
    if origin is Annotated or is_typeddict(hint) or is_dataclass(hint):
        return _of_class(hint)
    return {"type": _PLAIN[hint]}


def _of_class(hint: Any) -> Schema:
    """A record; of one that is annotated with the class that reads it older ones lack fields."""
    if get_origin(hint) is Annotated:
        return schema_of(get_args(hint)[1]) | {"required": []}
    return _typed(hint) if is_typeddict(hint) else schema_of(hint)


def _or_null(options: Sequence[Schema]) -> Schema:
    """Any of these, or null."""
    if all(option.keys() == {"type"} for option in options):
        return {"type": [*(option["type"] for option in options), "null"]}
    if len(options) == 1 and "type" in options[0]:
        return options[0] | {"type": [options[0]["type"], "null"]}
    return {"anyOf": [*options, {"type": "null"}]}
