"""How classes, scores and slices differ between two periods, and what that explains of a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.clusters import Groups
from reportgen.comparing.change_parts import (
    MOST_CELLS,
    MOST_SLICES_OF_PAIRS,
    Named,
    Period,
    RankedPeriod,
    change_of_area,
    change_of_mean,
)
from reportgen.comparisons.corrections import holm
from reportgen.comparisons.two_periods import (
    FEWEST_UNITS,
    REPLICATES,
    PeriodUnits,
    Quantity,
    binned,
    kolmogorov_smirnov,
    permutation_p,
    share_difference,
    stability_index,
    standardised_difference,
)
from reportgen.measuring import slices
from reportgen.measuring.context import EvaluationContext, TaskResults, rows_with_output
from reportgen.measuring.periods import periods
from reportgen.measuring.time_blocks import in_order, number_of_blocks
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import columns_of, slice_column
from reportgen.records.shift import ChangeParts, QuantityKind, Shift, ShiftBasis, ShiftedQuantity

FEWEST_POINTS = 100
"""Points of time of a period whose blocks are nearly independent (docs/levels.md)."""

LONG_BLOCK = 40
"""Points of time in a block of a period."""

MOST_LABELS = 20
"""Labels whose shares are compared one by one."""

UNPAIRED = "the models were not evaluated on the same rows"
POOLED = "scores of separately fitted folds are pooled"
AGAIN = "rows are evaluated more than once, and no id says which belong together"

CLASSES, ALL_ROWS = "classes", "all rows"
"""What a change is split over where it is not a slicing; all rows where nothing splits it."""


@dataclass(frozen=True)
class PeriodRows:
    """The evaluated rows of one period, and the names of their groups and examples."""

    context: EvaluationContext
    rows: pl.DataFrame
    names: pl.Series | None = None

    @cached_property
    def weights(self) -> Floats | None:
        """The weight of each row; null where rows count 1."""
        if self.context.weight is None:
            return None
        weights: Floats = self.rows["weight"].cast(pl.Float64).to_numpy()
        return weights

    def quantity(self, value: pl.Expr, categories: int | None = None) -> Quantity:
        """A quantity of the rows."""
        values = self.rows.select(value.cast(pl.Float64)).to_series().to_numpy()
        return Quantity(values, self.weights, categories)


@dataclass(frozen=True)
class JointUnits:
    """The independent units of both periods in one numbering; null codes: each row is one.

    ``untested`` says why they cannot be permuted.
    """

    noun: str
    codes: tuple[Integers, Integers] | None = None
    untested: str | None = None

    @property
    def permuted(self) -> PeriodUnits:
        """The units of each period, numbered by themselves."""
        if self.codes is None:
            return PeriodUnits()
        dense = [np.unique(codes, return_inverse=True)[1] for codes in self.codes]
        return PeriodUnits(dense[0], dense[1])

    def of_rows(self, rows: tuple[int, int]) -> tuple[Integers, Integers]:
        """The unit of every row, for limits."""
        if self.codes is not None:
            return self.codes
        return np.arange(rows[0]), rows[0] + np.arange(rows[1])


def compared_with_reference(
    context: EvaluationContext, task_results: TaskResults, earlier: EvaluationContext
) -> Shift:
    """The evaluated rows against those of the reference."""
    sides = tuple(PeriodRows(one, one.rows, _names(one)) for one in (earlier, context))
    return _Compared(sides[0], sides[1], task_results, "reference").shift()


def compared_over_time(context: EvaluationContext, task_results: TaskResults) -> Shift | None:
    """The later half of the points of time against the earlier one; null without two points."""
    rows = context.rows
    if "time" not in rows.columns:
        return None
    part, names = periods(rows["time"], most=2)
    if len(names) < 2:
        return None
    sides = [PeriodRows(context, rows.filter(part == place)) for place in (0, 1)]
    return _Compared(sides[0], sides[1], task_results, "time").shift()


def _names(context: EvaluationContext) -> pl.Series | None:
    """What names the group or the example of each evaluated row, over periods."""
    identities = context.predictions.identities
    if identities is None or context.predictions.unpaired is not None:
        return None
    column = next((name for name in ("group", "id") if name in identities.columns), None)
    if column is None:
        return None
    frame = context.predictions.frame
    if identities.height != context.rows.height:
        conditions = [pl.col("role") == "test"] if "role" in frame.columns else []
        conditions += [pl.col("weight") > 0] if "weight" in frame.columns else []
        identities = identities.filter(frame.select(pl.all_horizontal(*conditions)).to_series())
    names = identities[column].cast(pl.String)
    if column == "id" and "dataset" in context.rows.columns:
        return context.rows["dataset"] + "\x1f" + names
    return names


@dataclass(frozen=True)
class _Compared:
    """Two periods of one evaluation."""

    before: PeriodRows
    now: PeriodRows
    task_results: TaskResults
    basis: ShiftBasis

    @property
    def context(self) -> EvaluationContext:
        return self.now.context

    @cached_property
    def units(self) -> JointUnits:
        """What is independent: groups, examples, blocks of time, or rows."""
        if any(side.context.predictions.unpaired is not None for side in self._sides):
            return JointUnits("rows", None, UNPAIRED)
        if any("group" in side.rows.columns for side in self._sides):
            return self._named_units("groups", "group")
        if any(side.context.repeats > 1 for side in self._sides):
            if not all("id" in side.rows.columns for side in self._sides):
                return JointUnits("rows", None, AGAIN)
            return self._named_units("examples", "id")
        if "time" in self.now.rows.columns:
            return self._blocks()
        named = self._named_units("rows", None)
        return named if named.untested else JointUnits("rows")

    @property
    def _sides(self) -> tuple[PeriodRows, PeriodRows]:
        return self.before, self.now

    def _named_units(self, noun: str, column: str | None) -> JointUnits:
        names = [
            side.names if side.names is not None or column is None else side.rows[column]
            for side in self._sides
        ]
        if names[0] is None or names[1] is None:
            return JointUnits(noun)
        size = len(names[0])
        code = Groups.of(pl.concat([names[0].cast(pl.String), names[1].cast(pl.String)])).code
        codes = code[:size], code[size:]
        both = len(np.intersect1d(*codes))
        what = "examples" if column is None else noun
        untested = None
        if both:
            word = what.removesuffix("s") if both == 1 else what
            untested = f"{both:,} {word} {'is' if both == 1 else 'are'} in both periods"
        elif min(len(np.unique(one)) for one in codes) < FEWEST_UNITS:
            untested = f"a period has fewer than {FEWEST_UNITS} {noun}"
        return JointUnits(noun, codes, untested)

    def _blocks(self) -> JointUnits:
        points = min(side.rows["time"].n_unique() for side in self._sides)
        if points < FEWEST_POINTS:
            reason = f"a period has fewer than {FEWEST_POINTS} points of time"
            return JointUnits("blocks of time", None, reason)
        codes = [_blocks_of(side.rows["time"]).to_numpy() for side in self._sides]
        return JointUnits("blocks of time", (codes[0], codes[0].max() + 1 + codes[1]))

    def shift(self) -> Shift:
        """Everything that is compared."""
        quantities = _adjusted(list(self.quantities()), self.context.spec.comparisons.alpha)
        times = [_times(side.rows) for side in self._sides]
        spans = [None if time is None else f"{time[0]} to {time[-1]}" for time in times]
        return Shift(
            basis=self.basis,
            before=spans[0],
            now=spans[1],
            overlap=_overlap(times),
            rows_before=self.before.rows.height,
            rows_now=self.now.rows.height,
            units=self.units.noun,
            alpha=self.context.spec.comparisons.alpha,
            replicates=REPLICATES,
            quantities=tuple(quantities),
            changes=tuple(self.changes()),
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
        cells = self._cells(names, slices.MOST_VALUES)
        if cells is None:
            return
        codes, values = cells
        sides = [
            replace(side, rows=side.rows.with_columns(cell=pl.Series(code)))
            for side, code in zip(self._sides, codes, strict=True)
        ]
        compared = replace(self, before=sides[0], now=sides[1])
        yield compared._of_shares("slices", " × ".join(names), pl.col("cell"), values)

    def _cells(
        self, names: Sequence[str], most: int
    ) -> tuple[tuple[Integers, Integers], list[str]] | None:
        """The slice of each row of both periods, and their names; null where there are too many."""
        columns = [slice_column(name) for name in names]
        both = pl.concat([side.rows.select(columns) for side in self._sides])
        parts = both.unique().sort(columns, nulls_last=True).with_row_index("cell")
        if parts.height > most:
            return None
        code = (
            both.join(parts, on=columns, how="left", maintain_order="left", nulls_equal=True)[
                "cell"
            ]
            .cast(pl.Int64)
            .to_numpy()
        )
        size = self.before.rows.height
        values = [slices.label(names, row[1:]) for row in parts.iter_rows()]
        return (code[:size], code[size:]), values

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
        p = None
        if untested is None:
            seed = self.context.spec.bootstrap.seed
            p, _ = permutation_p(before, now, self.units.permuted, seed=seed)
        return ShiftedQuantity(
            kind=kind,
            name=name,
            model=model,
            category=None,
            before=None,
            now=None,
            standardised_difference=None,
            stability_index=stability_index(*binned(before, now)),
            kolmogorov_smirnov=None,
            p_value=p,
            p_adjusted=None,
            reject=None,
            untested=untested,
        )

    # changes

    def changes(self) -> Iterator[ChangeParts]:
        """The change of each model's main measure, split over classes and over each slicing."""
        if self.units.untested == UNPAIRED:
            return
        splits = list(self._splits())
        for model in self.context.predictions.models:
            for by, codes, names in splits:
                yield from self._of_area(model, by, codes, names)
                yield self._of_losses(model, by, codes, names)

    def _splits(self) -> Iterator[tuple[str, tuple[Integers, Integers], Sequence[str]]]:
        task, predictions = self.context.task, self.context.predictions
        if task.two_classes or task.several_classes:
            classes = [side.rows["truth"].cast(pl.Int64).to_numpy() for side in self._sides]
            names = predictions.classes
            if task.two_classes:
                names = (predictions.negative, predictions.positive)
            yield CLASSES, (classes[0], classes[1]), names
        for columns in self.context.slicings:
            cells = self._cells(columns, MOST_CELLS)
            if cells is not None:
                yield " × ".join(columns), *cells
        if not task.has_decisions and not self.context.slicings:
            sizes = (side.rows.height for side in self._sides)
            before, now = (np.zeros(size, np.int64) for size in sizes)
            yield ALL_ROWS, (before, now), (ALL_ROWS,)

    def _of_area(
        self,
        model: ModelColumns,
        by: str,
        codes: tuple[Integers, Integers],
        names: Sequence[str],
    ) -> Iterator[ChangeParts]:
        """Of an AUC, which the mix of the classes does not change."""
        if model.score is None:
            return
        if by == CLASSES:
            codes, names = (np.zeros_like(codes[0]), np.zeros_like(codes[1])), (ALL_ROWS,)
        if len(names) > MOST_SLICES_OF_PAIRS:
            return
        sides = [
            RankedPeriod(
                side.rows[model.score].cast(pl.Float64).to_numpy(),
                side.rows["truth"].to_numpy(),
                code,
                _weights(side),
            )
            for side, code in zip(self._sides, codes, strict=True)
        ]
        change = change_of_area(Named(model.name, "auc", by, names), sides[0], sides[1])
        if change is not None:
            yield change

    def _of_losses(
        self,
        model: ModelColumns,
        by: str,
        codes: tuple[Integers, Integers],
        names: Sequence[str],
    ) -> ChangeParts:
        losses = self.task_results.losses
        loss = losses.of[model.name].cast(pl.Float64)
        value = loss if losses.measure == losses.error else 1 - loss
        sizes = self.before.rows.height, self.now.rows.height
        sides = [
            Period(side.rows.select(value).to_series().to_numpy(), code, _weights(side), unit)
            for side, code, unit in zip(self._sides, codes, self.units.of_rows(sizes), strict=True)
        ]
        noun = None if self._without_limits() else self.units.noun
        named = Named(model.name, losses.measure, by, names)
        return change_of_mean(named, sides[0], sides[1], self.context.spec.confidence, noun)

    def _without_limits(self) -> bool:
        """Whether no independent unit is known."""
        return self.units.codes is None and self.units.untested is not None


