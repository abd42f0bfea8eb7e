"""Rows, or groups, in which two models that are alike elsewhere give different outputs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import polars as pl

from reportgen.clusters import Groups
from reportgen.measuring.context import EvaluationContext
from reportgen.predictions import ModelColumns
from reportgen.records.row_facts import UnlikeRows

FEW = 10
"""In so many rows, or groups, or more no word is needed."""

MOST_MODELS = 10
"""Of more models the first are looked at."""

_FIRST = 1000
"""So many of the unlike rows mostly show that they are of many groups."""


def unlike_rows(
    context: EvaluationContext, alike: Sequence[Sequence[str]] = ()
) -> list[UnlikeRows]:
    """Pairs of models whose outputs differ in few rows, or groups; none of withheld counts.

    Models of one group of ``alike`` are known to differ in none.
    """
    rows = context.rows
    if context.spec.privacy.small_cells:
        return []
    groups = rows["group"] if "group" in rows.columns else None
    given = [(m.name, _outputs(m, rows)) for m in context.predictions.models[:MOST_MODELS]]
    pairs: list[UnlikeRows] = []
    for (a, first), (b, second) in combinations(given, 2):
        if not first or len(first) != len(second) or any({a, b} <= {*same} for same in alike):
            continue
        differ = [
            pl.col(one).ne_missing(pl.col(other)) for one, other in zip(first, second, strict=True)
        ]
        places = rows.select(pl.any_horizontal(differ)).to_series().arg_true()
        units = len(places)
        if groups is not None:
            units = groups.gather(places.head(_FIRST)).n_unique()
            units = units if units >= FEW else groups.gather(places).n_unique()
        if 0 < units < FEW:
            pairs.append({"models": [a, b], "rows": len(places), "units": units})
    return pairs


def in_few_groups(groups: Groups, models: Sequence[str]) -> list[UnlikeRows]:
    """The same of counted rows: the outputs differ in no more groups than there are.

    >>> in_few_groups(Groups.of(pl.Series([0, 0, 1])), ["a", "b"])
    [{'models': ['a', 'b'], 'rows': 3, 'units': 2}]
    """
    if groups.number >= FEW:
        return []
    rows = int(groups.sizes.sum())
    pairs = combinations(models[:MOST_MODELS], 2)
    return [{"models": [*pair], "rows": rows, "units": groups.number} for pair in pairs]


def _outputs(model: ModelColumns, rows: pl.DataFrame) -> tuple[str, ...]:
    """The columns that tests of a model rest on: its scores or estimates, else its labels."""
    single = model.score or model.estimate
    columns = model.scores or ((single,) if single else ()) or model.labels
    columns = columns or ((model.label,) if model.label else ())
    return columns if {*columns} <= {*rows.columns} else ()
