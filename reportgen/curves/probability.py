"""Curves of the forecasts themselves: calibration and score distributions."""

from __future__ import annotations

from math import ceil, frexp

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.curves.ranking import line
from reportgen.intervals import wilson
from reportgen.small_queries import selected
from reportgen.sweeping import Ranking, Swept, as_ranking
from reportgen.sweeping.bins import grouped
from reportgen.tables import Bins, Calibration, ScoreDistribution

CROWDED = 0.05
"""Forecasts are crowded near 0 where nine of ten are below it."""

LEAST = 1e-6
"""The lowest edge of bins that are even in the logarithm."""


def calibration(
    bins: DataFrame[Bins],
    model: str = "model",
    *,
    confidence: float = 0.95,
    weighted: bool = False,
) -> DataFrame[Calibration]:
    """Observed share of positives against the mean forecast, one row per occupied bin.

    The Wilson interval of the observed share is null where rows are weighted.

    Args:
        bins: the forecasts in bins, as ``reportgen.bins`` gives them.
        model: name of the model, for the column of that name.
        confidence: level of the intervals, between 0 and 1.
        weighted: whether rows are weighted.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``low``, ``high``, ``count``,
        ``mean_score``, ``observed``, ``observed_low`` and ``observed_high``. All but ``count``
        are shares.

    Bröcker & Smith (2007), doi:10.1175/WAF993.1.

    >>> from reportgen.sweeping import sweep
    >>> from reportgen.sweeping import bins
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> table = calibration(bins(sweep(frame), 2))
    >>> table.select("mean_score", "observed").rows()
    [(0.30000000000000004, 0.5), (0.7333333333333333, 0.6666666666666666)]
    """
    low, high = wilson(pl.col("observed"), pl.col("count"), confidence)
    nothing = pl.lit(None, pl.Float64)
    names = ("low", "high", "count", "mean_score", "observed")
    columns = {name: pl.col(name) for name in names}
    columns["observed_low"] = nothing if weighted else low
    columns["observed_high"] = nothing if weighted else high
    return Calibration.validate(line(model, selected(bins, columns)))


def calibration_bins(sweep: Swept, number: int = 10) -> DataFrame[Bins] | None:
    """Bins of a reliability diagram for forecasts that are crowded near 0; None of others.

    Each bin ends at the same multiple of the one below, a power of 2, so that there are at most
    ``number`` of them; the first holds all lower scores. ``bins`` would put nearly all rows into
    its first one. Forecasts are crowded where nine of ten are below 1/20.

    >>> from reportgen import sweep
    >>> truth, score = [False] * 98 + [True] * 2, [0.002] * 98 + [0.3, 0.9]
    >>> rows = sweep(pl.DataFrame({"truth": truth, "score": score}))
    >>> calibration_bins(rows).select("low", "high", "count").rows()
    [(0.001953125, 0.00390625, 98.0), (0.25, 0.5, 1.0), (0.5, 1.0, 1.0)]
    """
    ranked = as_ranking(sweep)
    lowest = _lowest(ranked) if len(ranked) and ranked.probabilities else 0.0
    if not lowest:
        return None
    halvings = 1 - frexp(lowest)[1]
    step = ceil(halvings / (number - 1))
    edges: list[float] = [0.5**halving for halving in range(0, halvings + 1, step)]
    low, high = np.array([*edges[1:], 0.0]), np.array(edges)
    starts = ranked.count_at_or_above(high)
    starts[0] = 0  # the last bin has its upper end too
    return grouped(ranked, starts, low, high)


def _edges(ranked: Ranking, number: int) -> Floats:
    even = np.arange(number + 1) / number
    low, high = (float(ranked.score[-1]), float(ranked.score[0])) if len(ranked) else (0.0, 1.0)
    if low >= 0 and high <= 1:
        lowest = _lowest(ranked) if len(ranked) else 0.0
        return lowest ** (1 - even) if lowest else even
    if low == high:
        low, high = low - 0.5, high + 0.5
    return low + (high - low) * even


def _lowest(ranked: Ranking) -> float:
    """Where the bins of crowded forecasts begin, 0 where they are not crowded near 0."""
    rows = ranked.positives + ranked.negatives
    tenth, last = ranked.threshold_for_count(np.array([0.1, 0.99]) * rows)
    if not rows or ranked.score[tenth - 1] >= CROWDED:
        return 0.0
    return float(max(ranked.score[last - 1], LEAST))


def score_distribution(
    sweep: Swept,
    model: str = "model",
    *,
    classes: tuple[str, str] = ("positive", "negative"),
    number: int = 40,
) -> DataFrame[ScoreDistribution]:
    """Histogram of the scores of the positives and of the negatives.

    ``number`` bins of equal width over [0, 1], or over the range of the scores
    where they leave it; the last bin is closed. Where nine of ten forecasts are below 1/20, the
    bins are even in their logarithm, from the first percentile to 1; the first one then holds
    all lower scores too. ``share`` is null for a class without rows.

    Args:
        sweep: counts at each distinct score, as ``reportgen.sweep`` gives them, or a ranking.
        model: name of the model, for the column of that name.
        classes: names of the positive and of the negative class.
        number: how many bins.

    Returns:
        A table with ``model``, ``slice``, ``class``, ``truth``, ``low``, ``high``, ``count`` and
        ``share``. ``low`` and ``high`` have the unit of the score, ``count`` is in rows or in
        weight.

    >>> from reportgen.sweeping import sweep
    >>> frame = pl.DataFrame(
    ...     {"truth": [True, True, False, True, False], "score": [0.9, 0.7, 0.6, 0.4, 0.2]}
    ... )
    >>> score_distribution(sweep(frame), number=2).select("truth", "low", "count").rows()
    [('positive', 0.0, 1.0), ('positive', 0.5, 2.0), ('negative', 0.0, 1.0), ('negative', 0.5, 1.0)]
    """
    ranked = as_ranking(sweep)
    edges = _edges(ranked, number)
    ends = ranked.count_at_or_above(edges)
    ends[0], ends[-1] = len(ranked), 0
    rows = [run[:-1] - run[1:] for run in ranked.counts(ends, "tp", "fp")]
    totals = [counts.sum() or np.nan for counts in rows]
    columns = {
        "truth": [name for name in classes for _ in range(number)],
        "low": np.tile(edges[:-1], 2),
        "high": np.tile(edges[1:], 2),
        "count": np.concatenate(rows),
        "share": pl.Series(np.concatenate(rows) / np.repeat(totals, number), nan_to_null=True),
    }
    return ScoreDistribution.validate(line(model, pl.DataFrame(columns)))
