"""How far models are above guessing over folds: those near it vary more than folds show."""

from __future__ import annotations

import math
from typing import TypedDict

import polars as pl

CHANCE = {"auc": 0.5, "mcc": 0.0, "cohen_kappa": 0.0}
"""Measures whose values vary most where models only guess, and what guessing gives."""


class AboveGuessing(TypedDict, total=False):
    """Fields of a comparison: how far its models are above guessing."""

    fold_means: tuple[float, ...]
    above_chance: float


def above_guessing(values: pl.DataFrame, share: float, metric: str) -> AboveGuessing:
    """The mean of each model, and by how many of its standard errors the lower is above chance.

    ``values`` has a column for each model and a row for each fold, ``share`` is test rows over
    training rows. The lower mean and not that of both: of two learners alike, one of which
    happens to see far more in these data, the mean of both may be far above chance. No
    distance without spread, or where ``CHANCE`` does not have the measure.

    >>> above_guessing(pl.DataFrame({"a": [0.5, 1.0], "b": [1.0, 1.0]}), 0.5, "auc")["fold_means"]
    (0.75, 1.0)
    """
    means = values.select(pl.all().mean()).row(0)
    if None in means:
        return {}
    result: AboveGuessing = {"fold_means": means}
    spreads = values.select(pl.all().std()).row(0)
    mean, spread = min(zip(means, spreads, strict=True))
    if metric in CHANCE and spread:
        error = spread * math.sqrt(1 / values.height + share)
        result["above_chance"] = (mean - CHANCE[metric]) / error
    return result
