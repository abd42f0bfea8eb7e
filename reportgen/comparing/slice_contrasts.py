"""Gaps in AUC and in errors of estimates between slices of the rows of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl

from reportgen.array_types import Flags
from reportgen.clusters import Groups
from reportgen.comparing.gap_influences import (
    ERRORS,
    SliceInfluence,
    moments_of,
    p_of_parts,
)
from reportgen.comparing.slice_against_others import (
    AgainstOthers,
    of_groups,
    of_rows,
)
from reportgen.comparisons.area_covariances import placement_shares
from reportgen.measuring.shares_by_row import GroupedShares

TwoSlices = tuple[Flags, Flags]


class SliceContrasts(Protocol):
    """What tests gaps in measures of ``TESTED``."""

    def of_slices(
        self, model: str, metric: str, slicing: tuple[str, ...], ends: tuple[str, str]
    ) -> float | None:
        """Two-sided p of the gap between two slices; null where one tells no variance."""

    def areas_against_others(
        self, model: str, slicing: tuple[str, ...], labels: Sequence[str]
    ) -> list[AgainstOthers]:
        """The AUC of each slice against the others; without those where it does not vary."""


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

    def areas_against_others(
        self, model: str, slicing: tuple[str, ...], labels: Sequence[str]
    ) -> list[AgainstOthers]:
        """The AUC of each slice against the others; without those where it does not vary."""
        groups, parts = self.rows.groups, {}
        for label in labels:
            rows = self.rows.slice(slicing, label)
            part = self._area(model, "auc", rows)
            if part is not None and part.influence.any():
                parts[label] = part, Groups(groups.code[rows], groups.number)
        if groups.single:
            return list(of_rows({name: moments_of(part) for name, (part, _) in parts.items()}))
        return list(of_groups(parts))

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
