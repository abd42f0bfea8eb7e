"""Models that predict one class alone, or nearly, at their threshold."""

from __future__ import annotations

import polars as pl

EVERY = "every row positive"
NEARLY = "nearly every row positive"
NONE = "no row positive"

MOST_ROWS = 0.99
"""The share of rows that is nearly every row."""

FEW_NEGATIVES = 0.1
"""Where positives are that common, the share of negatives that may then be predicted so."""


def of_single_class(metrics: pl.DataFrame, of_slice: str | None = None) -> dict[str, str]:
    """The models that predict one class alone on all rows, or on those of a slice, and which."""
    where = pl.col("slice").is_null() if of_slice is None else pl.col("slice") == of_slice
    rows = metrics.filter(
        where, pl.col("average").is_null(), pl.col("class").is_null(), pl.col("value").is_not_null()
    )
    shares = dict(rows.filter(metric="detection_prevalence").select("model", "value").iter_rows())
    negatives = dict(rows.filter(metric="specificity").select("model", "value").iter_rows())
    result = {}
    for model, share in shares.items():
        if share in (0.0, 1.0):
            result[model] = EVERY if share else NONE
        elif share >= MOST_ROWS and negatives.get(model, 1.0) <= FEW_NEGATIVES:
            result[model] = NEARLY
    return result


def on_rows(kinds: list[str]) -> str:
    """What all of these models predict, in words: nearly every row where one leaves some out."""
    return NEARLY if NEARLY in kinds else kinds[0]


def in_use(models: int) -> str:
    """The beginning of a sentence on the decisions of so many models."""
    return f"At the threshold{'s' if models > 1 else ''} in use "
