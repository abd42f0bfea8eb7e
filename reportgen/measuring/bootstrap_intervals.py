"""Intervals by resampling, for the numbers of all rows that have no closed form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.freed_memory import each_alone
from reportgen.intervals.method_names import Allowance, MethodName
from reportgen.measuring.binary_model import BinaryModel, predicted_positive
from reportgen.measuring.context import EvaluationContext
from reportgen.measuring.costs import OWN_COSTS
from reportgen.measuring.interval_methods import chosen
from reportgen.measuring.metric_set import MetricSet
from reportgen.measuring.ranking_limits import limits_of_ranking, with_limits_of_ranking
from reportgen.measuring.region_limits import limits_of_regions, regional
from reportgen.measuring.without_groups import MeasuresInParts
from reportgen.metrics import Metric
from reportgen.metrics.settings import MetricSettings
from reportgen.resampling import (
    BootstrapSettings,
    bootstrap,
    bootstrap_counts,
    bootstrap_matrix,
    bootstrap_rows,
    bootstrap_sweep,
)
from reportgen.resampling.limits import Method
from reportgen.spec import Spec
from reportgen.spec.measures import evaluated
from reportgen.tables import Counts, Matrix
from reportgen.tables.results import MetricRow
from reportgen.tasks import TASKS

METHODS: tuple[Method, ...] = ("bca", "percentile")
"""BCa where it is defined, else percentile, unless a spec says otherwise."""


def of_scores(
    numbers: Sequence[Sequence[MetricRow]],
    parts: Sequence[tuple[BinaryModel, pl.DataFrame]],
    context: EvaluationContext,
    *,
    of_slices: bool = False,
) -> list[list[MetricRow]]:
    """Binary numbers of each model that have no closed form; groups are drawn whole.

    Not those under costs of their own per row, which counts do not hold.
    """
    spec, weight, costs = context.spec, context.weight, context.error_costs
    columns = parts[0][1].columns
    grouped = "group" in columns
    requested = resampled_measures("binary", spec, "counts", "sweep", "hull", "bins")
    if of_slices:
        present = {row["metric"] for row in numbers[0]}
        requested = [m for m in of_part(requested, spec.resampled_measures) if m.name in present]
    if OWN_COSTS & set(columns):
        requested = [m for m in requested if not costs.keys() & m.parameters.keys()]
    of_regions = regional(requested, spec)
    regions = limits_of_regions([model for model, _ in parts], of_regions, spec, costs)
    allows: Allowance | None = "groups" if grouped else "effective size" if weight else None
    numbers = [
        filled(of_model, limits, allows) for of_model, limits in zip(numbers, regions, strict=True)
    ]
    requested = [m for m in requested if m not in of_regions]
    if not grouped:
        of_ranking = with_limits_of_ranking(requested)
        requested = [m for m in requested if m not in of_ranking]
        limited = MetricSet(of_ranking, spec.confidence)
        numbers = [
            filled(of_model, limits_of_ranking(m.ranking, limited), allows)
            for of_model, (m, _) in zip(numbers, parts, strict=True)
        ]
    if not spec.bootstrap.replicates:
        return [list(of_model) for of_model in numbers]
    if not grouped and weight is None:
        return _of_counts(numbers, [model for model, _ in parts], requested, context)
    result = []
    for of_model, (model, rows) in zip(numbers, each_alone(parts, parts[0][1]), strict=True):
        valued = _valued(requested, of_model)
        if not valued:
            result.append(list(of_model))
            continue
        limits = bootstrap(
            rows,
            [m.name for m in valued],
            score=model.columns.score,
            predicted=predicted_positive(model.columns, model.threshold),
            weight=weight,
            group="group" if grouped else None,
            settings=costs,
            sweep=model.ranking,
            values={row["metric"]: row["value"] for row in of_model},
            options=bootstrap_settings(spec),
        )
        result.append(filled(of_model, limits, "groups" if grouped else None))
    return result


def _of_counts(
    numbers: Sequence[Sequence[MetricRow]],
    models: Sequence[BinaryModel],
    metrics: Sequence[Metric],
    context: EvaluationContext,
) -> list[list[MetricRow]]:
    """The same from counts and rankings: rows that count alike need not be seen again."""
    options, costs = bootstrap_settings(context.spec), context.error_costs
    counts = cast("DataFrame[Counts]", pl.concat([model.counts for model in models]))
    valued = [_valued(metrics, of_model) for of_model in numbers]
    of_any = {m.name for measures in valued for m in measures}
    decided = bootstrap_counts(
        counts, [m.name for m in metrics if m.name in of_any], settings=costs, options=options
    )
    result = []
    for of_model, model, measures, of_decisions in zip(
        numbers, models, valued, decided, strict=True
    ):
        records = filled(of_model, of_decisions)
        if model.ranking is not None:
            values = {row["metric"]: row["value"] for row in of_model}
            names = [m.name for m in measures]
            limits = bootstrap_sweep(
                model.ranking, names, values=values, settings=costs, options=options
            )
            records = filled(records, limits)
        result.append(records)
    return result


def of_matrix(
    numbers: Sequence[MetricRow],
    matrix: DataFrame[Matrix],
    spec: Spec,
    settings: MetricSettings,
    groups: pl.DataFrame | None = None,
    *,
    of_part: bool = False,
) -> list[MetricRow]:
    """Multiclass numbers, those of the class × class table resampled; whole ``groups`` if given.

    ``of_part``: of core measures and of those that the spec names alone, as parts are many.
    """
    requested = _valued(resampled_measures("multiclass", spec, "classes", "matrix"), numbers)
    if of_part and spec.resampled_measures != "all":
        requested = [m for m in requested if m.core or m.name in spec.resampled_measures]
    if not requested or not spec.bootstrap.replicates:
        return list(numbers)
    limits = bootstrap_matrix(
        matrix, requested, settings=settings, groups=groups, options=bootstrap_settings(spec)
    )
    return filled(numbers, limits, None if groups is None else "groups")


def of_rows(
    numbers: Sequence[MetricRow],
    frame: pl.DataFrame | None,
    task: str,
    source: str,
    spec: Spec,
    group: pl.Series | None = None,
    settings: MetricSettings | None = None,
    *,
    of_slice: bool = False,
) -> list[MetricRow]:
    """Numbers that are means or quantiles of rows, resampled; whole groups if given."""
    requested = _valued(resampled_measures(task, spec, source), numbers)
    if of_slice:
        requested = of_part(requested, spec.resampled_measures)
    if frame is None or frame.height < 2 or not requested or not spec.bootstrap.replicates:
        return list(numbers)
    parts = MeasuresInParts.of(requested, settings or {}, classes=True)
    limits = bootstrap_rows(
        frame if group is None else frame.with_columns(group=group),
        {**parts.of_aggregates, **parts.of_rows},
        aggregates=parts.aggregates,
        bounds={m.name: m.bounds for m in requested},
        group=None if group is None else "group",
        options=bootstrap_settings(spec),
    )
    return filled(numbers, limits, None if group is None else "groups")


def filled(
    numbers: Sequence[MetricRow], intervals: pl.DataFrame, allows: Allowance | None = None
) -> list[MetricRow]:
    """The numbers, with limits where they have a value and none of their own.

    A value that rounding alone puts beyond its limits is in them.
    """
    limits = {row["metric"]: row for row in intervals.to_dicts() if row["low"] is not None}

    def with_limits(row: MetricRow) -> MetricRow:
        new = limits.get(row["metric"])
        of_part = row["class"] is not None or row["average"] is not None
        if new is None or of_part or row["low"] is not None or row["value"] is None:
            return row
        return {
            **row,
            "low": min(new["low"], row["value"]),
            "high": max(new["high"], row["value"]),
            "interval": str(MethodName(new["interval"], allows)),
        }

    return [with_limits(row) for row in numbers]


def without_limits(row: MetricRow) -> MetricRow:
    """The number without an interval, where the rows do not allow one."""
    return {**row, "low": None, "high": None, "interval": None}


def is_resampled(metric: Metric, measures: str | Sequence[str]) -> bool:
    """Whether a report with these ``measures`` resamples one: it has no closed form.

    What reads counts or the class × class table always is, which is cheap;
    of the others the core ones and those that the spec asks for.
    """
    resampled = metric.on in TASKS[metric.task].resampled and metric.no_limits is None
    closed = metric.interval is not None and metric.interval.complete
    if closed or metric.group == "count" or not resampled:
        return False
    of_counts = metric.on in {"counts", "classes", "matrix"}
    return of_counts or metric.core or measures == "all" or metric.name in measures


def of_part(metrics: Iterable[Metric], measures: str | Sequence[str]) -> list[Metric]:
    """Those that are resampled in slices too, of which there may be many: what a spec names.

    And what the table of slices prints.
    """
    return [
        m
        for m in metrics
        if measures == "all" or m.name in measures or (m.name, None) in TASKS[m.task].slice_measures
    ]


def resampled_measures(task: str, spec: Spec, *sources: str) -> list[Metric]:
    """The measures on these frames that a report resamples."""
    candidates = chosen((m for m in evaluated(spec, task) if m.on in sources), spec.intervals)
    return [m for m in candidates if is_resampled(m, spec.resampled_measures)]


def _valued(metrics: Iterable[Metric], numbers: Sequence[MetricRow]) -> list[Metric]:
    """Those of the measures that have a value, and no limits yet."""
    names = {r["metric"] for r in numbers if r["value"] is not None and r["low"] is None}
    return [m for m in metrics if m.name in names]


def bootstrap_settings(spec: Spec) -> BootstrapSettings:
    """What a spec says of resampling, as the bootstraps take it."""
    declared = spec.bootstrap
    methods = list(dict.fromkeys((spec.intervals.bootstrap, "percentile")))
    return BootstrapSettings(
        declared.replicates, declared.seed, spec.confidence, methods, declared.stratified
    )