def _blocks_of(time: pl.Series) -> pl.Series:
    """The block of each row: as for limits of measures, but no shorter than ``LONG_BLOCK``."""
    points = time.n_unique()
    number = min(number_of_blocks(points), max(points // LONG_BLOCK, FEWEST_UNITS))
    return periods(time, most=number)[0]


def _weights(side: PeriodRows) -> Floats:
    return np.ones(side.rows.height) if side.weights is None else side.weights


def _times(rows: pl.DataFrame) -> pl.Series | None:
    """The points of time in their order."""
    if "time" not in rows.columns:
        return None
    return rows.select("time").unique().sort(*in_order(rows["time"]))["time"]


def _overlap(times: Sequence[pl.Series | None]) -> bool:
    """Whether the later period begins before the earlier one ends."""
    first, second = times
    if first is None or second is None:
        return False
    ends = pl.DataFrame({"time": [first[-1], second[0]], "place": [0, 1]})
    ordered = ends.sort(*in_order(ends["time"]), maintain_order=True)
    return ordered["place"].to_list() != [0, 1] or first[-1] == second[0]


def _adjusted(rows: list[ShiftedQuantity], alpha: float) -> list[ShiftedQuantity]:
    """The rows with p-values adjusted together (Holm)."""
    tested = [(index, row.p_value) for index, row in enumerate(rows) if row.p_value is not None]
    for (index, _), p in zip(tested, holm([p for _, p in tested]), strict=True):
        rows[index] = replace(rows[index], p_adjusted=p, reject=bool(p <= alpha))
    return rows
