"""The docstrings of fields as descriptions, read when a JSON schema is made.

Pydantic's ``use_attribute_docstrings`` reads the source of each model as it is defined: half of
the time that the import of the models takes, at each start of a command that needs none of it.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from pydantic import BaseModel

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
