"""Errors of estimates row by row: whether one says something of the next, and whose are smaller."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import mean_effect
from reportgen.intervals import normal_quantile
from reportgen.intervals.modified_wilson import modified_wilson
from reportgen.measuring.context import EvaluationContext
from reportgen.predictions import ModelColumns
from reportgen.records.limit_widths import CloserOnRows
from reportgen.records.row_facts import SuccessiveErrors
from reportgen.records.rows import ModelRecord

FEWEST = 20
"""Of fewer pairs of errors the limits of independent ones are rough."""


def in_order(context: EvaluationContext, model: ModelColumns, rows: pl.DataFrame) -> ModelRecord:
    """How the errors of a model follow each other; nothing of rows that have no order of time."""
    if "time" not in rows.columns or model.quantile is not None:
        return {}
    spec, estimate = context.spec, str(model.estimate)
    horizon = spec.comparisons.horizon or 1
    return {"successive_errors": successive_errors(rows, estimate, horizon, spec.confidence)}


def successive_errors(
    rows: pl.DataFrame, estimate: str, horizon: int, confidence: float
) -> SuccessiveErrors | None:
    """The autocorrelation of errors at the lag of the forecast's horizon, within groups.

    Forecasts h points ahead have errors that depend on the h − 1 before: the first lag at which
    those of a good forecast do not correlate is h. Several rows of one group and point have their
    mean error. Independent errors have a correlation within ``expected`` with this ``confidence``.

    Args:
        rows: ``truth``, ``point`` (the place in time), the estimate, perhaps ``group``.
        estimate: the column of the estimates.
        horizon: how many points ahead the estimates are.
        confidence: of the limits of independent errors.

    Returns:
        r = Σ e_t e_{t−h} / Σ e_t² of errors less their mean, and its limits ±z/√(number of pairs);
        null of fewer than ``FEWEST`` pairs, and of errors that do not vary.

    Reference: Box & Jenkins (1970), *Time Series Analysis*; Bartlett (1946), doi:10.2307/2983611

    >>> frame = pl.DataFrame({"truth": [0.0, 1.0, 1.0, 0.0] * 8, "point": range(32), "e": 0.5})
    >>> errors = successive_errors(frame, "e", 2, 0.95)
    >>> round(errors["value"], 3), errors["pairs"], round(errors["expected"], 3)
    (-0.938, 30, 0.358)
    """
    by = ["group"] if "group" in rows.columns else []
    errors = (
        rows.select(*by, "point", error=pl.col("truth") - pl.col(estimate))
        .group_by(*by, "point")
        .agg(pl.col("error").mean())
        .sort(*by, "point")  # sums of one order, in one piece, have one last digit
        .rechunk()
        .with_columns(pl.col("error") - pl.col("error").mean())
    )
    earlier = errors.with_columns(pl.col("point").cast(pl.Int64) + horizon)
    both = errors.with_columns(pl.col("point").cast(pl.Int64)).join(
        earlier, on=[*by, "point"], suffix="_before", maintain_order="left"
    )
    products, squares = (
        float((frame["error"] * frame[other]).rechunk().sum())
        for frame, other in ((both, "error_before"), (errors, "error"))
    )
    largest = rows.select(pl.col("truth").abs().max()).item() or 0.0
    if both.height < FEWEST or not squares > errors.height * (1e-12 * largest) ** 2:
        return None
    expected = normal_quantile(confidence) / math.sqrt(both.height)
    return {"lag": horizon, "value": products / squares, "pairs": both.height, "expected": expected}


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
