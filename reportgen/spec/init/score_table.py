"""Tell a long table of values, one per data set and model, and write its spec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from reportgen.metrics import METRICS, find
from reportgen.spec import column_roles
from reportgen.spec.profile import ColumnProfile
from reportgen.spec.yaml_text import quoted


@dataclass(frozen=True)
class ScoreTable:
    """The three columns of a table of values."""

    dataset: ColumnProfile
    model: ColumnProfile
    value: ColumnProfile


def score_table(columns: Sequence[ColumnProfile]) -> ScoreTable | None:
    """The columns of a table of values, or None where they look like predictions.

    A column whose name says model, one column of numbers, and one of texts with
    which each model stands once; and nothing that is named as a truth.
    """
    model = column_roles.model_column(columns)
    candidates = [c for c in columns if c is not model and c.complete]
    numbers = [c for c in candidates if c.numbers is not None and c.fractional]
    texts = [c for c in candidates if c.numbers is None]
    if model is None or len(numbers) != 1 or any(map(column_roles.named_truth, candidates)):
        return None
    for column in texts:
        pairs = pl.DataFrame([column.texts.alias("0"), model.texts.alias("1")])
        if 2 <= column.distinct < len(column.texts) and not pairs.is_duplicated().any():
            return ScoreTable(column, model, numbers[0])
    return None


def written(data: Sequence[str], table: ScoreTable, shape: tuple[int, int]) -> str:
    """Return the text of the spec."""
    name = table.value.name
    measure = name.lower() if name.lower() in METRICS else name
    metric = find(measure)
    better = metric.better if metric and metric.better else "higher"
    why = "as the catalogue has it" if metric else "a guess: change it where less is better"
    columns = {"dataset": table.dataset, "model": table.model, "value": table.value}
    listed = ", ".join(f"{use}: {quoted(column.name)}" for use, column in columns.items())
    first = quoted(str(table.model.texts[0]))
    return "\n".join(
        [
            f"# Written by `reportgen init` from {shape[0]:,} rows and {shape[1]} columns.",
            "# Each guess says why; change what is wrong. `reportgen check` tells whether it fits.",
            *data,
            "",
            "task: comparison  # one value per data set and model",
            f"columns: {{{listed}}}",
            f"measure: {quoted(measure)}",
            f"better: {better}  # {why}",
            "",
            f"# baseline: {first}  # compare the others with it; all pairs when left out",
            "comparisons: {alpha: 0.05, correction: holm}  # rope: differences of no weight",
            "confidence: 0.95",
            "",
        ]
    )
