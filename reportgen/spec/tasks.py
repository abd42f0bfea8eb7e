"""What a spec predicts, and the classes that it does so for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reportgen.spec.document import Steps
from reportgen.spec.models import Spec
from reportgen.spec.outputs import AnyModel, outputs
from reportgen.tasks import TASKS, TaskName


def entries(spec: Spec) -> Iterator[tuple[Steps, AnyModel]]:
    """Yield every declaration of a model with its place; one for models in long form."""
    if isinstance(spec.models, Mapping):
        for name, model in spec.models.items():
            yield ("models", name), model
    else:
        yield ("models",), spec.models


def mappings(spec: Spec) -> Iterator[tuple[Steps, Mapping[str, str]]]:
    """Yield every mapping of columns by class or label: of the truth, then of the models."""
    if isinstance(spec.truth, Mapping):
        yield ("truth",), spec.truth
    for steps, model in entries(spec):
        for field in ("scores", "labels"):
            if getattr(model, field, None) is not None:
                yield (*steps, field), getattr(model, field)


_EVIDENCE: Mapping[str, TaskName] = {
    field: task
    for _, field, task in sorted(
        (rank, field, task.name) for task in TASKS.values() for field, rank in task.evidence.items()
    )
}
"""What tells the task where the spec does not name it: the first of these that is given."""


def reason(spec: Spec) -> tuple[TaskName, Steps] | None:
    """Return the task and the place that tells it; None when only the data can.

    Without scores, classes and a positive label, the number of labels in the
    data decides between two classes and several.
    """
    if spec.task is not None:
        return spec.task, ("task",)
    if spec.graded:
        return "binary", ("graded",)
    given: dict[str, Steps] = {name: (name,) for name in ("positive", "classes")}
    given = {name: steps for name, steps in given.items() if getattr(spec, name)}
    if isinstance(spec.truth, Mapping):
        given["truth"] = ("truth",)
    for steps, model in entries(spec):
        for (field, *_), _column in outputs(model):
            given.setdefault(field, (*steps, field))
    return next(((_EVIDENCE[field], given[field]) for field in _EVIDENCE if field in given), None)


def task_of(spec: Spec) -> TaskName | None:
    """Return the task as far as the spec tells it; None when only the data can."""
    evidence = reason(spec)
    return None if evidence is None else evidence[0]


UNTOLD = tuple(task.name for task in TASKS.values() if task.two_classes or task.several_classes)
"""The tasks that only the data tell apart: two classes, or several."""


def may_have_two_classes(task: TaskName | None) -> bool:
    """Whether a task is one of two classes, as far as the spec tells it."""
    return task is None or TASKS[task].two_classes


def class_names(spec: Spec) -> tuple[str, ...]:
    """Return the classes or labels in their order; nothing when only the data tells them.

    As listed under ``classes``; else several labels as in the truth, several
    classes as in the first ``scores``.
    """
    named = next((names for _, names in mappings(spec)), {})
    return spec.classes or tuple(named)


def class_costs(spec: Spec, classes: Sequence[str]) -> list[list[float]] | None:
    """The cost of each cell, truth by prediction; cells that the spec leaves out cost nothing."""
    if not isinstance(spec.costs, Mapping):
        return None
    return [[float(spec.costs.get(t, {}).get(c, 0)) for c in classes] for t in classes]
