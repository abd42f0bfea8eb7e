"""Means of rows in groups, and smooth functions of such means: their robust limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, Unpack

import numpy as np
import polars as pl

from reportgen import clusters
from reportgen.array_types import Floats
from reportgen.clusters import Effect, Groups
from reportgen.intervals import MeanLoss, MeanOfRows, is_outweighed, skewed_spread, unseen
from reportgen.leverage import jackknife_sums, satterthwaite
from reportgen.measuring.group_means import OF_GROUP, means_by_group
from reportgen.measuring.independent_means import inverse_truths
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.metric_set import SPREAD, Effects, finite
from reportgen.measuring.row_shares import OF_ROWS, effect_of_sums, row_share
from reportgen.measuring.without_groups import MOST, values_without_each
from reportgen.metrics import Metric
from reportgen.metrics.aggregates import OF_DEFINED
from reportgen.metrics.settings import MetricArguments, MetricSettings
from reportgen.small_queries import selected
from reportgen.tables.results import MetricRow

_ROUNDING = 1e-12
"""A standard error below this share of the value is rounding."""

_SAME = 1e-9
"""A mean of means of groups is that of the rows but for so much of its size."""


class _Variance(NamedTuple):
    """Variance of a measure, the effect of the groups, and what each group contributes."""

    variance: float
    effect: Effect
    by_group: Floats

    @property
    def skewness(self) -> float:
        """That of what the groups contribute, over the root of their number."""
        return _skewness(self.by_group)


def _skewness(sums: Floats) -> float:
    """Skewness of centred sums over the root of their number; 0 where they do not vary."""
    largest = float(np.abs(sums).max())
    if not largest > 0:
        return 0.0
    scaled = sums / largest
    squares = clusters.sum_of_squares(scaled)
    cubes = scaled * scaled * scaled  # a power takes twenty times as long
    return float(cubes.sum()) / (squares * math.sqrt(squares))


def rows_in_groups(
    number: MetricSubject,
    frame: pl.DataFrame,
    metrics: Iterable[Metric],
    groups: Groups,
    effects: Effects | None = None,
    **settings: Unpack[MetricArguments],
) -> list[MetricRow]:
    """One row per metric of a frame with a ``weight`` column, its limits by groups.

    Means and what has an influence have the limits of their robust variance;
    those with an interval of their own the ``effects`` that are given. The
    others have no limits.
    """
    measured = measured_in_groups(number, frame, metrics, groups, effects, **settings)
    return limited_rows([measured])[0]


class MeasuredRows(NamedTuple):
    """The measures of some rows: their values, with the spreads that their limits need.

    ``effects`` are those of the groups of rows.
    """

    number: MetricSubject
    metrics: Sequence[Metric]
    values: Mapping[str, Any]
    effects: Effects

    @property
    def kind(self) -> Hashable:
        """Those of one kind have the same measures, and limits of the same shapes."""
        return self.number.confidence, *(
            (m.name, m.interval and m.interval.kind) for m in self.metrics
        )


def measured_in_groups(
    number: MetricSubject,
    frame: pl.DataFrame,
    metrics: Iterable[Metric],
    groups: Groups,
    effects: Effects | None = None,
    known: Mapping[str, float] | None = None,
    **settings: Unpack[MetricArguments],
) -> MeasuredRows:
    """What ``rows_in_groups`` makes limits of; ``known`` are values that are not computed again."""
    metric_list = [_with_interval(m) for m in metrics]
    values: dict[str, Any] = {**(known or {})}
    unknown = [m for m in metric_list if m.name not in values]
    values |= {SPREAD.format(name): None for name in values}
    if unknown:
        expressions = number.limits_of(unknown).expressions(**settings)
        values |= selected(frame, expressions).row(0, named=True)
    shares = {m.name: s for m in metric_list if (s := row_share(frame, m)) is not None}
    values |= {SPREAD.format(name): share.trials for name, share in shares.items()}
    effects = {**(effects or {}), **{name: s.effect(groups) for name, s in shares.items()}}
    metric_list = [replace(m, interval=OF_ROWS) if m.name in shares else m for m in metric_list]
    averaged = [m for m in _by_variance(metric_list, values) if m.mean]
    means = means_by_group(frame, averaged, groups.code, **settings)
    variances = _variances(frame, metric_list, groups, values, means, settings, groups.rows)
    inverse = math.inf
    if any(m.by_truth for m in averaged):
        inverse = _skewness_of_inverse(frame, groups)
    return _measured(number, metric_list, values, variances, effects, inverse=inverse)


def limited_rows(measured: Sequence[MeasuredRows]) -> list[list[MetricRow]]:
    """One row per measure of each, its limits at the cost of one where they are of one kind."""
    alike: dict[Hashable, list[int]] = {}
    for place, one in enumerate(measured):
        alike.setdefault(one.kind, []).append(place)
    result: list[list[MetricRow]] = [[] for _ in measured]
    for places in alike.values():
        parts = [measured[place] for place in places]
        metrics = parts[0].number.limits_of(parts[0].metrics)
        columns = {name: [part.values[name] for part in parts] for name in parts[0].values}
        effects = [part.effects for part in parts]
        limits = metrics.limited(columns, len(parts), effects)
        for place, part, values in zip(places, parts, limits, strict=True):
            result[place] = part.number.from_values(part.metrics, values)
    return result


def rows_from_groups(
    number: MetricSubject,
    frame: pl.DataFrame,
    metrics: Iterable[Metric],
    groups: Groups,
    values: Mapping[str, float | None],
    means: pl.DataFrame,
    rows: int,
) -> list[MetricRow]:
    """The same of what groups have in sum, for measures that have limits by their variance.

    Each group has rows in ``frame`` with its sums of ``truth``, ``estimate`` and their products;
    ``values`` are the measures, ``means`` as of ``means_by_group``, of so many ``rows``. What a
    proportion counts is no whole number in a group where ties share a row.
    """
    metrics = list(metrics)
    of_groups = {m.name: _weights_of_groups(means, m.name) for m in metrics if m.proportion}
    counted = {n: means[n].fill_null(0.0).to_numpy() * of for n, of in of_groups.items()}
    sizes = {n: of for n, of in of_groups.items() if _are_whole(counted[n])}
    metric_list = [
        replace(m, interval=OF_ROWS) if m.name in sizes else _with_interval(m) for m in metrics
    ]
    variances = _variances(frame, metric_list, groups, values, means, {}, rows)
    effects = {
        n: effect_of_sums(np.round(counted[n])[of > 0], of[of > 0]) for n, of in sizes.items()
    }
    spreads = {SPREAD.format(name): float(of.sum()) for name, of in sizes.items()}
    metric_list = [m for m in metric_list if m.name in variances or m.name in effects]
    return limited_rows(
        [_measured(number, metric_list, {**values, **spreads}, variances, effects)]
    )[0]


def _skewness_of_inverse(frame: pl.DataFrame, groups: Groups) -> float:
    """That of the sums by group of 1 over the size of each truth, over the root of their number."""
    inverse = inverse_truths(frame)
    weights = np.where(np.isnan(inverse), 0.0, frame["weight"].cast(pl.Float64).to_numpy())
    mean = float(np.average(np.nan_to_num(inverse), weights=weights))
    return _skewness(groups.sums(weights * (np.nan_to_num(inverse) - mean)))


def _are_whole(numbers: Floats) -> bool:
    return bool(np.abs(numbers - np.round(numbers)).max(initial=0.0) < _SAME)


def _measured(
    number: MetricSubject,
    metrics: Sequence[Metric],
    values: Mapping[str, Any],
    variances: Mapping[str, _Variance],
    effects: Effects | None = None,
    *,
    inverse: float = math.inf,
) -> MeasuredRows:
    """Values with their spreads; ``inverse`` is the skewness of 1 over truths, if known."""
    outweighed = {
        m.name
        for m in metrics
        if m.by_truth and (v := variances.get(m.name)) is not None
        if is_outweighed(v.skewness, inverse, len(v.by_group))
    }
    spreads = {
        SPREAD.format(n): None
        if n in outweighed
        else skewed_spread(v.variance, v.effect, v.skewness, len(v.by_group), number.confidence)
        for n, v in variances.items()
    }
    of_all = {**(effects or {}), **{name: v.effect for name, v in variances.items()}}
    return MeasuredRows(number, metrics, {**values, **spreads}, of_all)


def _with_interval(metric: Metric) -> Metric:
    """A mean, or what has an influence, with the limits of its robust variance."""
    if not (metric.mean or metric.influence):
        return metric
    if metric.interval is not None and not isinstance(metric.interval, MeanLoss):
        return metric
    return replace(metric, interval=MeanOfRows(metric.bounds, metric.root))


def _variances(
    frame: pl.DataFrame,
    metrics: Sequence[Metric],
    groups: Groups,
    values: Mapping[str, float | None],
    group_means: pl.DataFrame,
    settings: MetricSettings,
    rows: int,
) -> dict[str, _Variance]:
    """Variance of each measure that has a value, its degrees of freedom and its skewness.

    From leaving out one group at a time where groups are few, else from the influences.
    A loss has no more degrees of freedom than the sizes of the groups leave. Of R² and its
    like, a ratio of two means that both may have heavy tails, they are divided by ``unseen``.
    """
    limited_by_variance = _by_variance(metrics, values)
    valued = {m.name: float(values[m.name] or 0.0) for m in limited_by_variance}
    means = [m for m in limited_by_variance if m.mean]
    smooth = [m for m in limited_by_variance if m.influence is not None]
    sizes = groups.sums(frame["weight"].to_numpy())
    shares = {m.name: _shares_of_groups(group_means, m.name) for m in means}
    sums = _of_means(group_means, shares, values)
    without: dict[str, Floats] = {}
    if groups.number <= MOST:
        without = {m: _less(valued[m], jackknife_sums(by, shares[m])) for m, by in sums.items()}
        without |= values_without_each(frame, smooth, groups, settings, rows)
    sums |= _of_influences(frame, smooth, groups)
    most = satterthwaite(sizes)
    variances = {}
    for metric in [m for m in limited_by_variance if m.name in sums]:
        name, by_group = metric.name, sums[metric.name]
        jackknife = _jackknife(metric, valued[name], without.get(name))
        variance, freedom = jackknife or (
            clusters.covariance_of_sum(by_group[:, None]).item(),
            clusters.degrees_of_freedom(by_group),
        )
        if metric.bounds[0] == 0:
            freedom = min(freedom, most)
        elif metric.bounds[0] < -1 and metric.bounds[1] == 1:
            freedom = max(freedom / unseen(len(by_group)), 1.0)
            by_group = -by_group  # 1 less R² is skewed as losses are
        if variance <= (_ROUNDING * valued[name]) ** 2:
            variance = 0.0
        variances[name] = _Variance(variance, Effect(1.0, freedom), by_group)
    return variances


def _by_variance(metrics: Iterable[Metric], values: Mapping[str, Any]) -> list[Metric]:
    """The measures with a value whose limits are those of their variance."""
    return [
        m
        for m in metrics
        if isinstance(m.interval, MeanOfRows) and finite(values[m.name]) is not None
    ]


def _less(value: float, sums: Floats) -> Floats:
    """The value less each of the sums; 0 where the rest is rounding."""
    without = value - sums
    return np.where(np.abs(without) <= _SAME * abs(value), 0.0, without)


def _jackknife(metric: Metric, value: float, without: Floats | None) -> tuple[float, float] | None:
    """Variance and degrees of freedom from the values without each group; null at a bound.

    Formula: (G − 1)/G·Σ (h(v_g) − h(v))² / h′(v)², with v_g the value without group g
    and h the scale of the limits.
    Reference: Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181.
    """
    if without is None or not isinstance(metric.interval, MeanOfRows):
        return None
    (scaled, _), (at, slope) = metric.interval.scaled(without), metric.interval.scaled(value)
    if not (np.isfinite(at) and np.isfinite(scaled).all()):
        return None
    away = scaled - at
    if not away.any():
        return None
    variance = clusters.sum_of_squares(away) / clusters.correction(len(away)) / float(slope) ** 2
    return variance, clusters.degrees_of_freedom(away - away.mean())


@cache
def _built(influence: Callable[[], pl.Expr]) -> pl.Expr:
    """What each row contributes, made once for all slices and models."""
    return influence()


def _of_influences(
    frame: pl.DataFrame, metrics: Iterable[Metric], groups: Groups
) -> dict[str, Floats]:
    """What each group contributes to each smooth function of means."""
    columns = {m.name: _built(m.influence) for m in metrics if m.influence is not None}
    if not columns:
        return {}
    weight = frame["weight"].to_numpy() / frame["weight"].sum()
    influences = frame.select(**columns).iter_columns()
    return {column.name: groups.sums(weight * column.to_numpy()) for column in influences}


def _shares_of_groups(group_means: pl.DataFrame, name: str) -> Floats:
    """The share of each group in the weight of the rows that have a value of a mean."""
    weight = _weights_of_groups(group_means, name)
    shares: Floats = weight / (weight.sum() or 1.0)
    return shares


def _weights_of_groups(group_means: pl.DataFrame, name: str) -> Floats:
    of_defined = OF_DEFINED.format(name)
    column = of_defined if of_defined in group_means.columns else OF_GROUP
    return group_means[column].cast(pl.Float64).to_numpy()


def _of_means(
    group_means: pl.DataFrame, shares: Mapping[str, Floats], values: Mapping[str, float | None]
) -> dict[str, Floats]:
    """What each group contributes to each mean, from the group's own."""
    contributions = {}
    for name, share in shares.items():
        column = group_means[name].cast(pl.Float64)
        of_groups = (column.fill_null(0.0) if column.null_count() else column).to_numpy()
        value = float(values[name] or 0.0)
        by_group = share * (of_groups - value)
        if abs(by_group.sum()) <= _SAME * np.abs(share * of_groups).sum():
            contributions[name] = by_group
    return contributions
