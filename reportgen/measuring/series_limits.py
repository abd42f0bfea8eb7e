"""Limits of R² and its like where rows are in order of time: from a long-run variance.

Few blocks of time leave a variance few degrees of freedom; cosine transforms of what the points
of time add to the value leave more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, sqrt

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.clusters import t_quantile
from reportgen.comparisons.diebold_mariano import in_time
from reportgen.leverage import skewness_of_mean
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.time_blocks import consecutive
from reportgen.metrics import Metric
from reportgen.tables.results import MetricRow

LONG_RUN_RATIO = "long-run ratio"
"""The interval of shares of a variance in order of time."""

FEWEST = 30
"""Time points, below which limits by blocks stay."""

_FARTHEST = 700.0
"""An exponent above which numbers overflow."""


def of_ratios(
    number: MetricSubject,
    rows: Sequence[MetricRow],
    frame: pl.DataFrame,
    metrics: Iterable[Metric],
) -> list[MetricRow]:
    """The rows, those of ratios up to 1 that have no lower bound with limits of their series.

    With c = 1 − v the ratio of two means, h the t half width of c from its long-run variance, and
    h′ that half width corrected for skewness: from 1 − c·exp(h′/c) to 1 − c + h, at most 1.

    Args:
        number: whose the measures are, and the confidence of their limits.
        rows: the measures of a model, with their values.
        frame: ``truth``, ``estimate``, ``weight`` and ``point``, the place in time.
        metrics: the definitions of the measures.

    Reference: Lazarus, Lewis, Stock & Watson (2018), doi:10.1080/07350015.2018.1506926;
        Johnson (1978), doi:10.2307/2286597

    >>> random = np.random.default_rng(1)
    >>> seen, error = random.normal(size=(2, 60))
    >>> columns = {"truth": seen + error, "estimate": seen, "weight": 1.0, "point": range(60)}
    >>> from reportgen.metrics import REGISTRY
    >>> [row] = of_ratios(
    ...     MetricSubject("m"), [{"metric": "r2", "value": 0.5, "low": None, "high": None}],
    ...     pl.DataFrame(columns), [REGISTRY["regression"]["r2"]],
    ... )
    >>> row["interval"], 0.2 < row["low"] < 0.5 < row["high"] < 0.8
    ('long-run ratio', True)
    """
    ratios = {m.name: m.influence() for m in metrics if m.influence and _is_ratio(m)}
    code, points = consecutive(frame["point"])
    if points < FEWEST or frame["estimate"].n_unique() == 1:
        return list(rows)
    ordered = frame.with_columns(point=code).sort("point", pl.all().exclude("point")).rechunk()
    at, weight = ordered["point"].to_numpy(), ordered["weight"].to_numpy()
    shares, influences = weight / weight.sum(), ordered.select(**ratios)
    return [
        _limited(number, row, shares * influences[row["metric"]].to_numpy(), at)
        if row["metric"] in ratios and row["value"] is not None
        else row
        for row in rows
    ]


def _is_ratio(metric: Metric) -> bool:
    return metric.bounds[0] < -1 and metric.bounds[1] == 1


def _limited(number: MetricSubject, row: MetricRow, added: Floats, point: Integers) -> MetricRow:
    """The row with limits from what each of its rows of data adds to the value."""
    value = float(row["value"] or 0.0)
    complement, long_run = 1 - value, in_time(added, point)
    if long_run is None or not complement > 0 or not long_run.variance > 0:
        return row
    quantile = t_quantile(number.confidence, long_run.df)
    half_width = quantile * sqrt(long_run.variance / long_run.points)
    skewness = max(skewness_of_mean(-np.bincount(point, added).astype(np.float64)), 0.0)
    correction = 1 + skewness * (1 + 2 * quantile**2) / (6 * quantile)
    factor = exp(min(correction * half_width / complement, _FARTHEST))
    high = min(value + half_width, 1.0)
    return {**row, "low": 1 - complement * factor, "high": high, "interval": LONG_RUN_RATIO}
