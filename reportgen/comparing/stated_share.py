"""Tests of rows whose share of positives is not the one that the spec states."""

from __future__ import annotations

import polars as pl

from reportgen.measuring.costed_rows import is_other
from reportgen.records.rows import DataRecord
from reportgen.text import numbers


def other_shares(here: float | None, stated: float | None) -> tuple[float, float] | None:
    """The share of positives in the rows and the stated one, where these differ.

    >>> other_shares(0.5, 0.02), other_shares(0.5, 0.52), other_shares(0.5, None)
    ((0.5, 0.02), None, None)
    """
    if here is None or stated is None or not is_other(here, stated):
        return None
    return here, stated


def shares_of_rows(
    data: DataRecord, metrics: pl.DataFrame, stated: float | None
) -> tuple[float, float] | None:
    """The same of evaluated rows, by weight where they have weights."""
    here = data.get("prevalence")
    if data.get("weighted"):
        whole = metrics.filter(pl.col("slice").is_null(), metric="prevalence")
        here = next(iter(whole["value"].drop_nulls()), None)
    return other_shares(here, stated)


def against_shares(here: float, stated: float) -> str:
    """Why such a test does not decide."""
    of_rows, of_population = numbers.prevalence(here), numbers.prevalence(stated)
    return (
        f"the measure depends on the share of positives, {of_rows} of these rows and "
        f"{of_population} of the population that the spec states"
    )
