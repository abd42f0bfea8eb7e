"""Names that a report holds and no language changes: those of the user's data and spec."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

DEFAULT_TITLE = re.compile(
    r"Model evaluation|Evaluation of .+|Comparison of models: .+ over (folds|data sets)"
)
"""The titles of reports whose spec has none, which are translated."""

_SPEC = frozenset(
    [
        "name",
        "title",
        "data",
        "reference",
        "truth",
        "positive",
        "classes",
        "leave_out",
        "models",
        "baseline",
        "slices",
        "gates",
        "costs",
        "labels",
        "datasets",
        "learners",
        "values",
        "score",
        "unit",
    ]
)
"""Keys of the spec below which names stand."""

_FIELDS = frozenset(
    [
        "score",
        "scores",
        "label",
        "labels",
        "id",
        "fold",
        "repeat",
        "role",
        "weight",
        "group",
        "dataset",
        "model",
        "value",
        "time",
        "prediction",
        "estimate",
        "interval",
        "low",
        "high",
        "level",
        "quantile",
        "column",
        "bins",
        "edges",
        "truth",
        "threshold",
    ]
)
"""Keys below those that are ours."""

_DATA = frozenset(
    [
        "truth",
        "positive",
        "negative",
        "classes",
        "labels",
        "slices",
        "rows_left_out",
        "files",
        "groups",
        "undeclared_groups",
        "grouping_slices",
        "undeclared_in_folds",
        "undeclared_series",
        "datasets",
        "values",
    ]
)
_VALUES = frozenset(
    {"value", "column", "name", "path", "sha256", "label", "class", "block", "part"}
)
_COLUMNS = frozenset(
    [
        "model",
        "first",
        "second",
        "class",
        "slice",
        "slicing",
        "value",
        "label",
        "dataset",
        "data_set",
        "learner",
        "group",
        "fold",
    ]
)
"""Columns of the tables that hold names."""


def names_of(results: Mapping[str, Any]) -> set[str]:
    """Return the names in results as plain values: models, classes, columns, slices, files.

    >>> sorted(names_of({"spec": {"models": {"a": {"score": "p"}}}, "data": {"positive": "ill"}}))
    ['a', 'ill', 'p']
    >>> names_of({"spec": {"columns": {"models": ["tree"], "dataset": None}}})
    {'tree'}
    """
    spec, data = results.get("spec") or {}, results.get("data") or {}
    result = {text for key in _SPEC for text in _texts(spec.get(key))}
    result |= set(_texts([*(spec.get("columns") or {}).values()]))  # their keys are ours
    result |= set(_texts((spec.get("privacy") or {}).get("show")))
    result |= {text for key in _DATA for text in _values(data.get(key))}
    for table in ("metrics", "slices", "gaps"):
        rows = results.get(table)
        for row in rows if isinstance(rows, list) else ():
            result |= {row[key] for key in _COLUMNS & row.keys() if isinstance(row[key], str)}
    if spec.get("better") and isinstance(spec.get("measure"), str):  # of the user's own
        result |= {spec["measure"], spec["measure"].replace("_", " ")}
    result -= {text for text in _texts(spec.get("title")) if DEFAULT_TITLE.fullmatch(text)}
    summary = results.get("data_summary") or {}
    result |= {one["part"] for one in summary.get("distributions") or ()}
    result |= {*_texts((results.get("build") or {}).get("id"))}  # letters, by chance
    ranked = (results.get("decision") or {}).get("models") or ()
    result |= {one["group"] for one in ranked if one.get("group")}  # letters
    return {text for text in result if text.strip()}


def _texts(part: Any) -> Iterator[str]:
    """Every text of a part of the spec, and the keys below which models and columns stand."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for key, value in part.items():
            if key not in _FIELDS:
                yield str(key)
            yield from _texts(value)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from _texts(value)


def _values(part: Any) -> Iterator[str]:
    """Every name in a part of the record of the data."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for key, value in part.items():
            if isinstance(value, str) and key in _VALUES:
                yield value
            elif isinstance(value, (list, tuple, Mapping)):
                yield from _values(value)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from _values(value)
