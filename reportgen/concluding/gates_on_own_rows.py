"""Gates on a difference between models that were not evaluated on the same rows."""

from __future__ import annotations

import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.comparisons.wording import bounded
from reportgen.records.model import Results, typed
from reportgen.records.rows import rows_of
from reportgen.spec.gates import parse, sides_of
from reportgen.tables import Gates
from reportgen.tables.results import GateRow


def without_equal_rows(gates: DataFrame[Gates], results: Results) -> DataFrame[Gates]:
    """The gates; a difference between models on rows of their own passes where a test decides it.

    A model that lacks the hardest rows has better values than one that is as good and has all.
    """
    if not results.data.get("unpaired"):
        return gates
    paired, rows = set(results.data.get("paired_models") or ()), list(rows_of(gates, GateRow))
    for row in rows:
        models = list(dict.fromkeys(side.model for side in sides_of(parse(row["gate"]))))
        if row["state"] != "pass" or len(models) == 1 or paired.issuperset(models):
            continue
        if not _decided(models, parse(row["gate"]).left.metric, results.comparisons):
            row["state"] = "inconclusive"
            first, second = map(bounded, models)
            row["why"] = f"nothing shows that {first} and {second} were evaluated on rows as hard"
    return typed(Gates, rows)


def _decided(models: list[str], metric: str, comparisons: pl.DataFrame) -> bool:
    """Whether a test of two samples is recommended: in this measure, or in any if it has none."""
    pair = pl.col("models").list.set_symmetric_difference(models).list.len() == 0
    tests = comparisons.filter(pair, pl.col("slice").is_null(), unit="samples")
    of_metric = tests.filter(metric=metric)
    decides = tests if of_metric.is_empty() else of_metric
    return "recommended" in decides["recommendation"]
