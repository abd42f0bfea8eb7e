"""What a measure depends on beside the scores: thresholds, and the shares of the classes."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import polars as pl

from reportgen.intervals import ModifiedWilson
from reportgen.metric_names import CELLS, parted
from reportgen.metrics.by_name import find
from reportgen.metrics.registry import METRICS

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


CLASS_OF_CELLS = {("tp", "fn"): True, ("fp", "tn"): False, CELLS: None}
"""The cells of all rows of a class, or of both; they are the same whatever a model predicts."""


class CellsOfShare(NamedTuple):
    """The cells of the confusion table that a share counts, and all that it is of."""

    counted: tuple[str, ...]
    whole: tuple[str, ...]


@lru_cache
def cells_of_share(name: str) -> CellsOfShare | None:
    """What a measure of two classes is a share of, as its expression has it; None of others.

    >>> cells_of_share("false_positive_rate"), cells_of_share("f1")
    (CellsOfShare(counted=('fp',), whole=('fp', 'tn')), None)
    """
    metric = METRICS.get(name)
    if metric is None or not isinstance(metric.interval, ModifiedWilson):
        return None
    one_row = pl.DataFrame({cell: [int(cell == row) for row in CELLS] for cell in CELLS})
    values = dict(zip(CELLS, one_row.select(metric.expression()).to_series(), strict=True))
    return CellsOfShare(
        tuple(cell for cell, value in values.items() if value == 1),
        tuple(cell for cell, value in values.items() if value is not None),
    )
