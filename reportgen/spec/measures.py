"""Which measures a spec may name, by task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from reportgen.metric_names import (
    COST,
    FAMILIES,
    OF_TESTS,
    OVER_TESTS,
    PARAMETERS,
    joined,
)
from reportgen.spec import gates
from reportgen.spec.base import Issue
from reportgen.spec.document import Steps
from reportgen.spec.gates import meant
from reportgen.spec.models import Spec
from reportgen.spec.nearest import did_you_mean, suggestion
from reportgen.spec.option_groups import Choice
from reportgen.spec.ranges import decided, decided_limit
from reportgen.spec.tasks import UNTOLD, may_have_two_classes, task_of
from reportgen.tasks import TASKS, TaskName

if TYPE_CHECKING:
    from reportgen.metrics import Metric
    from reportgen.metrics.registry import MetricRegistry

OF_COUNTS = ("macro", "weighted", "micro")


def averages(task: TaskName) -> list[str]:
    """Return the names of the averages over classes or labels that the results of a task hold."""
    from reportgen.metrics.class_means import AVERAGED, BY_CLASS

    if not TASKS[task].by_class:
        return []
    held: dict[str, tuple[str, ...]] = dict.fromkeys((*AVERAGED, *BY_CLASS), OF_COUNTS)
    held |= {"expected_calibration_error": ("macro",)}
    if TASKS[task].area_averages:
        held["auc"] = TASKS[task].area_averages
    return [joined(name, kind) for name, kinds in held.items() for kind in kinds]


def numbers(task: TaskName | None) -> list[str]:
    """Return the names of the numbers that the results of a task hold for all rows.

    Without a task those of two and of several classes.
    """
    from reportgen.metrics import REGISTRY

    tasks = [t for t in UNTOLD if task in (t, None)] or [str(task)]
    names = [n for t in tasks for n in (*REGISTRY[t], *averages(t))]
    folds = [joined(name, "folds") for t in tasks for name in TASKS[t].main_measures]
    over_tests = _over_tests() if may_have_two_classes(task) else ()
    return list(dict.fromkeys(["n", *names, *folds, *over_tests]))


def _over_tests() -> list[str]:
    """Macro and micro averages over several tests of two classes."""
    names = [joined(name, kind) for name in OVER_TESTS for kind in OF_TESTS]
    return [*names, *(joined("f1_of_macro", kind) for kind in OF_TESTS if kind.startswith("macro"))]


def further_measures(spec: Spec) -> tuple[str, ...]:
    """The measures in which pairs are compared by permutation and by bootstrap.

    A primary measure that has tests of its own is none of them.
    """
    primary, own = spec.comparisons.primary, {"expected_total_cost"}
    own |= set() if spec.costs is None else {COST}
    for task in TASKS.values():
        own |= {*task.main_measures, *task.further_measures, *spec.pinball_losses}
    added = () if primary is None or primary in own else (primary,)
    return tuple(dict.fromkeys((*added, *spec.comparisons.measures)))


def margin_in(measure: str, spec: Spec) -> float | None:
    """The declared margin, where it is one of a measure: it has the unit of the one that decides.

    That is the primary one; else the cost, where costs are declared; else any main measure.
    """
    from reportgen.metrics import find

    margin, primary = spec.comparisons.margin, spec.comparisons.primary
    if primary is not None:
        metric = find(primary, task_of(spec) or "binary")
        named = {primary, metric.complement_of if metric is not None else None}
        return margin if measure in named else None
    return margin if spec.costs is None or measure == COST else None


def of_families(spec: Spec) -> list[str]:
    """Members of families that a spec names or needs: f_beta(0.7), pinball_loss(0.95)."""
    registered = _registry(task_of(spec))
    named = list(spec.pinball_losses)
    named += [] if isinstance(spec.measures, str) else list(spec.measures)
    named += further_measures(spec)
    conditions = [gates.parse(text) for text in spec.gates]
    conditions += [gates.parse_claim(text) for text in spec.comparisons.claims]
    for gate in conditions:
        named += [side.metric for side in (gate.left, gate.right) if side is not None]
    if isinstance(spec.threshold, Choice):
        choice = spec.threshold
        named += [n for n in (choice.maximise, choice.minimise, *choice.subject_to) if n]
    plain = set(registered)
    return [n for n in dict.fromkeys(named) if n not in plain and n in registered]


def evaluated(spec: Spec, task: TaskName) -> list[Metric]:
    """The measures of all rows: every registered one, and those of families that the spec needs."""
    from reportgen.metrics import REGISTRY

    registry = REGISTRY[task]
    return [*registry.values(), *(registry[n] for n in of_families(spec) if n in registry)]


def has_limits_of_sums(metric: Metric, spec: Spec) -> bool:
    """Whether a measure of counted estimates has limits: a core one, or a loss that decides."""
    return metric.core or metric.name in spec.pinball_losses


def _registry(task: TaskName | None) -> MetricRegistry:
    from reportgen.metrics import REGISTRY

    return REGISTRY["binary" if task is None else task]


def is_held(name: str, held: Sequence[str], task: TaskName | None) -> bool:
    """Whether the results of a task hold a number of this name for all rows."""
    return name in held or name in _registry(task)


def measure_issues(spec: Spec) -> Iterator[Issue]:
    """Yield every name of a measure that a report of the task does not hold."""
    yield from _threshold(spec)
    task = task_of(spec)
    held = numbers(task)
    requested = () if isinstance(spec.measures, str) else spec.measures
    for index, name in enumerate(requested):
        if not is_held(name, held, task) and not any(
            n.endswith(f"_{name}") for n in averages_of(task)
        ):
            yield unknown_metric(("measures", index), name, held, task)
    for index, text in enumerate(spec.gates):
        steps: Steps = ("gates", index)
        try:
            gate = gates.parse(text)
        except ValueError as fault:
            yield _no_gate(steps, text, spec, str(fault))
            continue
        slices = [entry for entry in spec.slices if isinstance(entry, str)]
        yield from _gate(steps, text, gate, held, task, slices)


def misses_limit(side: gates.Side, held: Sequence[str], task: TaskName | None) -> bool:
    """Whether a side names a limit of a measure that is none, such as ``forest.auc.lower``."""
    model, _, measure = side.model.rpartition(".")
    is_limit = is_held(measure, held, task) and not is_held(side.metric, held, task)
    return bool(model) and is_limit


def _no_gate(steps: Steps, text: str, spec: Spec, fault: str) -> Issue:
    task = task_of(spec)
    held = numbers(task)
    models = list(spec.models) if isinstance(spec.models, Mapping) else []
    gate = meant(text, models, lambda name: is_held(name, held, task))
    hint = f"did you mean {gate!r}?" if gate else f"{fault}; for example {gates.EXAMPLE}"
    return Issue(steps, "gate-syntax", f"{text!r} is not a gate", hint, text)


def averages_of(task: TaskName | None) -> list[str]:
    """Return the averages of a task that may still be any kind of classes."""
    return averages(task or UNTOLD[-1])


def _gate(
    steps: Steps,
    text: str,
    gate: gates.Gate,
    held: Sequence[str],
    task: TaskName | None,
    slices: Sequence[str],
) -> Iterator[Issue]:
    if gate.by is not None and gate.by not in slices:
        hint = suggestion(gate.by, slices) if slices else "name the column under slices:"
        message = f"{gate.by!r} is not a column of slices"
        yield Issue(steps, "unknown-slice", message, hint, gate.by, needs=(("slices",),))
    unknown = [s for s in gates.sides_of(gate) if not is_held(s.metric, held, task)]
    for side in {side.metric: side for side in unknown}.values():
        measure = side.model.rpartition(".")[2]
        if misses_limit(side, held, task):
            hint = f"write {side.model}.low or {side.model}.high"
            message = f"there is no limit {side.metric!r} of {measure}"
            yield Issue(steps, "unknown-metric", message, hint, side.metric)
        else:
            yield unknown_metric(steps, side.metric, held, task)
    if not unknown and (reason := decided(gate, task)):
        yield Issue(steps, "out-of-range", f"{text!r}: {reason[0]}", reason[1], text)


def _threshold(spec: Spec) -> Iterator[Issue]:
    choice = spec.threshold
    if not isinstance(choice, Choice):
        return
    named = [key for key in ("maximise", "minimise") if getattr(choice, key) is not None]
    if len(named) != 1:
        both = "both maximise and minimise" if named else "neither maximise nor minimise"
        hint = "keep one of them" if named else "for example {maximise: f1}"
        yield Issue(("threshold",), "conflict", f"threshold has {both}", hint)
    for key in named:
        yield from _chooses(("threshold", key), getattr(choice, key), extra=("cost",))
        yield from _wrong_way(key, getattr(choice, key))
    for name, limit in choice.subject_to.items():
        steps: Steps = ("threshold", "subject to", name)
        yield from _chooses(steps, name, key=True)
        try:
            reason = decided_limit(*gates.parse_limit(limit), name, "binary")
        except ValueError as fault:
            yield Issue(steps, "limit", f"{limit!r} is not a limit", str(fault), limit)
            continue
        if reason:
            message = f"{name} {limit}: {reason[0]}"
            yield Issue(steps, "out-of-range", message, reason[1], limit)


def _wrong_way(key: str, name: str) -> Iterator[Issue]:
    """A threshold that makes a measure as bad as it can be."""
    from reportgen.metrics import METRICS

    better = METRICS[name].better if name in METRICS else None
    if better is not None and (better == "higher") != (key == "maximise"):
        word, other = ("more", "minimise") if key == "maximise" else ("less", "maximise")
        message = f"{word} of {name} is worse"
        yield Issue(("threshold", key), "conflict", message, f"{other}: {name}", name)


def _chooses(
    steps: Steps, name: str, extra: tuple[str, ...] = (), *, key: bool = False
) -> Iterator[Issue]:
    """A threshold can only be chosen by what depends on it."""
    from reportgen.metrics import METRICS

    if name in extra:
        return
    names = [*(n for n, m in METRICS.items() if m.on == "counts"), *extra]
    if name not in METRICS:
        yield unknown_metric(steps, name, names, "binary", key=key)
    elif METRICS[name].on != "counts":
        message = f"{name} does not depend on the threshold"
        yield Issue(steps, "conflict", message, "for example f1", name, key=key)


def printed_as(name: str, task: TaskName | None) -> str | None:
    """The metric of a task that reports print under a name; null without a task, or such a one.

    >>> printed_as("bias", "regression"), printed_as("bias", "binary")
    ('mean_error', None)
    """
    from reportgen.metrics import REGISTRY

    label = name.replace("_", " ").casefold()
    if task not in REGISTRY or name in REGISTRY[task]:
        return None
    return _by_label(task, len(REGISTRY[task])).get(label)


@lru_cache(maxsize=16)
def _by_label(task: TaskName, number: int) -> dict[str, str]:
    """The first metric of a task by its label; ``number`` are those registered by now."""
    from reportgen.metrics import REGISTRY

    names = reversed([*islice(REGISTRY[task].items(), number)])
    return {metric.label.casefold(): name for name, metric in names}


@lru_cache(maxsize=16)
def _by_ending(names: tuple[str, ...]) -> dict[str, list[str]]:
    """The names that end in the words behind one of their underscores."""
    endings: dict[str, list[str]] = {}
    for name in names:
        for at in range(len(name)):
            if name[at] == "_":
                endings.setdefault(name[at + 1 :], []).append(name)
    return endings


def unknown_metric(
    steps: Steps, name: str, names: Sequence[str], task: TaskName | None, *, key: bool = False
) -> Issue:
    """That a spec names what is no metric, or none of its task, and what may be meant."""
    from reportgen.metrics import find

    message = f"there is no metric {name!r}"
    if printed := printed_as(name, task):
        hint = f"did you mean {printed!r}?"
        return Issue(steps, "unknown-metric", message, hint, name, key=key)
    if name in FAMILIES:
        hint = f"write it with its {PARAMETERS[name]}: {name}(0.9)"
        return Issue(steps, "unknown-metric", f"{name!r} is one of many", hint, name, key=key)
    of_name = [n for n in averages_of(task) if n.endswith(f"_{name}")]
    longer = [*map(repr, _by_ending(tuple(names)).get(name, ()))]
    if task is not None and of_name:
        message = f"{name!r} is a measure of one class; a report of several has averages of it"
        hint = f"for example {of_name[0]}"
    elif task is not None and find(name) is not None:
        message = f"{name!r} is not a measure of a {task} report"
        hint = f"`reportgen catalogue --task {task}` lists them"
    elif len(longer) == 2:
        hint = f"did you mean {' or '.join(longer)}?"
    else:
        hint = did_you_mean(name, names) or "`reportgen catalogue` lists every metric"
    return Issue(steps, "unknown-metric", message, hint, name, key=key)
