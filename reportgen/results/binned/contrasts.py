"""Gaps between slices in AUC and in errors, from counts of independent rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.array_types import Integers
from reportgen.clusters import Groups
from reportgen.comparing.gap_influences import Moments, SliceInfluence, p_of_moments, p_of_parts
from reportgen.comparing.slice_against_others import (
    AgainstOthers,
    GroupedInfluence,
    of_groups,
    of_rows,
)
from reportgen.measuring import slices
from reportgen.metrics import METRICS, REGISTRY, measure_tested_as
from reportgen.results.binned.counts import EvaluationCounts
from reportgen.results.binned.covariance import placements
from reportgen.results.binned.group_counts import GroupCounts, ScopeAndPart
from reportgen.results.binned.number_sums import NumberCounts, as_float
from reportgen.results.binned.part_counts import PartCounts, slicings
from reportgen.results.binned.sums_by_group import SumsByGroup
from reportgen.results.binned.sweeps import sweeps


@dataclass(frozen=True)
class AreaContrasts:
    """Gaps in AUC between slices, within what the cells of scores leave."""

    counted: EvaluationCounts

    def of_slices(
        self, model: str, metric: str, slicing: tuple[str, ...], ends: tuple[str, str]
    ) -> float | None:
        """Two-sided p of the smallest gap that is possible; null where a slice has no variance."""
        places = [_place(self.counted, slicing, end) for end in ends]
        (low, above), (high, below) = (self._moments(model, *place) for place in places)
        if low.value + above > high.value - below:
            return 1.0
        if self.counted.dependent is not None:
            values = (low.value + above, high.value - below)
            return self._p_in_groups(self.counted.dependent, model, places, values)
        moved = [
            replace(part, value=part.value + off) for part, off in ((low, above), (high, -below))
        ]
        return p_of_moments(metric, moved[0], moved[1])

    def _p_in_groups(
        self,
        groups: GroupCounts,
        model: str,
        places: Sequence[ScopeAndPart],
        values: Sequence[float],
    ) -> float | None:
        """The same of rows in groups, from the places of the scores of each."""
        codes, number = _codes(groups, places)
        parts = [
            self._part(groups, model, place, value, code, number)
            for place, value, code in zip(places, values, codes, strict=True)
        ]
        first, second = parts
        if first is None or second is None:
            return None
        return p_of_parts("auc", (first[0], second[0]), (first[1], second[1]))

    def _part(
        self,
        groups: GroupCounts,
        model: str,
        place: ScopeAndPart,
        value: float,
        code: Integers,
        number: int,
    ) -> GroupedInfluence | None:
        """What the rows of each group and class of a slice add to its AUC."""
        index = [m.name for m in self.counted.models].index(model)
        placed = groups.placed(index, sweeps(self.counted.cells_of(index, *place)), place)
        if placed is None:
            return None
        side, group = np.nonzero(placed.classes.sizes)
        counts = placed.classes.sizes[side, group].astype(np.float64)
        of_class = placed.classes.sizes.sum(axis=1)[side]
        added = placed.sums[side, group] / counts / of_class
        line = SliceInfluence(value, added, side.astype(np.int64))
        return line, Groups(code[group], number, counts)

    def areas_against_others(
        self, model: str, slicing: tuple[str, ...], labels: Sequence[str]
    ) -> list[AgainstOthers]:
        """The AUC of each slice against the others, by the smallest difference that is possible."""
        places = [_place(self.counted, slicing, label) for label in labels]
        moments, off = {}, {}
        for label, place in zip(labels, places, strict=True):
            of_slice, off[label] = self._moments(model, *place)
            if min(of_slice.rows) > 0 and any(of_slice.second):
                moments[label] = of_slice
        groups = self.counted.dependent
        if groups is None:
            return list(of_rows(moments, off))
        codes, number = _codes(groups, places)
        parts = {
            label: self._part(groups, model, place, moments[label].value, code, number)
            for label, place, code in zip(labels, places, codes, strict=True)
            if label in moments
        }
        known = {label: part for label, part in parts.items() if part is not None}
        return list(of_groups(known, off))

    def _moments(self, model: str, scope: int, part: str) -> tuple[Moments, float]:
        """What the rows of a slice add to the AUC, and how far off it may be."""
        names = [m.name for m in self.counted.models]
        of_cells = sweeps(self.counted.cells_of(names.index(model), scope, part))
        at, best, worst = (
            sweep.select(METRICS["auc"].build()).item()
            for sweep in (of_cells.at, of_cells.best, of_cells.worst)
        )
        if at is None:
            return Moments(np.nan, (0.0,), (0.0,), (0.0,)), 0.0
        placed = placements(of_cells)
        sizes = [float(rows.sum()) for rows in placed.rows]
        added = [(v - at) / size for v, size in zip(placed.values, sizes, strict=True)]
        second, fourth = (
            tuple(float((r * u**k).sum()) for r, u in zip(placed.rows, added, strict=True))
            for k in (2, 4)
        )
        return Moments(at, tuple(sizes), second, fourth), max(best - at, at - worst)


@dataclass(frozen=True)
class ErrorContrasts:
    """Gaps in errors of estimates between slices, from sums of powers of the rows' losses."""

    counted: NumberCounts

    def of_slices(
        self, model: str, metric: str, slicing: tuple[str, ...], ends: tuple[str, str]
    ) -> float | None:
        """Two-sided p; null where a slice has no variance."""
        names = [m.name for m in self.counted.models]
        groups = self.counted.sums_by_group
        if groups is not None:
            places = tuple(_place(self.counted, slicing, end) for end in ends)
            return _p_in_groups(groups, names.index(model), metric, places)
        parts = []
        for end in ends:
            place = _place(self.counted, slicing, end)
            rows = self.counted.rows(*place)
            loss = measure_tested_as(metric, "regression")
            central = self.counted.central(loss, names.index(model), *place)
            if central is None or rows < 2 or self.counted.weighted:
                return None
            mean, second, _, fourth = central
            powers = as_float(second / rows**2), as_float(fourth / rows**4)
            parts.append(Moments(as_float(mean), (rows,), (powers[0],), (powers[1],)))
        return p_of_moments(metric, parts[0], parts[1])

    def areas_against_others(
        self,
        model: str,  # noqa: ARG002  # estimates of a number have no AUC
        slicing: tuple[str, ...],  # noqa: ARG002  # as above
        labels: Sequence[str],  # noqa: ARG002  # as above
    ) -> list[AgainstOthers]:
        """None: there is no AUC."""
        return []


