"""Words and figures of a verdict: measures, models, levels, differences, p-values."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from reportgen.clusters import FEW
from reportgen.metric_names import COST, COST_PER_ROW, parted
from reportgen.metrics import find
from reportgen.text import name_starts, numbers
from reportgen.text.words import in_sentence

LONGEST = 60
"""Most characters of a model's name in a sentence; one of them is then an ellipsis."""

TAIL = 20
"""So many of them are the end of the name, where versions of a model differ."""

MOST_NAMES = 4
"""More names than this are counted."""

DECIDED_ALIKE = "both models are correct on the same rows"
COST_ALIKE = "the differences of the costs are all 0"
ERRORS_ALIKE = (
    "the differences of the errors are all 0",
    "the differences of the losses are all 0",
)
"""Why no test sets the accuracies, the costs, or the errors of two models apart."""


def measure(name: str) -> str:
    """A measure inside a sentence; one that the registry does not know is called as it is.

    >>> measure("auc"), measure("error_rate"), measure("words_per_minute"), measure("macro_f1")
    ('AUC', 'error rate', 'words per minute', 'macro F1')
    >>> measure("cost_sensitive_error_rate")
    'cost per row'
    """
    base, average = parted(name)
    metric = find(base)
    label = in_sentence(metric.label) if metric else base.replace("_", " ")
    if base == COST:
        label = COST_PER_ROW
    return f"{average} {label}" if average else label


_START: ContextVar[int] = ContextVar("start", default=0)
"""Characters that the long names of models all begin with, and that sentences leave out."""


@contextmanager
def among(models: Sequence[str]) -> Iterator[None]:
    """Where names that tables would cut to one lose the words that all of them begin with.

    >>> with among(["runs/large-and-pretrained-model-1", "runs/large-and-pretrained-model-2"]):
    ...     bounded("runs/large-and-pretrained-model-2")
    '…and-pretrained-model-2'
    """
    before = _START.set(name_starts.start_of_models(models))
    try:
        yield
    finally:
        _START.reset(before)


def end_claimed(side: str | None) -> str:
    """Which end a claim is about that values on one side refute, with a space; or empty.

    >>> [end_claimed(side) for side in ("above", "below", None)]
    ['maximum ', 'minimum ', '']
    """
    return {"above": "maximum ", "below": "minimum "}.get(side or "", "")


def bounded(name: str) -> str:
    """A model's name, cut where it would swamp the sentence: at a beginning of all, else inside.

    >>> bounded("gradient_boosting_with_calibrated_probabilities_and_monotone_constraints_v7")
    'gradient_boosting_with_calibrated_proba…otone_constraints_v7'
    """
    name = name_starts.without(_START.get(), name)
    if len(name) <= LONGEST:
        return name
    start, end = LONGEST - TAIL - 1, len(name) - TAIL
    while start > 1 and unicodedata.combining(name[start]):
        start -= 1
    while end < len(name) - 1 and unicodedata.combining(name[end]):
        end += 1
    return f"{name[:start].rstrip()}…{name[end:].lstrip()}"


def joined(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Names as a list in a sentence; of many only how many there are.

    >>> joined(["a", "b", "c"]), joined("abcdefg")
    ('a, b and c', 'the 7 models')
    """
    if len(names) > most:
        return f"the {len(names)} models"
    *first, last = map(bounded, names)
    return f"{', '.join(first)} and {last}" if first else last


def counted(names: Sequence[str], noun: str) -> str:
    """Names as a list in a sentence; of many how many of what there are.

    >>> counted(["a", "b"], "models"), counted("abcde", "models")
    ('a and b', '5 models')
    """
    return joined(names) if len(names) <= MOST_NAMES else f"{len(names)} {noun}"


def plain(value: float) -> str:
    """A limit or a claim as it was declared, without needless zeros.

    >>> plain(0.02), plain(-2.0), plain(0.91234)
    ('0.02', '−2', '0.9123')
    """
    return numbers.threshold(value)


def between(low: float, high: float, digits: int, *, sign: bool, open_at_0: bool = False) -> str:
    """An interval in a sentence, with its signs where it is that of a difference.

    An end at 0 that the test excludes is named.

    >>> between(-0.01, 0.02, 3, sign=True), between(0.0, 0.02, 2, sign=True, open_at_0=True)
    ('−0.010 to +0.020', 'above 0, up to +0.02')
    """
    written = numbers.signed_limit if sign else numbers.fixed
    if open_at_0 and low == 0:
        return f"above 0, up to {written(high, digits)}"
    if open_at_0 and high == 0:
        return f"{written(low, digits)} to below 0"
    return f"{written(low, digits)} to {written(high, digits)}"


def probability(share: float) -> str:
    """A posterior probability as it is printed: never 0 and never 1.

    >>> probability(0.9999), probability(0.6406), probability(1e-9)
    ('above 0.999', '0.641', 'below 0.001')
    """
    if share > 0.999:
        return "above 0.999"
    return "below 0.001" if share < 0.001 else numbers.fixed(share, 3)


def few_groups(groups: int) -> tuple[str, ...]:
    """The caveat that so many groups need, if any.

    >>> few_groups(40), few_groups(12)
    ((), ('only 12 groups; the t distribution is rough below 30',))
    """
    return (
        (f"only {groups} groups; the t distribution is rough below {FEW}",) if groups < FEW else ()
    )
