"""How classes, scores and slices differ between two periods, and what that explains of a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from reportgen.comparing.period_changes import PeriodChanges
from reportgen.comparing.period_units import (
    JointUnits,
    PeriodRows,
    cells_of,
    ids_of,
    joint_units,
    names_of,
)
from reportgen.comparisons.corrections import holm
from reportgen.comparisons.two_periods import (
    REPLICATES,
    Quantity,
    binned,
    kolmogorov_smirnov,
    permutation_test,
    share_difference,
    stability_index,
    standardised_difference,
)
from reportgen.measuring.context import EvaluationContext, TaskResults, rows_with_output
from reportgen.measuring.periods import periods
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import MOST_SLICE_VALUES, columns_of
from reportgen.predictions.times import in_one_offset, points
from reportgen.records.shift import (
    CLASSES,
    QuantityKind,
    RecurringRows,
    Shift,
    ShiftBasis,
    ShiftedQuantity,
)

MOST_LABELS = 20
"""Labels whose shares are compared one by one."""

POOLED = "scores of separately fitted folds are pooled"


def compared_with_reference(
    context: EvaluationContext, task_results: TaskResults, earlier: EvaluationContext
) -> Shift:
    """The evaluated rows against those of the reference."""
    sides = tuple(PeriodRows(one, one.rows, names_of(one)) for one in (earlier, context))
    shift = _Compared(sides[0], sides[1], task_results, "reference").shift()
    return replace(shift, recurring=recurring_rows(earlier, context))


def compared_over_time(context: EvaluationContext, task_results: TaskResults) -> Shift | None:
    """The later half of the time points against the earlier one; null without two points."""
    rows = context.rows
    if "time" not in rows.columns:
        return None
    part, names = periods(rows, most=2)
    if len(names) < 2:
        return None
    sides = [PeriodRows(context, rows.filter(part == place)) for place in (0, 1)]
    return _Compared(sides[0], sides[1], task_results, "time").shift()


@dataclass(frozen=True)
class _Compared:
    before: PeriodRows
    now: PeriodRows
    task_results: TaskResults
    basis: ShiftBasis

    @property
    def context(self) -> EvaluationContext:
        return self.now.context

    @property
    def _sides(self) -> tuple[PeriodRows, PeriodRows]:
        return self.before, self.now

    @cached_property
    def units(self) -> JointUnits:
        """What is independent in both periods."""
        return joint_units(self.before, self.now)

    def shift(self) -> Shift:
        """Everything that is compared."""
        quantities = _adjusted(list(self.quantities()), self.context.spec.comparisons.alpha)
        ends = [_ends(side.rows) for side in self._sides]
        spans = [None if two is None else f"{two[0]} to {two[1]}" for two in ends]
        return Shift(
            basis=self.basis,
            before=spans[0],
            now=spans[1],
            overlap=_overlap(ends),
            rows_before=self.before.rows.height,
            rows_now=self.now.rows.height,
            units=self.units.noun,
            alpha=self.context.spec.comparisons.alpha,
            replicates=REPLICATES,
            quantities=tuple(quantities),
            changes=tuple(PeriodChanges(self._sides, self.units, self.task_results).changes()),
        )

    # quantities

    def quantities(self) -> Iterator[ShiftedQuantity]:
        """Truth, scores and slices."""
        yield from self._truth()
        for model in self.context.predictions.models:
            yield from self._scores(model)
        for names in self.context.slicings:
            yield from self._slicing(names)

    def _truth(self) -> Iterator[ShiftedQuantity]:
        predictions, task = self.context.predictions, self.context.task
        truth = pl.col("truth")
        if task.of_numbers:
            yield self._of_numbers("truth", "truth", None, truth)
        elif task.several_labels:
            labels = columns_of(self.now.rows.columns, "truth")
            for column, label in list(zip(labels, predictions.classes, strict=True))[:MOST_LABELS]:
                yield self._of_shares("truth", label, pl.col(column), ["", label], only=1)
        elif task.two_classes:
            names = [predictions.negative, predictions.positive]
            yield self._of_shares("truth", CLASSES, truth, names, only=1)
        else:
            yield self._of_shares("truth", CLASSES, truth, predictions.classes)

    def _scores(self, model: ModelColumns) -> Iterator[ShiftedQuantity]:
        if model.estimate is not None:
            value = pl.col(model.estimate)
        elif model.score is not None:
            value = pl.col(model.score)
        elif not model.scores:
            return
        elif self.context.task.several_classes:
            value = pl.max_horizontal(model.scores)
        else:
            value = pl.mean_horizontal(model.scores)
        sides = [replace(side, rows=rows_with_output(side.rows, model)) for side in self._sides]
        compared = replace(self, before=sides[0], now=sides[1])
        pooled = any(side.context.predictions.evaluation.pooled_fits for side in self._sides)
        why = POOLED if pooled else None
        yield compared._of_numbers("score", model.name, model.name, value, why)

    def _slicing(self, names: Sequence[str]) -> Iterator[ShiftedQuantity]:
        cells = cells_of(self._sides, names, MOST_SLICE_VALUES)
        if cells is None:
            return
        codes, values = cells
        sides = [
            replace(side, rows=side.rows.with_columns(cell=pl.Series(code)))
            for side, code in zip(self._sides, codes, strict=True)
        ]
        compared = replace(self, before=sides[0], now=sides[1])
        yield compared._of_shares("slices", " × ".join(names), pl.col("cell"), values)

    def _of_shares(
        self,
        kind: QuantityKind,
        name: str,
        value: pl.Expr,
        categories: Sequence[str],
        only: int | None = None,
    ) -> ShiftedQuantity:
        before, now = (side.quantity(value, len(categories)) for side in self._sides)
        differences = [
            share_difference(*pair) for pair in zip(before.shares, now.shares, strict=True)
        ]
        at = only
        if at is None:
            at = int(np.argmax([np.inf if d is None else abs(d) for d in differences]))
        shares = float(before.shares[at]), float(now.shares[at])
        record = self._record(kind, name, None, before, now, self.units.untested)
        return replace(
            record,
            category=categories[at],
            before=shares[0],
            now=shares[1],
            standardised_difference=differences[at],
        )

    def _of_numbers(
        self,
        kind: QuantityKind,
        name: str,
        model: str | None,
        value: pl.Expr,
        untested: str | None = None,
    ) -> ShiftedQuantity:
        before, now = (side.quantity(value) for side in self._sides)
        moments = before.mean_and_variance, now.mean_and_variance
        record = self._record(kind, name, model, before, now, untested or self.units.untested)
        return replace(
            record,
            before=moments[0][0],
            now=moments[1][0],
            standardised_difference=standardised_difference(*moments),
            kolmogorov_smirnov=kolmogorov_smirnov(before, now),
        )

    def _record(
        self,
        kind: QuantityKind,
        name: str,
        model: str | None,
        before: Quantity,
        now: Quantity,
        untested: str | None,
    ) -> ShiftedQuantity:
        p = high = None
        bins = binned(before, now)
        if untested is None:
            spec = self.context.spec
            test = permutation_test(before, now, self.units.permuted, seed=spec.bootstrap.seed)
            p, high = test.p_value, test.upper_limit(*bins, spec.comparisons.alpha)
        return ShiftedQuantity(
            kind=kind,
            name=name,
            model=model,
            category=None,
            before=None,
            now=None,
            standardised_difference=None,
            stability_index=stability_index(*bins),
            stability_index_high=high,
            kolmogorov_smirnov=None,
            p_value=p,
            p_adjusted=None,
            reject=None,
            untested=untested,
        )


def _ends(rows: pl.DataFrame) -> tuple[str, str] | None:
    """The first and the last time point."""
    if "time" not in rows.columns or rows.is_empty():
        return None
    point = pl.col("point")
    return rows.select(
        first=pl.col("time").get(point.arg_min()), last=pl.col("time").get(point.arg_max())
    ).row(0)


def _overlap(ends: Sequence[tuple[str, str] | None]) -> bool:
    """Whether the later period begins before the earlier one ends."""
    first, second = ends
    if first is None or second is None:
        return False
    end, start = points(in_one_offset(pl.Series("time", [first[1], second[0]])))
    return bool(end >= start)


def _adjusted(rows: list[ShiftedQuantity], alpha: float) -> list[ShiftedQuantity]:
    """The rows with p-values adjusted together (Holm)."""
    tested = [(index, row.p_value) for index, row in enumerate(rows) if row.p_value is not None]
    for (index, _), p in zip(tested, holm([p for _, p in tested]), strict=True):
        rows[index] = replace(rows[index], p_adjusted=p, reject=bool(p <= alpha))
    return rows


def recurring_rows(earlier: EvaluationContext, now: EvaluationContext) -> RecurringRows | None:
    """How many evaluated rows have an id that the reference has, and how many another truth there.

    Null without ids, where none recurs, where an id has several rows, or where counts are withheld.
    """
    earlier_ids, ids = ids_of(earlier), ids_of(now)
    if now.spec.privacy.small_cells or earlier_ids is None or ids is None:
        return None
    truths = columns_of(now.rows.columns, "truth")
    before = earlier.rows.select(earlier_ids.alias("id"), *truths)
    after = now.rows.select(ids.alias("id"), *truths)
    if before["id"].is_duplicated().any() or after["id"].is_duplicated().any():
        return None
    both = after.join(before, on="id", suffix=" before")
    if both.is_empty():
        return None
    differs = [pl.col(name).ne_missing(pl.col(f"{name} before")) for name in truths]
    relabelled = int(both.select(pl.any_horizontal(differs).sum()).item())
    return RecurringRows(both.height, both.height == after.height, relabelled)
