"""What only rows in memory tell: refused by every engine that counts, and why.

``make schemas`` writes them as rows of "Which engine evaluates what" in docs/clusters.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reportgen.spec import Choice, Costs, Spec, class_names, task_of
from reportgen.tasks import TASKS, TaskInfo

MOST_PAIRED = 30
"""Models that estimate a number at most: sums are made of every pair."""

MOST_CLASSES = 100
"""Classes with scores at most: each has cells of its own."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What cannot be read off counts.

    ``what`` is its name in the documentation and ``why`` the cause, ``key`` the one in the spec
    and ``reason`` what a message says; ``applies`` reads the spec and its task, if that is known.
    """

    what: str
    why: str
    key: str
    reason: str
    applies: Callable[[Spec, TaskInfo | None], bool]

    @property
    def line(self) -> str:
        """The row of the documentation."""
        return f"| {self.what} | exactly | refused: {self.why} |"


def _labels_choose(spec: Spec, task: TaskInfo | None) -> bool:
    return task is not None and task.several_labels and isinstance(spec.threshold, Choice)


def _many(by: str) -> Callable[[Spec, TaskInfo | None], bool]:
    """Whether there are too many classes or labels, by what the task calls them."""

    def applies(spec: Spec, task: TaskInfo | None) -> bool:
        named = task is not None and task.by_class and task.nouns == by
        return named and isinstance(spec.models, Mapping) and len(class_names(spec)) > MOST_CLASSES

    return applies


def _many_models(spec: Spec, task: TaskInfo | None) -> bool:
    if task is None or not task.of_numbers or not isinstance(spec.models, Mapping):
        return False
    return len(spec.models) > MOST_PAIRED


def _unpaired(spec: Spec, _: TaskInfo | None) -> bool:
    return not isinstance(spec.models, Mapping) and not spec.columns.id


def _weighted_groups(spec: Spec, task: TaskInfo | None) -> bool:
    both = spec.columns.group is not None and spec.columns.weight is not None
    return both and not (task is not None and task.of_numbers)


def _small_cells_of_numbers(spec: Spec, task: TaskInfo | None) -> bool:
    return spec.privacy.small_cells is not None and task is not None and task.of_numbers


def _costs_of_rows(spec: Spec, _: TaskInfo | None) -> bool:
    return isinstance(spec.costs, Costs) and bool(spec.costs.columns())


REFUSALS = (
    Refusal(
        "thresholds of labels that are chosen",
        "they are chosen among the scores of rows",
        "threshold",
        "thresholds of labels are chosen among the scores of rows",
        _labels_choose,
    ),
    Refusal(
        "models in long form without ids, or on rows of their own",
        "nothing says which rows belong together",
        "models",
        "models in long form without ids are not paired",
        _unpaired,
    ),
    *(
        Refusal(
            f"more than {MOST_CLASSES} {nouns} with scores",
            "each has cells of its own",
            "models",
            f"of more than {MOST_CLASSES} {nouns} scores are not counted",
            _many(nouns),
        )
        for nouns in ("classes", "labels")
    ),
    Refusal(
        f"more than {MOST_PAIRED} models that estimate a number",
        "sums are made of every pair of models",
        "models",
        f"of more than {MOST_PAIRED} models not every pair is counted",
        _many_models,
    ),
    Refusal(
        "order in time",
        "the long-run variance is that of neighbours in time, across files",
        "columns.time",
        "losses are compared in order of time",
        lambda spec, _: spec.columns.time is not None,
    ),
    Refusal(
        "repeats",
        "an example has to be recognised by its id across files",
        "columns.repeat",
        "rows that are evaluated once per repeat are identified by their ids",
        lambda spec, _: spec.columns.repeat is not None,
    ),
    Refusal(
        "groups of weighted rows, but of regression",
        "sums by group of these are not counted",
        "columns.group",
        "weighted rows in groups, but for regression, are read one by one",
        _weighted_groups,
    ),
    Refusal(
        "graded answers",
        "there is no column of truth",
        "graded",
        "answers that are graded have no truth",
        lambda spec, _: spec.graded,
    ),
    Refusal(
        "shift against a `reference`",
        "the scores of two periods are ranked together",
        "reference",
        "rows of two periods are compared",
        lambda spec, _: spec.reference is not None,
    ),
    Refusal(
        "`small_cells` with weights",
        "sums of weights do not tell how many rows a count has",
        "privacy.small_cells",
        "small counts behind weights are counts of rows",
        lambda spec, _: spec.privacy.small_cells is not None and spec.columns.weight is not None,
    ),
    Refusal(
        "`small_cells` of estimates of a number",
        "how many values the errors take is not counted",
        "privacy.small_cells",
        "with privacy.small_cells the values that errors take are counted",
        _small_cells_of_numbers,
    ),
    Refusal(
        "costs that differ from row to row",
        "a cost curve needs every pair of a score and a cost",
        "costs",
        "costs differ from row to row",
        _costs_of_rows,
    ),
)
"""Every refusal, in the order in which they are looked for."""


def needs_rows(spec: Spec) -> Refusal | None:
    """The first of what a spec asks that cannot be read off counts; None when all can."""
    name = task_of(spec)
    task = None if name is None else TASKS[name]
    return next((refusal for refusal in REFUSALS if refusal.applies(spec, task)), None)
