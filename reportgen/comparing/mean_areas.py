"""The mean AUC of several classes or labels, compared between two models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import polars as pl

from reportgen.array_types import Flags, Floats
from reportgen.comparing.differences import AVERAGE_PRECISION
from reportgen.comparisons import Comparison, Question
from reportgen.comparisons.delong_classes import (
    NAME,
    OF_PRECISIONS,
    AreaAverage,
    MeanArea,
    delong_classes,
)
from reportgen.intervals.area_means import MOST_PAIRED
from reportgen.measuring.context import EvaluationContext
from reportgen.metric_names import parted
from reportgen.predictions import ModelColumns
from reportgen.predictions.column_names import truth_column
from reportgen.sample_design import SampleDesign
from reportgen.text.reasons import ONE_WITHOUT_SCORES

OF_PAIRS: tuple[AreaAverage, ...] = ("macro of pairs", "weighted of pairs")
LEAST_SCORES = 8
FEW_SCORES = f"the scores of a model have fewer than {LEAST_SCORES} values"
TOO_MANY = f"means over pairs of more than {MOST_PAIRED} classes have no test"


def is_mean_area(metric: str) -> bool:
    """Whether a measure is a mean of AUCs, or of average precisions.

    >>> [is_mean_area(name) for name in ("macro_auc", "micro_auc", "macro_average_precision")]
    [True, False, True]
    """
    name, average = parted(metric)
    of_pairs = average in OF_PAIRS and name == "auc"
    return of_pairs or (name in ("auc", AVERAGE_PRECISION) and average in ("macro", "weighted"))


class MeanAreas:
    """The mean AUCs of the models of an evaluation, each computed once for all pairs."""

    def __init__(self, context: EvaluationContext) -> None:
        self._context = context
        self._known: dict[tuple[str, str], MeanArea] = {}

    def compared(self, pair: Sequence[ModelColumns], question: Question) -> list[Comparison]:
        """The test of the mean AUC that the question names, of both models' scores."""
        measure, name = parted(question.metric)
        average = next(a for a in get_args(AreaAverage) if a == name)
        precision = measure == AVERAGE_PRECISION
        test = OF_PRECISIONS if precision else NAME
        if not all(columns.scores for columns in pair):
            return question.undefined(ONE_WITHOUT_SCORES, test)
        if precision and any(map(self._has_few_scores, pair)):
            return question.undefined(FEW_SCORES, test)
        if average in OF_PAIRS and len(self._context.predictions.classes) > MOST_PAIRED:
            return question.undefined(TOO_MANY, NAME)
        first, second = (self._of(columns, average, precision=precision) for columns in pair)
        return [delong_classes(first, second, question, self._context.groups)]

    def _has_few_scores(self, columns: ModelColumns) -> bool:
        """Whether scores of a class are of so few values that they are hardly a ranking."""
        return any(self._context.rows[name].n_unique() < LEAST_SCORES for name in columns.scores)

    def _of(self, columns: ModelColumns, average: AreaAverage, *, precision: bool) -> MeanArea:
        key = columns.name, f"{average} {precision}"
        if key not in self._known:
            self._known[key] = self._computed(columns, average, precision=precision)
        return self._known[key]

    def _computed(
        self, columns: ModelColumns, average: AreaAverage, *, precision: bool
    ) -> MeanArea:
        rows, weight = self._context.rows, self._context.weight
        weights = None if weight is None else _numbers(rows, weight)
        design = SampleDesign(weights, self._context.groups)
        scores = [_numbers(rows, name) for name in columns.scores]
        if average in OF_PAIRS:
            truth = rows["truth"].cast(pl.Int64).to_numpy()
            return MeanArea.of_pairs(scores, truth, design, average)
        truths = _truths(rows, len(self._context.predictions.classes))
        return MeanArea.of(scores, truths, design, average, precision=precision)


def _numbers(rows: pl.DataFrame, column: str) -> Floats:
    return rows[column].cast(pl.Float64).to_numpy()


def _truths(rows: pl.DataFrame, number: int) -> list[Flags]:
    """Of each class, or label, which rows have it."""
    if "truth" not in rows.columns:
        labels = (rows[truth_column(k)] for k in range(number))
        return [label.cast(pl.Boolean).to_numpy() for label in labels]
    truth = rows["truth"].to_numpy()
    return [truth == k for k in range(number)]
