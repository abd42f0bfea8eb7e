"""The tests of what the decisions of two models cost, where costs are declared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import polars as pl

from reportgen.comparisons import (
    Comparison,
    Question,
    declared_costs,
    declared_costs_in_time,
    paired_costs,
    weighted_t,
)
from reportgen.comparisons.grouped import paired_t_groups
from reportgen.measuring.context import TestSettings
from reportgen.metric_names import COST
from reportgen.sample_design import INDEPENDENT_ROWS, SampleDesign
from reportgen.text.reasons import WEIGHTED

POINT = pl.selectors.matches("^point$")
"""The place of rows in time, where they have one."""

ROWS = pl.selectors.matches("^rows$")
"""For how many rows a line stands, where lines do."""


def compared_costs(
    costs: pl.DataFrame,
    models: Sequence[str],
    settings: TestSettings,
    design: SampleDesign = INDEPENDENT_ROWS,
    *,
    reason: str | None = None,
) -> list[Comparison]:
    """The tests of what each row costs under every pair of models.

    ``costs`` has a column of each model, and ``costliest``, what the costliest error about a row
    costs; of rows in order of time ``point``, the place of each, and ``rows`` where a line stands
    for so many. ``reason`` says why there are none.
    """
    ordered = sorted(models, key=lambda name: name == settings.baseline)
    records = []
    for pair in combinations(ordered, 2):
        question = settings.question(pair, COST)
        if why := settings.unpaired or reason:
            records += question.undefined(why, *forms_of_costs(settings))
            continue
        lost = costs.select(POINT, ROWS, "costliest", first=pair[0], second=pair[1])
        records += compared_pair_costs(lost, question, settings, design)
    return records


def compared_pair_costs(
    lost: pl.DataFrame, question: Question, settings: TestSettings, design: SampleDesign
) -> list[Comparison]:
    """The t-test of what rows cost under two models, and that which knows what errors cost."""
    of_t = forms_of_costs(settings)[0]
    in_time = _costs_in_time(lost, question, settings)
    of_both = lost["first"].to_numpy(), lost["second"].to_numpy()
    if design.weights is not None:
        test = weighted_t(of_both, design, question, of_t)
    elif design.groups is not None:
        test = paired_t_groups(of_both, design.groups, question, of_t)
    else:
        test = paired_costs(lost, question)
    return [test, declared_costs(lost, question, design), *in_time]


def _costs_in_time(
    lost: pl.DataFrame, question: Question, settings: TestSettings
) -> list[Comparison]:
    """The test of costs of rows in order of time; of weighted ones why there is none."""
    if "point" not in lost.columns:
        return []
    if settings.weight is not None:
        return question.undefined(WEIGHTED, "declared_costs_in_time")
    return [declared_costs_in_time(lost, question, settings.groups)]


def forms_of_costs(settings: TestSettings) -> tuple[str, str]:
    """The tests of costs that are made under these terms."""
    if settings.weight is not None:
        return "paired_cost_weighted", "declared_costs"
    return "paired_cost" if settings.groups is None else "paired_cost_groups", "declared_costs"
