"""Differences between models that gates read, of paired rows and of rows of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.comparisons.wording import bounded
from reportgen.metric_names import parted
from reportgen.records.model import Results
from reportgen.spec.gates import Gate, Side, sides_of
from reportgen.tables.comparisons import MEDIAN, PSEUDOMEDIAN

GateLimits = tuple[float, float] | None

MEDIAN_OVER_SETS = "median difference over data sets"
"""The basis of a difference that a signed-rank test estimates."""


@dataclass(frozen=True, slots=True)
class EstimatedDifference:
    """A difference between models; ``allows_time`` where its limits allow for autocorrelation."""

    value: float
    interval: GateLimits
    basis: str
    allows_time: bool


def over_data_sets(
    sides: Sequence[Side], comparisons: pl.DataFrame | None
) -> EstimatedDifference | None:
    """The estimate of the recommended test over data sets with its limits; null without one.

    As page one has it: limits of pooled rows hold for these data sets alone, not for new ones.
    """
    left, right = sides
    if comparisons is None or left.bound or right.bound or left.metric != right.metric:
        return None
    rows = comparisons.filter(
        pl.col("slice").is_null(),
        metric=parted(left.metric)[0],
        unit="data sets",
        recommendation="recommended",
        shows="difference",
    ).drop_nulls(["estimate", "low", "high"])
    for row in rows.iter_rows(named=True):
        pair = (left.model, right.model)
        sign = {pair: 1, pair[::-1]: -1}.get(tuple(row["models"]))
        if sign is not None:
            low, high = sorted((sign * row["low"], sign * row["high"]))
            of_median = row["effect"] in (MEDIAN, PSEUDOMEDIAN)
            basis = MEDIAN_OVER_SETS if of_median else "data sets"
            return EstimatedDifference(sign * row["estimate"], (low, high), basis, allows_time=True)
    return None


@dataclass(frozen=True, slots=True)
class OwnRows:
    """Models on rows of their own: those that have every row, and the tests of all models.

    A model that lacks the hardest rows has better values than one that is as good and has all. The
    truths of models are ``unlike`` where their rows have other shares of classes, or other numbers.
    """

    paired: frozenset[str]
    comparisons: pl.DataFrame
    unlike: frozenset[frozenset[str]] = frozenset()

    @classmethod
    def of(cls, results: Results) -> OwnRows | None:
        """Those of a report; None where all models have the same rows."""
        if not results.data.get("unpaired"):
            return None
        unlike = (frozenset(one["models"]) for one in results.data.get("unlike_truths", ()))
        paired = frozenset(results.data.get("paired_models") or ())
        return cls(paired, results.comparisons, frozenset(unlike))

    def objection(self, gate: Gate) -> str | None:
        """Why a difference passes no gate; None where a test decides it, or all rows are shared."""
        models = list(dict.fromkeys(side.model for side in sides_of(gate)))
        if len(models) == 1 or self.paired.issuperset(models):
            return None
        if self._decided(models, gate.left.metric):
            return None
        first, second = map(bounded, models)
        return f"nothing shows that {first} and {second} were evaluated on equally hard rows"

    def _decided(self, models: Sequence[str], metric: str) -> bool:
        """Whether a test of two samples is recommended: in this measure, or in any without one."""
        pair = pl.col("models").list.set_symmetric_difference(list(models)).list.len() == 0
        tests = self.comparisons.filter(pair, pl.col("slice").is_null(), unit="samples")
        of_metric = tests.filter(metric=metric)
        if of_metric.is_empty() and frozenset(models) in self.unlike:
            return False
        decides = tests if of_metric.is_empty() else of_metric
        return "recommended" in decides["recommendation"]
