"""Several classes, from counts: what the results hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparing.compare import compared_decisions
from reportgen.comparing.cost_tests import compared_costs
from reportgen.comparisons import Comparison
from reportgen.engines.class_counting import (
    CORRECT,
    COST,
    COSTLIEST,
    HIGHEST,
    OF_ROWS,
    PREDICTED,
    aggregates,
)
from reportgen.engines.partial import ALL
from reportgen.measuring.class_areas import of_sweep
from reportgen.measuring.class_averages import one_interval
from reportgen.measuring.context import WEIGHTS_COUNTED, Losses, TaskResults, TestSettings
from reportgen.measuring.curve_tables import joined
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.multiclass_metrics import evaluate_metrics
from reportgen.measuring.multiclass_model import MulticlassModel
from reportgen.measuring.one_vs_rest import OneVsRest
from reportgen.metrics.aggregates import Recorded, of_parts
from reportgen.metrics.class_scores import are_probabilities, tolerance_of
from reportgen.records.rows import ModelRecord
from reportgen.results.binned.counted_classes import (
    POOLED,
    CountedClasses,
    CountsByClass,
    CurveKey,
)
from reportgen.results.binned.part_counts import numbers_of_slices
from reportgen.results.multiclass import (
    class_sizes,
    costs_of_rows,
    curves,
    model_record,
    with_limits_of_table,
    without_scores,
)
from reportgen.small_queries import selected
from reportgen.spec import class_costs
from reportgen.sweeping import bins
from reportgen.tables import Bins, Matrix
from reportgen.tables.results import MetricRow


class BinnedClassCounts(CountsByClass):
    """Merged counts of several classes: the matrix by position, of a ``kind`` of decision."""

    def table(
        self, model: int, scope: int = ALL, part: str = "[]", kind: str = "decision"
    ) -> DataFrame[Matrix]:
        """Truth × prediction of a model, zeros included."""
        size = len(self.classes)
        counts = self.matrix.filter(model=model, scope=scope, part=part, kind=kind)
        places = counts["truth"].to_numpy().astype(int), counts["predicted"].to_numpy().astype(int)
        columns = {}
        for name in ("count", "count2"):
            cells = np.zeros((size, size))
            cells[places] = counts[name].to_numpy()
            columns[name] = cells.ravel()
        truth, predicted = np.indices((size, size)).reshape(2, -1).astype(np.uint16)
        return Matrix.validate(pl.DataFrame({"truth": truth, "predicted": predicted, **columns}))

    def class_frame(self, scope: int, part: str) -> pl.DataFrame:
        """The classes with their shares, as ``score_rows`` gives them for rows."""
        rows = self.matrix.filter(model=0, scope=scope, part=part, kind="decision")
        whole = rows.group_by("truth", maintain_order=True).agg(weight=pl.col("count").sum())
        share = pl.col("weight") / pl.col("weight").sum()
        return whole.with_columns(base=share).with_columns(
            bases=(pl.col("base") * pl.col("weight")).sum() / pl.col("weight").sum()
        )

    @property
    def row_sizes(self) -> dict[int, int]:
        """Rows of each class that are evaluated, whatever they weigh."""
        rows = self.matrix.filter(model=0, scope=ALL, kind="decision")
        return dict(rows.group_by("truth").agg(pl.col("rows").sum()).iter_rows())

    def tolerance(self, model: int) -> float:
        """How far from 1 the scores of a row may add up to."""
        of_model = self.facts["decimals"].get(str(model), {})
        return tolerance_of([int(d) for d, holds in of_model.items() if holds], len(self.classes))


@dataclass(frozen=True)
class CountedModel(CountedClasses[BinnedClassCounts], MulticlassModel):
    """One model on one part of the rows, from counts."""

    @cached_property
    def matrix(self) -> DataFrame[Matrix]:
        """Truth × prediction."""
        return self.counted.table(*self.at)

    @cached_property
    def decisions(self) -> pl.Series:
        """What the model predicts of each line."""
        return self.rows[PREDICTED.format(self.place)]

    @cached_property
    def groups(self) -> pl.DataFrame | None:
        """Truth × prediction of each group."""
        if self.by_group is None:
            return None
        cells = self.rows.select(
            "group", "truth", predicted=self.decisions, count=pl.col("rows").cast(pl.Float64)
        )
        summed = cells.group_by("group", "truth", "predicted").agg(pl.col("count").sum())
        return summed.sort(pl.all())

    @cached_property
    def scored(self) -> pl.DataFrame | None:
        """None: what rows give is in sums."""
        return None

    @cached_property
    def bins(self) -> DataFrame[Bins] | None:
        """The highest score of each row against whether the prediction was correct, in bins."""
        return bins(self.cells[HIGHEST].middle) if self.cells else None

    @cached_property
    def one_vs_rest(self) -> OneVsRest | None:
        """Each class against the rest; nothing without scores."""
        if not self.cells:
            return None
        of_classes = [self.cells[k] for k in range(len(self.classes))]
        pooled = of_sweep(self.cells[POOLED].at)
        return OneVsRest([c.at for c in of_classes], [bins(c.middle) for c in of_classes], pooled)

    @property
    def pair_areas(self) -> None:
        """None: scores are not counted by pairs of classes."""
        return None

    def least_cost_matrix(
        self, costs: Sequence[Sequence[float]] | None
    ) -> DataFrame[Matrix] | None:
        """Truth × the prediction of least expected cost."""
        if costs is None or not self.columns.scores:
            return None
        return self.counted.table(*self.at, "least")


def class_results(
    counted: BinnedClassCounts, settings: TestSettings, tested: pl.DataFrame
) -> TaskResults:
    """Everything that several classes have, as from rows in memory; ``tested`` are for tests."""
    spec = counted.spec
    costs = class_costs(spec, counted.classes)
    models = [_model(counted, k) for k in range(len(counted.models))]
    numbers = []
    for model in models:
        rows = with_limits_of_table(model, _numbers(model, costs), costs, spec)
        numbers += one_interval(_with_limits(model, rows))

    def of_slice(k: int, scope: int, part: str, label: str) -> list[MetricRow]:
        model = _model(counted, k, scope, part, label)
        return _with_limits(model, with_limits_of_table(model, _numbers(model, costs), costs, spec))

    in_slices, unsliced = numbers_of_slices(counted, of_slice)
    correct = {m.name: is_correct(counted, m.place) for m in models}
    return TaskResults(
        metrics=[*numbers, *in_slices],
        curves=joined([curves(model) for model in models]),
        comparisons=[
            *compared_decisions(tested, correct, settings, count="rows"),
            *_of_costs(models, tested, costs, settings),
        ],
        models=[_record(counted, model) for model in models],
        truth={"classes": class_sizes(counted.row_sizes, counted.classes)},
        skipped=[*without_scores(models), *unsliced],
        losses=Losses("accuracy", "error_rate", "zero_one", of={}),
    )


def _of_costs(
    models: Sequence[CountedModel],
    tested: pl.DataFrame,
    costs: list[list[float]] | None,
    settings: TestSettings,
) -> list[Comparison]:
    """The tests of what rows cost, where costs are declared."""
    if costs is None:
        return []
    names = [m.name for m in models]
    unknown = settings.weight is not None and tested.schema.get(settings.weight) != pl.Float64
    if unknown:
        return compared_costs(tested, names, settings, reason=WEIGHTS_COUNTED)
    if COSTLIEST in tested.columns:
        lost = tested.select(
            "rows", COSTLIEST, **{m.name: pl.col(COST.format(m.place)) for m in models}
        )
    else:
        predicted = {m.name: pl.col(PREDICTED.format(m.place)) for m in models}
        lost = costs_of_rows(tested, predicted, costs)
    counts = tested["rows"].cast(pl.Float64).to_numpy()
    return compared_costs(lost, names, settings, settings.design(tested, counts))


def is_correct(counted: BinnedClassCounts, place: int) -> pl.Expr:
    """Whether a model is correct about a row."""
    if counted.dependent is None:
        return pl.col(CORRECT.format(place))
    return pl.col(PREDICTED.format(place)) == pl.col("truth")


def _model(
    counted: BinnedClassCounts,
    place: int,
    scope: int = ALL,
    part: str = "[]",
    label: str | None = None,
) -> CountedModel:
    lines = counted.lines_of(scope, part)
    return CountedModel(
        counted.models[place],
        pl.DataFrame() if lines is None else lines.frame,
        counted.classes,
        "weight" if counted.weighted else None,
        label,
        methods=counted.spec.intervals,
        confidence=counted.spec.confidence,
        grouped=lines is not None,
        counted=counted,
        place=place,
        scope=scope,
        part=part,
    )


def _numbers(model: CountedModel, costs: list[list[float]] | None) -> list[MetricRow]:
    """Every number of a model on a part of the rows, with bounds where cells are mixed."""
    (rows,) = evaluate_metrics([model], costs)
    if not model.cells:
        return rows
    return model.bounded(rows, model.counts, OF_ROWS.values(), _of_rows(model))


def _of_rows(model: CountedModel) -> dict[CurveKey, MetricRow]:
    """The measures of the scores of each row, from sums."""
    counted, place = model.counted, model.at
    classes = counted.class_frame(model.scope, model.part)
    columns = {a.name: pl.lit(counted.value(a, *place)) for a in aggregates().values()}
    columns["tolerance"] = pl.lit(counted.tolerance(model.place))
    expressions = {}
    for metric in OF_ROWS.values():
        with of_parts({}):
            expressions[metric.name] = metric.expression_of_groups()
    values = selected(classes.with_columns(**columns), expressions).row(0, named=True)
    number = MetricSubject(model.name, model.slice)
    rows = number.from_values(
        OF_ROWS.values(), {name: (value, None, None) for name, value in values.items()}
    )
    return {(str(row["metric"]), None, None): row for row in rows}


def _with_limits(model: CountedModel, rows: list[MetricRow]) -> list[MetricRow]:
    """The core measures of single rows have limits from sums of squares."""
    core = {m: m.name for m in OF_ROWS.values() if m.mean and m.core}
    return model.limited(rows, core if model.cells else {})


def _record(counted: BinnedClassCounts, model: CountedModel) -> ModelRecord:
    disagreements = counted.facts["disagreements"].get(str(model.place))
    probability = bool(model.columns.scores) and gives_probabilities(counted, model.place)
    return model_record(model.columns, disagreements, probability=probability)


def gives_probabilities(counted: BinnedClassCounts, place: int) -> bool:
    """Whether the scores of a model add up to 1 in every row that is evaluated."""
    recorded: Recorded = {}
    with of_parts(recorded):
        expression = are_probabilities()
    columns = {a.name: pl.lit(counted.value(a, place, ALL, "[]")) for a in recorded.values()}
    columns["tolerance"] = pl.lit(counted.tolerance(place))
    return bool(pl.DataFrame(height=1).select(**columns).select(expression).item())
