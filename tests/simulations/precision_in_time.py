"""How often limits of the average precision hold it in order of time: ``… precision_in_time 400``.

Truth and score follow each other; blocks of consecutive points of time count as groups.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from reportgen.measuring.binary_model import evaluate_metrics, evaluate_model
from reportgen.measuring.thresholds import Threshold
from tests.test_limits_in_time import Series
from tests.test_results_groups_coverage import MODEL

MEASURES = ("average_precision", "auc")


def evaluated(frames: Sequence[pl.DataFrame]) -> list[Mapping[str, Any]]:
    """The measures of each data set, by name."""
    models = [evaluate_model(frame, MODEL, Threshold(0.5, "fixed in the spec")) for frame in frames]
    by_frame = evaluate_metrics(models, 0.95, {}, {*MEASURES})
    return [{row["metric"]: row for row in rows} for rows in by_frame]


def coverage(series: Series, runs: int) -> dict[str, float]:
    """The share of data sets whose limits hold the value in a long series, by measure."""
    random = np.random.default_rng([7, series.points, round(10 * series.depends)])
    [truth] = evaluated([series.sample(random, 400_000)])
    samples = evaluated([series.sample(random) for _ in range(runs)])
    shares = {}
    for name in MEASURES:
        rows = [row[name] for row in samples if row[name]["low"] is not None]
        held = [row["low"] <= truth[name]["value"] <= row["high"] for row in rows]
        shares[name] = float(np.mean(held))
    return shares


def main(runs: str = "400") -> None:
    """Print the coverage by number of points and autocorrelation."""
    for points in (100, 150, 200, 400, 1000):
        for depends in (0.0, 0.5, 0.8):
            shares = coverage(Series(points, depends), int(runs))
            values = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
            print(f"{points} points, autocorrelation {depends}: {values}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
