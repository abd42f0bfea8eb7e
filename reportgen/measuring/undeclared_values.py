"""Whether differences of models over data sets resemble each other by a column not declared."""

from __future__ import annotations

import math
from itertools import combinations

from reportgen.array_types import Floats
from reportgen.clusters import Effect, Groups
from reportgen.measuring.undeclared_effects import LEAST_EFFECT, LEVEL, effect_beyond_chance
from reportgen.measuring.undeclared_groups import MOST_MODELS
from reportgen.measuring.undeclared_widths import Groupings, of_losses
from reportgen.predictions import Scores
from reportgen.predictions.undeclared import returns
from reportgen.records.limit_widths import UndeclaredGroup
from reportgen.spec.scores import ScoresSpec

FEWEST_GROUPS, LEAST_OF_VALUES = 4, 8.0
"""Values have no rare ones, as losses have: 15 data sets in four groups are looked at."""


def undeclared_groups_of_values(scores: Scores, spec: ScoresSpec) -> list[UndeclaredGroup]:
    """The columns that differences of models depend on, that of the widest limits first.

    As ``undeclared_groups`` of rows: a data set takes the place of a row, a value that of a loss.
    """
    columns = scores.undeclared
    if columns is None or not columns.width:
        return []
    wide = scores.frame.pivot("model", index="block", values="value", maintain_order=True)
    of_block = wide.select("block").join(columns, on="block", how="left", maintain_order="left")
    several = [column for column in of_block.drop("block") if returns(column, FEWEST_GROUPS)]
    of_model: dict[str, Floats] = {
        model: wide[model].to_numpy() for model in scores.models[:MOST_MODELS]
    }
    single = len(of_model) == 1
    differences = [a - b for a, b in combinations(of_model.values(), 2)] or [*of_model.values()]
    level = LEVEL / max(1, len(several) * len(differences))
    seen: list[UndeclaredGroup] = []
    for column in several:
        groups = Groups.of(column)
        effects = [_effect(values, groups, level) for values in differences]
        designs = [effect.design for effect in effects if effect is not None]
        if not designs:
            continue
        of_limits = of_losses(spec.measure, of_model, Groupings(groups))
        limits = [one for effect in of_limits for one in effect.limits(spec.confidence)]
        of_compared = [one for one in limits if single or len(one["models"]) == 2]
        seen.append(
            UndeclaredGroup(
                column=column.name,
                sampled=True,  # conclusions are for further data sets, which may share its values
                values=column.drop_nulls().n_unique(),
                design_effect=max(designs),
                times_as_wide=max((one["times_as_wide"] for one in of_compared), default=1.0),
                crosses=False,
                limits=limits,
            )
        )
    wide_enough = [one for one in seen if one["times_as_wide"] >= math.sqrt(LEAST_EFFECT)]
    return sorted(wide_enough, key=lambda one: -one["times_as_wide"])


def _effect(values: Floats, groups: Groups, level: float) -> Effect | None:
    return effect_beyond_chance(values, groups, None, level, FEWEST_GROUPS, LEAST_OF_VALUES)
