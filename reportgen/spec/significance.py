"""Whether the test that a spec chooses is one, and one that can decide its report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TypedDict

from reportgen.metric_names import parted
from reportgen.resources import SCHEMAS
from reportgen.spec import gates
from reportgen.spec.base import Issue
from reportgen.spec.document import Steps
from reportgen.spec.measures import is_held, numbers, printed_as
from reportgen.spec.models import Spec
from reportgen.spec.nearest import suggestion
from reportgen.spec.ranges import range_of, untestable
from reportgen.spec.scores import ScoresSpec
from reportgen.spec.tasks import may_have_two_classes, task_of
from reportgen.tasks import TASKS

STEPS: Steps = ("comparisons", "test")
PRIMARY: Steps = ("comparisons", "primary")


class CatalogueTest(TypedDict):
    """What a spec must know of a test of significance, as the published catalogue has it."""

    name: str
    shows: str
    units: Sequence[str]
    tasks: Sequence[str]


@cache
def known_tests() -> Mapping[str, CatalogueTest]:
    """Return the tests of significance by name, as the published catalogue has them."""
    listed = json.loads((SCHEMAS / "catalogue.json").read_text(encoding="utf-8"))
    return {e["name"]: e for e in listed if e["group"] == "comparison" and "shows" in e}


def chosen_test_issues(spec: Spec) -> Iterator[Issue]:
    """Yield why the chosen test cannot decide, whatever the data are."""
    name = spec.comparisons.test
    if name is None:
        return
    usable = {n: entry for n, entry in known_tests().items() if _unfit(entry, spec) is None}
    hint = suggestion(name, usable)
    if name not in known_tests():
        yield Issue(STEPS, "unknown-test", f"there is no test {name!r}", hint, name)
    elif why := _unfit(known_tests()[name], spec):
        yield Issue(STEPS, "unknown-test", f"the test {name!r} {why}", hint, name)


def compared_issues(spec: Spec) -> Iterator[Issue]:
    """Yield the measures that pairs cannot be compared in."""
    from reportgen.metrics import METRICS, find

    task = task_of(spec)
    measure_names = set(numbers(task))
    if may_have_two_classes(task):
        measure_names.add("roc")
    if task is not None and TASKS[task].by_class:
        measure_names |= {name for name, metric in METRICS.items() if metric.on == "counts"}
    compared, primary = spec.comparisons.measures, spec.comparisons.primary
    named: list[tuple[Steps, str]] = [
        (("comparisons", "measures", index), name) for index, name in enumerate(compared)
    ]
    if primary == "roc":
        hint = "auc is the area under it"
        yield Issue(PRIMARY, "conflict", "a curve does not rank models", hint, primary)
    elif primary is not None:
        named.append((PRIMARY, primary))
    for index, (steps, name) in enumerate(named):
        metric = find(parted(name)[0], task or "binary")
        if name not in measure_names and not is_held(name, (), task):
            message = f"there is no measure {name!r} to compare"
            yield Issue(
                steps, "unknown-metric", message, suggestion(name, sorted(measure_names)), name
            )
        elif metric is not None and metric.better is None:
            message = f"neither more nor less of {name} is better, so it cannot rank models"
            hint = "gates and claims can hold it to a value; compare the models in another measure"
            yield Issue(steps, "unordered-measure", message, hint, name)
        elif steps != PRIMARY and name in compared[:index]:
            message = f"comparisons.measures names {name} twice"
            yield Issue(steps, "repeated", message, "remove one of them")


def margin_issues(spec: Spec) -> Iterator[Issue]:
    """Yield that a margin is as wide as the measure, so that all models are within it."""
    margin, task = spec.comparisons.margin, task_of(spec)
    primary = spec.comparisons.primary
    if margin is None:
        return
    if primary is None and (spec.costs or (task is not None and TASKS[task].of_numbers)):
        return
    metric = primary or "accuracy"
    low, high = range_of(metric, task)
    if margin >= high - low:
        message = f"no two models differ by more than {high - low:g} in {metric}"
        hint = "choose a smaller margin; 2 % is written 0.02"
        yield Issue(("comparisons", "margin"), "out-of-range", message, hint)


def horizon_issues(spec: Spec) -> Iterator[Issue]:
    """Yield that a horizon has no effect, as nothing says when the rows are of."""
    if spec.comparisons.horizon is not None and spec.columns.time is None:
        message = "a horizon counts steps of time, and no column of time is named"
        hint = "name it as columns.time, or leave the horizon out"
        yield Issue(("comparisons", "horizon"), "conflict", message, hint)


def claim_issues(spec: Spec) -> Iterator[Issue]:
    """Yield what is wrong with the claims that are tested; their models are reported elsewhere."""
    task = task_of(spec)
    of_values = isinstance(spec, ScoresSpec)
    held = sorted(spec.measure_names) if isinstance(spec, ScoresSpec) else numbers(task)
    for index, text in enumerate(spec.comparisons.claims):
        steps: Steps = ("comparisons", "claims", index)
        try:
            claim = gates.parse_claim(text)
        except ValueError as fault:
            hint = f"{fault}; for example forest.error_rate <= 0.05"
            yield Issue(steps, "claim-syntax", f"{text!r} is not a claim", hint, text)
            continue
        has_measure = claim.left.metric in held
        if not has_measure and (of_values or not is_held(claim.left.metric, held, task)):
            printed = printed_as(claim.left.metric, task)
            hint = f"did you mean {printed!r}?" if printed else suggestion(claim.left.metric, held)
            message = f"there is no measure {claim.left.metric!r}"
            yield Issue(steps, "unknown-metric", message, hint, text)
        elif reason := untestable(claim, task):
            yield Issue(steps, "out-of-range", f"{text!r}: {reason}", value=text)


def _unfit(entry: CatalogueTest, spec: Spec) -> str | None:
    if entry["shows"] == "probability":
        return "gives probabilities and rejects nothing, so it cannot decide"
    if isinstance(spec, ScoresSpec):
        reason = "is not computed from a table of values"
        return None if {"data sets", "folds"} & set(entry["units"]) else reason
    task = task_of(spec)
    if task is None or task in entry["tasks"]:
        return None
    return f"is for reports of {' and '.join(entry['tasks'])}, and this one is of {task}"
