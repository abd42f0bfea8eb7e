"""One model on one set of rows: its counts, sweep, hull and bins, each made once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TypeVar, cast

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Indices
from reportgen.clusters import Effect
from reportgen.counting import counts
from reportgen.curves import isotonic, masses, recalibration
from reportgen.curves.ranking import hull_rows
from reportgen.intervals import MeanLoss
from reportgen.intervals.areas import PrecisionArea
from reportgen.intervals.average_precision import InfluenceLogit
from reportgen.intervals.calibration import ROWS_PER_WEIGHT
from reportgen.intervals.means import grown
from reportgen.intervals.optima import CrossFitted
from reportgen.intervals.shapes import kish_size
from reportgen.measuring.cell_effects import CellTable, effects_of_cells
from reportgen.measuring.grouped import CountedGroups, GroupedRows
from reportgen.measuring.interval_methods import chosen, chosen_of_part
from reportgen.measuring.kernels import KERNELS, ScoreSums, loss_variances
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.metric_set import (
    SPREAD,
    MetricSet,
    MetricValues,
    ValueWithLimits,
    values_of_each,
)
from reportgen.measuring.optima import optimum_limits
from reportgen.measuring.thresholds import Threshold
from reportgen.metric_names import CELLS
from reportgen.metrics import GROUPS, METRICS, Metric
from reportgen.metrics.facts import MetricSource
from reportgen.metrics.row_losses import LOSSES
from reportgen.metrics.settings import MetricSettings
from reportgen.predictions import ModelColumns
from reportgen.small_queries import selected
from reportgen.spec import Spec
from reportgen.sweeping import Ranking, Swept, as_ranking, bins, ranking_of, with_squares
from reportgen.tables import Bins, Counts, Sweep
from reportgen.tables.results import MetricRow
from reportgen.text.reasons import NO_SCORES

FRAMES: dict[str, Callable[[Swept], pl.DataFrame]] = {
    "sweep": lambda steps: with_squares(as_ranking(steps).table()),
    "masses": masses,
    "isotonic": isotonic,
    "recalibration": recalibration,
}
"""What makes a frame of metrics from a sweep."""

Frame = TypeVar("Frame", bound=pl.DataFrame)


@dataclass(frozen=True)
class BinaryModel:
    """One model's tables on one set of rows; the score tables are null without scores."""

    columns: ModelColumns
    slice: str | None
    threshold: Threshold | None
    counts: DataFrame[Counts]
    ranking: Ranking | None
    bins: DataFrame[Bins] | None
    repeats: float = 1
    grouped: GroupedRows | CountedGroups | None = None
    by_group: CellTable | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self.columns.name

    @cached_property
    def vertices(self) -> Indices | None:
        """The rows of the sweep that are vertices of its hull."""
        return None if self.ranking is None else hull_rows(self.ranking)

    @cached_property
    def hull(self) -> DataFrame[Sweep] | None:
        """The rows of the sweep that are vertices of its hull, as a table."""
        return None if self.ranking is None else self.ranking.table(self.vertices)

    @property
    def probability(self) -> bool:
        """Whether every score lies in the unit interval."""
        return self.ranking is not None and self.ranking.probabilities

    @property
    def weighted(self) -> bool:
        """Whether the rows have weights other than one."""
        return any(self.counts[c].item() != self.counts[f"{c}2"].item() for c in CELLS)

    @property
    def rows_per_weight(self) -> pl.Expr:
        """Kish's effective rows for a weight of 1, as a column."""
        whole, squares = (
            sum(self.counts[f"{cell}{end}"].item() for cell in CELLS) for end in ("", "2")
        )
        return pl.lit(whole / squares if squares else 1.0).alias(ROWS_PER_WEIGHT)

    @property
    def class_sizes(self) -> tuple[float, float]:
        """Kish's effective numbers of positives and of negatives."""
        columns = (("tp", "fn"), ("fp", "tn"))
        positives, negatives = self.counts.select(*map(kish_size, columns)).row(0)
        return positives or 0.0, negatives or 0.0

    @property
    def both_classes(self) -> bool:
        """Whether there are positives and negatives among the rows."""
        tp, fp, fn, tn = (self.counts[cell].item() for cell in CELLS)
        return bool(tp + fn > 0 and fp + tn > 0)


