"""What the task demands of the fields of a spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reportgen.spec.base import Issue
from reportgen.spec.costs import ClassCosts, Costs
from reportgen.spec.document import Steps
from reportgen.spec.models import Spec
from reportgen.spec.nearest import listing, nearest, suggestion
from reportgen.spec.outputs import outputs
from reportgen.spec.tasks import (
    class_names,
    entries,
    mappings,
    order_needed,
    reason,
    task_of,
)
from reportgen.tasks import TASKS, TaskName

_ONE_COLUMN = "truth names one column"


def task_issues(spec: Spec) -> Iterator[Issue]:
    """Yield every fault between the task and the rest of a spec."""
    yield from _graded(spec)
    yield from _forms(spec)
    yield from _truth(spec)
    yield from _positive(spec)
    yield from _ordered(spec)
    yield from _left_out(spec)
    yield from _same_classes(spec)
    yield from _intervals(spec)
    yield from _threshold(spec)
    yield from _prevalence(spec)
    yield from _unit(spec)
    task = task_of(spec)
    if task is not None:
        yield from cost_issues(spec, task, class_names(spec))


def _graded(spec: Spec) -> Iterator[Issue]:
    """Answers that are graded have no truth, and no scores."""
    if not spec.graded:
        return
    if spec.truth:
        message = "truth has no effect where labels are graded"
        yield Issue(("truth",), "conflict", message, "leave out truth, or graded", key=True)
    for steps, model in entries(spec):
        if any(way != ("label",) for way, _ in outputs(model)):
            message = f"{_dotted(steps)}: graded answers are labels alone"
            yield Issue(steps, "conflict", message, "write {label: COLUMN}", key=True)


def _report(spec: Spec) -> str:
    """Return what the report is, and what tells so."""
    evidence = reason(spec)
    if evidence is None:
        return ""
    task, steps = evidence
    return f"the report is of {TASKS[task].description}, as {_dotted(steps)} says"


def _dotted(steps: Steps) -> str:
    return ".".join(map(str, steps))


def _forms(spec: Spec) -> Iterator[Issue]:
    """Every model gives what the task takes."""
    evidence = reason(spec)
    if evidence is None:
        return
    task, where = TASKS[evidence[0]], evidence[1]
    report = _report(spec)
    for steps, model in entries(spec):
        for field in dict.fromkeys(way[0] for way, _ in outputs(model)):
            if field in task.outputs:
                continue
            message = f"{_dotted((*steps, field))} is for {_meant(field)}; {report}"
            hint = f"a model of {task.description} has {task.gives}"
            yield Issue((*steps, field), "conflict", message, hint, needs=(where,), key=True)


def _meant(field: str) -> str:
    tasks = [task.description for task in TASKS.values() if field in task.outputs]
    return " or ".join(tasks)


def _truth(spec: Spec) -> Iterator[Issue]:
    evidence = reason(spec)
    several = isinstance(spec.truth, Mapping)
    if evidence is None or several == TASKS[evidence[0]].several_labels:
        return
    named = "truth names several columns" if several else _ONE_COLUMN
    hint = "name one column" if several else "name a column for each label: {sport: is_sport}"
    message = f"{named}; {_report(spec)}"
    yield Issue(("truth",), "conflict", message, hint, needs=(evidence[1],))


def _positive(spec: Spec) -> Iterator[Issue]:
    name = task_of(spec)
    if name is None:
        return
    task = TASKS[name]
    if spec.positive is not None and not task.two_classes:
        message = f"positive is for two classes; {_report(spec)}"
        yield Issue(("positive",), "conflict", message, "remove it", key=True)
    if spec.classes and not task.by_class:
        message = f"classes is for several classes; {_report(spec)}"
        yield Issue(("classes",), "conflict", message, "remove it", key=True)
    names = class_names(spec)
    if task.several_classes and len(names) == 1:
        at = ("classes",) if spec.classes else next(mappings(spec))[0]
        message = f"{_dotted(at)} names one class only: {names[0]!r}"
        yield Issue(at, "too-few", message, "name all of them", needs=((*at, names[0]),), key=True)


def _ordered(spec: Spec) -> Iterator[Issue]:
    """Several classes are ordered, by what the spec or numbers say."""
    name = task_of(spec)
    if not spec.ordered:
        return
    if name is not None and not TASKS[name].several_classes:
        message = f"ordered is for several classes; {_report(spec)}"
        yield Issue(("ordered",), "conflict", message, "remove it", key=True)
    elif issue := order_needed(spec, class_names(spec)):
        yield issue


def _left_out(spec: Spec) -> Iterator[Issue]:
    """Labels are left out of one column of true labels, and are no class."""
    name, needs = task_of(spec), ("leave_out",)
    several = isinstance(spec.truth, Mapping)
    if spec.leave_out and (spec.graded or several or (name is not None and TASKS[name].of_numbers)):
        what = "answers that are graded" if spec.graded else _report(spec)
        message = f"leave_out is for one truth of two or several classes; {what}"
        yield Issue(needs, "conflict", message, "remove it, and leave out the rows", key=True)
    named = dict.fromkeys([*class_names(spec), *([spec.positive] if spec.positive else [])])
    for index, label in enumerate(spec.leave_out):
        if label in named and not several:
            message = f"leave_out: {label!r} is also a class"
            hint = "leave it out here, or remove the class"
            yield Issue((*needs, index), "conflict", message, hint, label)


def _same_classes(spec: Spec) -> Iterator[Issue]:
    """All mappings by class name the same classes."""
    names = class_names(spec)
    given = list(mappings(spec))
    if not given:
        return
    first: Steps = ("classes",) if spec.classes else given[0][0]
    among = frozenset(names)
    for steps, columns in given:
        extra = [name for name in columns if name not in among]
        missing = {name: None for name in names if name not in columns}
        for name in extra:
            meant = nearest(name, missing)
            missing.pop(meant or "", None)
            message = f"{_dotted(steps)}: {name!r} is not among the classes of {_dotted(first)}"
            hint = f"did you mean {meant!r}?" if meant else f"there is: {listing(names)}"
            at = (*steps, name)
            needs: tuple[Steps, ...] = (first, (*first, name))
            yield Issue(at, "unknown-class", message, hint, name, needs, key=True)
        if missing:
            message = f"{_dotted(steps)} has no column for {_quoted([*missing])}"
            hint = f"{_dotted(first)} names {'it' if len(missing) == 1 else 'them'}"
            needs = (first, *((*way, name) for way, _ in given for name in missing))
            yield Issue(steps, "missing-class", message, hint, needs=needs, key=True)


def _quoted(names: Sequence[str]) -> str:
    return listing(map(repr, names))


def _intervals(spec: Spec) -> Iterator[Issue]:
    for steps, model in entries(spec):
        ends = [end for end in ("low", "high") if getattr(model, end, None) is not None]
        if len(ends) == 1:
            other = "high" if ends == ["low"] else "low"
            message = f"{_dotted((*steps, ends[0]))} is one end of an interval without the other"
            at = (*steps, ends[0])
            needs = ((*steps, other),)
            yield Issue(at, "conflict", message, f"add {other}:", needs=needs, key=True)


def issues_of_data(spec: Spec, name: TaskName, classes: Sequence[str]) -> Iterator[Issue]:
    """Yield what does not suit the task that the data show, where the spec alone does not."""
    yield from cost_issues(spec, name, classes)
    if task_of(spec) is None:
        report = f"the report is of {TASKS[name].description}, as the true labels show"
        yield from _threshold(spec, name, report)
        yield from _prevalence(spec, name, report)


def _threshold(
    spec: Spec, name: TaskName | None = None, report: str | None = None
) -> Iterator[Issue]:
    """A threshold is for scores that are evaluated one class at a time."""
    name, report = name or task_of(spec), report or _report(spec)
    default = type(spec).model_fields["threshold"].default
    if name is not None and not TASKS[name].has_threshold and spec.threshold != default:
        message = f"threshold is for the scores of two classes; {report}"
        yield Issue(("threshold",), "conflict", message, "remove it", key=True)


def _prevalence(
    spec: Spec, name: TaskName | None = None, report: str | None = None
) -> Iterator[Issue]:
    """A prevalence is of one class against another."""
    if spec.prevalence is not None and spec.graded:
        message = "prevalence is for two classes; every graded answer should be right"
        yield Issue(("prevalence",), "conflict", message, "remove it", key=True)
        return
    name, report = name or task_of(spec), report or _report(spec)
    if spec.prevalence is not None and name is not None and not TASKS[name].two_classes:
        message = f"prevalence is for two classes; {report}"
        yield Issue(("prevalence",), "conflict", message, "remove it", key=True)


def _unit(spec: Spec) -> Iterator[Issue]:
    """A unit is of numbers."""
    name = task_of(spec)
    if spec.unit and name is not None and name != "regression":
        message = f"unit is for numbers; {_report(spec)}"
        yield Issue(("unit",), "conflict", message, "remove it", key=True)


def cost_issues(spec: Spec, name: TaskName, classes: Sequence[str]) -> Iterator[Issue]:
    """Yield what is wrong with the costs of a task; no ``classes``: they are not known yet."""
    costs, message, task = spec.costs, "", TASKS[name]
    if costs is None:
        return
    hint = "for example {false_negative: 10, false_positive: 1}"
    if task.costs is None:
        message, hint = f"costs are for classes; {_report(spec)}", "remove them"
    elif isinstance(costs, Costs) and task.costs == "classes":
        message = "false_negative and false_positive are costs of two classes, not of several"
        hint = "give costs by true class, then by the predicted class: {cat: {dog: 2}}"
    elif not isinstance(costs, Costs) and task.costs == "errors":
        message = f"costs by class are for several classes, not for {task.description}"
    elif not isinstance(costs, Costs) and classes:
        yield from _unknown_classes(costs, classes)
    if message:
        yield Issue(("costs",), "conflict", message, hint)


def _unknown_classes(costs: ClassCosts, classes: Sequence[str]) -> Iterator[Issue]:
    named: dict[Steps, str] = {("costs", true): true for true in costs}
    named |= {
        ("costs", true, predicted): predicted for true, row in costs.items() for predicted in row
    }
    for steps, name in named.items():
        if name not in classes:
            message = f"costs: there is no class {name!r}"
            hint = suggestion(name, classes)
            needs: tuple[Steps, ...] = (("classes",), ("models",))
            yield Issue(steps, "unknown-class", message, hint, name, needs, key=True)
