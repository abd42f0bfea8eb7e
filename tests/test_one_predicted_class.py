"""Limits of kappa where a model predicts one class only."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.measuring.metric_set import MetricSet
from reportgen.metrics import METRICS

KAPPA = METRICS["cohen_kappa"]
CELLS = ("tp", "fp", "fn", "tn")


def limited(counts: np.ndarray) -> list[tuple[float, float, float]]:
    """Kappa and its limits, of each table."""
    columns = dict(zip(CELLS, counts.T.astype(float), strict=True))
    squares = {f"{name}2": column for name, column in columns.items()}
    rows = MetricSet([KAPPA], 0.95).of_counts(pl.DataFrame({**columns, **squares}))
    return [row[KAPPA.name] for row in rows]


@pytest.mark.parametrize("counts", [[18, 17, 0, 0], [0, 0, 18, 17]])
def test_kappa_of_one_predicted_class_may_lie_on_either_side_of_0(counts):
    [(value, low, high)] = limited(np.array([counts]))

    assert value == 0
    assert low < -0.1
    assert high > 0.1


@pytest.mark.parametrize("rates", [(0.97, 0.03), (0.98, 0.02), (0.95, 0.1)])
def test_limits_of_kappa_hold_where_nearly_all_predictions_are_the_same(rates):
    """Of 35 rows, up to half of the tables with a single predicted class."""
    recall, specificity = rates
    chances = np.array([recall, 1 - specificity, 1 - recall, specificity]) / 2
    counts = np.random.default_rng(2).multinomial(35, chances, 1000)
    true = limited(chances[None] * 1e6)[0][0]
    held = [low <= true <= high for _, low, high in limited(counts)]

    assert np.mean(held) >= 0.92
