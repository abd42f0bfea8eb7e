"""Models that predict one class alone, or nearly, at their threshold."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from reportgen.records.section_reading import SingleClass, SingleClassKind

EVERY: SingleClassKind = "every row positive"
NEARLY: SingleClassKind = "nearly every row positive"
NONE: SingleClassKind = "no row positive"

MOST_ROWS = 0.99
"""The share of rows that is nearly every row."""

FEW_NEGATIVES = 0.1
"""Where positives are that common, the share of negatives that may then be predicted so."""


def of_single_class(metrics: pl.DataFrame) -> dict[str, SingleClassKind]:
    """The models that predict one class alone on all rows, and which."""
    of_all_rows = metrics.filter(pl.col("slice").is_null())
    return {one.model: one.kind for one in single_classes(of_all_rows)}


def single_classes(metrics: pl.DataFrame) -> Iterator[SingleClass]:
    """Every model that does so on all rows, or on those of a slice."""
    rows = metrics.filter(
        pl.col("average").is_null(), pl.col("class").is_null(), pl.col("value").is_not_null()
    )
    shares, negatives = (
        rows.filter(metric=metric).select("slice", "model", "value")
        for metric in ("detection_prevalence", "specificity")
    )
    specificity = {(part, model): value for part, model, value in negatives.iter_rows()}
    for part, model, share in shares.iter_rows():
        if share in (0.0, 1.0):
            yield SingleClass(model, part, EVERY if share else NONE)
        elif share >= MOST_ROWS and specificity.get((part, model), 1.0) <= FEW_NEGATIVES:
            yield SingleClass(model, part, NEARLY)


def in_use(models: int) -> str:
    """The beginning of a sentence on the decisions of so many models."""
    return f"At the threshold{'s' if models > 1 else ''} in use "