def predicted_positive(columns: ModelColumns, threshold: Threshold | None) -> pl.Expr:
    """The model's decision: its own label where it gives one, else score ≥ threshold."""
    if columns.label is not None:
        return pl.col(columns.label)
    if columns.score is None or threshold is None:
        raise ValueError(f"model {columns.name!r} has neither a label nor a threshold")
    return pl.col(columns.score) >= threshold.value


def evaluate_model(
    rows: pl.DataFrame,
    columns: ModelColumns,
    threshold: Threshold | None,
    *,
    weight: str | None = None,
    slice: str | None = None,
    steps: Swept | None = None,
    repeats: float = 1,
    grouped: GroupedRows | None = None,
) -> BinaryModel:
    """Count and sort once; ``steps`` is the sweep where it is known.

    Rows that are evaluated once per repeat say the same several times: for their
    intervals they count as 1/``repeats`` of a row each; where rows come in
    groups, which hold all repeats of a row, each of them counts.
    """
    by_group = None
    if "group" in rows.columns:
        repeats, grouped = 1, grouped or GroupedRows.of(rows, columns.score, weight)
        if threshold is not None and _by_score(columns, rows.schema):
            by_group = grouped.at(_least_score(columns, threshold, rows.schema))
        else:
            decided = rows.select(predicted_positive(columns, threshold)).to_series().to_numpy()
            by_group = grouped.table(grouped.in_order(decided))
    order = None
    if columns.score is not None:
        order = (
            ranking(rows, columns.score, weight, grouped) if steps is None else as_ranking(steps)
        )
    cell_counts = _of_ranking(order, columns, threshold, rows.schema) if weight is None else None
    if cell_counts is None:
        cell_counts = counts(
            rows, predicted={columns.name: predicted_positive(columns, threshold)}, weight=weight
        )
    return BinaryModel(
        columns,
        slice,
        threshold,
        thinned_by(cell_counts, repeats),
        order,
        None if order is None else bins(order),
        repeats,
        grouped,
        by_group,
    )


def ranking(
    rows: pl.DataFrame, score: str, weight: str | None, grouped: GroupedRows | None
) -> Ranking:
    """The ranking of the rows, from their order in groups where that is known."""
    ranked = None if grouped is None else grouped.ranked
    return ranking_of(rows, score=score, weight=weight) if ranked is None else ranked


def _of_ranking(
    order: Ranking | None, columns: ModelColumns, threshold: Threshold | None, schema: pl.Schema
) -> DataFrame[Counts] | None:
    """The counts of decisions that follow from a ranking without weights; null of others."""
    if order is None or order.weighted or threshold is None or not _by_score(columns, schema):
        return None
    reached = order.count_at_or_above(_least_score(columns, threshold, schema))
    tp, fp = (c.item() for c in order.counts(reached, "tp", "fp"))
    cells = {"tp": tp, "fp": fp, "fn": order.positives - tp, "tn": order.negatives - fp}
    squares = {f"{name}2": count for name, count in cells.items()}
    return Counts.validate(pl.DataFrame([{"model": columns.name} | cells | squares]))


def _by_score(columns: ModelColumns, schema: pl.Schema) -> bool:
    """Whether decisions follow from comparing ranked scores with a threshold."""
    if columns.label is not None or columns.score is None:
        return False
    return schema[columns.score] in (pl.Float64, pl.Float32)


def _least_score(columns: ModelColumns, threshold: Threshold, schema: pl.Schema) -> float:
    """The threshold, which is rounded as scores of 32 bits are: they are compared themselves."""
    narrow = columns.score is not None and schema[columns.score] == pl.Float32
    return float(np.float32(threshold.value)) if narrow else threshold.value


