"""Shares of rows as the rows have them: which are counted, and which the share is of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats, Integers
from reportgen.clustered_areas import ClassesByGroup, clustered_areas
from reportgen.clusters import Groups, correction, degrees_of_freedom
from reportgen.measuring.context import Losses
from reportgen.metric_names import CELLS
from reportgen.metrics import Metric, find
from reportgen.predictions.column_names import slice_column
from reportgen.tasks import TASKS


@dataclass(frozen=True)
class GroupedShares:
    """The rows of an evaluation in groups, and the losses of its models on them.

    ``points`` is the number of time points where the groups are blocks of them,
    ``weight`` the column of weights, if rows have them.
    """

    rows: pl.DataFrame
    losses: Losses
    groups: Groups
    points: int | None = None
    weight: str | None = None

    def counted(self, model: str, metric: str) -> tuple[Flags, Flags]:
        """Which rows a share counts, and which it is of: of those that the model has.

        Raises ValueError where the measure is not a proportion of rows.
        """
        definition, is_error = find(metric), self.losses.of[model]
        if definition is None:
            raise ValueError(f"{metric} is not a proportion of rows")
        if TASKS[definition.task].two_classes and self.rows.schema["truth"] == pl.Boolean:
            cell = pl.when(is_error.is_not_null()).then(_cell(is_error))
            cells = self.rows.select(cell.replace_strict(cells_of(definition))).to_series()
            inside = cells.is_not_null().to_numpy()
            return cells.fill_null(value=False).to_numpy(), inside
        right = self.rows.select(
            ~is_error if definition.better == "higher" else is_error
        ).to_series()
        return right.fill_null(value=False).to_numpy(), right.is_not_null().to_numpy()

    def share(self, model: str, metric: str) -> tuple[Flags, Groups, Floats | None]:
        """Whether each row that a share is of is counted; groups and weights of these rows."""
        successes, inside = self.counted(model, metric)
        if self.weight is None:
            return successes[inside], self.groups.among(inside), None
        weights = self.rows[self.weight].cast(pl.Float64).to_numpy()
        inside &= weights > 0
        return successes[inside], self.groups.among(inside), weights[inside]

    def of_slices(
        self,
        slicing: tuple[str, ...],  # noqa: ARG002  # rows in memory have the values of all slicings
        labels: Sequence[str],  # noqa: ARG002  # counted rows have lines of each slice instead
    ) -> GroupedShares:
        """What tells the rows of some slices of a slicing apart."""
        return self

    def design(
        self, model: str, metric: str, slices: tuple[Flags, Flags]
    ) -> tuple[float, float] | None:
        """The design effect of the difference of a share between two slices, and its df.

        A group may have rows in both. Groups of unlike size count by their
        leverage (CR3). None where a slice has fewer than two groups, or the
        share varies in neither.
        Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181.
        """
        successes, inside = self.counted(model, metric)
        first, second = (part & inside for part in slices)
        both = first | second
        return _design(successes[both], first[both], self.groups.among(both))

    def designs(
        self, model: str, metric: str, slicing: tuple[str, ...], labels: Sequence[str]
    ) -> dict[str, tuple[float, float]]:
        """``design`` of each of some slices against the others, where it has one."""
        successes, inside = self.counted(model, metric)
        place = np.full(len(successes), -1)
        for k, label in enumerate(labels):
            place[self.slice(slicing, label) & inside] = k
        used = place >= 0
        groups = self.groups.among(used)
        # One line for the rows of a group that are alike in slice and outcome.
        keys = (place[used] * 2 + successes[used]) * groups.number + groups.code
        keys, lines = np.unique(keys, return_inverse=True)
        counts = np.bincount(lines, groups.counts, len(keys)).astype(np.float64)
        kinds, code = np.divmod(keys, groups.number)
        together = Groups(code, groups.number, counts)
        designs = {
            label: _design((kinds % 2).astype(np.bool_), kinds // 2 == k, together)
            for k, label in enumerate(labels)
        }
        return {label: one for label, one in designs.items() if one is not None}

    @cached_property
    def _labels(self) -> dict[tuple[str, ...], tuple[dict[str, int], Integers]]:
        """Of slicings the number of each slice, and that of each row."""
        return {}

    def slice(self, slicing: tuple[str, ...], label: str) -> Flags:
        """Which rows are in a slice."""
        if slicing not in self._labels:
            parts = [
                pl.lit(f"{name} = ") + pl.col(slice_column(name)).cast(pl.String).fill_null("None")
                for name in slicing
            ]
            labels = self.rows.select(pl.concat_str(parts, separator=", ")).to_series()
            different = labels.unique()
            of_rows = labels.cast(pl.Enum(different)).to_physical().to_numpy()
            self._labels[slicing] = ({name: k for k, name in enumerate(different)}, of_rows)
        numbers, of_rows = self._labels[slicing]
        mask: Flags = of_rows == numbers.get(label, -1)
        return mask


def _design(successes: Flags, first: Flags, groups: Groups) -> tuple[float, float] | None:
    """The design effect of the difference of a share of some rows from that of the others."""
    apart = np.zeros(len(successes))
    for part, sign in ((first, 1.0), (~first, -1.0)):
        if part.any():
            share = groups.among(part).mean(successes[part].astype(np.float64))
            apart[part] = sign * (successes[part] - share)
    covariance, sums, *_ = clustered_areas(apart[:, None], ClassesByGroup(first, groups))
    together = covariance.item()
    independent = _variance_of_rows(apart, first, groups)
    if not (together > 0 and independent > 0):
        return None
    return together / independent, degrees_of_freedom(sums[:, 0])


def _variance_of_rows(apart: Floats, first: Flags, groups: Groups) -> float:
    """Variance of a difference of two means of independent rows, from their deviations."""
    if groups.counts is None:
        alone = Groups(np.arange(len(apart)), len(apart))
        of_rows = clustered_areas(apart[:, None], ClassesByGroup(first, alone))
        return float(of_rows.covariance.item())
    sides = [(apart[side], groups.among(side)) for side in (first, ~first)]
    return sum(
        of_side.total(np.square(away)) / of_side.rows**2 * correction(of_side.rows)
        for away, of_side in sides
    )


def cells_of(metric: Metric) -> dict[str, bool | None]:
    """Whether a row of each cell of a decision is counted by a share; null where it is no part.

    >>> from reportgen.metrics import METRICS
    >>> cells_of(METRICS["recall"])
    {'tp': True, 'fp': None, 'fn': False, 'tn': None}
    """
    alone = pl.DataFrame({cell: [float(cell == one) for one in CELLS] for cell in CELLS})
    values = alone.select(metric.build()).to_series().to_list()
    return {
        cell: None if value is None else value > 0
        for cell, value in zip(CELLS, values, strict=True)
    }


def _cell(is_error: pl.Expr) -> pl.Expr:
    of_positive = pl.when(is_error).then(pl.lit("fn")).otherwise(pl.lit("tp"))
    of_negative = pl.when(is_error).then(pl.lit("fp")).otherwise(pl.lit("tn"))
    return pl.when(pl.col("truth")).then(of_positive).otherwise(of_negative)
