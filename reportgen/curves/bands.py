"""Vertical bands of a ROC curve: limits of its recall at each false-positive rate."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import betainc

from reportgen.array_types import Floats
from reportgen.curves.ranking import line
from reportgen.intervals.modified_wilson import modified_wilson
from reportgen.sweeping import Ranking, Swept, as_ranking
from reportgen.tables import RocBand

_BISECTIONS = 60


def roc_band(
    sweep: Swept,
    model: str = "model",
    *,
    points: int = 101,
    confidence: float = 0.95,
) -> DataFrame[RocBand]:
    """Recall at ``points`` even false-positive rates, with limits at each of them.

    Square-and-add of two distances: that to the limits of a share of the positives (modified
    Wilson), and that to the recall at the negatives between which the threshold with
    this rate lies (an interval of a quantile by fractional order statistics). Below
    the rate that the negatives can show the lower limit is 0. Rows are independent
    and unweighted. At each rate the limits hold for that rate alone, so the whole curve
    leaves the band more often than 1 − ``confidence``. No rows when only one class
    is present.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them, or a ranking.
        model: name of the model, for the column of that name.
        points: how many false-positive rates.
        confidence: level of the limits at each rate, between 0 and 1.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``false_positive_rate``, ``recall``, ``low``
        and ``high``. All numbers are shares.

    Zou & Donner (2008), doi:10.1002/sim.3095; Hutson (1999), doi:10.1080/02664769922458;
    bands: Macskassy & Provost (2004), ROCAI, 61-70.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> roc_band(sweep(frame), points=3).select("false_positive_rate", "recall").rows()
    [(0.0, 0.6666666666666666), (0.5, 1.0), (1.0, 1.0)]
    """
    ranked = as_ranking(sweep)
    at = np.arange(points if ranked.both_classes else 0) / (points - 1)
    recall = _observed(ranked, at)
    low, high = modified_wilson(recall, np.full(len(at), ranked.positives), confidence)
    tail = (1 - confidence) / 2
    strict, loose = (
        _at_negative(ranked, _order(tuple(at.tolist()), ranked.negatives, p))
        for p in (1 - tail, tail)
    )
    ends = {
        "low": recall - np.hypot(recall - low, np.maximum(recall - strict, 0)),
        "high": recall + np.hypot(high - recall, np.maximum(loose - recall, 0)),
    }
    limits = {name: np.where(at < 1, end.clip(0, 1), 1.0) for name, end in ends.items()}
    table = pl.DataFrame({"false_positive_rate": at, "recall": recall} | limits)
    return RocBand.validate(line(model, table))


def _observed(ranked: Ranking, at: Floats) -> Floats:
    """The height of the curve, the largest where it rises upright."""
    if not len(at):
        return at
    after = ranked.first("fp", np.floor(np.round(at * ranked.negatives, 6)) + 1)
    beside = np.unique(np.concatenate([after - 1, after, [0, len(ranked)]]).clip(0))
    true_positives, false_positives = ranked.counts(beside, "tp", "fp")
    recall: Floats = np.interp(
        at, false_positives / ranked.negatives, true_positives / ranked.positives
    )
    return recall


@lru_cache(maxsize=64)
def _order(rates: tuple[float, ...], negatives: float, probability: float) -> Floats:
    """Which negative from the highest has at most these rates above it with a probability.

    From 0, above all of them, to one more than there are, and in between by fractions. The same
    for all models of the same rows.
    """
    at = np.array(rates)
    low, high = np.zeros(len(at)), np.full(len(at), negatives + 1)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        further = betainc(middle, negatives + 1 - middle, at) > probability
        low, high = np.where(further, middle, low), np.where(further, high, middle)
    order: Floats = (low + high) / 2
    order.flags.writeable = False
    return order


def _at_negative(ranked: Ranking, order: Floats) -> Floats:
    """Share of the positives above the negative at each place, in part of those level with it."""
    if not len(order):
        return order
    heights = []
    for place in (np.floor(order), np.floor(order) + 1):
        inside = place.clip(1, ranked.negatives)
        row = np.maximum(ranked.first("fp", inside), 1)
        (above, before), (level, after) = (ranked.counts(r, "tp", "fp") for r in (row - 1, row))
        share = above + (inside - 0.5 - before) / (after - before) * (level - above)
        share = share / ranked.positives
        heights.append(np.where(place < 1, 0.0, np.where(place > ranked.negatives, 1.0, share)))
    lower, upper = heights
    share_between: Floats = lower + (order - np.floor(order)) * (upper - lower)
    return share_between
