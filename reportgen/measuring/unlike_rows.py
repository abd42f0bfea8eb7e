"""Rows in which two models that are alike elsewhere give different numbers."""

from __future__ import annotations

from itertools import combinations

from reportgen.measuring.context import EvaluationContext
from reportgen.records.row_facts import UnlikeRows

FEW = 10
"""In so many rows or more no word is needed."""

LEAST_ROWS = 30
"""Of fewer rows in all another caveat speaks."""

MOST_MODELS = 10
"""Of more models the first are looked at."""


def unlike_rows(context: EvaluationContext) -> list[UnlikeRows]:
    """Pairs of models whose scores, or estimates, differ in few rows; none of withheld counts."""
    rows = context.rows
    if context.spec.privacy.small_cells or rows.height < LEAST_ROWS:
        return []
    given = [
        (model.name, column)
        for model in context.predictions.models[:MOST_MODELS]
        if (column := model.score or model.estimate) is not None and column in rows.columns
    ]
    return [
        {"models": [a, b], "rows": count}
        for (a, first), (b, second) in combinations(given, 2)
        if 0 < (count := int(rows[first].ne_missing(rows[second]).sum())) < FEW
    ]
