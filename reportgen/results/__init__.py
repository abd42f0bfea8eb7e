"""Evaluate predictions: the end of the computing half, the beginning of the rendering half.

What evaluates is imported as it is first asked for: results can be read without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from reportgen.records.model import SCHEMA, Results, typed

if TYPE_CHECKING:
    from reportgen.results.evaluation import evaluate, of_predictions

__all__ = ["SCHEMA", "Results", "evaluate", "of_predictions", "typed"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("reportgen.results.evaluation"), name)
    raise AttributeError(f"module 'reportgen.results' has no attribute {name!r}")
