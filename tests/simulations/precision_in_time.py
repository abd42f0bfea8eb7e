"""How often limits of the average precision hold it in order of time: ``… precision_in_time 400``.

Truth and score follow each other; blocks of consecutive points of time count as groups.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import polars as pl
from scipy.signal import lfilter
from scipy.special import ndtr, ndtri

from reportgen.measuring.binary_model import evaluate_metrics, evaluate_model
from reportgen.measuring.thresholds import Threshold
from reportgen.measuring.time_blocks import time_blocks
from tests.quick import BINARY_SPEC
from tests.whole.test_results_groups_coverage import MODEL

MEASURES = ("average_precision", "auc")


@dataclass(frozen=True)
class Positives:
    """Points of time, the autocorrelation of all that varies, and the share of positives."""

    points: int
    depends: float
    positive: float

    def sample(self, random: np.random.Generator, points: int | None = None) -> pl.DataFrame:
        """Rows with a truth and a score, in blocks of time."""
        n, rho = points or self.points, self.depends
        noise = random.normal(size=(2, n + 100)) * sqrt(1 - rho**2)
        latent, error = lfilter([1.0], [1.0, -rho], noise, axis=1)[:, 100:]
        return pl.DataFrame(
            {
                "group": time_blocks(pl.Series(np.arange(n))),
                "truth": latent > -ndtri(self.positive),
                "score": ndtr(0.8 * latent + 0.6 * error),
            }
        )


def evaluated(frames: Sequence[pl.DataFrame]) -> list[Mapping[str, Any]]:
    """The measures of each data set, by name."""
    models = [evaluate_model(frame, MODEL, Threshold(0.5, "")) for frame in frames]
    by_frame = evaluate_metrics(models, BINARY_SPEC, {}, {*MEASURES})
    return [{row["metric"]: row for row in rows} for rows in by_frame]


def coverage(series: Positives, runs: int) -> dict[str, float]:
    """The share of data sets whose limits hold the value in a long series, by measure."""
    random = np.random.default_rng([series.points, round(10 * series.depends)])
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
    for positive in (0.4, 0.1):
        for points in (100, 150, 200, 400, 1000):
            for depends in (0.0, 0.5, 0.8):
                shares = coverage(Positives(points, depends, positive), int(runs))
                values = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
                of = f"{positive} positive, {points} points, autocorrelation {depends}"
                print(f"{of}: {values}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
