"""The evaluated rows as a build keeps them: truth, every model's output and decision, who a row is.

id, group, dataset, repeat, fold    where the data have them
truth (truth:K of several labels)   under the canonical names of ``predictions.tables``
score:M, score:M:K, label:M, label:M:K, estimate:M, decision:M   of model M, class or label K
weight, slice:NAME
"""

from __future__ import annotations

import re

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.measuring.context import EvaluationContext, TaskResults
from reportgen.predictions.column_names import output_column

SEEN_FIRST = 1000
"""So many true numbers are looked at before all are: most that are no counts show it there."""

_KEPT = re.compile(r"(truth|score|label|estimate|slice)(:.+)?|weight|dataset|repeat|fold")


def evaluated_rows(context: EvaluationContext, task_results: TaskResults) -> pl.DataFrame | None:
    """The rows that models were evaluated on; nothing where models have rows of their own."""
    predictions = context.predictions
    if not context.spec.keep_rows or predictions.unpaired is not None:
        return None
    if context.spec.privacy.small_cells is not None:
        return None  # single rows tell every count
    rows = context.rows
    predicted = task_results.losses.predicted
    decisions = [
        predicted[model.name].alias(output_column("decision", index))
        for index, model in enumerate(predictions.models)
        if model.name in predicted and context.task.has_decisions
    ]
    table = rows.select(*filter(_KEPT.fullmatch, rows.columns), *decisions)
    if predictions.identities is None:
        return table
    identities = predictions.identities
    if identities.height != rows.height:
        identities = identities.filter(is_evaluated(predictions.frame))
    return pl.concat([identities, table], how="horizontal")


def is_evaluated(frame: pl.DataFrame) -> pl.Series:
    """Which rows of a frame ``EvaluationContext.rows`` holds."""
    conditions = []
    if "role" in frame.columns:
        conditions.append(pl.col("role") == "test")
    if "weight" in frame.columns:
        conditions.append(pl.col("weight") > 0)
    return frame.select(evaluated=pl.all_horizontal(*conditions)).to_series()


def distribution(truth: pl.Series) -> dict[str, float | None]:
    """Mean, standard deviation, least, median and largest of the true numbers.

    Numbers that are all equal have themselves as mean, and no deviation: sums are rounded.

    >>> distribution(pl.Series([3.3] * 100))["standard_deviation"]
    0.0
    """
    frame = truth.to_frame("y").select(
        mean=pl.col("y").mean(),
        standard_deviation=pl.col("y").std(),
        minimum=pl.col("y").min(),
        median=pl.col("y").median(),
        maximum=pl.col("y").max(),
    )
    result = frame.row(0, named=True)
    if result["standard_deviation"] is not None and result["minimum"] == result["maximum"]:
        return {**result, "mean": result["minimum"], "standard_deviation": 0.0}
    return result


def are_counts(truth: pl.Series) -> bool:
    """Whether true numbers look like counts: whole numbers from 0 on that vary as much.

    Their variance is half of their mean at least, as ratings from 0 to 5 seldom have.

    >>> are_counts(pl.Series([0.0, 1.0, 4.0, 2.0])), are_counts(pl.Series([0.0, 1.0, 1.5]))
    (True, False)
    """
    numbers = truth.cast(pl.Float64).to_numpy()
    if not (_are_whole(numbers[:SEEN_FIRST]) and _are_whole(numbers)) or truth.n_unique() <= 2:
        return False
    return numbers.min() == 0 and bool(numbers.var(ddof=1) >= numbers.mean() / 2)


def _are_whole(numbers: Floats) -> bool:
    return bool(np.isfinite(numbers).all() and (numbers == np.round(numbers)).all())
