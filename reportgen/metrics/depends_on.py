"""What a measure depends on beside the scores: thresholds, and the shares of the classes."""

from __future__ import annotations

from reportgen.metric_names import parted
from reportgen.metrics.registry import METRICS, find

OF_TRUTH = frozenset({"prevalence", "no_information_rate", "reference_entropy", "n"})
"""Measures of counts that the truth alone fixes."""


def needs_threshold(name: str) -> bool:
    """Whether a measure, or its average over labels, changes with the threshold of a model.

    >>> from reportgen.metrics import needs_threshold
    >>> [needs_threshold(name) for name in ("macro_f1", "sample_f1", "auc", "one_error")]
    [True, True, False, False]
    >>> needs_threshold("prevalence")
    False
    """
    metric = find(parted(name)[0])
    return metric is not None and metric.of_decisions and metric.name not in OF_TRUTH


def follows_prevalence(name: str) -> bool:
    """Whether a measure changes with the share of positives, as accuracy does and recall not.

    >>> [follows_prevalence(name) for name in ("accuracy", "brier_score", "recall", "auc", "tp")]
    [True, True, False, False, False]
    """
    metric = METRICS.get(name)
    if metric is None or metric.group == "count" or name in OF_TRUTH:
        return False
    return not metric.within_classes


def follows_shares(name: str) -> bool:
    """The same of measures of decisions, which the shares of the classes then may fix alone.

    >>> [follows_shares(name) for name in ("accuracy", "precision", "recall", "brier_score")]
    [True, True, False, False]
    """
    return follows_prevalence(name) and METRICS[name].of_decisions
