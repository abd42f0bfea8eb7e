"""The JSON schema of a spec, generated from its models."""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic import BaseModel

from reportgen.spec.base import SpecPart
from reportgen.spec.models import Spec
from reportgen.spec.scores import NAMES, USED, ScoresSpec

JsonSchema = dict[str, Any]
"""A JSON Schema, or another contract that programs read, as plain values."""

_KEYS = {"oneOf": "anyOf"}


def schema() -> JsonSchema:
    """Return the JSON schema (2020-12) of a spec, for editors and other programs."""
    schema = _schema(Spec, "reportgen spec")
    schema["required"].remove("truth")
    graded = {"properties": {"graded": {"const": True}}, "required": ["graded"]}
    return {**schema, "if": {"not": graded}, "then": {"required": ["truth"]}}


def scores_schema() -> JsonSchema:
    """Return the JSON schema of a spec with ``task: comparison``."""
    schema = _schema(ScoresSpec, "reportgen spec of a comparison over data sets")
    schema["properties"] = {n: p for n, p in schema["properties"].items() if n in USED}
    schema["required"] = sorted({*schema["required"], "task"})
    columns = schema["$defs"]["ScoreColumns"]
    names = set(NAMES)
    columns["properties"] = {n: p for n, p in columns["properties"].items() if n in names}
    reached = json.dumps([schema["properties"], schema["$defs"]])
    schema["$defs"] = {n: d for n, d in schema["$defs"].items() if f'"#/$defs/{n}"' in reached}
    return schema


def _schema(spec: type[Spec], title: str) -> JsonSchema:
    describe(SpecPart)
    schema = _tidy(spec.model_json_schema(by_alias=True, mode="validation"))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": title,
    }


def _tidy(node: Any) -> Any:
    """Return the schema without titles that repeat a name, and plain choices of types as a list.

    Shapes may overlap, as a model with a label only: one of them is enough.
    """
    if isinstance(node, list):
        return [_tidy(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    schema = {_KEYS.get(k, k): _tidy(value) for k, value in node.items() if not _repeats(k, value)}
    if isinstance(schema.get("description"), str):
        schema["description"] = " ".join(schema["description"].split())
    choices = schema.get("anyOf")
    if choices and all(choice.keys() == {"type"} for choice in choices):
        del schema["anyOf"]
        schema = {"type": [choice["type"] for choice in choices], **schema}
    return schema


def _repeats(key: str, value: Any) -> bool:
    """A title is text; ``title`` as the name of a property holds a schema."""
    return key == "title" and isinstance(value, str)


Model = type[BaseModel]


@cache
def describe(base: Model) -> None:
    """Give the fields of ``base`` and all models below it their docstrings as descriptions.

    >>> from reportgen.spec.base import SpecPart
    >>> from reportgen.spec.option_groups import Limits
    >>> describe(SpecPart)
    >>> Limits.model_json_schema()["properties"]["seconds"]["description"]
    'Seconds from the end of reading the spec to the published report.'
    """
    for model in _models(base):
        for name, field in model.model_fields.items():
            if field.description is None:
                field.description = _docstring(model, name)
        model.model_rebuild(force=True)


def _models(base: Model) -> Iterator[Model]:
    yield base
    for model in base.__subclasses__():
        yield from _models(model)


def _docstring(model: Model, name: str) -> str | None:
    """The text below a field, in the class that declares it."""
    declaring = next(one for one in model.__mro__ if name in vars(one).get("__annotations__", ()))
    return _docstrings(declaring).get(name)


@cache
def _docstrings(model: type) -> dict[str, str]:
    try:
        source = inspect.getsource(model)
    except OSError:  # installed without its source
        return {}
    classes = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    statements = [statement for definition in classes for statement in definition.body]
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(statements)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
