"""Curves of what a threshold finds against what it costs: detection error tradeoff and gain."""

from __future__ import annotations

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import ndtr, ndtri

from reportgen.array_types import Floats
from reportgen.curves.ranking import FINITE, line
from reportgen.metrics.balance import lift
from reportgen.metrics.rates import detection_prevalence, recall
from reportgen.small_queries import selected
from reportgen.sweeping import Swept, as_ranking
from reportgen.sweeping.ranking import ascending
from reportgen.tables import Det, Gain, Sweep

_GAIN = {
    "threshold": FINITE,
    "share": detection_prevalence(),
    "recall": recall(),
    "lift": lift(),
}

FARTHEST = 5.5
"""Normal deviate of the smallest rate that a thinned DET curve shows, 2 in 100 million."""


def det(sweep: DataFrame[Sweep], model: str = "model", slice: str | None = None) -> DataFrame[Det]:
    """False-negative rate against false-positive rate, one row per threshold, strictest first.

    Starts at (0, 1) and ends at (1, 0). The deviates are the normal quantiles
    of the rates, null at 0 and 1: scores that are normal in each class give a
    straight line in them. No rows when only one class is present.
    Martin et al. (1997), doi:10.21437/Eurospeech.1997-504.
    """
    threshold, true_positives, false_positives, false_negatives = (
        sweep[name].to_numpy() for name in ("threshold", "tp", "fp", "fn")
    )
    both = np.s_[:] if true_positives[-1] > 0 and false_positives[-1] > 0 else np.s_[:0]
    false_positive_rates, false_negative_rates = (
        false_positives[both] / false_positives[-1:],
        false_negatives[both] / true_positives[-1:],
    )
    columns = {
        "threshold": _finite(threshold[both]),
        "false_positive_rate": false_positive_rates,
        "false_negative_rate": false_negative_rates,
        "false_positive_deviate": _finite(ndtri(false_positive_rates)),
        "false_negative_deviate": _finite(ndtri(false_negative_rates)),
    }
    return Det.validate(line(model, slice, pl.DataFrame(columns)))


def even_in_deviates(sweep: Swept, points: int = 1000) -> DataFrame[Sweep]:
    """At most about 2 × ``points`` rows of a sweep, even in the normal deviates of both rates.

    For drawing a DET curve, whose axes stretch the tails: a sweep with fewer
    rows is returned whole, and so is one of a single class.
    """
    ranked = as_ranking(sweep)
    if len(ranked) < 2 * points or not ranked.both_classes:
        return ranked.table()
    even = ndtr(np.linspace(-FARTHEST, FARTHEST, points))
    true_positives, false_positives = (
        ranked.first("tp", even * ranked.positives),
        ranked.first("fp", even * ranked.negatives),
    )
    return ranked.table(ascending([0, len(ranked)], true_positives, false_positives))


def _finite(values: Floats) -> pl.Series:
    """The values, null where they are infinite."""
    return pl.Series(np.where(np.isfinite(values), values, np.nan), nan_to_null=True)


def gain(
    sweep: DataFrame[Sweep],
    model: str = "model",
    slice: str | None = None,
) -> DataFrame[Gain]:
    """Recall and lift, against the share of rows predicted positive.

    One row per threshold from (0, 0) to (1, 1), strictest first; a model that
    ranks by chance has a lift of 1. No rows when there are no positives.
    Ling & Li (1998), KDD-98, 73-79.
    """
    points = selected(sweep, _GAIN)
    return Gain.validate(line(model, slice, points if sweep["tp"][-1] > 0 else points.clear()))
