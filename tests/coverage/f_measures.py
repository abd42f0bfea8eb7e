"""Coverage of F-beta and the shares of few positives, of classes of any and of fixed size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from reportgen.measuring.metric_set import MetricSet
from reportgen.metrics import METRICS
from tests.coverage.measured import Coverage, of_limits

OF_POSITIVES = ("f_half", "f1", "f2", "precision", "recall", "jaccard")
OF_SIZES = ((3, 30), (3, 140), (5, 60), (4, 45), (10, 100), (15, 30), (30, 300), (100, 1000))
"""Positives and rows."""

RATES = (0.3, 0.5, 0.7, 0.9, 0.97)
SPECIFICITIES = (0.5, 0.8, 0.9, 0.97, 0.995)


def of_f_measures(
    positives: int, rows: int, rates: tuple[float, float], samples: int, *, fixed: bool
) -> Iterator[Coverage]:
    """Coverage of each measure of the positives; ``fixed``: every sample has as many."""
    random = np.random.default_rng(6)
    recall, specificity = rates
    size = random.binomial(rows, positives / rows, samples)
    size = np.full(samples, positives) if fixed else size[(size > 0) & (size < rows)]
    tp, fp = random.binomial(size, recall), random.binomial(rows - size, 1 - specificity)
    frame = pl.DataFrame({"tp": tp, "fp": fp, "fn": size - tp, "tn": rows - size - fp})
    counts = frame.cast(pl.Float64).group_by(pl.all(), maintain_order=True).len("weight")
    counts = counts.with_columns(pl.col(c).alias(f"{c}2") for c in frame.columns)
    metrics = [METRICS[name] for name in OF_POSITIVES]
    values = MetricSet(metrics, 0.95).of_counts(counts)
    share = positives / rows
    cells = (share * recall, (1 - share) * (1 - specificity), share * (1 - recall), 1.0)
    population = pl.DataFrame([cells], schema=frame.columns, orient="row")
    true = population.select(**{m.name: m.build() for m in metrics}).row(0, named=True)
    design = f"{share:.2g}, {'classes of one size' if fixed else 'any size'}"
    weight = counts["weight"].cast(pl.Float64).to_numpy()
    for metric in metrics:
        ends = np.array([row[metric.name] for row in values], dtype=float)
        valued = np.isfinite(ends[:, 0])
        held = of_limits(*ends[valued, 1:].T, true[metric.name], weight[valued])
        yield Coverage(f"{metric.name} of few", design, rows, positives, min(rates), *held)
