"""How the Brier score of a model differs from that of always stating the share of positives."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.comparing.differences import mean_record
from reportgen.comparisons.paired import Mean, mean_from
from reportgen.comparisons.simultaneous import possible
from reportgen.measuring.binary_model import BinaryModel
from reportgen.measuring.context import EvaluationContext
from reportgen.measuring.mean_losses import mean_losses
from reportgen.records.limit_widths import LimitedDifference
from reportgen.spec import Spec
from reportgen.sweeping import Ranking
from reportgen.tables.comparisons import DifferenceRow

_SHARE = "share of positives"


def brier_difference(context: EvaluationContext, model: BinaryModel) -> LimitedDifference | None:
    """Mean difference over the rows of the model, with limits by t of the rows or their groups.

    That share is the constant with the least Brier score on these rows, π(1 − π): to first order
    nothing is lost by its estimate. Null of scores that are no probabilities, and where rows have
    weights, are evaluated more than once, follow each other in time or are too few to be counted.
    """
    if "group" not in context.rows.columns:
        return of_independent_rows(context.spec, model)
    if not _is_defined(context.spec, model) or model.columns.score is None:
        return None
    rows = context.rows_with_output(model.columns)
    stated = rows.with_columns(pl.col("truth").cast(pl.Float64).mean().alias(_SHARE))
    columns, pair = {"model": model.columns.score, _SHARE: _SHARE}, ("model", _SHARE)
    groups = context.groups_of(rows)
    mean = mean_losses(stated, columns, [pair], "brier_score", groups)[pair]
    return _limited(mean, context.spec)


def of_independent_rows(spec: Spec, model: BinaryModel) -> LimitedDifference | None:
    """The same from the distinct scores, whatever counted them; null of rows in groups."""
    if not _is_defined(spec, model) or model.ranking is None or model.grouped is not None:
        return None
    return _limited(_mean(model.ranking), spec)


def _is_defined(spec: Spec, model: BinaryModel) -> bool:
    ranking, columns = model.ranking, spec.columns
    if ranking is None or ranking.weighted or model.repeats != 1:
        return False
    declared = columns.time is not None or columns.weight is not None
    return ranking.probabilities and model.both_classes and not declared and not _hidden(spec)


def _hidden(spec: Spec) -> bool:
    return bool(spec.privacy.small_cells)


def _mean(ranking: Ranking) -> Mean:
    """The mean difference, from the rows of each class at each score."""
    part = ranking.chunk(slice(0, len(ranking.score)))
    positives, negatives = ranking.positives, ranking.negatives
    rows = positives + negatives
    share, score = positives / rows, part.score.astype(np.float64)
    above = np.square(score - 1) - (share - 1) ** 2, np.square(score) - share**2
    counts = part.positives, part.negatives
    mean = sum(float((n * d).sum()) for n, d in zip(counts, above, strict=True)) / rows
    squares = sum(float((n * (d - mean) ** 2).sum()) for n, d in zip(counts, above, strict=True))
    spread = (squares / (rows - 1)) ** 0.5 if rows > 1 else None
    return mean_from(rows, mean, spread, 1.0)


def _limited(mean: Mean | None, spec: Spec) -> LimitedDifference | None:
    row: DifferenceRow = {} if mean is None else mean_record(mean, spec)
    value, low, high = row.get("value"), row.get("low"), row.get("high")
    if value is None or low is None or high is None:
        return None
    low, high = possible("brier_score", value, low, high)
    return LimitedDifference(value=value, low=low, high=high)
