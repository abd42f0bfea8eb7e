"""Of which models, and where, sums over rows or over pairs of rows tell counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil

import polars as pl

from reportgen.records.model import Results
from reportgen.results.privacy.cells import Least
from reportgen.results.privacy.score_levels import FEW, Levels, ScoreLevels, SliceColumns


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
