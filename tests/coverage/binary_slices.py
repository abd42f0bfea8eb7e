"""Coverage of the limits in the table of slices of two classes, from whole reports.

A report has many slices of one design; rows are independent, or in groups of five whose scores
and classes depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.stats import norm, rankdata

import reportgen
from reportgen.array_types import Flags, Floats
from reportgen.predictions.column_names import MOST_SLICE_VALUES
from reportgen.tasks import TASKS
from tests.coverage.measured import Coverage, of_limits

MEASURES = [name for name, _ in TASKS["binary"].slice_measures]
GROUP, DEPENDENCE = 5, 0.4
"""Rows of a group, and the correlation of what their classes and scores are made of."""

POPULATION = 1_000_000


def of_binary_slices(
    rows: int, prevalence: float, separation: float, samples: int, *, grouped: bool
) -> Iterator[Coverage]:
    """Coverage of each measure of slices of so many rows, at the threshold that is half way."""
    random = np.random.default_rng([rows, round(100 * prevalence), grouped])
    population = _drawn(POPULATION, prevalence, separation, random, grouped=grouped)
    true = _values(*population, separation / 2)
    ends: dict[str, list[tuple[float, float]]] = {name: [] for name in MEASURES}
    for first in range(0, samples, MOST_SLICE_VALUES):
        number = min(MOST_SLICE_VALUES, samples - first)
        truth, score = _drawn(rows * number, prevalence, separation, random, grouped=grouped)
        place = np.arange(rows * number)
        frame = pl.DataFrame({"y": truth, "s": score, "k": place // rows, "g": place // GROUP})
        spec = {
            "truth": "y",
            "models": {"a": {"score": "s"}},
            "threshold": separation / 2,
            "slices": ["k"],
            "columns": {"group": "g"} if grouped else {},
            "bootstrap": {"replicates": 0},
        }
        metrics = reportgen.evaluate(spec, frame).metrics
        inside = metrics.filter(pl.col("slice").is_not_null(), pl.col("value").is_not_null())
        for metric, low, high in inside.select("metric", "low", "high").iter_rows():
            if metric in ends:
                ends[metric].append((np.nan, np.nan) if low is None else (low, high))
    for name, limits in ends.items():
        low, high = np.array(limits, dtype=float).T
        held = of_limits(low, high, true[name], np.ones(len(low)))
        design = f"prevalence {prevalence:g}{', groups of 5' if grouped else ''}"
        yield Coverage(f"{name}, slices", design, rows, rows * prevalence, separation, *held)


def _drawn(
    rows: int, prevalence: float, separation: float, random: np.random.Generator, *, grouped: bool
) -> tuple[Flags, Floats]:
    """Class and score of each row, in groups of consecutive rows."""
    noise = random.standard_normal((2, rows))
    if grouped:
        shared = random.standard_normal((2, -(-rows // GROUP))).repeat(GROUP, axis=1)[:, :rows]
        noise = np.sqrt(DEPENDENCE) * shared + np.sqrt(1 - DEPENDENCE) * noise
    truth = noise[0] < norm.ppf(prevalence)
    return truth, noise[1] + separation * truth


def _values(truth: Flags, score: Floats, threshold: float) -> dict[str, float]:
    """The measures of a population."""
    given, positives = score >= threshold, truth.sum()
    hits = (given & truth).sum()
    ranks = rankdata(score)[truth].sum() - positives * (positives + 1) / 2
    return {
        "auc": ranks / positives / (~truth).sum(),
        "error_rate": (given != truth).mean(),
        "f1": 2 * hits / (given.sum() + positives),
        "precision": hits / given.sum(),
        "recall": hits / positives,
        "false_positive_rate": (given & ~truth).sum() / (~truth).sum(),
        "detection_prevalence": given.mean(),
    }
