"""How many times as wide limits would be with an undeclared column as group.

Of the mean loss of each model and of each pair of models by their own design effects, of their
AUCs by Obuchowski's variance against DeLong's. Where it crosses declared groups, or another such
column, of limits that allow for both.
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
from reportgen.measuring.context import EvaluationContext, Losses
from reportgen.measuring.crossed_columns import both_ways
from reportgen.records.limit_widths import WiderLimits


@dataclass(frozen=True, slots=True)
class Groupings:
    """The groups of the column, other ones, and the cells where these cross.

    Limits allow for the other ones already, if those ``are_declared``.
    """

    column: Groups
    other: Groups | None = None
    cells: Groups | None = None
    are_declared: bool = False


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


def widths(
    context: EvaluationContext, losses: Losses, of_model: Mapping[str, Floats], by: Groupings
) -> list[WiderLimits]:
    """How many times as wide limits of each model and pair are by these groupings.

    ``of_model`` has the losses of the models that are looked at, by row.
    """
    scores = {model: losses.scores[model] for model in of_model if model in losses.scores}
    effects = (
        *of_losses(losses.measure, of_model, by),
        *_of_absolute_errors(losses, of_model, by),
        *_of_areas(context.rows, scores, by),
    )
    return [limits for effect in effects for limits in effect.limits(context.spec.confidence)]


def _of_absolute_errors(
    losses: Losses, of_model: Mapping[str, Floats], by: Groupings
) -> Iterator[GroupEffect]:
    """The effects on mean absolute errors, which may decide: squared ones have others."""
    if losses.kind == "squared":
        absolute = {name: np.sqrt(values) for name, values in of_model.items()}
        yield from of_losses("mean_absolute_error", absolute, by)


def of_losses(measure: str, losses: Mapping[str, Floats], by: Groupings) -> Iterator[GroupEffect]:
    """The effects on the mean loss of each model and the difference of each pair; NaN has none."""
    singles = ((name,) for name in losses)
    for names in (*singles, *combinations(losses, 2)):
        values = losses[names[0]] if len(names) == 1 else losses[names[0]] - losses[names[1]]
        has = ~np.isnan(values)
        of_each = (_mean_effect(values, of, has) for of in (by.column, by.other, by.cells))
        effect, of_other, of_cells = of_each
        if effect is not None:
            yield _group_effect(names, measure, effect, (of_other, of_cells), by)


def _group_effect(
    names: Sequence[str],
    measure: str,
    effect: Effect,
    crossed: tuple[Effect | None, Effect | None],
    by: Groupings,
) -> GroupEffect:
    """The effect of the column, with that of what it crosses; ``crossed`` are other and cells."""
    of_other, of_cells = crossed
    if of_other is not None and of_cells is not None:
        effect = both_ways(effect, of_other, of_cells)
    return GroupEffect(names, measure, effect, of_other if by.are_declared else None)


def _mean_effect(values: Floats, groups: Groups | None, has: Flags) -> Effect | None:
    if groups is None:
        return None
    effect = mean_effect(values[has], groups if has.all() else groups.among(has))
    return None if effect is None else effect[1]


def _of_areas(
    rows: pl.DataFrame, scores: Mapping[str, str], by: Groupings
) -> Iterator[GroupEffect]:
    """The same of AUCs; nothing where a score is missing or one class is absent."""
    columns = list(scores.values())
    if not columns or rows.select(columns).null_count().sum_horizontal().item():
        return
    if rows.schema.get("truth") != pl.Boolean or rows["truth"].n_unique() < 2:
        return
    base = area_covariance(rows, columns, groups=by.other if by.are_declared else None)
    together = area_covariance(rows, columns, groups=by.column)
    others = [
        None if groups is None else area_covariance(rows, columns, groups=groups)
        for groups in (by.other, by.cells)
    ]
    numbered = dict(enumerate(scores))
    for at in (*((place,) for place in numbered), *combinations(numbered, 2)):
        effect = _area_effect(together, base, at)
        if effect is not None and effect.design > 0:
            of_other, of_cells = (_area_effect(areas, base, at) for areas in others)
            names = [numbered[place] for place in at]
            yield _group_effect(names, "auc", effect, (of_other, of_cells), by)


def _area_effect(
    areas: AreaCovariance | None, base: AreaCovariance, at: Sequence[int]
) -> Effect | None:
    """How many times that of ``base`` its variance by groups is; none without either."""
    independent = _variance(base, at)
    if areas is None or areas.sums is None or not independent > 0:
        return None
    return Effect(_variance(areas, at) / independent, _freedom(areas, areas.sums, at))


def _freedom(areas: AreaCovariance, sums: Floats, at: Sequence[int]) -> float:
    if len(at) == 2:
        return areas.degrees_of_freedom((at[0], at[1]))
    return degrees_of_freedom(sums[:, at[0]])


def _variance(areas: AreaCovariance, at: Sequence[int]) -> float:
    contrast = np.zeros(len(areas.areas))
    contrast[list(at)] = (1.0, -1.0)[: len(at)]
    return float(contrast @ areas.covariance @ contrast)
