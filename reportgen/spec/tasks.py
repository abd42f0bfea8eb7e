"""What a spec predicts, and the classes that it does so for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from reportgen.spec.base import Issue
from reportgen.spec.document import Steps
from reportgen.spec.models import Spec
from reportgen.spec.nearest import listing
from reportgen.spec.outputs import AnyModel, outputs
from reportgen.spec.yaml_text import quoted
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
    given: dict[str, Steps] = {name: (name,) for name in ("positive", "classes", "ordered")}
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
    classes as in the first ``scores``, but by value where they are ordered numbers.
    """
    named = tuple(next((names for _, names in mappings(spec)), ()))
    if spec.ordered and not spec.classes and (by_value := ordered_by_value(named)):
        return by_value
    return spec.classes or named


def ordered_by_value(names: Iterable[str]) -> tuple[str, ...] | None:
    """Numbers in their order; None where any name is no number.

    >>> ordered_by_value(["10", "9"]), ordered_by_value(["mild", "severe"])
    (('9', '10'), None)
    """
    try:
        numbers = {name: float(name) for name in names}
    except ValueError:
        return None
    finite = all(map(math.isfinite, numbers.values()))
    return tuple(sorted(numbers, key=numbers.__getitem__)) if finite else None


def order_needed(spec: Spec, names: Sequence[str]) -> Issue | None:
    """That nothing tells the order of classes that are said to be ordered."""
    if not spec.ordered or spec.classes or not names or ordered_by_value(names):
        return None
    message = f"ordered: the spec does not say in which order {listing(map(repr, names))} are"
    hint = f"list them from first to last, for example classes: [{', '.join(map(quoted, names))}]"
    return Issue(("ordered",), "order-needed", message, hint, key=True)


def class_costs(spec: Spec, classes: Sequence[str]) -> list[list[float]] | None:
    """The cost of each cell, truth by prediction; cells that the spec leaves out cost nothing."""
    if not isinstance(spec.costs, Mapping):
        return None
    return [[float(spec.costs.get(t, {}).get(c, 0)) for c in classes] for t in classes]