def _p_in_groups(
    groups: SumsByGroup, model: int, metric: str, places: Sequence[ScopeAndPart]
) -> float | None:
    """The same of rows in groups, which may have rows in both slices."""
    codes, number = _codes(groups, places)
    parts, of_parts = [], []
    for place, code in zip(places, codes, strict=True):
        sizes = groups.as_rows(place).sizes.astype(np.float64)
        loss = REGISTRY["regression"][measure_tested_as(metric, "regression")]
        lost = groups.lost_by(model, loss, place)
        if not np.isfinite(lost).all():
            return None
        mean, rows = lost.sum() / sizes.sum(), sizes.sum()
        away = (lost / sizes - mean) / rows
        parts.append(SliceInfluence(float(mean), away, np.zeros(len(sizes), np.int64)))
        of_parts.append(Groups(code, number, sizes))
    return p_of_parts(metric, (parts[0], parts[1]), of_parts)


def _codes(groups: GroupCounts, places: Sequence[ScopeAndPart]) -> tuple[list[Integers], int]:
    """The number of each group of some slices, the same in all, and how many there are."""
    names = [groups.lines_of(*place).names.to_numpy() for place in places]
    distinct, codes = np.unique(np.concatenate(names), return_inverse=True)
    ends = np.cumsum([len(of_slice) for of_slice in names])[:-1]
    return np.split(codes.astype(np.int64), ends), len(distinct)


def _place(counted: PartCounts, slicing: tuple[str, ...], label: str) -> tuple[int, str]:
    return next(
        (scope, part)
        for scope, columns, parts in slicings(counted)
        if columns == slicing
        for part, values in parts or ()
        if slices.label(columns, values) == label
    )
