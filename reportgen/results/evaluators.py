"""What evaluates the models of each task: every module of this folder that does is discovered."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, TypeAlias

from reportgen.tasks import TaskName

if TYPE_CHECKING:
    from reportgen.measuring.context import EvaluationContext, TaskResults

    Evaluator: TypeAlias = Callable[[EvaluationContext], TaskResults]

_EVALUATORS: dict[str, Evaluator] = {}


def evaluates(task: TaskName) -> Callable[[Evaluator], Evaluator]:
    """Register the decorated function as what evaluates the models of a task."""

    def record(evaluate: Evaluator) -> Evaluator:
        _EVALUATORS[task] = evaluate
        return evaluate

    return record


@cache
def _evaluators() -> dict[str, Evaluator]:
    package = import_module("reportgen.results")
    for module in iter_modules(package.__path__):
        import_module(f"reportgen.results.{module.name}")
    return _EVALUATORS


def evaluator(task: TaskName) -> Evaluator:
    """What evaluates the models of a task."""
    return _evaluators()[task]
