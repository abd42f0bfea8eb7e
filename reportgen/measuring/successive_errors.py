"""Errors of estimates in order of time: whether one says something of the next."""

from __future__ import annotations

import math

import polars as pl

from reportgen.intervals import normal_quantile
from reportgen.measuring.context import EvaluationContext
from reportgen.predictions import ModelColumns
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
