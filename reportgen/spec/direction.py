"""Whether more or less of a measure is better, by its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.metric_names import canonical, parted, snake_case
from reportgen.text.words import name_words

if TYPE_CHECKING:
    from reportgen.metrics.facts import Better

_LOSSES = name_words(
    "bpb bpc cer cost costs crps der deviance distance divergence duration energy err error errors "
    "failure failures fid latency loss losses mase memory nll nrmse perplexity pinball ppl rank "
    "regret risk rmsse runtime seconds ter time wape wer winkler wmape wql"
)
"""Words of measures of which less is better."""

_GAINS = name_words(
    "acc bleu bleurt chrf comet correct grade grades map meteor mrr ndcg pass profit rating reward "
    "rouge score scores skill success utility win wins"
)
"""Words of measures of which more is better."""

_UNITS = ("_percent", "_pct", "_value")
"""Ends of names that say only the unit, or that the values are in another one."""


@dataclass(frozen=True, slots=True)
class Direction:
    """Which values are better, and whether that is a guess from a word of the name."""

    better: Better
    guessed: bool = False


def direction(measure: str) -> Direction | None:
    """The direction of a measure by its name, in any case, or None where the name does not say.

    A name, alias or label of the catalogue is known, and so is a plain word such as score. Else the
    words of the name are read, and must agree.

    >>> direction("RMSE"), direction("accuracy_percent").better
    (Direction(better='lower', guessed=False), 'higher')
    >>> direction("latency_ms"), direction("accuracy_loss"), direction("throughput")
    (Direction(better='lower', guessed=True), None, None)
    """
    key = snake_case(measure)
    for end in _UNITS:
        key = key.removesuffix(end)
    known, better = _of_catalogue(key)
    if known:
        return None if better is None else Direction(better)
    if key in _GAINS:
        return Direction("higher")
    words = {better for word in name_words(measure) if (better := _of_word(word))}
    return Direction(words.pop(), guessed=True) if len(words) == 1 else None


def _of_word(word: str) -> Better | None:
    if word in _LOSSES or word in _GAINS:
        return "lower" if word in _LOSSES else "higher"
    return _of_catalogue(word)[1]


def _of_catalogue(key: str) -> tuple[bool, Better | None]:
    """Whether the catalogue has a name, an alias or a label, and which values are better there."""
    from reportgen.metrics import REGISTRY, find

    metric = find(parted(canonical(key))[0])
    if metric is None:
        every = (metric for registry in REGISTRY.values() for metric in registry.values())
        metric = next((m for m in every if snake_case(m.label) == key), None)
    return metric is not None, None if metric is None else metric.better
