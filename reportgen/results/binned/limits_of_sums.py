"""Limits of means of rows from sums of powers of what each row gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import copysign, sqrt

from reportgen.clusters import Effect, degrees_of_freedom_of_powers
from reportgen.engines.partial import ALL
from reportgen.intervals import MeanOfRows, skewed_spread
from reportgen.measuring.metric_rows import SPREAD, limited
from reportgen.metrics import Metric
from reportgen.results.binned.number_sums import SumCounts, as_float
from reportgen.results.regression import LEAST_ROWS

OF_SUMS = "mean of sums"
"""The interval of means whose variance is that of sums."""


def limits_of_sums(
    counted: SumCounts,
    model: int,
    values: Mapping[str, float | None],
    losses: Mapping[Metric, str],
    scope: int = ALL,
    part: str = "[]",
) -> dict[str, tuple[float, float]]:
    """Limits of means over the rows of a part, each by the name of what rows lose.

    A measure that is a ``root`` is that of the mean of its loss.
    """
    rows = counted.rows(scope, part)
    metrics: list[Metric] = []
    columns: dict[str, list[object]] = {}
    effects: dict[str, Effect] = {}
    for metric, loss in losses.items() if rows >= LEAST_ROWS else ():
        name, value = metric.name, values.get(metric.name)
        central = None if value is None else counted.central(loss, model, scope, part)
        if central is None or not central[1]:
            continue
        mean, second, third, fourth = central
        variance = as_float(second / counted.mass(scope, part) ** 2) * rows / (rows - 1)
        if metric.root:
            variance /= 4 * as_float(mean)
        df = degrees_of_freedom_of_powers(1.0, as_float(fourth / second**2), rows)
        metrics.append(replace(metric, interval=MeanOfRows(metric.bounds, metric.root, OF_SUMS)))
        effects[name] = Effect(1.0, df)
        skewness = copysign(sqrt(as_float(third**2 / second**3)), third)
        spread = skewed_spread(variance, effects[name], skewness, rows, counted.spec.confidence)
        columns[name], columns[SPREAD.format(name)] = [value], [spread]
    if not metrics:
        return {}
    (of_all,) = limited(columns, metrics, counted.spec.confidence, 1, [effects])
    return {
        name: (low, high)
        for name, (_, low, high) in of_all.items()
        if low is not None and high is not None
    }
