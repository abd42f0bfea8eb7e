"""Averages over the classes: their keys beside the plain measures, and their printed names."""

from __future__ import annotations

from reportgen.tasks import TASKS

GAP = "|"

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


def key(metric: str, average: str | None) -> str:
    """The key of a measure, or of its average.

    >>> key("f1", "macro"), key("f1", None)
    ('f1|macro', 'f1')
    """
    return metric if average is None else f"{metric}{GAP}{average}"


def base(name: str) -> str:
    """The measure of a key.

    >>> base("f1|macro"), base("f1")
    ('f1', 'f1')
    """
    return name.partition(GAP)[0]


def averaged(name: str, *, ranking: bool = False, kind: str = "multiclass") -> str:
    """What follows the measure's name for an average; nothing for a plain measure.

    >>> averaged("f1|macro"), averaged("auc|micro", ranking=True), averaged("f1")
    (', mean over the classes', ', one-vs-rest, micro', '')
    >>> averaged("auc|macro", ranking=True, kind="multilabel")
    ', mean over the labels'
    """
    average = name.partition(GAP)[2]
    if not average:
        return ""
    several = ranking and TASKS[kind].several_classes
    description = (OF_RANKING if several else OF_COUNTS).get(average, average)
    return f", {description.replace('classes', TASKS[kind].nouns)}"
