"""Means of rows in groups, and smooth functions of such means: their robust limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from reportgen import clusters
from reportgen.clusters import Effect, Groups
from reportgen.intervals import MeanOfRows
from reportgen.metrics import Metric
from reportgen.results.metric_rows import SPREAD, MetricRows, finite, limited, with_spreads
from reportgen.results.records import MetricRow
from reportgen.small_queries import selected

Effects = Mapping[str, Effect]

_SAME = 1e-9
"""A mean of means of groups is that of the rows but for so much of its size."""


def rows_in_groups(
    number: MetricRows,
    frame: pl.DataFrame,
    metrics: Iterable[Metric],
    confidence: float,
    groups: Groups,
    effects: Effects | None = None,
    **settings: Any,
) -> list[MetricRow]:
    """One row per metric of a frame with a ``weight`` column, its limits by groups.

    Means and what has an influence have the limits of their robust variance;
    those with an interval of their own the ``effects`` that are given. The
    others have no limits.
    """
    metric_list = [_with_interval(m) for m in metrics]
    values = selected(frame, with_spreads(metric_list, confidence, **settings)).row(0, named=True)
    of_all: dict[str, Effect] = dict(effects or {})
    for name, (variance, effect) in _variances(
        frame, metric_list, groups, values, settings
    ).items():
        values[SPREAD.format(name)], of_all[name] = variance, effect
    columns = {name: [value] for name, value in values.items()}
    return number.from_values(
        metric_list, limited(columns, metric_list, confidence, 1, [of_all])[0]
    )


def _with_interval(metric: Metric) -> Metric:
    """A mean, or what has an influence, with the limits of its robust variance."""
    if metric.interval is not None or not (metric.mean or metric.influence):
        return metric
    return replace(metric, interval=MeanOfRows(metric.bounds))


def _variances(
    frame: pl.DataFrame,
    metrics: Iterable[Metric],
    groups: Groups,
    values: Mapping[str, float | None],
    settings: Mapping[str, Any],
) -> dict[str, tuple[float, Effect]]:
    """Robust variance of each measure that has a value, and the degrees of freedom."""
    valued = [m for m in metrics if isinstance(m.interval, MeanOfRows)]
    valued = [m for m in valued if finite(values[m.name]) is not None]
    means = [m for m in valued if m.mean]
    smooth = {m.name: m.influence() for m in valued if m.influence is not None}
    sums = _of_means(frame, means, groups, values, settings)
    if smooth:
        weight = frame["weight"].to_numpy() / frame["weight"].sum()
        for column in frame.select(**smooth).iter_columns():
            sums[column.name] = groups.sums(weight * column.to_numpy())
    return {
        name: (
            clusters.covariance_of_sum(by_group[:, None]).item(),
            Effect(1.0, clusters.degrees_of_freedom(by_group)),
        )
        for name, by_group in sums.items()
    }


def _of_means(
    frame: pl.DataFrame,
    metrics: Iterable[Metric],
    groups: Groups,
    values: Mapping[str, float | None],
    settings: Mapping[str, Any],
) -> dict[str, np.ndarray]:
    """What each group contributes to each mean, from the group's own; not where rows have none."""
    columns = {m.name: m.expression_of_groups(**settings) for m in metrics}
    if not columns:
        return {}
    grouped = (
        frame.lazy()
        .with_columns(group=groups.code)
        .group_by("group")
        .agg(pl.col("weight").sum().alias("weight of the group"), **columns)
        .sort("group")
        .collect(engine="in-memory")
    )
    weight = grouped["weight of the group"].to_numpy()
    contributions = {}
    for name in columns:
        group_means = grouped[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
        value = float(values[name] or 0.0)
        by_group = weight * (group_means - value) / weight.sum()
        if abs(by_group.sum()) <= _SAME * (np.abs(weight * group_means).sum() / weight.sum()):
            contributions[name] = by_group
    return contributions
