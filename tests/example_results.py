"""The bundled examples, each evaluated once."""

from __future__ import annotations

from functools import cache

from reportgen.resources import EXAMPLES
from reportgen.results import Results, evaluate


@cache
def example_results(name: str) -> Results:
    """An example as its spec has it."""
    return evaluate(EXAMPLES / name / "report.yaml")
