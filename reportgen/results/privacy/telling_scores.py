"""The models of which sums over scores, such as an AUC, tell small counts of rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from math import ceil

import polars as pl

from reportgen.records.model import Results
from reportgen.results.privacy.cells import Least

CountOfScores = Callable[[], Mapping[str, int]]
"""Counts the values that the scores of each model take."""

FEW_SCORES = 50
"""A model with fewer distinct scores gives decisions: sums over its scores tell counts."""


def telling(results: Results, limit: Least, distinct: CountOfScores | None) -> set[str]:
    """Return the models whose scores take few values, or separate the classes but for few rows."""
    return {*_coarse(results, distinct), *_nearly_separating(results, limit)}


def _coarse(results: Results, distinct: CountOfScores | None) -> Collection[str]:
    """The models whose scores take few values, or nobody knows how many."""
    names = [model["name"] for model in results.data["models"]]
    if results.task.of_numbers:
        return ()
    if results.task.two_classes:
        roc = results.curves.get("roc")
        points = {} if roc is None else dict(roc.group_by("model").len().iter_rows())
        return [name for name in names if points.get(name, 0) < FEW_SCORES]
    values = {} if distinct is None else distinct()
    return [name for name in names if values.get(name, 0) < FEW_SCORES]


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
