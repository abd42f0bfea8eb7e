"""Averages over the classes: beside the plain measures, and their printed names."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.metric_names import parted
from reportgen.tasks import MeasureAverage, TaskInfo

OF_COUNTS = {
    "macro": "mean over the classes",
    "weighted": "weighted by rows",
    "micro": "micro",
    "folds": "mean over folds",
    "macro of folds": "macro over folds",
    "micro of folds": "micro over folds",
    "macro of data sets": "macro over data sets",
    "micro of data sets": "micro over data sets",
}
"""Averages of precision, recall and the like: Zhou's macro and micro."""

OF_RANKING = {
    "macro": "one-vs-rest, macro",
    "weighted": "one-vs-rest, weighted by rows",
    "micro": "one-vs-rest, micro",
    "macro of pairs": "pairs of classes, macro (Hand & Till)",
    "weighted of pairs": "pairs of classes, weighted by rows",
    "folds": "mean over folds",
}
"""Averages of areas."""


def measure_of(name: str | MeasureAverage) -> MeasureAverage:
    """A measure and its average, by the name that a spec uses.

    >>> measure_of("macro_f1"), measure_of("f1"), measure_of(("auc", "micro"))
    (('f1', 'macro'), ('f1', None), ('auc', 'micro'))
    """
    return parted(name) if isinstance(name, str) else name


def plain(names: Iterable[str]) -> list[MeasureAverage]:
    """Measures that are no average.

    >>> plain(["auc", "f1"])
    [('auc', None), ('f1', None)]
    """
    return [(name, None) for name in names]


def averaged(average: str | None, task: TaskInfo, *, ranking: bool = False) -> str:
    """What follows the measure's name for an average; nothing for a plain measure.

    >>> from reportgen.tasks import TASKS
    >>> several = TASKS["multiclass"]
    >>> averaged("macro", several), averaged("micro", several, ranking=True)
    (', mean over the classes', ', one-vs-rest, micro')
    >>> averaged("macro", TASKS["multilabel"], ranking=True)
    ', mean over the labels'
    """
    if average is None:
        return ""
    several = ranking and task.several_classes
    description = (OF_RANKING if several else OF_COUNTS).get(average, average)
    return f", {description.replace('classes', task.nouns)}"