def thinned_by(frame: Frame, repeats: float) -> Frame:
    """The counts with the sums of squared weights of rows that count 1/``repeats`` each."""
    if repeats == 1:
        return frame
    squares = pl.col("^(tp|fp|fn|tn|right|wrong|count)2$")
    return cast("Frame", frame.with_columns(squares * repeats))


def evaluate_metrics(
    models: Sequence[BinaryModel],
    spec: Spec,
    settings: MetricSettings,
    only: Collection[str] = METRICS.keys(),
) -> list[list[MetricRow]]:
    """One row of ``Metrics`` per metric in ``only`` and model; undefined ones with their reason.

    The counts of all models are evaluated together, the score tables of each by itself.
    """
    if not models:
        return []
    methods, confidence = spec.intervals, spec.confidence
    of_counts = chosen([m for m in _on(only) if m.on == "counts"], methods)
    of_rows = chosen if models[0].slice is None else chosen_of_part
    of_scores = MetricSet(of_rows([m for m in _on(only) if m.on != "counts"], methods), confidence)
    counted = pl.concat([model.counts for model in models])
    of_cells, by_group = _cell_effects(models, of_counts, settings), models[0].grouped is not None
    decided = MetricSet(of_counts, confidence).of_counts(counted, of_cells, **settings)
    scored = _scored(models, of_scores, settings)
    effects = [
        _of_optima(m, of_scores, values) | _score_effects(m, values)
        for m, values in zip(models, scored, strict=True)
    ]
    names = {name: [values.get(name) for values in scored] for name in chain.from_iterable(scored)}
    limits = of_scores.limited(names, len(models), effects if by_group else ())
    return [
        sorted(
            _decision_rows(model).from_values(of_counts, of_decision)
            + _score_rows(model, of_scores.metrics, of_score),
            key=_place,
        )
        for model, of_decision, of_score in zip(models, decided, limits, strict=True)
    ]


def _cell_effects(
    models: Sequence[BinaryModel], metrics: Sequence[Metric], settings: MetricSettings
) -> list[dict[str, Effect]]:
    """The effects of groups on the measures of counts; nothing where rows are independent."""
    tables = [model.by_group for model in models if model.by_group is not None]
    return effects_of_cells(tables, metrics, settings)


def _score_effects(model: BinaryModel, values: MetricValues) -> dict[str, Effect]:
    """The effects of groups on the measures of scores; mean losses get a variance in ``values``."""
    if model.grouped is None:
        return {}
    for name in LOSSES:
        of_loss = model.grouped.losses.get(name)
        values[SPREAD.format(name)] = None if of_loss is None else of_loss.spread
    effects = model.grouped.effects(values)
    if isinstance(model.grouped, GroupedRows):
        model.grouped.forget()
    return effects


def _scored(
    models: Sequence[BinaryModel], metrics: MetricSet, settings: MetricSettings
) -> list[MetricValues]:
    """The measures of the score tables and their spreads; those without a table are not in it."""
    by_model = [_by_kernels(model, metrics) for model in models]
    for source in dict.fromkeys(m.on for m in metrics.metrics):
        evaluated = replace(
            metrics,
            metrics=[m for m in metrics.metrics if m.on == source and m.name not in KERNELS],
        )
        frames = {k: _frame(model, source) for k, model in enumerate(models) if evaluated.metrics}
        some = {k: frame for k, frame in frames.items() if frame is not None}
        values = values_of_each(list(some.values()), evaluated.expressions(**settings))
        for k, value in zip(some, values, strict=True):
            by_model[k] |= value
    return by_model


