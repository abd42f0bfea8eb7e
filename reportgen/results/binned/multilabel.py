"""Several labels, from counts: what the results hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.clusters import Effect
from reportgen.comparing.compare import compared_decisions
from reportgen.engines.class_counting import CORRECT, aggregates
from reportgen.engines.label_counting import CELL, OF_SETS, SUBSET
from reportgen.engines.partial import ALL
from reportgen.measuring import class_areas, class_averages, class_calibration
from reportgen.measuring.average_limits import Variance
from reportgen.measuring.cell_effects import CellTable
from reportgen.measuring.class_values import added, class_values, rows_of_classes
from reportgen.measuring.context import Losses, TaskResults, TestSettings
from reportgen.measuring.interval_methods import chosen
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.metric_set import SPREAD
from reportgen.measuring.multilabel_model import LabelCurves, MultilabelModel
from reportgen.measuring.row_shares import share_effect
from reportgen.measuring.thresholds import Threshold
from reportgen.metric_names import CELLS
from reportgen.metrics import Metric
from reportgen.metrics.aggregates import of_parts
from reportgen.records.rows import ClassSize
from reportgen.results.binned.counted_classes import POOLED, CountedClasses, CountsByClass
from reportgen.results.binned.number_sums import as_float
from reportgen.results.binned.part_counts import numbers_of_slices
from reportgen.results.multilabel import areas_of_labels, curves, model_record, without_scores
from reportgen.small_queries import selected
from reportgen.spec import Choice
from reportgen.sweeping import as_ranking, bins
from reportgen.tables import Sweep
from reportgen.tables.results import MetricRow
from reportgen.text.reasons import NO_SCORES


class LabelCounts(CountsByClass):
    """Merged counts of several labels: the matrix as flags, by ``kind``.

    That is a label's place, or ``SUBSET``.
    """

    def cells_by_kind(self, model: int, scope: int, part: str) -> pl.DataFrame:
        """The counts of every kind: ``kind tp fp fn tn`` and the same of squared weights."""
        truth, given = pl.col("truth"), pl.col("predicted")
        cells = {"tp": truth & given, "fp": ~truth & given, "fn": truth & ~given}
        cells["tn"] = ~truth & ~given
        chosen = self.matrix.filter(model=model, scope=scope, part=part)
        return chosen.group_by("kind", maintain_order=True).agg(
            pl.col(f"count{power}").filter(cell).sum().alias(name + power)
            for power in ("", "2")
            for name, cell in cells.items()
        )


@dataclass(frozen=True)
class CountedLabels(CountedClasses[LabelCounts], MultilabelModel):
    """One model on one part of the rows, from counts."""

    @cached_property
    def by_kind(self) -> pl.DataFrame:
        """The counts of every label, and of whole sets."""
        return self.counted.cells_by_kind(*self.at)

    @cached_property
    def counts(self) -> pl.DataFrame:
        """The counts of each label, one row per label."""
        order = pl.DataFrame({"kind": [str(k) for k in range(len(self.classes))]})
        table = order.join(self.by_kind, on="kind", how="left", maintain_order="left")
        names = pl.Series("class", self.classes)
        return table.drop("kind").fill_null(0.0).with_columns(names)

    @cached_property
    def group_sizes(self) -> Floats:
        """The rows of each group."""
        return np.empty(0) if self.by_group is None else self.by_group.sizes.astype(np.float64)

    @cached_property
    def cells_by_group(self) -> Floats:
        """The rows of each group in the cells of each label: label × cell × group."""
        groups, place = self.counted.sums_by_group, (self.scope, self.part)
        if groups is None:
            return np.empty((0, 4, 0))
        by_label = []
        for k in range(len(self.classes)):
            sums = [groups.totals(self.place, CELL.format(c, k), place) for c in CELLS[:3]]
            cells = [np.zeros(len(self.group_sizes)) if of is None else of for of in sums]
            by_label.append([*cells, self.group_sizes - sum(cells)])
        return np.array(by_label)

    @cached_property
    def tables(self) -> list[CellTable]:
        """The cells of each label by group; nothing of independent rows."""
        if self.by_group is None:
            return []
        alone = np.ones(len(self.group_sizes))
        return [
            CellTable(cells, alone, cells.sum(axis=1), cells.sum(axis=1))
            for cells in self.cells_by_group
        ]

    @property
    def variance(self) -> Variance:
        """That of rows in groups; NaN of others, which needs sums for every pair of labels."""
        if self.by_group is not None:
            return class_averages.of_label_sums(self.number, self.cells_by_group, self.group_sizes)

        return lambda gradient: np.full(len(gradient), np.nan)

    def curves(self) -> list[LabelCurves]:
        """The curves of each label; nothing without scores."""
        cells = [self.cells[k] for k in range(len(self.columns.scores))]
        return [LabelCurves.of(as_ranking(c.at), c.at, self.name, bins(c.middle)) for c in cells]

    def sweeps(self) -> Iterator[DataFrame[Sweep]]:
        """The sweep of each label; nothing without scores."""
        yield from (self.cells[k].at for k in range(len(self.columns.scores)))

    def pooled_areas(self) -> dict[str, float | None] | None:
        """The areas of the scores of all labels together; nothing without scores."""
        return class_areas.of_sweep(self.cells[POOLED].at) if self.cells else None


def label_results(
    counted: LabelCounts, settings: TestSettings, tested: pl.DataFrame
) -> TaskResults:
    """Everything that several labels have, as from rows in memory; ``tested`` are for tests."""
    models = [_model(counted, k) for k in range(len(counted.models))]
    numbers = [row for model in models for row in _with_limits(model)]
    in_slices, unsliced = numbers_of_slices(
        counted, lambda *of_slice: _with_limits(_model(counted, *of_slice))
    )
    rows = counted.matrix.filter(model=0, scope=ALL).filter("truth")
    sizes = dict(rows.group_by("kind").agg(pl.col("rows").sum()).iter_rows())
    truth: list[ClassSize] = [
        {"class": name, "rows": sizes.get(str(k), 0)} for k, name in enumerate(counted.classes)
    ]
    return TaskResults(
        metrics=[*numbers, *in_slices],
        curves=curves(models),
        comparisons=compared_decisions(
            tested,
            {m.name: pl.col(CORRECT.format(m.place)) for m in models},
            settings,
            "subset_accuracy",
            count="rows",
        ),
        models=[model_record(model) for model in models],
        truth={"classes": truth},
        skipped=[*without_scores(models), *unsliced],
        losses=Losses("subset_accuracy", "zero_one_loss", "zero_one", of={}),
    )


def _model(
    counted: LabelCounts, place: int, scope: int = ALL, part: str = "[]", label: str | None = None
) -> CountedLabels:
    columns, rule = counted.models[place], counted.spec.threshold
    at: tuple[Threshold, ...] = ()
    if columns.scores and not columns.labels and not isinstance(rule, Choice):
        at = (Threshold.in_spec(counted.spec),) * len(columns.scores)
    lines = counted.lines_of(scope, part)
    return CountedLabels(
        columns,
        pl.DataFrame() if lines is None else lines.frame,
        counted.classes,
        "weight" if counted.weighted else None,
        label,
        methods=counted.spec.intervals,
        grouped=lines is not None,
        confidence=counted.spec.confidence,
        thresholds=at,
        counted=counted,
        place=place,
        scope=scope,
        part=part,
    )


def _numbers(model: CountedLabels) -> list[MetricRow]:
    """Every number of a model on a part of the rows, with bounds where cells are mixed."""
    counted = model.counted
    number = model.number
    (values,) = class_values([model])
    by_label = rows_of_classes(model.counts, number, model.methods, values.of_counts)
    added_up = added(by_label, model.methods) if model.grouped else ()
    rows = [
        number.row("n", as_float(counted.mass(model.scope, model.part))),
        *_of_sets(model, number),
        *by_label,
        *class_averages.averages(
            model.counts, number, model.variance, added_up, model.tables, values.averages
        ),
        *areas_of_labels(model, number, values.areas),
        *class_calibration.errors(values.calibration, model.classes, number, NO_SCORES),
    ]
    return model.bounded(rows, model.counts, OF_SETS, {})


def _of_sets(model: CountedLabels, number: MetricSubject) -> list[MetricRow]:
    of_all = chosen(OF_SETS, model.methods)
    measures = [m for m in of_all if model.columns.scores or m.group != "ranking"]
    columns = {
        a.name: pl.lit(model.counted.value(a, *model.at)) for a in aggregates(measures).values()
    }
    subset = model.by_kind.filter(kind=SUBSET).select(
        correct_rows="tp", error_rows="fn", correct_rows2="tp2", error_rows2="fn2"
    )
    frame = subset.with_columns(**columns)
    expressions: dict[str, pl.Expr] = {}
    with of_parts({}):
        for metric in measures:
            expressions[metric.name] = value = metric.expression_of_groups()
            if metric.interval is not None:
                spread = metric.interval.estimate(value, model.confidence).spread
                expressions[SPREAD.format(metric.name)] = spread.first()
    values = selected(frame, expressions).to_dict(as_series=False)
    missing = [m for m in OF_SETS if m.group == "ranking" and not model.columns.scores]
    return [
        *number.from_values(
            measures, number.limits_of(measures).limited(values, 1, _effects(model))[0]
        ),
        *number.rows(None, missing, NO_SCORES),
    ]


def _effects(model: CountedLabels) -> list[dict[str, Effect]]:
    """The effect of the groups on the share of rows with all labels right."""
    if model.by_group is None:
        return []
    exact = model.rows[CORRECT.format(model.place)].to_numpy()
    return [{"subset_accuracy": share_effect(exact, model.by_group)}]


def _with_limits(model: CountedLabels) -> list[MetricRow]:
    """The core measures that are means over every row have limits from sums of squares."""
    core = {m: m.name for m in OF_SETS if m.mean and m.core and m.interval is None}
    return model.limited(
        _numbers(model), {m: name for m, name in core.items() if _of_every_row(model, m)}
    )


def _of_every_row(model: CountedLabels, measure: Metric) -> bool:
    if measure.group == "ranking" and not model.columns.scores:
        return False
    *_, defined = aggregates([measure]).values()
    place = (model.scope, model.part)
    return model.counted.total(defined.name, *model.at) == model.counted.mass(*place)
