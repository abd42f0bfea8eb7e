"""Proportions among the means of rows: they have the limits of a share of counted rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats
from reportgen.clusters import Effect, Groups
from reportgen.intervals import ModifiedWilson
from reportgen.intervals.shapes import effective_trials
from reportgen.measuring.cell_effects import LEAST_OF_SHARE, CellTable
from reportgen.metrics import Metric
from reportgen.metrics.aggregates import loss_of

OF_ROWS = ModifiedWilson((), ())
"""The limits of a share of rows, whose number is given beside it."""


@dataclass(frozen=True)
class RowShare:
    """Which rows a proportion counts of those that ``inside`` says it is of, and their weights."""

    counted: Flags
    inside: Flags
    weights: Floats

    @property
    def trials(self) -> float | None:
        """How many independent rows of equal weight the rows are worth."""
        sides = [self.weights[side] for side in (self.counted, ~self.counted)]
        sums = [np.array(of_side.sum()) for of_side in sides]
        squares = [np.array(np.square(of_side).sum()) for of_side in sides]
        worth = float(effective_trials(*sums, *squares))
        return None if math.isnan(worth) else worth

    def effect(self, groups: Groups) -> Effect:
        """What the dependence of the rows of a group does to its variance."""
        alike = bool((self.weights == 1).all())
        return share_effect(
            self.counted, groups.among(self.inside), None if alike else self.weights
        )


def row_share(frame: pl.DataFrame, metric: Metric) -> RowShare | None:
    """The rows of a proportion; None of another mean, or where ties make it one.

    ``frame`` has a ``weight`` column.
    """
    if not metric.proportion:
        return None
    given = frame.select(loss_of(metric).cast(pl.Float64)).to_series()
    values = given.to_numpy()
    inside = ~np.isnan(values)
    values = values[inside]
    if not len(values) or not np.isin(values, (0.0, 1.0)).all():
        return None
    return RowShare(values > 0, inside, frame["weight"].cast(pl.Float64).to_numpy()[inside])


def share_effect(correct: Flags, groups: Groups, weights: Floats | None = None) -> Effect:
    """Of the share of rows that are right."""
    return _effect(CellTable.of(np.ones(len(correct), np.bool_), correct, groups, weights))


def effect_of_sums(correct: Floats, sizes: Floats) -> Effect:
    """The same from the counts of each group: of correct rows, and of all."""
    nothing = np.zeros(len(sizes))
    sums = np.array([correct, nothing, sizes - correct, nothing])
    rows = sums.sum(axis=1)
    return _effect(CellTable(sums, np.ones(len(sizes)), rows, rows))


def _effect(table: CellTable) -> Effect:
    total = table.totals.sum()
    share = table.totals[0] / total if total else np.nan
    contribution = np.array([1 - share, 0.0, -share, 0.0]) / (total or np.nan)
    if share in (0.0, 1.0):
        contribution[:] = 0.0
    return table.effect(contribution, ("tp", "fn"), LEAST_OF_SHARE)
