"""Models whose scores rank all rows alike: one is an increasing function of the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from reportgen.predictions.validated import ModelColumns

FEWEST_SCORES = 30
"""Of fewer distinct scores two models may rank a sample alike by chance."""


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
    """Whether one is a strictly increasing function of the other, of many values."""
    if first.null_count() or second.null_count():
        return False
    order = first.arg_sort()
    steps = [
        np.diff(scores.gather(order).to_numpy().astype(np.float64)) for scores in (first, second)
    ]
    up = [step > 0 for step in steps]
    return bool((steps[1] >= 0).all() and (up[0] == up[1]).all() and up[0].sum() >= FEWEST_SCORES)