def _of_optima(model: BinaryModel, metrics: MetricSet, values: MetricValues) -> dict[str, Effect]:
    """Set the limits of what is best over thresholds in ``values``; the effects of groups on it."""
    optima = [m.name for m in metrics.metrics if isinstance(m.interval, CrossFitted)]
    if model.ranking is None or not optima:
        return {}
    if isinstance(model.grouped, CountedGroups):
        values.update(dict.fromkeys(map(SPREAD.format, optima)))
        return {}
    limits, effects = optimum_limits(
        model.ranking, metrics.of(optima), model.repeats, model.grouped
    )
    for name in optima:
        ends = limits.get(name)
        values[SPREAD.format(name)] = ends and dict(zip(("low", "high"), ends, strict=True))
    return effects


def _by_kernels(model: BinaryModel, metrics: MetricSet) -> MetricValues:
    """The metrics that have a kernel, and the spreads of their intervals."""
    if model.ranking is None or model.vertices is None:
        return {}
    sums = ScoreSums(model.ranking, model.vertices, model.repeats)
    with_kernel = [m for m in metrics.metrics if m.name in KERNELS]
    values: MetricValues = {m.name: KERNELS[m.name].value(sums) for m in with_kernel}
    others = {}
    for metric in with_kernel:
        name, interval = SPREAD.format(metric.name), metric.interval
        if isinstance(interval, CrossFitted):
            continue
        if isinstance(interval, MeanLoss):
            values[name] = None  # set below, or by the sums of groups
            continue
        if isinstance(interval, PrecisionArea):
            values[name] = sums.precision_rows
        elif isinstance(interval, InfluenceLogit):
            values[name] = interval.at(sums.precision_spread, len(model.ranking))
        elif interval is not None and interval is METRICS[metric.name].interval:
            values[name] = sums.area_sizes._asdict() | {"df": None}
        elif interval is not None:  # another reads the whole sweep
            value = pl.lit(values[metric.name], pl.Float64)
            others[name] = interval.estimate(value, metrics.confidence).spread.first()
    variances = {} if model.grouped else loss_variances(model.ranking, values, model.repeats)
    for name, variance in variances.items():
        values[SPREAD.format(name)] = grown(
            variance.spread, variance.effect.inflation(metrics.confidence)
        )
    frame = _frame(model, "sweep") if others else None
    return values if frame is None else values | selected(frame, others).row(0, named=True)


def _score_rows(
    model: BinaryModel, metrics: Sequence[Metric], values: Mapping[str, ValueWithLimits]
) -> list[MetricRow]:
    by_group = model.grouped is not None
    number = MetricSubject(model.name, model.slice, weighted=model.weighted, grouped=by_group)
    if model.ranking is None:
        return [number.row(m.name, None, undefined=NO_SCORES) for m in metrics]
    return number.from_values(metrics, values)


def _decision_rows(model: BinaryModel) -> MetricSubject:
    """Whose the numbers of counts are: with the threshold, unless the model gives labels."""
    fixed = model.threshold is not None and model.columns.label is None
    at = model.threshold.value if model.threshold and fixed else None
    return MetricSubject(
        model.name,
        model.slice,
        threshold=at,
        weighted=model.weighted,
        grouped=model.grouped is not None,
    )


def _on(only: Collection[str]) -> list[Metric]:
    registered = [m for m in METRICS.values() if m.name in only]
    return [*registered, *(METRICS[name] for name in only if name not in set(METRICS))]


def _place(row: MetricRow) -> tuple[int, bool]:
    """Groups in their order, the core measures of each before its others."""
    metric = METRICS[str(row["metric"])]
    return GROUPS.index(metric.group), not metric.core


def _frame(model: BinaryModel, source: MetricSource) -> pl.DataFrame | None:
    """The frame that metrics on ``source`` read; what few need is made when it is asked for."""
    if model.ranking is None:
        return None
    if source == "hull":
        return model.hull
    if source == "bins":
        return None if model.bins is None else model.bins.with_columns(model.rows_per_weight)
    if source == "recalibration":
        return recalibration(model.ranking, model.repeats)
    frame = FRAMES[source](model.ranking)
    return thinned_by(frame, model.repeats) if source in ("sweep", "masses") else frame
