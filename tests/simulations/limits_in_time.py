"""Limits of two classes in order of time: ``python -m tests.simulations.limits_in_time RUNS``.

Truth and score follow those before them; one row per point of time, or five that share half of what
varies. Of each measure the share of data sets whose limits hold its value in a long series: as
reports have them, in brackets by blocks of time alone, and of independent rows.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import polars as pl
from scipy.signal import lfilter
from scipy.special import ndtr, ndtri

from reportgen.measuring.binary_model import evaluate_metrics, evaluate_model
from reportgen.measuring.thresholds import Threshold
from reportgen.measuring.time_blocks import time_blocks, wider
from reportgen.tables.results import MetricRow
from tests.coverage.designs import Floats
from tests.quick import BINARY_SPEC
from tests.whole.test_results_groups_coverage import MODEL

MEASURES = (
    "auc",
    "accuracy",
    "brier_score",
    "log_loss",
    "recall",
    "specificity",
    "precision",
    "f1",
    "mcc",
    "balanced_accuracy",
    "average_precision",
)

POINTS, MEMORY = (30, 60, 120, 400), (0.0, 0.5, 0.8)
SHAPES = ((1, 0.4), (1, 0.2), (5, 0.4))
"""Rows per point of time, and the share of positives."""

LONG = 400_000
"""Rows of which measures have their true value."""


def sample(
    random: np.random.Generator, points: int, rows: int, memory: float, positive: float
) -> pl.DataFrame:
    """Rows with a truth, a calibrated probability, and the point of time."""
    noise = random.normal(size=(2, points + 100)) * sqrt(1 - memory**2)
    series = lfilter([1.0], [1.0, -memory], noise, axis=1)[:, 100:]
    point = np.repeat(np.arange(points), rows)
    if rows > 1:
        series = sqrt(0.5) * (series[:, point] + random.normal(size=(2, len(point))))
    latent, error = series
    cut, score = -ndtri(positive), 0.8 * latent + 0.6 * error
    columns = {"truth": latent > cut, "score": ndtr((0.8 * score - cut) / 0.6), "point": point}
    return pl.DataFrame(columns)


def measured(frames: Sequence[pl.DataFrame]) -> list[list[MetricRow]]:
    """The measures of each data set."""
    models = [evaluate_model(frame, MODEL, Threshold(0.5, "")) for frame in frames]
    return evaluate_metrics(models, BINARY_SPEC, {}, {*MEASURES})


def limits(frame: pl.DataFrame) -> Iterator[dict[str, Mapping[str, Any]]]:
    """As results have them, by blocks alone, and of independent rows."""
    blocks, alone = (
        measured([frame.with_columns(group=time_blocks(frame["point"]))]),
        measured([frame]),
    )
    for rows in (wider(blocks[0], alone[0]), blocks[0], alone[0]):
        yield {str(row["metric"]): row for row in rows}


def held(
    shape: tuple[int, float], points: int, memory: float, runs: int, measures: Sequence[str]
) -> dict[str, Floats]:
    """Shares of the three limits that hold, by measure."""
    rows, positive = shape
    random = np.random.default_rng([points, rows, round(10 * memory), round(100 * positive)])
    (whole,) = measured([sample(random, LONG // rows, rows, memory, positive)])
    true = {row["metric"]: row["value"] for row in whole}
    inside: dict[str, list[list[bool]]] = {name: [] for name in measures}
    for _ in range(runs):
        frame = sample(random, points, rows, memory, positive)
        ways = list(limits(frame))
        for name in measures:
            if all(way[name]["low"] is not None for way in ways):
                ends = [(way[name]["low"], way[name]["high"]) for way in ways]
                inside[name].append([low <= true[name] <= high for low, high in ends])
    return {name: np.mean(of_runs, axis=0) for name, of_runs in inside.items()}


def main(runs: str = "300") -> None:
    """Print a line per design and measure."""
    for shape, points, memory in product(SHAPES, POINTS, MEMORY):
        print(f"{points} points of {shape[0]}, {shape[1]} positive, autocorrelation {memory}")
        for name, shares in held(shape, points, memory, int(runs), MEASURES).items():
            now, blocks, alone = shares
            print(f"- {name}: {now:.3f} (blocks {blocks:.3f}, rows {alone:.3f})", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
