"""Curves of what a threshold finds against what it costs: detection error tradeoff and gain."""

from __future__ import annotations

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame
from scipy.special import ndtr, ndtri

from reportgen.curves.ranking import named
from reportgen.metrics import detection_prevalence, lift, recall
from reportgen.sweeping import Swept, as_ranked
from reportgen.sweeping.ranked import ascending
from reportgen.tables import Det, Gain, Sweep

_THRESHOLD = pl.when(pl.col("threshold").is_finite()).then(pl.col("threshold")).alias("threshold")

FARTHEST = 5.5
"""Normal deviate of the smallest rate that a thinned DET curve shows, 2 in 100 million."""


def det(sweep: DataFrame[Sweep], model: str = "model", slice: str | None = None) -> DataFrame[Det]:  # noqa: A002
    """False-negative rate against false-positive rate, one row per threshold, strictest first.

    Starts at (0, 1) and ends at (1, 0). The deviates are the normal quantiles
    of the rates, null at 0 and 1: scores that are normal in each class give a
    straight line in them. No rows when only one class is present.
    Martin et al. (1997), doi:10.21437/Eurospeech.1997-504.
    """
    hits, alarms = (sweep[c].to_numpy() for c in ("tp", "fp"))
    if not (hits[-1] > 0 and alarms[-1] > 0):
        sweep = Sweep.validate(sweep.clear())
        hits, alarms = hits[:0], alarms[:0]
    false_positive = alarms / alarms[-1:]
    false_negative = sweep["fn"].to_numpy() / hits[-1:]
    rates = {"false_positive": false_positive, "false_negative": false_negative}
    return Det.validate(
        sweep.select(
            *named(model, slice),
            _THRESHOLD,
            **{f"{name}_rate": pl.Series(rate) for name, rate in rates.items()},
            **{f"{name}_deviate": _deviate(rate) for name, rate in rates.items()},
        )
    )


def even_in_deviates(sweep: Swept, points: int = 1000) -> DataFrame[Sweep]:
    """At most about 2 × ``points`` rows of a sweep, even in the normal deviates of both rates.

    For drawing a DET curve, whose axes stretch the tails: a sweep with fewer
    rows is returned whole, and so is one of a single class.
    """
    ranked = as_ranked(sweep)
    if len(ranked) < 2 * points or not ranked.both_classes:
        return ranked.table()
    even = ndtr(np.linspace(-FARTHEST, FARTHEST, points))
    hits, alarms = (
        ranked.first("tp", even * ranked.positives),
        ranked.first("fp", even * ranked.negatives),
    )
    return ranked.table(ascending([0, len(ranked)], hits, alarms))


def _deviate(rate: np.ndarray[tuple[int], np.dtype[np.float64]]) -> pl.Series:
    quantile = ndtri(rate)
    return pl.Series(np.where(np.isfinite(quantile), quantile, np.nan)).fill_nan(None)


def gain(
    sweep: DataFrame[Sweep],
    model: str = "model",
    slice: str | None = None,  # noqa: A002
) -> DataFrame[Gain]:
    """Share of the positives found, and lift, against the share of the rows called positive.

    One row per threshold from (0, 0) to (1, 1), strictest first; a model that
    ranks by chance has a lift of 1. No rows when there are no positives.
    Ling & Li (1998), KDD-98, 73-79.
    """
    some = pl.col("tp").last() > 0
    return Gain.validate(
        sweep.filter(some).select(
            *named(model, slice),
            _THRESHOLD,
            share=detection_prevalence(),
            recall=recall(),
            lift=lift(),
        )
    )
