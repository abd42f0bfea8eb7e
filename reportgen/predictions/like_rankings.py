"""Models whose scores rank all rows alike: one is an increasing function of the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from reportgen.array_types import Floats, chunks
from reportgen.integer_sort import order_of
from reportgen.predictions.validated import ModelColumns

FEWEST_SCORES = 30
"""Of fewer distinct scores two models may rank a sample alike by chance."""

_FIRST = 10_000
"""Rows that are compared before all are."""


def same_rankings(
    rows: pl.DataFrame, models: Sequence[ModelColumns], areas: Mapping[str, float | None]
) -> list[list[str]]:
    """The models whose scores rank every row alike, as those of a model and a recalibrated copy.

    Only models with equal ``areas`` under the ROC curve are looked at.

    >>> rows = pl.DataFrame({"a": range(40)}).with_columns(b=pl.col("a") ** 2, c=-pl.col("a"))
    >>> models = [ModelColumns(name, score=name) for name in "abc"]
    >>> same_rankings(rows, models, {"a": 0.7, "b": 0.7, "c": 0.3})
    [['a', 'b']]
    """
    alike: list[tuple[pl.Series, list[str]]] = []
    for model in models:
        if model.score is None or (area := areas.get(model.name)) is None:
            continue
        scores = rows[str(model.score)]
        for first, names in alike:
            if areas[names[0]] == area and _rank_alike(first, scores):
                names.append(model.name)
                break
        else:
            alike.append((scores, [model.name]))
    return [names for _, names in alike if len(names) > 1]


def _rank_alike(first: pl.Series, second: pl.Series) -> bool:
    """Whether one is a strictly increasing function of the other, of many values.

    Most that are not show it in their first rows.
    """
    if first.null_count() or second.null_count():
        return False
    given = [scores.cast(pl.Float64).to_numpy() for scores in (first, second)]
    if _rises(*(scores[:_FIRST] for scores in given)) is None:
        return False
    steps = _rises(*given)
    return steps is not None and steps >= FEWEST_SCORES


def _rises(first: Floats, second: Floats) -> int | None:
    """How often scores rise in their order, where others rise with them and never else."""
    order = order_of(first)
    steps = 0
    for part in chunks(max(len(order) - 1, 0)):
        here = order[part.start : part.stop + 1]
        one, other = (scores[here] for scores in (first, second))
        up = one[1:] > one[:-1]
        if (other[1:] < other[:-1]).any() or not np.array_equal(up, other[1:] > other[:-1]):
            return None
        steps += int(up.sum())
    return steps
