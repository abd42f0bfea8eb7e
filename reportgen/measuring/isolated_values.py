"""Values that several rows share far from all others, as codes of missing values are."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.measuring.context import EvaluationContext
from reportgen.records.row_facts import IsolatedValue

FEWEST_ROWS = 3
"""Fewer rows may have one value by chance."""

SURE = 0.99
"""From such a score on a model is sure of positives, if its other scores are below one half."""

HALF = 0.5

FEWEST_OTHERS = 10
"""Distinct values of the other rows; fewer are those of labels or steps."""


def isolated_values(context: EvaluationContext) -> list[IsolatedValue]:
    """Isolated values of numbers to predict, of scores and of estimates; none of withheld counts.

    ``model`` is null of the truth. Each model has one at most, of its first column with one, the
    least value before the largest. Scores of a rare class may be 1 in a few rows and near 0 in all
    others: those of several classes from 0 to 1 are no codes, nor is 1 where a model is sure of
    every positive.
    """
    if context.spec.privacy.small_cells:
        return []
    of_models = (
        (model.name, column)
        for model in context.predictions.models
        for column in (model.score, model.estimate, *model.scores)
    )
    of_classes = {column for model in context.predictions.models for column in model.scores}
    by_model: dict[str | None, IsolatedValue] = {}
    types = context.rows.schema
    for model, column in ((None, "truth"), *of_models):
        if column is None or types.get(column) != pl.Float64:
            continue
        one = _isolated(model, context.rows[column].drop_nulls())
        if one is not None and not (column in of_classes and 0 <= one["value"] <= 1):
            by_model.setdefault(one["model"], one)
    return [*by_model.values()]


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
        is_sure = SURE <= end <= 1 and low >= 0 and high < HALF
        if is_apart and not is_sure and len(np.unique(others)) >= FEWEST_OTHERS:
            return {"model": model, "value": float(end), "rows": rows, "low": low, "high": high}
    return None
