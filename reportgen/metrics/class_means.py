"""Which metrics are given for each class, and their means over the classes."""

from __future__ import annotations

import polars as pl

from reportgen.metrics.registry import POSITIVES, ratio

AVERAGED = (
    "precision",
    "recall",
    "specificity",
    "negative_predictive_value",
    "false_positive_rate",
    "false_negative_rate",
    "false_discovery_rate",
    "false_omission_rate",
    "f1",
    "f_half",
    "f2",
    "jaccard",
)
"""The binary metrics of counts that are given for each class and averaged over them."""

BY_CLASS = ("auc", "average_precision")
"""The score metrics that are given for each class against the rest."""


def strict_mean(value: pl.Expr, weight: pl.Expr | None = None) -> pl.Expr:
    """Mean over the classes, null when a class that counts has no value."""
    if weight is None:
        return pl.when(value.is_not_null().all()).then(value.mean())
    counts = weight > 0
    total = (weight * value.fill_null(0.0)).sum()
    return pl.when((value.is_not_null() | ~counts).all()).then(ratio(total, weight.sum()))


def macro(value: pl.Expr) -> pl.Expr:
    """Mean of the classes' values, each class counting the same (Zhou 2.12, 2.13)."""
    return strict_mean(value)


def weighted(value: pl.Expr) -> pl.Expr:
    """Mean of the classes' values, each weighted by its rows."""
    return strict_mean(value, POSITIVES)
