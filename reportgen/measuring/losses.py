"""What a model loses on a row: the one definition behind folds, resampling and decompositions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import polars as pl


@dataclass(frozen=True)
class Losses:
    """The loss of every model on a row, and what it predicted.

    ``measure`` is what the report's tests speak of, ``error`` its mean loss;
    they are the same where less is better. ``of`` gives each model's loss on a
    row: 1 for a wrong decision, or a squared error. ``predicted`` is its decision
    or estimate, empty where that is not one column. ``scores`` are scores of
    the positive class, ``probable`` those of them that are probabilities.
    ``labels`` are the decisions on several labels, one for each.
    """

    measure: str
    error: str
    kind: Literal["zero_one", "squared"]
    of: Mapping[str, pl.Expr]
    predicted: Mapping[str, pl.Expr] = field(default_factory=dict)
    scores: Mapping[str, str] = field(default_factory=dict)
    probable: frozenset[str] = frozenset()
    labels: Mapping[str, Sequence[pl.Expr]] = field(default_factory=dict)

    @property
    def models(self) -> list[str]:
        """The models in the order of the report."""
        return list(self.of)


def mean(loss: pl.Expr, weight: str | None) -> pl.Expr:
    """The mean loss of the rows that have one, weighted if rows are; null without rows."""
    if weight is None:
        return loss.cast(pl.Float64).mean()
    w = pl.col(weight).filter(loss.is_not_null())
    total = (loss.cast(pl.Float64) * pl.col(weight)).sum()
    return pl.when(w.sum() > 0).then(total / w.sum())


def area(score: str) -> pl.Expr:
    """AUC of some rows from the ranks of their scores; null with one class only.

    (R₊ − P(P + 1)/2) / (P·N), R₊ the sum of the positives' mid-ranks: 1 − rank
    loss (Zhou 2.21, 2.22). Hanley & McNeil (1982),
    doi:10.1148/radiology.143.1.7063747.
    """
    truth = pl.col("truth") & pl.col(score).is_not_null()
    positives = truth.sum().cast(pl.Float64)
    negatives = pl.col(score).count().cast(pl.Float64) - positives
    ranks = pl.col(score).rank("average").filter(truth).sum()
    pairs = positives * negatives
    return pl.when(pairs > 0).then((ranks - positives * (positives + 1) / 2) / pairs)
