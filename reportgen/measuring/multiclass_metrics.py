"""The metrics of a model of several classes: of all, of each class, and averages of these."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.measuring import class_areas, class_averages, class_calibration
from reportgen.measuring.class_averages import averages, one_interval, with_interval_of
from reportgen.measuring.class_values import (
    ARE_AVERAGES,
    ClassValues,
    MeasuresOfClass,
    added,
    averages_alone,
    class_values,
    rows_of_classes,
)
from reportgen.measuring.independent_means import independent_rows
from reportgen.measuring.interval_methods import chosen
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.multiclass_model import MulticlassModel
from reportgen.measuring.row_means import rows_in_groups
from reportgen.metrics import REGISTRY, Metric
from reportgen.metrics.settings import CostMatrix
from reportgen.tables.results import MetricRow
from reportgen.text.reasons import NO_SCORES

PAIRS = "it needs a table of scores for each pair of classes, and each class is counted by itself"
"""Why counts have no areas of pairs of classes."""


def evaluate_metrics(
    models: Sequence[MulticlassModel], costs: CostMatrix | None
) -> list[list[MetricRow]]:
    """Every metric of several classes, of each class, and its averages, of each model."""
    evaluated = zip(models, _overall(models, costs, MEASURES), class_values(models), strict=True)
    return [_of_model(*of_model) for of_model in evaluated]


MEASURES = REGISTRY["multiclass"]


def named_metrics(
    models: Sequence[MulticlassModel], costs: CostMatrix | None, names: Collection[str]
) -> list[list[MetricRow]]:
    """The measures of all classes and the averages that are named; every one where more are."""
    if not set(names) - set(MEASURES) <= ARE_AVERAGES:
        return evaluate_metrics(models, costs)
    of_models = zip(_overall(models, costs, names), averages_alone(models, names), strict=True)
    return [[*overall, *means] for overall, means in of_models]


def _of_model(
    model: MulticlassModel, overall: Sequence[MetricRow], values: ClassValues
) -> list[MetricRow]:
    number = model.number
    by_class = rows_of_classes(model.counts, number, model.methods, values.of_counts)
    means = averages(
        model.counts,
        number,
        class_averages.of_matrix(number, model.matrix, model.groups),
        added(by_class, model.methods),
        model.tables,
        values.averages,
    )
    rows = [
        *_balanced(overall, means),
        *by_class,
        *means,
        *areas_of_classes(model, number, values.areas),
        *class_calibration.errors(values.calibration, model.classes, number, NO_SCORES),
    ]
    return one_interval(rows)


def _overall(
    models: Sequence[MulticlassModel], costs: CostMatrix | None, names: Collection[str]
) -> list[list[MetricRow]]:
    """The named metrics of all classes together, of each model."""
    rows: list[list[MetricRow]] = [[] for _ in models]
    frames_of: Mapping[str, tuple[Callable[[MulticlassModel], pl.DataFrame | None], str]] = {
        "classes": (lambda m: m.counts, ""),
        "matrix": (lambda m: m.matrix, ""),
        "rows": (lambda m: m.scored, NO_SCORES),
        "bins": (lambda m: m.bins, NO_SCORES),
        "least": (
            lambda m: m.least_cost_matrix(costs),
            "no costs are declared, or there are no scores",
        ),
    }
    for source, (frame_of, missing) in frames_of.items():
        of_source = [m for m in MEASURES.values() if m.on == source and m.name in names]
        if not of_source:
            continue
        metrics = chosen(of_source, models[0].methods)
        frames = [frame_of(m) for m in models]
        valued = [(m, frame) for m, frame in zip(models, frames, strict=True) if frame is not None]
        evaluate = _of_rows if source == "rows" else partial(_of_tables, costs, source)
        values = iter(evaluate(valued, metrics) if valued else ())
        for model, frame, numbers in zip(models, frames, rows, strict=True):
            undefined = frame is None
            numbers.extend(model.number.rows(None, metrics, missing) if undefined else next(values))
    return rows


ValuedModel = tuple[MulticlassModel, pl.DataFrame]
"""A model, and a table that its measures read."""


def _of_tables(
    costs: CostMatrix | None, source: str, valued: Sequence[ValuedModel], metrics: Sequence[Metric]
) -> list[list[MetricRow]]:
    """The measures of tables of each model."""
    limits = valued[0][0].number.limits_of(metrics)
    effects = [m.effects for m, _ in valued if m.by_group is not None]
    frames = [frame for _, frame in valued]
    if source in ALONE:
        of_each = zip_longest(frames, effects)
        values = [limits.of_frame(frame, effect, costs=costs) for frame, effect in of_each]
    else:
        values = list(limits.of_frames(frames, effects, costs=costs))
    of_models = zip(valued, values, strict=True)
    return [m.number.from_values(metrics, of_model) for (m, _), of_model in of_models]


ALONE = ("matrix", "least")
"""Tables whose sums over a class are rounded in another order where several are summed at once."""


def _of_rows(valued: Sequence[ValuedModel], metrics: Sequence[Metric]) -> list[list[MetricRow]]:
    """The measures of the scores of each row; rows that return have no limits."""
    first, frames = valued[0][0], (frame for _, frame in valued)
    if first.grouped:
        return [
            rows_in_groups(m.number, frame, metrics, m.by_group)
            for m, frame in valued
            if m.by_group is not None
        ]
    limits = first.number.limits_of(metrics)
    if first.repeats > 1:
        of_frames = zip(valued, limits.of_frames(frames), strict=True)
        return [m.number.from_values(metrics, values) for (m, _), values in of_frames]
    of_rows = zip(valued, limits.values_of_frames(frames), strict=True)
    return [
        independent_rows(m.number, frame, metrics, m.foreseen, values)
        for (m, frame), values in of_rows
    ]


def _balanced(rows: Sequence[MetricRow], means: Sequence[MetricRow]) -> list[MetricRow]:
    """The balanced accuracy with the limits of macro recall, which it is."""
    of = {row["metric"]: row for row in means if row["average"] == "macro"}
    return [
        with_interval_of(of["recall"], row) if row["metric"] == "balanced_accuracy" else row
        for row in rows
    ]


def areas_of_classes(
    model: MulticlassModel, number: MetricSubject, by_class: Iterable[MeasuresOfClass]
) -> list[MetricRow]:
    """AUC and average precision of each class, averaged, pooled, and of pairs of classes."""
    support = model.counts.select(pl.col("tp") + pl.col("fn")).to_series().to_numpy()
    records = class_areas.areas(
        model.classes,
        by_class,
        model.one_vs_rest.pooled if model.one_vs_rest else None,
        number,
        support=support,
        methods=model.methods,
        missing=NO_SCORES,
        spread=model.area_spread,
    )
    macro = next(r for r in records if (r["metric"], r["average"]) == ("auc", "macro"))
    return [*records, *_pairs(model, number, support, macro)]


def _pairs(
    model: MulticlassModel, number: MetricSubject, support: Floats, macro: MetricRow
) -> list[MetricRow]:
    """The AUC averaged over all pairs of classes (Hand & Till), and weighted by their rows.

    The plain mean has no value where a class has no rows, as other macro averages.
    """
    if not model.columns.scores:
        kinds = ("macro of pairs", "weighted of pairs")
        return [number.average(kind).row("auc", None, undefined=NO_SCORES) for kind in kinds]
    pair_areas = model.pair_areas
    if pair_areas is None:
        kinds = ("macro of pairs", "weighted of pairs")
        return [number.average(kind).row("auc", None, undefined=PAIRS) for kind in kinds]
    areas = pair_areas.area
    shares = support[pair_areas.first] + support[pair_areas.second]
    # Not above 1 by rounding.
    lacks_rows = len(areas) > 0 and not support.all()
    plain = min(float(np.mean(areas)), 1.0) if len(areas) and not lacks_rows else None
    by_rows = min(float(np.average(areas, weights=shares)), 1.0) if len(areas) else None
    reason = "a class has no value" if lacks_rows else "only one class is present"
    rows = []
    for place, (kind, value) in enumerate(
        [("macro of pairs", plain), ("weighted of pairs", by_rows)]
    ):
        limits = class_areas.of_pairs(value, macro, model.area_spread, place)
        of_kind = number.average(kind)
        rows.append(
            of_kind.row("auc", value, *limits, interval=class_areas.METHOD, undefined=reason)
        )
    return rows
