"""A model of estimates on some rows: its measures, with limits in closed form or resampled."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from reportgen.clusters import Groups
from reportgen.integer_sort import in_order_of_rows
from reportgen.intervals import MeanOfRows
from reportgen.intervals.method_names import Allowance, MethodName
from reportgen.intervals.proportions import wilson_modified
from reportgen.measuring.bootstrap_intervals import of_rows
from reportgen.measuring.context import (
    EvaluationContext,
)
from reportgen.measuring.gains import GAINS, agreeing
from reportgen.measuring.independent_means import (
    LEAST_OF_ABSOLUTE_ERRORS,
    LEAST_ROWS,
    OF_SHARE,
    closed_form,
    has_closed_form,
    least_rows,
)
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.metric_set import BATCH, MetricSet, ValueWithLimits
from reportgen.measuring.row_means import (
    MeasuredRows,
    limited_rows,
    measured_in_groups,
    rows_in_groups,
)
from reportgen.measuring.series_limits import of_ratios
from reportgen.measuring.time_blocks import wider
from reportgen.measuring.without_groups import OF_RANKS
from reportgen.metrics import REGISTRY, Metric
from reportgen.metrics.regression_intervals import OF_INTERVALS
from reportgen.predictions import ModelColumns
from reportgen.spec import Spec
from reportgen.spec.measures import evaluated
from reportgen.tables.results import MetricRow

SHARES = frozenset(name for name, m in REGISTRY["regression"].items() if m.proportion)
"""The measures that are shares of rows."""

OF_QUANTILE = "quantile_coverage"
"""The metric of estimates that are quantiles."""


def unavailable(columns: ModelColumns) -> frozenset[str]:
    """The metrics that have no value, as the model gives no prediction interval, or no quantile."""
    names = frozenset(OF_INTERVALS if columns.low is None else ())
    return names if columns.quantile is not None else names | {OF_QUANTILE}


FEW_ROWS = 10_000
"""Up to so many rows means have limits in closed form: the bootstrap covers too little."""


@dataclass(frozen=True)
class RegressionModel:
    """One model on one set of rows."""

    columns: ModelColumns
    rows: pl.DataFrame
    weight: str | None = None
    slice: str | None = None
    in_blocks: bool = False
    """Whether its groups are blocks of time."""

    @property
    def name(self) -> str:
        """The model's name."""
        return self.columns.name

    @property
    def level(self) -> float | None:
        """Share of the truths that the prediction interval should hold, by the spec."""
        return self.columns.level

    @cached_property
    def groups(self) -> Groups | None:
        """The groups of the rows, where the rows of a group depend on each other."""
        return Groups.of(self.rows["group"]) if "group" in self.rows.columns else None

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """The frame that ``metrics.regression`` reads, row by row."""
        ends = {"low": self.columns.low, "high": self.columns.high}
        given = {name: column for name, column in ends.items() if column}
        weight = pl.col(self.weight).cast(pl.Float64) if self.weight else pl.lit(1.0)
        return self.rows.select(
            "truth", weight=weight, estimate=str(self.columns.estimate), **given
        )

    def number(self, spec: Spec) -> MetricSubject:
        """Whose the numbers of the model are."""
        grouped = self.groups is not None
        return MetricSubject(self.name, self.slice, grouped=grouped, confidence=spec.confidence)

    @property
    def in_time(self) -> pl.DataFrame | None:
        """The same rows with their time points, where they have any."""
        if "point" not in self.rows.columns:
            return None
        return self.rows.select("time", "point", "truth", estimate=str(self.columns.estimate))


def with_resampled_limits(
    context: EvaluationContext,
    model: RegressionModel,
    numbers: list[MetricRow],
    ordered: pl.DataFrame | None = None,
) -> list[MetricRow]:
    """The numbers, what has no closed form resampled; of a slice what the spec names."""
    limited = _with_bootstrap(context, model, numbers, ordered)
    point = model.rows["point"] if model.in_blocks else None
    return agreeing(model.number(context.spec), limited, model.pairs, model.groups, point)


def _with_bootstrap(
    context: EvaluationContext,
    model: RegressionModel,
    numbers: list[MetricRow],
    ordered: pl.DataFrame | None,
) -> list[MetricRow]:
    if context.repeats > 1 and model.groups is None:
        return numbers
    group = None if model.groups is None else model.rows["group"]
    without = _without_resampling(model, context.spec)
    limited = of_rows(
        [row for row in numbers if row["metric"] not in without],
        model.pairs if ordered is None else ordered,
        "regression",
        "pairs",
        context.spec,
        group,
        {"level": model.level or context.spec.confidence},
        of_slice=model.slice is not None,
    )
    resampled = iter(limited)
    return [row if row["metric"] in without else next(resampled) for row in numbers]


