"""The mean AUC of several classes or labels, compared between two models."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import get_args

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.comparisons import Comparison, Question
from reportgen.comparisons.delong_classes import NAME, AreaAverage, MeanArea, delong_classes
from reportgen.intervals.area_means import MOST_PAIRED
from reportgen.measuring.context import EvaluationContext
from reportgen.metric_names import parted
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import truth_column
from reportgen.text.reasons import ONE_WITHOUT_SCORES

OF_PAIRS: tuple[AreaAverage, ...] = ("macro of pairs", "weighted of pairs")
TOO_MANY = f"of more than {MOST_PAIRED} classes means over pairs have no test"


def is_mean_area(metric: str) -> bool:
    """Whether a measure is a mean of AUCs.

    >>> [is_mean_area(name) for name in ("macro_auc", "micro_auc", "macro_f1")]
    [True, False, False]
    """
    name, average = parted(metric)
    return name == "auc" and average in get_args(AreaAverage)


def compared_areas(
    context: EvaluationContext, pair: Sequence[ModelColumns], question: Question
) -> list[Comparison]:
    """The test of the mean AUC that the question names, of both models' scores."""
    _, name = parted(question.metric)
    average = next(a for a in get_args(AreaAverage) if a == name)
    if not all(columns.scores for columns in pair):
        return question.undefined(ONE_WITHOUT_SCORES, NAME)
    if average in OF_PAIRS and len(context.predictions.classes) > MOST_PAIRED:
        return question.undefined(TOO_MANY, NAME)
    weights = None
    if context.weight is not None:
        weights = context.rows[context.weight].cast(pl.Float64).to_numpy()
    groups = context.groups
    scores = [[_numbers(context.rows, name) for name in columns.scores] for columns in pair]
    if average in OF_PAIRS:
        truth = context.rows["truth"].cast(pl.Int64).to_numpy()
        of = partial(
            MeanArea.of_pairs, truth=truth, weights=weights, average=average, groups=groups
        )
    else:
        truths = _truths(context, len(context.predictions.classes))
        of = partial(MeanArea.of, truths=truths)
    first, second = (of(one, weights=weights, average=average, groups=groups) for one in scores)
    return [delong_classes(first, second, question, groups)]


def _numbers(rows: pl.DataFrame, column: str) -> Floats:
    return rows[column].cast(pl.Float64).to_numpy()


def _truths(context: EvaluationContext, number: int) -> list[np.ndarray]:
    """Of each class, or label, which rows have it."""
    if "truth" not in context.rows.columns:
        labels = (context.rows[truth_column(k)] for k in range(number))
        return [label.cast(pl.Boolean).to_numpy() for label in labels]
    truth = context.rows["truth"].to_numpy()
    return [truth == k for k in range(number)]
