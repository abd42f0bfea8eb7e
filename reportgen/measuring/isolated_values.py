"""Values that several rows share far from all others, as codes of missing values are."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.measuring.context import EvaluationContext
from reportgen.records.row_facts import IsolatedValue

FEWEST_ROWS = 3
"""Fewer rows may have one value by chance."""

FEWEST_OTHERS = 10
"""Distinct values of the other rows; fewer are those of labels or steps."""


def isolated_values(context: EvaluationContext) -> list[IsolatedValue]:
    """Isolated values of numbers to predict, of scores and of estimates; none of withheld counts.

    ``model`` is null of the truth. Each column has one at most, its least value before its largest.
    """
    if context.spec.privacy.small_cells:
        return []
    of_models = (
        (model.name, column)
        for model in context.predictions.models
        for column in (model.score, model.estimate)
    )
    seen = (
        _isolated(model, context.rows[column].drop_nulls())
        for model, column in ((None, "truth"), *of_models)
        if column in context.rows.columns and context.rows[column].dtype == pl.Float64
    )
    return [one for one in seen if one is not None]


def _isolated(model: str | None, values: pl.Series) -> IsolatedValue | None:
    """The value at an end that is farther from the others than these are from each other."""
    numbers: Floats = values.to_numpy()
    for end in (numbers.min(initial=np.inf), numbers.max(initial=-np.inf)):
        others = numbers[numbers != end]
        rows = len(numbers) - len(others)
        if not FEWEST_ROWS <= rows <= len(others):
            continue
        low, high = float(others.min()), float(others.max())
        is_apart = max(low - end, end - high) > high - low  # seldom so, and distinct ones cost more
        if is_apart and len(np.unique(others)) >= FEWEST_OTHERS:
            return {"model": model, "value": float(end), "rows": rows, "low": low, "high": high}
    return None
