"""Texts of a Vega-Lite specification in another language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

_STRUCTURE = frozenset(
    [
        "field",
        "type",
        "$schema",
        "name",
        "groupby",
        "as",
        "timeUnit",
        "op",
        "font",
        "fonts",
        "mark",
        "anchor",
        "bounds",
        "contains",
        "orient",
        "direction",
        "align",
        "baseline",
        "shape",
        "interpolate",
        "range",
        "color",
        "fill",
        "stroke",
        "strokeCap",
        "strokeJoin",
        "frame",
        "symbolType",
        "background",
        "href",
    ]
)
"""Keys whose values are no texts."""

_LITERAL = re.compile(r"(?<!\[)(['\"])([^'\"\\]+)\1(?!\])")
_EXPRESSION = frozenset(["expr", "filter", "labelExpr", "calculate", "test"])


def translated(chart: Mapping[str, Any], label: Callable[[str], str]) -> dict[str, Any]:
    """Return a specification whose titles, labels and categories are translated alike.

    Values of the data, domains, orders and comparisons change together.

    >>> translated({"title": "Recall", "mark": "line"}, str.upper)
    {'title': 'RECALL', 'mark': 'line'}
    """
    return {key: _value(key, value, label) for key, value in chart.items()}


def _value(key: str, value: Any, label: Callable[[str], str]) -> Any:
    if key in _STRUCTURE and not isinstance(value, (Mapping, list)):
        return value
    if isinstance(value, Mapping):
        return {name: _value(name, part, label) for name, part in value.items()}
    if isinstance(value, list):
        return [_value(key, part, label) for part in value]
    if not isinstance(value, str):
        return value
    if key in _EXPRESSION:
        return _LITERAL.sub(lambda text: f"{text[1]}{label(text[2])}{text[1]}", value)
    return label(value)
