"""The tasks: what a report evaluates, in one record each.

To add a task, write a module here whose ``TASK`` is its record; it is discovered. What a task
computes is registered under its name: ``@metric(task=...)``, ``@predictions_of``,
``@evaluates`` and ``@report_chart``.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Literal, TypeAlias

from reportgen.tasks.record import MeasureAverage, TaskInfo, TaskReport

__all__ = [
    "CLASSIFICATION",
    "PREDICTION",
    "TASKS",
    "MeasureAverage",
    "TaskInfo",
    "TaskName",
    "TaskReport",
]


def _discovered() -> dict[str, TaskInfo]:
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    records = [module.TASK for module in modules if hasattr(module, "TASK")]
    return {task.name: task for task in sorted(records, key=lambda task: task.position)}


TASKS = _discovered()
"""Every task by its name."""

PREDICTION = tuple(name for name, task in TASKS.items() if task.truth != "none")
"""The tasks that predictions are evaluated for."""

CLASSIFICATION = tuple(name for name in PREDICTION if TASKS[name].truth != "number")
"""The tasks whose truth is classes or labels."""

if TYPE_CHECKING:
    TaskName: TypeAlias = str
else:
    TaskName = Literal[tuple(TASKS)]
"""The name of a task, as a spec has it."""
