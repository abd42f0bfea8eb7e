"""What evaluates the models of each task: the module of this folder that is named as the task."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
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


def evaluator(task: TaskName) -> Evaluator:
    """What evaluates the models of a task; of other tasks nothing is imported."""
    if task not in _EVALUATORS:
        import_module(f"reportgen.results.{task}")
    return _EVALUATORS[task]
