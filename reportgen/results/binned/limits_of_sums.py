"""Limits of means of rows from sums of powers of what each row gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import copysign, sqrt

import numpy as np

from reportgen.clusters import Effect, Groups, degrees_of_freedom_of_powers
from reportgen.engines.partial import ALL
from reportgen.intervals import MeanLoss, MeanOfRows, skewed_spread
from reportgen.intervals.modified_wilson import modified_wilson
from reportgen.measuring.class_averages import with_interval_of
from reportgen.measuring.independent_means import least_rows
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.metric_set import SPREAD, MetricSet
from reportgen.measuring.row_means import rows_from_groups
from reportgen.measuring.row_shares import OF_ROWS
from reportgen.metrics import Metric
from reportgen.results.binned.number_sums import SumCounts, as_float
from reportgen.tables.results import MetricRow

OF_SUMS = "mean of sums"
"""The interval of means whose variance is that of sums."""

LEAST_OF_FORECASTS = 300
"""Of fewer rows of a slice the mean loss of forecasts has none: what they foresee is not summed."""


ROUNDING = Fraction(1, 10**9)
"""Numbers of rows that differ by less, as a share of their mean, differ by rounding alone."""

LimitsByMethod = tuple[float, float, str]
"""Lower and upper limit, and the name of their interval."""


def limits_of_sums(
    counted: SumCounts,
    model: int,
    values: Mapping[str, float | None],
    losses: Mapping[Metric, str],
    scope: int = ALL,
    part: str = "[]",
) -> dict[str, LimitsByMethod]:
    """Limits of means over the rows of a part, each by the name of what rows lose.

    A measure that is a ``root`` is that of the mean of its loss. Shares of unweighted rows have
    those of as many rows.
    """
    rows = counted.rows(scope, part)
    metrics: list[Metric] = []
    columns: dict[str, list[object]] = {}
    effects: dict[str, Effect] = {}
    shares = _shares(counted, (model, scope, part), values, losses)
    for metric, loss in losses.items():
        if metric.name in shares or rows < least_rows(metric):
            continue
        if isinstance(metric.interval, MeanLoss) and scope != ALL and rows < LEAST_OF_FORECASTS:
            continue
        name, value = metric.name, values.get(metric.name)
        central = None if value is None else counted.central(loss, model, scope, part)
        if central is None or _is_constant(central[:2], counted.mass(scope, part)):
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
        return shares
    (of_all,) = MetricSet(metrics, counted.spec.confidence).limited(columns, 1, [effects])
    return shares | {
        name: (low, high, OF_SUMS)
        for name, (_, low, high) in of_all.items()
        if low is not None and high is not None
    }


def _is_constant(moments: tuple[Fraction, ...], mass: Fraction) -> bool:
    """Whether rows give one number but for rounding, as the widths of like intervals do."""
    mean, second = moments
    return second <= mass * (ROUNDING * mean) ** 2


def _shares(
    counted: SumCounts,
    at: tuple[int, int, str],
    values: Mapping[str, float | None],
    losses: Mapping[Metric, str],
) -> dict[str, LimitsByMethod]:
    """Limits of the measures whose rows each give 0 or 1: n m (1 − m) are then their squares."""
    rows, shares = counted.rows(*at[1:]), {}
    for metric, loss in losses.items():
        value = values.get(metric.name)
        if counted.weighted or not metric.proportion or value is None:
            continue
        central = counted.central(loss, *at)
        if central is not None and central[1] == rows * central[0] * (1 - central[0]):
            low, high = modified_wilson(
                np.array([value]), np.array([float(rows)]), counted.spec.confidence
            )
            shares[metric.name] = (low.item(), high.item(), OF_ROWS.name)
    return shares


def limited_by_group(
    counted: SumCounts,
    at: tuple[int, int, str],
    rows: list[MetricRow],
    measures: Iterable[Metric],
) -> list[MetricRow]:
    """The numbers, those that are means of all rows with limits by groups where rows come in them.

    ``at`` has the place of the model, the scope and the part.
    """
    groups, model, place = counted.sums_by_group, at[0], at[1:]
    if groups is None:
        return rows
    of_all = {str(r["metric"]): r["value"] for r in rows if not r["class"] and not r["average"]}
    means = [m for m in measures if m.mean and of_all.get(m.name) is not None]
    by_group = groups.means(model, means, place)
    weighted = counted.spec.columns.weight is not None
    means = [m for m in means if m.name in by_group.columns and not (weighted and m.proportion)]
    frame = by_group.select(weight="weight of the group")
    limited = rows_from_groups(
        MetricSubject(
            counted.models[model].name,
            rows[0]["slice"],
            grouped=True,
            confidence=counted.spec.confidence,
        ),
        frame,
        means,
        Groups(np.arange(frame.height), frame.height),
        of_all,
        by_group,
        counted.rows(*place),
    )
    by_name = {row["metric"]: row for row in limited}
    return [
        with_interval_of(by_name[row["metric"]], row)
        if row["metric"] in by_name and not row["class"] and not row["average"]
        else row
        for row in rows
    ]
