"""How many values scores or errors take, whole and by slice: sums over few values tell counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import polars as pl

from reportgen.measuring.context import EvaluationContext
from reportgen.predictions.column_names import slice_column
from reportgen.predictions.validated import ModelColumns
from reportgen.records.model import Results
from reportgen.results.privacy.cells import Least

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


@dataclass(frozen=True, slots=True)
class Telling:
    """The models whose sums tell counts, and by model the slicings of which a slice's sums do.

    A slicing counts as a whole, since the sum over one slice is that over all rows minus those of
    the others. ``slicings`` is null where no rows were held, so that nobody knows.
    """

    models: frozenset[str]
    slicings: frozenset[tuple[str, SliceColumns]] | None

    def of(self, model: str, slicing: SliceColumns | None = None) -> bool:
        """Whether sums of a model tell counts: over all rows, or over those of slices."""
        if model in self.models:
            return True
        return slicing is not None and (self.slicings is None or (model, slicing) in self.slicings)


def telling(results: Results, limit: Least, levels: ScoreLevels | None) -> Telling:
    """Where scores take few values, or separate the classes but for few rows."""
    if levels is None:
        return Telling(frozenset({*_counted(results), *_nearly_separating(results, limit)}), None)
    models = {
        *(name for name, one in levels.whole.items() if _tells(results, one, limit)),
        *_nearly_separating(results, limit),
    }
    slicings = {
        key
        for key, slices in levels.parts.items()
        if any(one.few or not limit.allows([one.fewest]) for one in slices)
    }
    return Telling(frozenset(models), frozenset(slicings))


def _tells(results: Results, levels: Levels, limit: Least) -> bool:
    if not limit.allows([levels.fewest]):
        return True
    return levels.few if results.task.of_numbers else levels.distinct < FEW


def _counted(results: Results) -> list[str]:
    """The models whose scores take few values, or nobody knows how many, as no rows were held."""
    points = _points(results)
    return [one["name"] for one in results.data["models"] if points.get(one["name"], 0) < FEW]


def _points(results: Results) -> Mapping[str, int]:
    roc = results.curves.get("roc")
    if roc is None or not results.task.two_classes:
        return {}
    return dict(roc.group_by("model").len().iter_rows())


def _nearly_separating(results: Results, limit: Least) -> Iterator[str]:
    """Yield the models of which some threshold errs in few rows: then their AUC tells how many.

    An AUC of 1 − 1 / (positives × negatives) is one pair in the wrong order. The fewest errors
    are at a corner of the convex hull; a thinned curve has them to its last 1/4000.
    """
    curve = results.curves.get("roc_hull", results.curves.get("roc"))
    if curve is None or results.task.of_numbers:
        return
    data, rows = results.data, results.data["rows_evaluated"]
    sizes = {str(one["class"]): one["rows"] for one in data.get("classes") or ()}
    lines = curve.filter(pl.col("slice").is_null()).group_by("model", "class", maintain_order=True)
    for (model, name), line in lines:
        positives = data["positives"] if name is None else sizes[str(name)]
        missed = (1 - line["recall"]) * positives
        errors = missed + line["false_positive_rate"] * (rows - positives)
        fewest = round(min(errors.drop_nulls().to_list(), default=0.0), 6)
        if not limit.allows([fewest and max(ceil(fewest - rows / 4000), 1)]):
            yield str(model)
