"""Limits of differences over folds whose training parts overlap."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from reportgen.clusters import Groups
from reportgen.measuring.context import EvaluationContext
from reportgen.predictions.evaluation_scheme import over_folds
from reportgen.predictions.fit_columns import fit_columns
from reportgen.tables.comparisons import DifferenceRow

CORRECTED = "corrected t"
"""The interval that allows for the overlap, as results name it."""


@dataclass(frozen=True)
class OverlappingFolds:
    """The fit that each row is tested with, and what the overlap of training parts adds.

    Limits from the sums by fit take fits as independent: their standard error is
    multiplied by √(1 + J·n₂/n₁), with J fits of n₂ test and n₁ training rows, as
    the corrected resampled t-test does.
    Nadeau & Bengio (2003), doi:10.1023/A:1024068626366.
    """

    groups: Groups
    widening: float

    def widened(self, record: DifferenceRow) -> DifferenceRow:
        """The record with limits as far from the value as the overlap asks for."""
        value, low, high = record.get("value"), record.get("low"), record.get("high")
        if value is None or low is None or high is None:
            return record
        half_width = self.widening * max(value - low, high - value)
        return {
            **record,
            "low": value - half_width,
            "high": value + half_width,
            "interval": CORRECTED,
        }


def overlapping_folds(context: EvaluationContext) -> OverlappingFolds | None:
    """The fits of folds whose training parts overlap, single rows too; null of others."""
    evaluation = context.predictions.evaluation
    if (
        context.test_settings.unpaired
        or not (over_folds(evaluation) or evaluation.scheme == "leave_one_out")
        or not (evaluation.train and evaluation.test)
    ):
        return None
    keys = fit_columns(context.rows.columns)
    code = context.rows.select(pl.struct(keys).rank("dense").cast(pl.Int64) - 1).to_series()
    groups = Groups.of(code)
    return OverlappingFolds(groups, (1 + groups.number * evaluation.test / evaluation.train) ** 0.5)
