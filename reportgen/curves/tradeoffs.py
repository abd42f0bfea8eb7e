"""Curves of what a threshold finds against what it costs: detection error tradeoff and gain."""

from __future__ import annotations

from collections.abc import Sequence

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
from reportgen.tables import Det, Gain, Sweep, TopOfList

_GAIN = {
    "threshold": FINITE,
    "share": detection_prevalence(),
    "recall": recall(),
    "lift": lift(),
}

TOP_SHARES = (0.001, 0.01, 0.05, 0.1)
"""How much of a list is looked at."""

ROUNDING = 1e-12
"""Parts of a row by which a share of the rows may miss a whole number."""

FARTHEST = 5.5
"""Normal deviate of the smallest rate that a thinned DET curve shows, 2 in 100 million."""


def det(sweep: DataFrame[Sweep], model: str = "model") -> DataFrame[Det]:
    """False-negative rate against false-positive rate, one row per threshold, strictest first.

    Starts at (0, 1) and ends at (1, 0). The deviates are the normal quantiles
    of the rates, null at 0 and 1: scores that are normal in each class give a
    straight line in them. No rows when only one class is present.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them.
        model: name of the model, for the column of that name.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``threshold``, ``false_positive_rate``,
        ``false_negative_rate``, ``false_positive_deviate`` and ``false_negative_deviate``. Rates
        are shares, deviates in standard deviations.

    Martin et al. (1997), doi:10.21437/Eurospeech.1997-504.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> det(sweep(frame)).select("false_positive_rate", "false_negative_rate").rows()[:3]
    [(0.0, 1.0), (0.0, 0.6666666666666666), (0.0, 0.3333333333333333)]
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
    return Det.validate(line(model, pl.DataFrame(columns)))


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


def top_of_list(
    sweep: Swept,
    model: str = "model",
    *,
    shares: Sequence[float] = TOP_SHARES,
) -> DataFrame[TopOfList]:
    """Precision, recall and lift among the rows that score highest, ties at the end in part.

    Of tied rows at the end of a list, each class is taken in proportion: what a random order of
    them gives on average. Shares of less than one row are left out; recall and lift are null
    without positives.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them, or a ranking.
        model: name of the model, for the column of that name.
        shares: the shares of the rows with the highest scores.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``share``, ``rows``, ``threshold``,
        ``tied``, ``precision``, ``recall`` and ``lift``. ``rows`` counts rows, or weight;
        precision and recall are shares.

    Manning, Raghavan & Schütze (2008), doi:10.1017/CBO9780511809071, section 8.4.

    >>> from reportgen.sweeping import sweep
    >>> tied = pl.DataFrame({"truth": [True, False, False, False], "score": [0.9, 0.9, 0.2, 0.1]})
    >>> top_of_list(sweep(tied), shares=[0.25]).select("rows", "tied", "precision", "lift").row(0)
    (1.0, 2.0, 0.5, 2.0)
    """
    ranked = as_ranking(sweep)
    total = ranked.positives + ranked.negatives
    share = np.array([part for part in shares if part * total >= 1])
    rows = share * total
    last = np.maximum(ranked.threshold_for_count(rows * (1 - ROUNDING)), 1)
    tp, fp = ranked.counts(last, "tp", "fp")
    tp_before, fp_before = ranked.counts(last - 1, "tp", "fp")
    tied, taken = tp + fp - tp_before - fp_before, rows - tp_before - fp_before
    true_positives = tp_before + (tp - tp_before) * np.clip(taken / tied, 0, 1)
    recall = true_positives / ranked.positives if ranked.positives else np.full(len(rows), np.nan)
    columns = {
        "share": share,
        "rows": rows,
        "threshold": ranked.score[last - 1],
        "tied": np.where(taken < tied * (1 - ROUNDING), tied, 0.0),
        "precision": np.clip(true_positives / rows, 0, 1),
        "recall": np.clip(recall, 0, 1),
        "lift": recall / share,
    }
    points = pl.DataFrame(columns, schema_overrides=dict.fromkeys(columns, pl.Float64))
    return TopOfList.validate(line(model, points.fill_nan(None)))


def _finite(values: Floats) -> pl.Series:
    return pl.Series(np.where(np.isfinite(values), values, np.nan), nan_to_null=True)


def gain(
    sweep: DataFrame[Sweep],
    model: str = "model",
) -> DataFrame[Gain]:
    """Recall and lift, against the share of rows predicted positive.

    One row per threshold from (0, 0) to (1, 1), strictest first; a model that
    ranks by chance has a lift of 1. No rows when there are no positives.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them.
        model: name of the model, for the column of that name.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``threshold``, ``share``, ``recall`` and
        ``lift``. ``lift`` is a ratio, null where nothing is predicted positive; the others are
        shares.

    Ling & Li (1998), KDD-98, 73-79.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> gain(sweep(frame)).select("share", "recall").rows()[:3]
    [(0.0, 0.0), (0.2, 0.3333333333333333), (0.4, 0.6666666666666666)]
    """
    points = selected(sweep, _GAIN)
    return Gain.validate(line(model, points if sweep["tp"][-1] > 0 else points.clear()))
