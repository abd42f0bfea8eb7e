"""Several rows at a time point: the test takes each point once, and the values each row."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.sections.models_by_rank import models_table
from tests.quick import QUICK

NOTE = (
    "Differences are means over time points, of which each counts once; values are means over rows."
)


def notes(points: np.ndarray) -> tuple[str, ...]:
    random = np.random.default_rng(3)
    truth = random.normal(size=len(points))
    a, b = truth + random.normal(size=(2, len(points))) * [[0.5], [0.9]]
    frame = pl.DataFrame({"y": truth, "t": points, "a": a, "b": b})
    models = {name: {"estimate": name} for name in "ab"}
    results = evaluate({"truth": "y", "models": models, "columns": {"time": "t"}, **QUICK}, frame)
    [row] = results.comparisons.filter(
        comparison="diebold_mariano", metric=results.decision.measure
    ).to_dicts()
    power = 2 if row["metric"] == "mean_squared_error" else 1
    lost = frame.select(
        "t",
        d=(pl.col("a") - pl.col("y")).abs() ** power - (pl.col("b") - pl.col("y")).abs() ** power,
    )
    assert results.decision.test == "diebold_mariano"
    assert row["estimate"] == pytest.approx(lost.group_by("t").mean()["d"].mean())
    return tuple(models_table(results).notes)


def test_the_table_says_so_where_points_have_unlike_numbers_of_rows():
    assert NOTE in notes(np.sort(np.random.default_rng(1).integers(0, 250, 400)))


@pytest.mark.parametrize("rows", [1, 2])
def test_it_says_nothing_where_both_means_are_the_same(rows):
    assert NOTE not in notes(np.arange(400) // rows)