def _without_resampling(model: RegressionModel, spec: Spec) -> frozenset[str]:
    """What resampled rows would give limits that hold less than none.

    That has limits in closed form of more rows than there are, or of errors that outweigh others.
    """
    rows = model.pairs.height
    measures = evaluated(spec, "regression")
    by_truth = frozenset(m.name for m in measures if m.by_truth)
    if model.groups is not None or rows >= LEAST_ROWS:
        return by_truth
    resampled = spec.resampled_measures
    return by_truth | frozenset(
        m.name
        for m in measures
        if rows < least_rows(m) and (has_closed_form(m, resampled) or m.name in GAINS.values())
    )


def numbers_with_limits(
    context: EvaluationContext,
    models: Sequence[RegressionModel],
    ordered: pl.DataFrame | None = None,
    *,
    means: bool = True,
) -> list[list[MetricRow]]:
    """The measures with the limits that need no resampling.

    Without ``means`` those of means lack, whose tails may be heavy: not those of ranks.

    ``ordered`` are the pairs of ungrouped rows of one model in the order of their values, where
    they are known. The limits of means of several models or slices are found together.
    """
    numbers: list[list[MetricRow]] = []
    of_means: dict[int, MeasuredRows] = {}
    for place, (model, pairs, rows) in enumerate(_evaluated(models, context.spec, ordered)):
        numbers.append(rows)
        number = model.pairs.height
        if number < LEAST_OF_ABSOLUTE_ERRORS or pairs is None or context.repeats > 1:
            continue
        if metrics := _in_closed_form(model, context.spec, number, ranks_alone=not means):
            known = _within_bounds(numbers[place], metrics)
            of_means[place] = _of_means(model, context.spec, pairs, metrics, known)
    limited = limited_rows(list(of_means.values()))
    for place, rows in zip(of_means, limited, strict=True):
        by_name = {str(row["metric"]): row for row in rows}
        numbers[place] = [by_name.get(str(row["metric"]), row) for row in numbers[place]]
    if context.repeats > 1:
        return numbers
    pairs_of_rows = zip(models, numbers, strict=True)
    return [_with_other_limits(model, rows, context.spec) for model, rows in pairs_of_rows]


def _evaluated(
    models: Sequence[RegressionModel], spec: Spec, ordered: pl.DataFrame | None
) -> Iterator[tuple[RegressionModel, pl.DataFrame | None, list[MetricRow]]]:
    """Each model with its pairs in order, where they are not grouped, and its measures.

    Those of several models on few rows are planned once, of as many as are evaluated together.
    """
    batch: list[tuple[RegressionModel, pl.DataFrame | None]] = []
    height = 0
    for model in models:
        pairs = ordered
        if pairs is None and model.groups is None:
            pairs = in_order_of_rows(model.pairs)
        if height + model.pairs.height > BATCH:
            yield from _evaluated_together(batch, spec)
            batch, height = [], 0
        batch.append((model, pairs))
        height += model.pairs.height
    yield from _evaluated_together(batch, spec)


def _evaluated_together(
    batch: Sequence[tuple[RegressionModel, pl.DataFrame | None]], spec: Spec
) -> Iterator[tuple[RegressionModel, pl.DataFrame | None, list[MetricRow]]]:
    alike: dict[Hashable, list[int]] = {}
    for place, (model, pairs) in enumerate(batch):
        schema = None if pairs is None else tuple(pairs.schema.items())
        alike.setdefault((schema, unavailable(model.columns), model.level), []).append(place)
    values: dict[int, dict[str, ValueWithLimits]] = {}
    for places in alike.values():
        frames = [pairs for _, pairs in (batch[place] for place in places) if pairs is not None]
        if len(frames) > 1:
            first = batch[places[0]][0]
            metrics, level = _available(first, spec), first.level or spec.confidence
            limits = MetricSet(metrics, spec.confidence).of_frames(frames, level=level)
            values |= dict(zip(places, limits, strict=True))
    for place, (model, pairs) in enumerate(batch):
        yield model, pairs, evaluate_metrics(model, spec, pairs, values=values.get(place))


def _available(model: RegressionModel, spec: Spec) -> list[Metric]:
    without = unavailable(model.columns)
    return [m for m in evaluated(spec, "regression") if m.name not in without]


