"""Gaps between slices in AUC and in errors, from counts of independent rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.comparing.gap_influences import Moments, p_of_moments
from reportgen.measuring import slices
from reportgen.metrics import METRICS
from reportgen.results.binned.counts import EvaluationCounts
from reportgen.results.binned.covariance import placements
from reportgen.results.binned.number_sums import NumberCounts, as_float
from reportgen.results.binned.part_counts import PartCounts
from reportgen.results.binned.slicings import slicings
from reportgen.results.binned.sweeps import sweeps

LOSSES = {"root_mean_squared_error": "mean_squared_error"}
"""The mean that a measure is fixed by, where it is not one itself."""


@dataclass(frozen=True)
class AreaContrasts:
    """Gaps in AUC between slices, within what the cells of scores leave."""

    counted: EvaluationCounts

    def of_slices(
        self, model: str, metric: str, slicing: tuple[str, ...], ends: tuple[str, str]
    ) -> float | None:
        """Two-sided p of the smallest gap that is possible; null where a slice has no variance."""
        (low, above), (high, below) = (
            self._moments(model, *_place(self.counted, slicing, end)) for end in ends
        )
        if low.value + above > high.value - below:
            return 1.0
        moved = [
            Moments(part.value + off, part.rows, part.second, part.fourth)
            for part, off in ((low, above), (high, -below))
        ]
        return p_of_moments(metric, moved[0], moved[1])

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
        parts = []
        for end in ends:
            place = _place(self.counted, slicing, end)
            rows = self.counted.rows(*place)
            loss = LOSSES.get(metric, metric)
            central = self.counted.central(loss, names.index(model), *place)
            if central is None or rows < 2 or self.counted.weighted:
                return None
            mean, second, _, fourth = central
            powers = as_float(second / rows**2), as_float(fourth / rows**4)
            parts.append(Moments(as_float(mean), (rows,), (powers[0],), (powers[1],)))
        return p_of_moments(metric, parts[0], parts[1])


def _place(counted: PartCounts, slicing: tuple[str, ...], label: str) -> tuple[int, str]:
    return next(
        (scope, part)
        for scope, columns, parts in slicings(counted)
        if columns == slicing
        for part, values in parts or ()
        if slices.label(columns, values) == label
    )
