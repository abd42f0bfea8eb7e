"""Gates on a difference between models that were not evaluated on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.comparisons.wording import bounded
from reportgen.records.model import Results
from reportgen.spec.gates import Gate, sides_of


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
