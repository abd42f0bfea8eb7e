"""Rows that are in the reference too, and how many of their truths differ there."""

from __future__ import annotations

import polars as pl

from reportgen.comparing.period_units import ids_of
from reportgen.measuring.context import EvaluationContext
from reportgen.predictions.column_names import columns_of
from reportgen.records.shift import RecurringRows


def recurring_rows(earlier: EvaluationContext, now: EvaluationContext) -> RecurringRows | None:
    """How many evaluated rows have an id that the reference has, and how many another truth there.

    Null without ids, where none recurs, where an id has several rows, or where counts are withheld.
    """
    earlier_ids, ids = ids_of(earlier), ids_of(now)
    if now.spec.privacy.small_cells or earlier_ids is None or ids is None:
        return None
    truths = columns_of(now.rows.columns, "truth")
    before = earlier.rows.select(earlier_ids.alias("id"), *truths)
    after = now.rows.select(ids.alias("id"), *truths)
    if before["id"].is_duplicated().any() or after["id"].is_duplicated().any():
        return None
    both = after.join(before, on="id", suffix=" before")
    if both.is_empty():
        return None
    differs = [pl.col(name).ne_missing(pl.col(f"{name} before")) for name in truths]
    relabelled = int(both.select(pl.any_horizontal(differs).sum()).item())
    return RecurringRows(both.height, both.height == after.height, relabelled)
