"""Counts of several labels: decisions on each, sums over sets of labels, cells of scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats
from reportgen.engines.class_counting import (
    CORRECT,
    aggregates,
    cells_of,
    cross_counted,
    decisions_by_weight,
    joint_decisions,
    lines_of,
    mean_losses,
    powers_of,
    tables_counted,
    tables_of_classes,
)
from reportgen.engines.estimate_counting import OF_TRUTH, SumCounter
from reportgen.engines.exact_sums import column_of, summed_by_group
from reportgen.engines.group_counting import plain_lines
from reportgen.engines.partial import ALL, FITS, Facts, Partial
from reportgen.engines.plan import Plan
from reportgen.engines.scope import Scope, facts_of, scopes_of
from reportgen.metrics import REGISTRY
from reportgen.metrics.aggregates import OF_DEFINED, Aggregate, losses_of_some
from reportgen.multilabel import label_sets
from reportgen.predictions.column_names import classes_of, columns_of
from reportgen.predictions.label_encoding import as_flags
from reportgen.spec.tasks import entries

OF_SETS = tuple(REGISTRY["multilabel"].values())
"""Measures of the set of labels of each row."""

CELL = "{} of {}"
"""The sum by group of the rows in a cell of a label."""

SUBSET = "subset"
"""The kind of table that says which rows have all labels right; others are of a label each."""


@dataclass(frozen=True)
class _Model:
    """A model with its columns of scores and of labels, by label."""

    place: int
    scores: tuple[str, ...]
    labels: tuple[str, ...]
    threshold: float

    @property
    def predicted(self) -> list[pl.Expr]:
        if self.labels:
            return [pl.col(name) for name in self.labels]
        return [pl.col(name) >= self.threshold for name in self.scores]


def count_labels(frame: pl.DataFrame, plan: Plan) -> Partial:
    """Return the counts of rows under canonical names."""
    facts: Facts = {"truth": {}, "dtype": ["Boolean"]}
    if not plan.weighted:
        frame = frame.with_columns(weight=pl.lit(1.0))
    flagged = columns_of(frame.columns, "truth", "label")
    frame = frame.with_columns(as_flags(frame[name]).alias(name) for name in flagged)
    threshold = plan.spec.threshold
    models = [
        _Model(
            k,
            classes_of(frame.columns, "score", k),
            classes_of(frame.columns, "label", k),
            float(threshold) if isinstance(threshold, int | float) else 0.5,
        )
        for k, _ in enumerate(entries(plan.spec))
    ]
    scopes, test_rows, of_scopes = scopes_of(frame, plan)
    tables: dict[str, list[pl.DataFrame]] = {name: [] for name in tables_counted(plan)}
    for scope in scopes:
        for name, table in _of_scope(scope, plan, models):
            tables[name].append(table)
    facts |= of_scopes | facts_of(frame, test_rows, plan)
    counted, of_weights = tables_of_classes(tables, plan)
    return Partial(counted, facts | of_weights)


def _of_scope(
    scope: Scope, plan: Plan, models: Sequence[_Model]
) -> Iterator[tuple[str, pl.DataFrame]]:
    counter = SumCounter.of(scope, weighted=plan.weighted)
    truths = columns_of(scope.rows.columns, "truth")
    always = pl.Series([True]).new_from_index(0, scope.rows.height)
    correct: dict[str, pl.Series] = {}
    by_group: dict[str, Sequence[Floats | Flags]] = {}
    weights = scope.rows.select(pl.col("weight").cast(pl.Float64))
    mass = Aggregate("total", (pl.lit(1.0),))
    yield from counter.aggregates(weights, {mass.name: mass}, OF_TRUTH)
    for model in models:
        predicted = model.predicted
        exact = scope.rows.select(
            pl.all_horizontal(*(pl.col(t) == p for t, p in zip(truths, predicted, strict=True)))
        ).to_series()
        correct[CORRECT.format(model.place)] = exact
        yield "matrix", _flags(counter, always, exact, model.place, SUBSET)
        if scope.number == FITS:
            continue
        for k, (name, given) in enumerate(zip(truths, predicted, strict=True)):
            column = scope.rows.select(given).to_series()
            yield "matrix", _flags(counter, scope.rows[name], column, model.place, str(k))
            if plan.grouped:
                by_group |= _cells_by_group(scope.rows[name], column, model.place, k)
        sets = label_sets(scope.rows, truths, predicted, model.scores, "weight")
        measures = [m for m in OF_SETS if model.scores or m.group != "ranking"]
        yield from counter.aggregates(sets, aggregates(measures), model.place)
        losses = mean_losses(sets, measures, by_group=plan.grouped)
        some = [m for m in losses if m.name in losses_of_some(losses)]
        by_group |= {
            column_of(model.place, OF_DEFINED.format(m.name)): (~np.isnan(losses[m]),) for m in some
        }
        losses |= {m: np.nan_to_num(losses[m], nan=0.0) for m in some}
        by_group |= {column_of(model.place, m.name): (v,) for m, v in losses.items()}
        yield from powers_of(losses, counter, model.place)
        for k, score in enumerate(model.scores):
            truth = scope.rows[truths[k]]
            cells = cells_of(scope, scope.rows[score], truth, plan, (model.place, k))
            yield "class_cells", cells
    lined = plan.grouped and scope.number != FITS
    if plan.grouped:
        yield "groups", lines_of(scope, correct) if lined else plain_lines(scope)
    if lined:
        yield "group_values", summed_by_group(scope, by_group)
    joint = lined or scope.number == ALL
    yield "decisions", joint_decisions(correct, counter) if joint else counter.sizes()
    if scope.number == ALL:
        yield from decisions_by_weight(correct, counter)


def _cells_by_group(
    truth: pl.Series, given: pl.Series, model: int, label: int
) -> dict[str, Sequence[Flags]]:
    """Which rows are true positives, false positives and false negatives of a label."""
    holds, predicted = (flags.cast(pl.Boolean).to_numpy() for flags in (truth, given))
    cells = {"tp": holds & predicted, "fp": ~holds & predicted, "fn": holds & ~predicted}
    return {column_of(model, CELL.format(cell, label)): (rows,) for cell, rows in cells.items()}


def _flags(
    counter: SumCounter, truth: pl.Series, predicted: pl.Series, model: int, kind: str
) -> pl.DataFrame:
    holds, given = (flags.cast(pl.UInt8).cast(pl.String) for flags in (truth, predicted))
    return cross_counted(counter, holds, given, model, kind)
