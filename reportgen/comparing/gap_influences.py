"""Gaps between two slices in AUC and in errors of estimates, from what each row adds to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import stdtr

from reportgen.array_types import Flags, Floats
from reportgen.clusters import (
    Groups,
    degrees_of_freedom,
    degrees_of_freedom_of_powers,
    sum_of_squares,
)
from reportgen.comparisons.area_covariances import placement_shares
from reportgen.measuring.shares_by_row import GroupedShares

TwoSlices = tuple[Flags, Flags]

ERRORS = {
    "root_mean_squared_error": lambda error: error**2,
    "mean_absolute_error": lambda error: error.abs(),
    "mean_error": lambda error: error,
}
"""Measures that are a mean over the rows, or fixed by one: what is averaged."""

TESTED = {"auc", *ERRORS}
"""Measures whose gaps are tested by the influences of the rows."""


@dataclass(frozen=True, slots=True)
class SliceInfluence:
    """A value of one slice, and what each row adds to it; ``cell`` is the row's class.

    Where ``Groups`` has counts, each row stands for so many.
    """

    value: float
    influence: Floats
    cell: npt.NDArray[np.int64]


class SliceContrasts(Protocol):
    """What tests gaps in measures of ``TESTED``."""

    def of_slices(
        self, model: str, metric: str, slicing: tuple[str, ...], ends: tuple[str, str]
    ) -> float | None:
        """Two-sided p of the gap between two slices; null where one tells no variance."""


@dataclass(frozen=True)
class Contrasts:
    """The rows of an evaluation, single or in groups, between whose slices gaps are tested."""

    rows: GroupedShares

    def of_slices(
        self, model: str, metric: str, slicing: tuple[str, ...], ends: tuple[str, str]
    ) -> float | None:
        """As ``p_value``, of slices by their names."""
        lowest, highest = (self.rows.slice(slicing, end) for end in ends)
        return self.p_value(model, metric, (lowest, highest))

    def p_value(self, model: str, metric: str, slices: TwoSlices) -> float | None:
        """Two-sided p of a gap in a measure of ``TESTED``; null where a slice tells no variance.

        Null hypothesis: the measure is the same in both slices
        Formula: t = (h(v₁) − h(v₂)) / √(Σ_g (Σ_{i in g} f_i u_i)²), with u_i what row i
            adds to the difference, g its group (or the row alone) and
            f_i = √(1 − 1/I)/(1 − share of the group in the rows of its slice, of an AUC
            those of its class), in I groups; degrees of freedom after Pan & Wall. h is the
            logit for AUC. Of a mean of losses p is the larger one of h the logarithm and
            h the value itself, each of which alone rejects too often where losses are skewed
        Assumes: independent groups, which may have rows in both slices
        Undefined: a slice, of an AUC a class in it, in fewer than two groups, a value
            that does not vary in one of them, or an AUC of 0 or 1
        Reference: DeLong et al. (1988), doi:10.2307/2531595; Obuchowski (1997),
            doi:10.2307/2533958; Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181;
            Pan & Wall (2002), doi:10.1002/sim.1142
        """
        make = self._area if metric == "auc" else self._mean
        first, second = (make(model, metric, rows) for rows in slices)
        if first is None or second is None:
            return None
        where = [np.flatnonzero(rows) for rows in slices]
        groups = [Groups(self.rows.groups.code[at], self.rows.groups.number) for at in where]
        return p_of_parts(metric, (first, second), groups)

    def _area(self, model: str, _: str, rows: Flags) -> SliceInfluence | None:
        """The AUC of the rows of a slice; null where it is at its bound."""
        frame = self.rows.rows
        column = self.rows.losses.scores.get(model)
        if column is None:
            return None
        score = frame[column].cast(pl.Float64).to_numpy()[rows]
        positive = frame["truth"].to_numpy()[rows]
        placed = None if np.isnan(score).any() else placement_shares(score, positive)
        if placed is None:
            return None
        area = float(placed[positive].mean())
        size = np.where(positive, positive.sum(), (~positive).sum())
        return SliceInfluence(area, (placed - area) / size, positive.astype(np.int64))

    def _mean(self, model: str, metric: str, rows: Flags) -> SliceInfluence | None:
        error = pl.col("truth") - self.rows.losses.predicted[model]
        values = self.rows.rows.select(ERRORS[metric](error.cast(pl.Float64))).to_series()
        lost = values.to_numpy()[rows]
        if not len(lost) or not np.isfinite(lost).all():
            return None
        mean = float(lost.mean())
        return SliceInfluence(mean, (lost - mean) / len(lost), np.zeros(len(lost), np.int64))


@dataclass(frozen=True, slots=True)
class Moments:
    """A value of a slice of independent rows, and of each of its classes the number of rows.

    ``second`` and ``fourth`` are sums of powers of what the rows of a class add to the value.
    """

    value: float
    rows: tuple[float, ...]
    second: tuple[float, ...]
    fourth: tuple[float, ...]


def p_of_parts(
    metric: str, parts: tuple[SliceInfluence, SliceInfluence], groups: Sequence[Groups]
) -> float | None:
    """``Contrasts.p_value`` of two slices, with the groups of the rows of each."""
    tested = [_p_of(*parts, groups, scale) for scale in _scales(metric)]
    return None if None in tested else max(p for p in tested if p is not None)


def p_of_moments(metric: str, first: Moments, second: Moments) -> float | None:
    """``Contrasts.p_value`` of independent rows, from sums of powers."""
    tested = [_p_of_sums(first, second, scale) for scale in _scales(metric)]
    return None if None in tested else max(p for p in tested if p is not None)


def _p_of_sums(first: Moments, second: Moments, scale: str) -> float | None:
    difference = variance = fourths = 0.0
    for sign, part in ((1, first), (-1, second)):
        at = _scaled(part.value, scale)
        if at is None or min(part.rows) < 2 or not sum(part.second) > 0:
            return None
        difference += sign * at[0]
        for rows, squares, powers in zip(part.rows, part.second, part.fourth, strict=True):
            variance += at[1] ** 2 * squares * rows / (rows - 1)
            fourths += at[1] ** 4 * powers * (rows / (rows - 1)) ** 2
    number = round(sum(first.rows) + sum(second.rows))
    freedom = degrees_of_freedom_of_powers(variance, fourths, number)
    return 2 * float(stdtr(freedom, -abs(difference) / math.sqrt(variance)))


def _scales(metric: str) -> tuple[str, ...]:
    if metric == "auc":
        return ("logit",)
    return ("plain",) if metric == "mean_error" else ("plain", "log")


def _p_of(
    first: SliceInfluence, second: SliceInfluence, groups: Sequence[Groups], scale: str
) -> float | None:
    """Two-sided p of the difference on one scale."""
    difference, sums = 0.0, np.zeros(groups[0].number)
    for sign, part, of_part in zip((1, -1), (first, second), groups, strict=True):
        at = _scaled(part.value, scale)
        factors = _factors(part.cell, of_part)
        if at is None or factors is None or not part.influence.any():
            return None
        difference += sign * at[0]
        sums += sign * at[1] * of_part.sums(part.influence * factors)
    error = math.sqrt(sum_of_squares(sums))
    used = np.unique(np.concatenate([of_part.code for of_part in groups]))
    if error == 0:
        return None
    freedom = degrees_of_freedom(sums[used])
    return 2 * float(stdtr(freedom, -abs(difference) / error))


def _scaled(value: float, scale: str) -> tuple[float, float] | None:
    """The value on a scale and its slope there; null at a bound."""
    if scale == "plain":
        return value, 1.0
    if value <= 0 or (scale == "logit" and value >= 1):
        return None
    if scale == "log":
        return math.log(value), 1 / value
    return math.log(value / (1 - value)), 1 / (value * (1 - value))


def _factors(cell: npt.NDArray[np.int64], groups: Groups) -> Floats | None:
    """What the influence of each row is multiplied by, for the pull of its group (CR3)."""
    factors = np.empty(len(cell))
    for one in np.unique(cell):
        rows = cell == one
        counts = None if groups.counts is None else groups.counts[rows]
        sizes = np.bincount(groups.code[rows], counts, groups.number)
        number = np.count_nonzero(sizes)
        if number < 2:
            return None
        share = sizes[groups.code[rows]] / sizes.sum()
        factors[rows] = math.sqrt(1 - 1 / number) / (1 - share)
    return factors
