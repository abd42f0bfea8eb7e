"""What one field of a spec demands of another."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from reportgen.spec import gates, outside, scores, significance
from reportgen.spec.base import Issue
from reportgen.spec.costs import Costs
from reportgen.spec.document import Steps
from reportgen.spec.measures import measure_issues, misses_limit, numbers
from reportgen.spec.models import Spec
from reportgen.spec.naming import HINT, is_name
from reportgen.spec.nearest import suggestion
from reportgen.spec.option_groups import Changes, text_sections
from reportgen.spec.outputs import AnyModel, LongForm, outputs
from reportgen.spec.privacy import single_row_issues
from reportgen.spec.significance import (
    claim_issues,
    compared_issues,
    horizon_issues,
    margin_issues,
)
from reportgen.spec.task_checks import task_issues
from reportgen.spec.tasks import entries, task_of

_SOFT = re.compile("[\u00ad\u200c\u200d]")
"""What may stand inside a name unseen: it divides letters or joins them."""


def model_issues(spec: Spec, models: Sequence[str]) -> list[Issue]:
    """Return the places that name a model that is not among ``models``."""
    issues: list[Issue] = []
    if spec.baseline is not None and spec.baseline not in models:
        issues.append(_unknown_model(("baseline",), spec.baseline, models))
    named: list[tuple[Steps, str]] = [(("gates", i), text) for i, text in enumerate(spec.gates)]
    claims = enumerate(spec.comparisons.claims)
    named += [(("comparisons", "claims", i), text) for i, text in claims]
    for steps, text in named:
        try:
            gate = (gates.parse_claim if steps[0] == "comparisons" else gates.parse)(text)
        except ValueError:
            continue  # ``measure_issues`` reports it
        sides = [gate.left] if gate.right is None else [gate.left, gate.right]
        issues += [
            _unknown_model(steps, side.model, models)
            for side in sides
            if side.model not in models
            and not (side.model.rpartition(".")[0] in models and _misses_limit(steps, side, spec))
        ]
        if gate.left == gate.right:
            message = f"{steps[0]}: {gate.left.model} is compared with itself"
            issues.append(Issue(steps, "same-sides", message, "name another model on one side"))
    return issues


def _misses_limit(steps: Steps, side: gates.Side, spec: Spec) -> bool:
    """Whether ``measure_issues`` says that a side of a gate has the name of no limit."""
    task = task_of(spec)
    return steps[0] == "gates" and misses_limit(side, numbers(task), task)


def _unknown_model(steps: Steps, name: str, models: Sequence[str]) -> Issue:
    return Issue(
        steps,
        "unknown-model",
        f"{steps[0]}: there is no model {name!r}",
        suggestion(name, models),
        name,
        needs=(("models",),),
    )


def _paths(spec: Spec) -> Iterator[Issue]:
    """No system takes U+0000 in the name of a file or folder."""
    named: dict[Steps, str] = {("data", index): name for index, name in enumerate(spec.data)}
    named |= {("reference", index): name for index, name in enumerate(spec.reference or ())}
    named["output", "directory"] = spec.output.directory
    for place, entry in text_sections(spec.sections):
        named[*place, "markdown"] = entry.markdown
    for steps, name in named.items():
        if "\0" in name:
            yield Issue(steps, "control-character", "a file name holds U+0000")


def _models(spec: Spec) -> Iterator[Issue]:
    if isinstance(spec.models, Mapping):
        for name in spec.models:
            if name in gates.RESERVED:
                message = f"{name!r} is a word of gates and names no model"
                hint = "give the model another name"
                yield Issue(("models", name), "reserved", message, hint, name, key=True)
    for steps, model in entries(spec):
        if not any(outputs(model)):
            yield Issue(
                steps,
                "no-output",
                f"{'.'.join(map(str, steps))} has neither a score nor a label",
                "give it a score column, a label column, or both",
                key=True,
            )


def _uses(spec: Spec) -> Iterator[tuple[Steps, str, str]]:
    """Yield (steps, column, what for) for every column that the spec names."""
    if not spec.truth:
        pass  # labels are graded
    elif isinstance(spec.truth, str):
        yield ("truth",), spec.truth, "truth"
    else:
        yield from ((("truth", n), column, f"truth of {n!r}") for n, column in spec.truth.items())
    for steps, model in entries(spec):
        yield from _model_uses(steps, model)
    for field in type(spec.columns).model_fields:
        if getattr(spec.columns, field) is not None:
            yield ("columns", field), getattr(spec.columns, field), field
    cost_columns = spec.costs.columns() if isinstance(spec.costs, Costs) else {}
    yield from (
        (("costs", error, "column"), column, "cost") for error, column in cost_columns.items()
    )
    for index, entry in enumerate(spec.slices):
        for column in (entry,) if isinstance(entry, str) else entry:
            yield ("slices", index), column, "slice"


def _model_uses(steps: Steps, model: AnyModel) -> Iterator[tuple[Steps, str, str]]:
    if isinstance(model, LongForm):
        yield (*steps, "column"), model.column, "the models' column"
    for (field, *classes), column in outputs(model):
        use = f"the models' {field}" if len(steps) == 1 else f"{field} of {steps[1]!r}"
        yield (*steps, field, *classes), column, " for ".join([use, *map(repr, classes)])


_TOGETHER = {
    frozenset(pair)
    for pair in [
        *combinations(("fold", "repeat", "role", "group", "dataset", "time", "slice"), 2),
        ("slice", "slice"),
        ("cost", "cost"),
        ("id", "group"),
    ]
} - {frozenset(pair) for pair in combinations(("fold", "repeat", "role"), 2)}


def _with_own_intervals(spec: Spec, *places: Steps) -> bool:
    """Whether these are estimates of models of which each has an interval of its own."""
    if not isinstance(spec.models, Mapping) or any(steps[2:] != ("estimate",) for steps in places):
        return False
    models = [spec.models[str(steps[1])] for steps in places]
    intervals = [(getattr(m, "low", None), getattr(m, "high", None)) for m in models]
    return None not in intervals[0] and len(set(intervals)) == len(intervals)


def _columns(spec: Spec) -> Iterator[Issue]:
    """One column, one role; what only groups rows may serve twice."""
    seen: dict[str, tuple[Steps, str]] = {}
    for steps, column, use in _uses(spec):
        first, other = seen.setdefault(column, (steps, use))
        if first == steps or frozenset((use, other)) in _TOGETHER:
            continue
        if _with_own_intervals(spec, first, steps):
            continue
        yield Issue(
            steps,
            "repeated-column",
            f"column {column!r} is {use} and also {other}",
            "give each its own column",
            column,
            needs=(first,),
        )


def _baseline(spec: Spec) -> Iterator[Issue]:
    if isinstance(spec.models, Mapping):
        yield from model_issues(spec, list(spec.models))


def _costs(spec: Spec) -> Iterator[Issue]:
    if spec.costs is None:
        return
    if isinstance(spec.costs, Costs):
        message = "both costs are 0"
        costs = [spec.costs.false_negative, spec.costs.false_positive]
    else:
        message = "all costs are 0"
        rows = spec.costs.items()
        costs = [cost for true, row in rows for predicted, cost in row.items() if predicted != true]
    if all(cost == 0 for cost in costs):
        hint = "one kind of error must cost something"
        yield Issue(("costs",), "out-of-range", message, hint)


def _text_sections(spec: Spec) -> Iterator[Issue]:
    for steps, entry in text_sections(spec.sections):
        path = spec.base / entry.markdown
        if "\0" not in entry.markdown and spec.roots.hold(path) and not os.path.isfile(path):
            yield Issue(
                (*steps, "markdown"),
                "missing-file",
                f"there is no file {entry.markdown!r}",
                f"looked for in {spec.base}",
                entry.markdown,
            )


def _repeated_names(spec: Spec) -> Iterator[Issue]:
    lists: dict[Steps, Sequence[object]] = {
        ("output", "formats"): spec.output.formats,
        ("data",): spec.data,
        ("reference",): spec.reference or (),
        ("slices",): spec.slices,
        ("gates",): spec.gates,
        ("classes",): spec.classes,
        ("leave_out",): spec.leave_out,
        ("privacy", "show"): spec.privacy.show,
    }
    if not isinstance(spec.measures, str):
        lists["measures",] = spec.measures
    if not isinstance(spec.sections, (str, Changes)):
        lists["sections",] = spec.sections
    for steps, listed in lists.items():
        first = {entry: index for index, entry in reversed([*enumerate(listed)])}
        for index, entry in enumerate(listed):
            if first[entry] < index:
                message = f"{'.'.join(map(str, steps))} names the same thing twice"
                yield Issue((*steps, index), "repeated", message, "remove one of them")
    for index, entry in enumerate(spec.slices):
        if not isinstance(entry, str) and len(set(entry)) < len(entry):
            message = "a slicing names the same column twice"
            yield Issue(("slices", index), "repeated", message, "remove one of them")


def _printed_names(spec: Spec) -> Iterator[Issue]:
    """Names that are printed everywhere must be printable."""
    names: dict[Steps, str] = {("title",): spec.title}
    if isinstance(spec.models, Mapping):
        names |= {("models", name): name for name in spec.models}
    for steps, name in names.items():
        if name and (not name.strip() or not _SOFT.sub("", name).isprintable()):
            yield Issue(
                steps,
                "control-character",
                f"{steps[0]}: {name!r} holds characters that cannot be printed",
                "use a plain name",
                key=True,
            )
    first: dict[str, str] = {}
    for name in spec.models if isinstance(spec.models, Mapping) else ():
        other = first.setdefault(unicodedata.normalize("NFC", name), name)
        if other != name:
            message = f"models: {name!r} looks the same as another name on the page"
            hint = "its characters are composed in another way; use another name"
            yield Issue(("models", name), "repeated", message, hint, key=True)


def _repeated_builds(spec: Spec) -> Iterator[Issue]:
    """Yield what is wrong with the name, the window and the retention."""
    if spec.name and not is_name(spec.name):
        message = f"{spec.name!r} cannot be the name of a folder"
        yield Issue(("name",), "name", message, HINT, spec.name)
    if spec.history.least > spec.history.window:
        message = f"history.least is {spec.history.least}, more than the window"
        hint = f"at most {spec.history.window}"
        yield Issue(("history", "least"), "out-of-range", message, hint)
    if spec.history.accumulate and (spec.columns.id is None or not spec.keep_rows):
        what = "columns.id" if spec.columns.id is None else "keep_rows"
        message = f"history.accumulate needs {what}, to see that the rows of each build are fresh"
        yield Issue(("history", "accumulate"), "missing", message, "see docs/how-to/nightly.md")
    if spec.keep is not None and not (spec.keep.last or spec.keep.daily or spec.keep.monthly):
        hint = "for example {last: 30, daily: 14, monthly: 12}"
        yield Issue(("keep",), "out-of-range", "keep must keep at least one build", hint)


CHECKS: Sequence[Callable[[Spec], Iterator[Issue]]] = (
    _paths,
    _repeated_builds,
    _models,
    task_issues,
    _columns,
    _baseline,
    measure_issues,
    _costs,
    significance.chosen_test_issues,
    compared_issues,
    claim_issues,
    margin_issues,
    horizon_issues,
    outside.issues,
    single_row_issues,
    _text_sections,
    _repeated_names,
    _printed_names,
)

OF_PREDICTIONS = {
    *(_models, task_issues, _columns, _baseline),
    *(measure_issues, _costs, compared_issues, single_row_issues),
    *(margin_issues, horizon_issues),
}
"""The checks of what a spec of a table of values does not have."""


def issues(spec: Spec) -> list[Issue]:
    """Every fault between the fields of a spec."""
    if not isinstance(spec, scores.ScoresSpec):
        return [issue for check in CHECKS for issue in check(spec)]
    general = [check for check in CHECKS if check not in OF_PREDICTIONS]
    return [*scores.issues(spec), *(issue for check in general for issue in check(spec))]
