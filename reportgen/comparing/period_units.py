"""The rows of two periods, and what of them is independent: rows, groups, examples or blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.clusters import Groups
from reportgen.comparisons.two_periods import FEWEST_UNITS, PeriodUnits, Quantity
from reportgen.measuring import slices
from reportgen.measuring.context import UNLIKE_ROWS, EvaluationContext
from reportgen.measuring.periods import periods
from reportgen.measuring.time_blocks import number_of_blocks
from reportgen.predictions.column_names import slice_column
from reportgen.text.words import singular

FEWEST_POINTS = 100
"""Time points of a period whose blocks are nearly independent (docs/levels.md)."""

LONG_BLOCK = 40
"""Time points in a block of a period."""

BLOCKS = "blocks of time"
"""The independent units of rows in order of time."""

AGAIN = "rows are evaluated more than once, and no id says which belong together"


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

    @property
    def row_weights(self) -> Floats:
        """The weight of each row, 1 where rows have none."""
        return np.ones(self.rows.height) if self.weights is None else self.weights

    def quantity(self, value: pl.Expr, categories: int | None = None) -> Quantity:
        """A quantity of the rows."""
        values = self.rows.select(value.cast(pl.Float64)).to_series().to_numpy()
        return Quantity(values, self.weights, categories)


@dataclass(frozen=True)
class JointUnits:
    """The independent units of both periods in one numbering; null codes: each row is one.

    ``untested`` says why they cannot be permuted; ``returning``: some are in both periods.
    """

    noun: str
    codes: tuple[Integers, Integers] | None = None
    untested: str | None = None
    returning: bool = False

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


def joint_units(before: PeriodRows, now: PeriodRows) -> JointUnits:
    """What is independent in two periods: groups, examples, blocks of time, or rows.

    Groups that are in both periods of a column of time may share what happens at a point of it:
    blocks of time, with all their groups, are independent then.
    """
    sides = (before, now)
    if any(side.context.predictions.unpaired is not None for side in sides):
        return JointUnits("rows", None, UNLIKE_ROWS)
    if any("group" in side.rows.columns for side in sides):
        groups = _named_units(sides, "groups", "group")
        return _blocks(sides) if groups.returning and "time" in now.rows.columns else groups
    if any(side.context.repeats > 1 for side in sides):
        if not all("id" in side.rows.columns for side in sides):
            return JointUnits("rows", None, AGAIN)
        return _named_units(sides, "examples", "id")
    if "time" in now.rows.columns:
        return _blocks(sides)
    named = _named_units(sides, "rows", None)
    return named if named.untested else JointUnits("rows")


def _named_units(sides: Sequence[PeriodRows], noun: str, column: str | None) -> JointUnits:
    names = [
        side.names if side.names is not None or column is None else side.rows[column]
        for side in sides
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
        word = singular(what) if both == 1 else what
        untested = f"{both:,} {word} {'is' if both == 1 else 'are'} in both periods"
    elif min(len(np.unique(one)) for one in codes) < FEWEST_UNITS:
        untested = f"a period has fewer than {FEWEST_UNITS} {noun}"
    return JointUnits(noun, codes, untested, returning=both > 0)


def _blocks(sides: Sequence[PeriodRows]) -> JointUnits:
    points = min(side.rows["point"].n_unique() for side in sides)
    if points < FEWEST_POINTS:
        reason = f"a period has fewer than {FEWEST_POINTS} time points"
        return JointUnits(BLOCKS, None, reason)
    codes = [_blocks_of(side.rows).to_numpy() for side in sides]
    return JointUnits(BLOCKS, (codes[0], codes[0].max() + 1 + codes[1]))


def _blocks_of(rows: pl.DataFrame) -> pl.Series:
    """The block of each row: as for limits of measures, but no shorter than ``LONG_BLOCK``."""
    points = rows["point"].n_unique()
    number = min(number_of_blocks(points), max(points // LONG_BLOCK, FEWEST_UNITS))
    return periods(rows, most=number)[0]


def names_of(context: EvaluationContext) -> pl.Series | None:
    """What names the group or the example of each evaluated row, over periods."""
    groups = _identities(context, "group")
    return ids_of(context) if groups is None else groups


def ids_of(context: EvaluationContext) -> pl.Series | None:
    """What names the example of each evaluated row, over periods."""
    ids = _identities(context, "id")
    if ids is None or "dataset" not in context.rows.columns:
        return ids
    return context.rows["dataset"] + "\x1f" + ids


def _identities(context: EvaluationContext, column: str) -> pl.Series | None:
    """The names of groups or examples of the evaluated rows, if there are any."""
    identities = context.predictions.identities
    if identities is None or context.predictions.unpaired is not None:
        return None
    if column not in identities.columns:
        return None
    frame = context.predictions.frame
    if identities.height != context.rows.height:
        conditions = [pl.col("role") == "test"] if "role" in frame.columns else []
        conditions += [pl.col("weight") > 0] if "weight" in frame.columns else []
        identities = identities.filter(frame.select(pl.all_horizontal(*conditions)).to_series())
    return identities[column].cast(pl.String)


def cells_of(
    sides: tuple[PeriodRows, PeriodRows], names: Sequence[str], most: int
) -> tuple[tuple[Integers, Integers], list[str]] | None:
    """The slice of each row of both periods, and their names.

    Null where there are too many, or the periods have none in common, as slices by month.
    """
    columns = [slice_column(name) for name in names]
    both = pl.concat([side.rows.select(columns) for side in sides])
    parts = both.unique().sort(columns, nulls_last=True).with_row_index("cell")
    if parts.height > most:
        return None
    code = (
        both.join(parts, on=columns, how="left", maintain_order="left", nulls_equal=True)["cell"]
        .cast(pl.Int64)
        .to_numpy()
    )
    size = sides[0].rows.height
    if not np.isin(code[size:], code[:size]).any():
        return None
    values = [slices.label(names, row[1:]) for row in parts.iter_rows()]
    return (code[:size], code[size:]), values
