"""How many times as wide limits would be with an undeclared column as group.

Of the mean loss of each model and of each pair of models by their own design effects, of their
AUCs by Obuchowski's variance against DeLong's. Where it crosses declared groups, of limits that
allow for both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats
from reportgen.clusters import Effect, Groups, degrees_of_freedom, mean_effect
from reportgen.comparisons.area_covariances import AreaCovariance, area_covariance
from reportgen.measuring.crossed_columns import both_ways
from reportgen.records.limit_widths import WiderLimits


@dataclass(frozen=True, slots=True)
class Groupings:
    """The groups of the column, those that are declared, and the cells where these cross."""

    column: Groups
    declared: Groups | None = None
    cells: Groups | None = None


@dataclass(frozen=True, slots=True)
class GroupEffect:
    """What the column as group does to a measure of models, or to a difference of two.

    ``declared`` is what the groups do that are declared, if any are.
    """

    models: Sequence[str]
    measure: str
    effect: Effect
    declared: Effect | None = None

    def limits(self, confidence: float) -> Iterator[WiderLimits]:
        """How many times as wide limits of this ``confidence`` are, where they are finite."""
        inflation = self.effect.inflation(confidence)
        if self.declared is not None:
            inflation /= self.declared.inflation(confidence)
        if math.isfinite(inflation):
            times = math.sqrt(max(inflation, 1.0))
            models, measure = list(self.models), self.measure
            yield WiderLimits(models=models, measure=measure, times_as_wide=times)


def of_losses(measure: str, losses: Mapping[str, Floats], by: Groupings) -> Iterator[GroupEffect]:
    """The effects on the mean loss of each model and the difference of each pair; NaN has none."""
    singles = ((name,) for name in losses)
    for names in (*singles, *combinations(losses, 2)):
        values = losses[names[0]] if len(names) == 1 else losses[names[0]] - losses[names[1]]
        has = ~np.isnan(values)
        of_each = (_mean_effect(values, of, has) for of in (by.column, by.declared, by.cells))
        effect, of_declared, of_cells = of_each
        if effect is not None:
            if of_declared is not None and of_cells is not None:
                effect = both_ways(effect, of_declared, of_cells)
            yield GroupEffect(names, measure, effect, of_declared)


def _mean_effect(values: Floats, groups: Groups | None, has: Flags) -> Effect | None:
    if groups is None:
        return None
    effect = mean_effect(values[has], groups if has.all() else groups.among(has))
    return None if effect is None else effect[1]


def of_areas(rows: pl.DataFrame, scores: Mapping[str, str], by: Groupings) -> Iterator[GroupEffect]:
    """The same of AUCs; nothing where a score is missing or one class is absent."""
    columns = list(scores.values())
    truth = rows["truth"]
    if not columns or rows.select(columns).null_count().sum_horizontal().item():
        return
    if truth.dtype != pl.Boolean or truth.n_unique() < 2:
        return
    apart, together = (area_covariance(rows, columns, groups=of) for of in (by.declared, by.column))
    cells = None if by.cells is None else area_covariance(rows, columns, groups=by.cells)
    numbered = dict(enumerate(scores))
    for at in (*((place,) for place in numbered), *combinations(numbered, 2)):
        independent, grouped = _variance(apart, at), _variance(together, at)
        if independent > 0 and grouped > 0 and together.sums is not None:
            effect = Effect(grouped / independent, _freedom(together, together.sums, at))
            of_declared = None
            if apart.sums is not None:
                of_declared = Effect(1.0, _freedom(apart, apart.sums, at))
            if of_declared is not None and cells is not None:
                of_cells = Effect(
                    _variance(cells, at) / independent, of_declared.degrees_of_freedom
                )
                effect = both_ways(effect, of_declared, of_cells)
            yield GroupEffect([numbered[place] for place in at], "auc", effect, of_declared)


def _freedom(areas: AreaCovariance, sums: Floats, at: Sequence[int]) -> float:
    if len(at) == 2:
        return areas.degrees_of_freedom((at[0], at[1]))
    return degrees_of_freedom(sums[:, at[0]])


def _variance(areas: AreaCovariance, at: Sequence[int]) -> float:
    contrast = np.zeros(len(areas.areas))
    contrast[list(at)] = (1.0, -1.0)[: len(at)]
    return float(contrast @ areas.covariance @ contrast)
