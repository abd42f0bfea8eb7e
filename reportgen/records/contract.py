"""The form of ``results.json`` as a JSON Schema, generated from the typed tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import reduce
from operator import or_
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pandera.polars as pa

from reportgen.curves import CURVES
from reportgen.predictions.evaluation_scheme import DERIVED, Evaluation
from reportgen.predictions.validated import Check, ImproperScores
from reportgen.records.decision import Decision
from reportgen.records.definitions import DEFINITIONS
from reportgen.records.limit_widths import UndeclaredGroup, WiderLimits
from reportgen.records.model import FURTHER_RECORDS, LINE_KEYS, RESULT_TABLES, SCHEMA
from reportgen.records.reading import Reading
from reportgen.records.row_facts import (
    CommonRows,
    IsolatedValue,
    SharesOfPositives,
    UndeclaredSeries,
    ValueOnCommonRows,
)
from reportgen.spec.naming import PATTERN
from reportgen.tasks import TaskReport

FILE = "results.schema.json"
"""Its name in ``schemas/``."""

BUILD_ID = r"^\d{8}-[0-9a-f]{8}(-\d{1,6})?$"
"""A logical date, the beginning of a hash, and a number where an id was taken: a folder's name."""

DATE = r"^\d{4}-[01]\d-[0-3]\d$"

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
        "data": _object(
            {
                "checks": _list_of(_check()),
                "evaluation": _evaluation(),
                "identical_rows": _of(int | None),
                "share_without_labels": _of(float),
                "counts": {"type": "boolean"},
                "shares_of_positives": _fields(SharesOfPositives),
                "unlike_rows": _list_of(
                    _object({"models": _list_of(_of(str)), "rows": _of(int), "units": _of(int)})
                ),
                "unlike_truths": _list_of(
                    _object(
                        {
                            "models": _list_of(_of(str)),
                            "rows": _list_of({"type": "object"}) | {"type": ["array", "null"]},
                            "distance": _of(float | None),
                        }
                    )
                ),
                "isolated_values": _list_of(_fields(IsolatedValue)),
                "same_rankings": _list_of(_list_of(_of(str))),
                "same_outputs": _list_of(_list_of(_of(str))) | {"type": ["array", "null"]},
                "points_of_time": _of(int),
                "undeclared_series": _fields(UndeclaredSeries),
                "median_gains": _list_of(
                    _object({"models": _list_of(_of(str)), "share": _of(float)})
                ),
                "rows_in_common": _of(int),
                "on_common_rows": _common_rows(),
                "timed": {"type": "boolean"},
                "undeclared_groups": _list_of(_undeclared_group()),
                "grouping_slices": _list_of(_undeclared_group()),
                "averaged": _of(int),
            },
            required=(),
        ),
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


def _check() -> Schema:
    """A check of the data; only some warnings have a form without counts."""
    named = {name: _of(hint) for name, hint in get_type_hints(Check).items()}
    named |= {"uncounted": _of(str), "model": _of(str), "improper": schema_of(ImproperScores)}
    schema = _object(named, ("name", "detail", "warning"), closed=True)
    return schema | {"description": (Check.__doc__ or "").partition("\n")[0]}


def _undeclared_group() -> Schema:
    """A column that errors depend on, and how much wider limits are with it as group."""
    limits = {n: _of(h) for n, h in get_type_hints(WiderLimits).items() if n != "models"}
    of_models = _object(limits | {"models": _list_of(_of(str))}, closed=True)
    plain = {n: _of(h) for n, h in get_type_hints(UndeclaredGroup).items() if n != "limits"}
    fields = plain | {"limits": _list_of(of_models)}
    required = tuple(name for name in fields if name in UndeclaredGroup.__required_keys__)
    return _object(fields, required=required, closed=True)


def _common_rows() -> Schema:
    """The models on the rows that all have."""
    lists = {"models": _list_of(_fields(ValueOnCommonRows)), "complete": _list_of(_of(str))}
    plain = {n: _of(h) for n, h in get_type_hints(CommonRows).items() if n not in lists}
    return _object(plain | lists, closed=True)


def _fields(record: type) -> Schema:
    """A record of plain values."""
    return _object({n: _of(hint) for n, hint in get_type_hints(record).items()}, closed=True)


def _evaluation() -> Schema:
    """How the models were tested: the fields of ``Evaluation`` and what follows from them."""
    hints = get_type_hints(Evaluation)
    hints |= {name: get_type_hints(getattr(Evaluation, name).fget)["return"] for name in DERIVED}
    schema = _object({name: _of(hint) for name, hint in hints.items()}, closed=True)
    return schema | {"type": ["object", "null"]}


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


def _sparse(record: type) -> Schema:
    """The same, where a field at its default is left out."""
    required = [field.name for field in fields(record) if field.default is MISSING]
    return schema_of(record) | {"required": required}


def _of(hint: Any) -> Schema:
    """The schema of one type: plain, a choice, a record, several of one type, or null."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        options = [_of(one) for one in inner if one is not type(None)]
        if all(option.keys() == {"type"} for option in options):
            return {"type": [*(option["type"] for option in options), "null"]}
        return {"anyOf": [*options, {"type": "null"}]}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin is tuple:
        items = tuple(each for each in inner if each is not ...)
        return {"type": "array", "items": _of(reduce(or_, items))}
    if isinstance(hint, type) and is_dataclass(hint):
        return schema_of(hint)
    return {"type": _PLAIN[hint]}
