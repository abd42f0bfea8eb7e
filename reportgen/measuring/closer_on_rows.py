"""On which share of the rows one model's estimate is closer to the truth than another's.

Few errors that outweigh all others decide a mean of errors, and a row alone in this share.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import mean_effect
from reportgen.intervals.modified_wilson import modified_wilson
from reportgen.measuring.context import EvaluationContext
from reportgen.records.limit_widths import CloserOnRows

MOST_MODELS = 4
"""Of more models no pairs are counted."""


def closer_on_rows(
    context: EvaluationContext, estimates: Mapping[str, str | None]
) -> list[CloserOnRows]:
    """The share of each pair of models that estimate the mean, the first of them closer.

    Modified Wilson limits of a share of rows, of groups divided by the design effect (Rao & Scott
    1992, doi:10.2307/2532311). ``estimates`` are the columns of the models; null where one gives
    another thing. Nothing where rows have weights, an order in time, small counts that are
    withheld, several fits that share training rows, or models rows of their own.
    """
    evaluation, spec = context.predictions.evaluation, context.spec
    overlapping = evaluation.pooled_fits and evaluation.training_overlap != "zero"
    dependent = context.weight is not None or "time" in context.rows.columns
    if dependent or overlapping or context.test_settings.unpaired or spec.privacy.small_cells:
        return []
    columns = {name: column for name, column in estimates.items() if column is not None}
    if not 1 < len(estimates) == len(columns) <= MOST_MODELS or context.repeats > 1:
        return []
    errors = context.rows.select(
        (pl.col("truth") - pl.col(column)).abs().cast(pl.Float64).alias(name)
        for name, column in columns.items()
    )
    if not errors.height or errors.null_count().sum_horizontal().item():
        return []
    arrays = {name: errors[name].to_numpy() for name in columns}
    pairs = []
    for pair in combinations(columns, 2):
        first, second = (arrays[name] for name in pair)
        share, low, high = _share(first, second, context)
        pairs.append(CloserOnRows(models=list(pair), share=share, low=low, high=high))
    return pairs


def _share(first: Floats, second: Floats, context: EvaluationContext) -> tuple[float, float, float]:
    closer = np.where(first == second, 0.5, first < second)
    share, rows = float(closer.mean()), float(len(closer))
    effect = None if context.groups is None else mean_effect(closer, context.groups)
    confidence = context.spec.confidence
    if effect is not None and effect[1].inflation(confidence) > 0:
        rows /= effect[1].inflation(confidence)
    low, high = modified_wilson(np.array([share]), np.array([rows]), confidence)
    return share, float(low[0]), float(high[0])
