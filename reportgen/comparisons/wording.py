"""Words and figures of a verdict: measures, models, levels, differences, p-values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reportgen.clusters import FEW
from reportgen.metric_names import parted
from reportgen.metrics import find

METRIC_NAMES = {"mean_absolute_error": "absolute error"}
"""What a compared measure is called in a sentence, where its own label would not do."""

LONGEST = 60
"""Most characters of a model's name in a sentence; the last one is then an ellipsis."""

PROPER = (
    "Brier",
    "Cohen",
    "Cramér",
    "Fowlkes",
    "Gini",
    "Hamming",
    "Huber",
    "Jaccard",
    "Kendall",
    "Pearson",
    "Poisson",
    "Spearman",
    "Tweedie",
    "Winkler",
)


def in_sentence(label: str) -> str:
    """A printed label as it stands inside a sentence.

    >>> in_sentence("Accuracy"), in_sentence("AUC"), in_sentence("Brier score")
    ('accuracy', 'AUC', 'Brier score')
    """
    keeps = label.startswith(PROPER) or label[1:2].isupper() or not label[1:2].islower()
    return label if keeps else label[:1].lower() + label[1:]


def measure(name: str) -> str:
    """A measure inside a sentence; one that the registry does not know is called as it is.

    >>> measure("auc"), measure("error_rate"), measure("words_per_minute"), measure("macro_f1")
    ('AUC', 'error rate', 'words per minute', 'macro F1')
    """
    base, average = parted(name)
    metric = find(base)
    label = in_sentence(metric.label) if metric else base.replace("_", " ")
    return f"{average} {label}" if average else METRIC_NAMES.get(name, label)


def bounded(name: str) -> str:
    """A model's name, cut where it would swamp the sentence."""
    return name if len(name) <= LONGEST else name[: LONGEST - 1].rstrip() + "…"


def joined(names: Sequence[str], most: int = 4) -> str:
    """Names as a list in a sentence; of many only how many there are.

    >>> joined(["a", "b", "c"]), joined("abcdefg")
    ('a, b and c', 'the 7 models')
    """
    if len(names) > most:
        return f"the {len(names)} models"
    *first, last = map(bounded, names)
    return f"{', '.join(first)} and {last}" if first else last


def percent(share: float) -> str:
    r"""A level as it is printed, with a space that does not break.

    >>> percent(0.95), percent(0.999)
    ('95\xa0%', '99.9\xa0%')
    """
    return f"{100 * share:.12g}\N{NO-BREAK SPACE}%"


def signed(value: float) -> str:
    """A difference with its sign: four decimals, fewer for large ones.

    >>> signed(-0.01234), signed(1234.5), signed(0)
    ('−0.0123', '+1234', '0')
    """
    if value == 0:
        return "0"
    text = f"{value:+.4f}" if abs(value) < 10 else f"{value:+.4g}"
    return text.replace("-", "−")


def plain(value: float) -> str:
    """A value without a sign of its own: as many decimals as a difference has.

    >>> plain(0.91234), plain(-2.0), plain(0.9)
    ('0.9123', '−2', '0.9')
    """
    text = f"{value:.4f}".rstrip("0").rstrip(".") if abs(value) < 10 else f"{value:.4g}"
    return text.replace("-", "−")


def between(
    low: float, high: float, figure: Callable[[float], str] = signed, *, open_at_0: bool = False
) -> str:
    """An interval in a sentence; an end at 0 that does not belong to it is named so.

    >>> between(-0.01, 0.02), between(0.0, 0.02, open_at_0=True)
    ('−0.0100 to +0.0200', 'above 0 to +0.0200')
    """
    first = "above 0" if open_at_0 and low == 0 else figure(low)
    last = "below 0" if open_at_0 and high == 0 else figure(high)
    return f"{first} to {last}"


def p_text(p: float | None) -> str:
    """A p-value as it is printed: never 0, and 1 only where it is.

    >>> p_text(0.00004), p_text(0.0123), p_text(0.99996), p_text(1.0)
    ('p < 0.001', 'p = 0.012', 'p > 0.999', 'p = 1')
    """
    if p is None:
        return "p not available"
    if p < 0.001:
        return "p < 0.001"
    if p > 0.9995:
        return "p = 1" if p == 1 else "p > 0.999"
    return f"p = {p:.3f}"


def probability(share: float) -> str:
    """A posterior probability as it is printed: never 0 and never 1.

    >>> probability(0.9999), probability(0.6406), probability(1e-9)
    ('above 0.999', '0.641', 'below 0.001')
    """
    if share > 0.999:
        return "above 0.999"
    return "below 0.001" if share < 0.001 else f"{share:.3f}"


def few_groups(groups: int) -> tuple[str, ...]:
    """The caveat that so many groups need, if any.

    >>> few_groups(40), few_groups(12)
    ((), ('only 12 groups; the t distribution is rough below 30',))
    """
    return (
        (f"only {groups} groups; the t distribution is rough below {FEW}",) if groups < FEW else ()
    )
