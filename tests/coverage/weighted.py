"""Coverage of measures of decisions of weighted rows, whose weights may go with the errors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.special import ndtri

from reportgen.measuring.metric_set import MetricSet
from reportgen.metrics import METRICS
from tests.coverage.designs import Floats
from tests.coverage.measured import Coverage, of_limits

OF_WEIGHTED = ("accuracy", "precision", "recall", "balanced_accuracy", "f1", "mcc")
POPULATION = 1_000_000
WEIGHTS = ("independent", "lighter errors", "heavier errors", "strata")
"""Weights that go with nothing, tend to be smaller or larger of errors, or are those of a class."""

_CORRELATION = {"independent": 0.0, "lighter errors": 0.5, "heavier errors": -0.5}


def of_weighted_counts(
    rows: int, rates: tuple[float, float, float], weights: str, spread: float, samples: int
) -> Iterator[Coverage]:
    """Coverage at a prevalence, a recall and a specificity; weights have this log-spread."""
    metrics, random = [METRICS[name] for name in OF_WEIGHTED], np.random.default_rng(6)
    measured = MetricSet(metrics, 0.95)
    whole = measured.of_counts(_counts(1, POPULATION, rates, weights, spread, random))
    values = measured.of_counts(_counts(samples, rows, rates, weights, spread, random))
    for metric in metrics:
        column = np.array([row[metric.name] for row in values], dtype=float)
        low, high = column[np.isfinite(column[:, 0]), 1:].T
        held = of_limits(low, high, whole[0][metric.name][0] or 0.0, np.ones(len(low)))
        design = f"{rates[0]}, {weights}, spread {spread}"
        fewest = rows * min(rates[0], 1 - rates[0])
        yield Coverage(f"{metric.name}, weighted rows", design, rows, fewest, rates[1], *held)


def _counts(
    samples: int,
    rows: int,
    rates: tuple[float, float, float],
    weights: str,
    spread: float,
    random: np.random.Generator,
) -> pl.DataFrame:
    """The weights of each cell in each sample, and the sums of their squares."""
    prevalence, recall, specificity = rates
    positive = random.random((samples, rows)) < prevalence
    within = random.standard_normal((samples, rows))
    correct = within < np.where(positive, ndtri(recall), ndtri(specificity))
    if weights == "strata":
        weight: Floats = np.where(positive, 1.0, np.exp(2 * spread))
    else:
        apart = _CORRELATION[weights]
        noise = random.standard_normal((samples, rows))
        weight = np.exp(-spread * (apart * within + np.sqrt(1 - apart**2) * noise))
    cells = {
        "tp": positive & correct,
        "fp": ~positive & ~correct,
        "fn": positive & ~correct,
        "tn": ~positive & correct,
    }
    sums = {name: (weight * cell).sum(axis=1) for name, cell in cells.items()}
    squares = {f"{name}2": (weight**2 * cell).sum(axis=1) for name, cell in cells.items()}
    return pl.DataFrame({**sums, **squares})
