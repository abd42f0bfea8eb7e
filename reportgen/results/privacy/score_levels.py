"""How many values the scores or errors of a model take, whole and by slice: few tell counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.measuring.context import EvaluationContext
from reportgen.predictions.column_names import slice_column
from reportgen.predictions.validated import ModelColumns

FEW = 50
"""A model with fewer distinct scores gives decisions: sums over its scores tell counts."""

_DIGITS = 12
"""Errors that differ in later digits only are one value: differences of decimals are not exact."""

SliceColumns = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Levels:
    """The values that the scores or errors of a model take in some rows.

    ``fewest`` are the errors of the best threshold of two classes, in either direction, else 0.
    """

    rows: int
    distinct: int
    fewest: int = 0

    @property
    def few(self) -> bool:
        """Whether values return so often that sums over them tell how often.

        >>> Levels(300, 40).few, Levels(300, 60).few, Levels(30, 20).few, Levels(30, 10).few
        (True, False, False, True)
        """
        return self.distinct < min(FEW, self.rows / 2)


@dataclass(frozen=True, slots=True)
class ScoreLevels:
    """The levels of each model over all rows, and in each slice of each slicing."""

    whole: Mapping[str, Levels]
    parts: Mapping[tuple[str, SliceColumns], Sequence[Levels]]


def score_levels(context: EvaluationContext) -> ScoreLevels:
    """The levels of the rows that models are evaluated on; of classes those of the coarsest."""
    whole: dict[str, Levels] = {}
    parts: dict[tuple[str, SliceColumns], Sequence[Levels]] = {}
    for model in context.predictions.models:
        whole[model.name] = _levels(context.rows, model)
        if context.task.by_class:
            continue
        for columns in context.slicings:
            by = [slice_column(name) for name in columns]
            slices = context.rows.drop_nulls(by).partition_by(by)
            parts[model.name, tuple(columns)] = [_levels(rows, model) for rows in slices]
    return ScoreLevels(whole, parts)


def _levels(rows: pl.DataFrame, model: ModelColumns) -> Levels:
    if model.score is not None:
        scored = rows.select("truth", score=model.score).drop_nulls()
        return Levels(scored.height, scored["score"].n_unique(), _fewest_errors(scored))
    numbers = [name for name in (model.estimate, model.low, model.high) if name is not None]
    values = [*(rows[name] for name in model.scores), *(_errors(rows, name) for name in numbers)]
    counts = [value.drop_nulls().n_unique() for value in values]
    return Levels(rows.height, min(counts, default=0))


def _errors(rows: pl.DataFrame, number: str) -> pl.Series:
    """How far numbers lie from the truth, in units of the largest truth."""
    truth = rows["truth"]
    largest = truth.abs().max() or 1.0
    return ((rows[number] - truth).abs() / largest).round(_DIGITS)


def _fewest_errors(scored: pl.DataFrame) -> int:
    """The errors of the best threshold, or those that its opposite does not make."""
    positive = pl.col("truth").cast(pl.Int64)
    steps = scored.group_by("score").agg(positives=positive.sum(), rows=pl.len()).sort("score")
    negatives = pl.col("rows").cast(pl.Int64) - pl.col("positives")
    missed, spared = pl.col("positives").cum_sum(), negatives.cum_sum()
    errors = missed + negatives.sum() - spared
    table = steps.select(errors=errors)["errors"]
    counts = [*table, *(scored.height - table)]
    return min(counts, default=0)
