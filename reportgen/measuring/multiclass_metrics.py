"""The metrics of a model of several classes: of all, of each class, and averages of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.measuring import class_areas, class_averages, class_calibration
from reportgen.measuring.cell_effects import CellTable, effects_of_cells
from reportgen.measuring.class_averages import CELLS, averages, one_interval, with_interval_of
from reportgen.measuring.independent_means import independent_rows
from reportgen.measuring.interval_methods import DEFAULT, chosen
from reportgen.measuring.metric_rows import MetricRows
from reportgen.measuring.multiclass_model import MulticlassModel
from reportgen.measuring.row_means import rows_in_groups
from reportgen.metrics import METRICS, REGISTRY, Metric
from reportgen.metrics.class_means import AVERAGED
from reportgen.metrics.settings import CostMatrix
from reportgen.spec.option_groups import Intervals
from reportgen.tables.results import MetricRow

NO_SCORES = "the model gives labels, not scores"

PAIRS = "it needs a table of scores for each pair of classes, and each class is counted by itself"
"""Why counts have no areas of pairs of classes."""


def evaluate_metrics(model: MulticlassModel, costs: CostMatrix | None) -> list[MetricRow]:
    """Every metric of several classes, of each class, and its averages."""
    number = model.number
    by_class = of_classes(model.counts, number, model.methods, model.tables)
    means = averages(
        model.counts,
        number,
        class_averages.of_matrix(model.matrix, model.groups, model.confidence),
        added(by_class, model.methods),
        model.tables,
    )
    rows = [
        *_balanced(_overall(model, number, costs), means),
        *by_class,
        *means,
        *areas_of_classes(model, number),
        *class_calibration.errors(
            model.one_vs_rest.bins if model.one_vs_rest else [],
            model.classes,
            number,
            NO_SCORES,
        ),
    ]
    return one_interval(rows)


def _overall(
    model: MulticlassModel, number: MetricRows, costs: CostMatrix | None
) -> list[MetricRow]:
    frames: Mapping[str, tuple[pl.DataFrame | None, str]] = {
        "classes": (model.counts, ""),
        "matrix": (model.matrix, ""),
        "rows": (model.scored, NO_SCORES),
        "bins": (model.bins, NO_SCORES),
        "least": (model.least_cost_matrix(costs), "no costs are declared, or there are no scores"),
    }
    rows = []
    for source, (frame, missing) in frames.items():
        of_source = (m for m in REGISTRY["multiclass"].values() if m.on == source)
        metrics = chosen(of_source, model.methods)
        if frame is None or (model.by_group is None and source != "rows"):
            rows += number.rows(frame, metrics, missing, costs=costs)
        elif source == "rows":
            rows += _of_rows(model, number, frame, metrics)
        else:
            values = number.limits_of(metrics).of_frame(frame, model.effects, costs=costs)
            rows += number.from_values(metrics, values)
    return rows


def _of_rows(
    model: MulticlassModel,
    number: MetricRows,
    frame: pl.DataFrame,
    metrics: Sequence[Metric],
) -> list[MetricRow]:
    """The measures of the scores of each row; rows that return have no limits."""
    if model.by_group is not None:
        return rows_in_groups(number, frame, metrics, model.by_group)
    if model.repeats > 1:
        return number.rows(frame, metrics)
    return independent_rows(number, frame, metrics, model.foreseen)


def of_classes(
    counts: pl.DataFrame,
    number: MetricRows,
    methods: Intervals = DEFAULT,
    tables: Sequence[CellTable] = (),
) -> list[MetricRow]:
    """The measures of each class against the rest, from one row of counts per class.

    ``tables`` are the cells of each class by group, where rows come in groups.
    """
    metrics = chosen((METRICS[name] for name in (*CELLS, *AVERAGED)), methods)
    effects = effects_of_cells(tables, metrics, {})
    by_class = number.limits_of(metrics).of_counts(counts, effects)
    records = [
        number.of_class(label).from_values(metrics, values)
        for label, values in zip(counts["class"], by_class, strict=True)
    ]
    return [row for of_metric in zip(*records, strict=True) for row in of_metric]


def added(by_class: Sequence[MetricRow], methods: Intervals) -> Sequence[MetricRow]:
    """The measures of classes whose limits those of averages are made of; none by choice."""
    return by_class if methods.ratios == DEFAULT.ratios else ()


def _balanced(rows: Sequence[MetricRow], means: Sequence[MetricRow]) -> list[MetricRow]:
    """The balanced accuracy with the limits of macro recall, which it is."""
    of = {row["metric"]: row for row in means if row["average"] == "macro"}
    return [
        with_interval_of(of["recall"], row) if row["metric"] == "balanced_accuracy" else row
        for row in rows
    ]


def areas_of_classes(model: MulticlassModel, number: MetricRows) -> list[MetricRow]:
    """AUC and average precision of each class, averaged, pooled, and of pairs of classes."""
    support = model.counts.select(pl.col("tp") + pl.col("fn")).to_series().to_numpy()
    records = class_areas.areas(
        model.classes,
        model.sweeps,
        model.one_vs_rest.pooled if model.one_vs_rest else None,
        number,
        support=support,
        methods=model.methods,
        missing=NO_SCORES,
        repeats=model.repeats,
        effects=model.area_effects,
        spread=model.area_spread,
    )
    macro = next(r for r in records if (r["metric"], r["average"]) == ("auc", "macro"))
    return [*records, *_pairs(model, number, support, macro)]


def _pairs(
    model: MulticlassModel, number: MetricRows, support: Floats, macro: MetricRow
) -> list[MetricRow]:
    """The AUC averaged over all pairs of classes (Hand & Till), and weighted by their rows."""
    if not model.columns.scores:
        kinds = ("macro of pairs", "weighted of pairs")
        return [number.average(kind).row("auc", None, undefined=NO_SCORES) for kind in kinds]
    pair_areas = model.pair_areas
    if pair_areas is None:
        kinds = ("macro of pairs", "weighted of pairs")
        return [number.average(kind).row("auc", None, undefined=PAIRS) for kind in kinds]
    areas = list(pair_areas.values())
    shares = [support[i] + support[j] for i, j in pair_areas]
    # Not above 1 by rounding.
    plain = min(float(np.mean(areas)), 1.0) if areas else None
    by_rows = min(float(np.average(areas, weights=shares)), 1.0) if areas else None
    reason = "only one class is present"
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
