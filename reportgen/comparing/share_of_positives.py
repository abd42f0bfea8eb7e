"""How the Brier score of a model differs from that of always stating the share of positives."""

from __future__ import annotations

import polars as pl

from reportgen.comparing.differences import mean_record
from reportgen.measuring.binary_model import BinaryModel
from reportgen.measuring.context import EvaluationContext
from reportgen.measuring.mean_losses import mean_losses
from reportgen.records.limit_widths import LimitedDifference
from reportgen.tables.comparisons import DifferenceRow

_SHARE = "share of positives"


def brier_difference(context: EvaluationContext, model: BinaryModel) -> LimitedDifference | None:
    """Mean difference over the rows of the model, with limits by t of the rows or their groups.

    That share is the constant with the least Brier score on these rows, π(1 − π): to first order
    nothing is lost by its estimate. Null of scores that are no probabilities, and where rows have
    weights, are evaluated more than once, follow each other in time or are too few to be counted.
    """
    score, counted_once = model.columns.score, context.weight is None and context.repeats == 1
    if score is None or not (model.probability and model.both_classes and counted_once):
        return None
    if "time" in context.rows.columns or context.spec.privacy.small_cells:
        return None
    rows = context.rows_with_output(model.columns)
    stated = rows.with_columns(pl.col("truth").cast(pl.Float64).mean().alias(_SHARE))
    columns, pair = {"model": score, _SHARE: _SHARE}, ("model", _SHARE)
    groups = context.groups_of(rows)
    mean = mean_losses(stated, columns, [pair], "brier_score", groups)[pair]
    row: DifferenceRow = {} if mean is None else mean_record(mean, context.spec.confidence)
    value, low, high = row.get("value"), row.get("low"), row.get("high")
    if value is None or low is None or high is None:
        return None
    return LimitedDifference(value=value, low=low, high=high)