def _with_other_limits(
    model: RegressionModel, rows: list[MetricRow], spec: Spec
) -> list[MetricRow]:
    """Shares of independent rows with their limits; rows in order of time with those of series.

    The latter are at least those of independent rows.
    """
    if model.in_blocks:
        frame = model.pairs.with_columns(model.rows["point"])
        limited = of_ratios(model.number(spec), rows, frame, evaluated(spec, "regression"))
        if model.pairs.height < LEAST_OF_ABSOLUTE_ERRORS:
            return limited
        metrics = _in_closed_form(model, spec, model.pairs.height)
        alone = _of_means(model, spec, in_order_of_rows(model.pairs), metrics)
        return wider(limited, limited_rows([alone])[0])
    if model.groups is not None:
        return rows
    return [_of_share(row, model, spec) for row in rows]


def _in_closed_form(
    model: RegressionModel, spec: Spec, rows: int, *, ranks_alone: bool = False
) -> list[Metric]:
    """Means, and what is made of them, that have limits in closed form of so many rows."""
    without, resampled = SHARES | unavailable(model.columns), spec.resampled_measures
    metrics = [
        m
        for m in evaluated(spec, "regression")
        if m.name not in without
        and (m.name in OF_RANKS or not ranks_alone)
        and (has_closed_form(m, resampled) or m.name in GAINS.values())
        and rows >= least_rows(m)
    ]
    if metrics and model.pairs["estimate"].n_unique() == 1:
        return [m for m in metrics if m.bounds[1] != 1]  # its R² is at most 0, which no form knows
    return metrics


def _within_bounds(rows: Sequence[MetricRow], metrics: Iterable[Metric]) -> dict[str, float]:
    """The values of measures as they were computed: at a bound one may have been put there."""
    bounds = {m.name: m.bounds for m in metrics}
    return {
        row["metric"]: row["value"]
        for row in rows
        if row["metric"] in bounds
        and row["value"] is not None
        and bounds[row["metric"]][0] < row["value"] < bounds[row["metric"]][1]
    }


def _of_means(
    model: RegressionModel,
    spec: Spec,
    ordered: pl.DataFrame,
    metrics: Sequence[Metric],
    known: Mapping[str, float] | None = None,
) -> MeasuredRows:
    """Those measures, for the limits of rows that are each a group of its own.

    ``known`` are the values of some.
    """
    named_metrics = [
        replace(m, interval=MeanOfRows(m.bounds, m.root, closed_form(m))) for m in metrics
    ]
    alone = Groups(np.arange(ordered.height), ordered.height)
    number = replace(model.number(spec), grouped=False)
    level = model.level or spec.confidence
    return measured_in_groups(number, ordered, named_metrics, alone, known=known, level=level)


def _of_share(row: MetricRow, model: RegressionModel, spec: Spec) -> MetricRow:
    """Shares of the truths with limits; other measures as they are."""
    if row["value"] is None or row["metric"] not in SHARES:
        return row
    weight = model.pairs["weight"].to_numpy()
    trials = float(weight.sum() ** 2 / (weight**2).sum())
    low, high = wilson_modified(row["value"] * trials, trials, spec.confidence)
    allows: Allowance | None = None if model.weight is None else "effective size"
    return {**row, "low": low, "high": high, "interval": str(MethodName(OF_SHARE, allows))}


def evaluate_metrics(
    model: RegressionModel,
    spec: Spec,
    ordered: pl.DataFrame | None = None,
    only: Collection[str] | None = None,
    values: Mapping[str, ValueWithLimits] | None = None,
) -> list[MetricRow]:
    """Every metric of estimates; those of intervals and quantiles undefined where none are given.

    ``ordered`` are the pairs of ungrouped rows in the order of their values, where they are known,
    ``only`` the metrics to evaluate, where not all are, and ``values`` theirs, where known.
    """
    if ordered is None and model.groups is None:
        ordered = in_order_of_rows(model.pairs)
    number = model.number(spec)
    metrics = [m for m in evaluated(spec, "regression") if only is None or m.name in only]
    without = unavailable(model.columns)
    available = [m for m in metrics if m.name not in without]
    level = model.level or spec.confidence
    return [
        number.rows_counted(model.pairs["weight"]),
        *(
            _numbers(model, ordered, number, available, level)
            if values is None
            else number.from_values(available, values)
        ),
        *(number.row(m.name, None, undefined=m.undefined) for m in metrics if m.name in without),
    ]


def _numbers(
    model: RegressionModel,
    ordered: pl.DataFrame | None,
    number: MetricSubject,
    metrics: Sequence[Metric],
    level: float,
) -> list[MetricRow]:
    """The metrics of the pairs, with limits by group where rows come in groups.

    The order in which they are summed is given by their values, not by that of the rows.
    """
    if model.groups is None:
        return number.rows(ordered, metrics, level=level)
    in_groups = model.pairs.with_columns(group=model.groups.code).sort(pl.all()).rechunk()
    groups = Groups.of(in_groups["group"])
    return rows_in_groups(number, in_groups, metrics, groups, level=level)
