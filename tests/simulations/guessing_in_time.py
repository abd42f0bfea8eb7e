"""R² of forecasts in order of time: ``python -m tests.simulations.guessing_in_time RUNS``.

Truth, estimates and errors depend on those before them. A model of an R² of 0, whose estimates
follow the truth but are twice as steep as the best, one that is the mean and noise (−0.09), and one
of 0.69. The share of data sets whose limits hold the true R², then those that lie above 0, the
level or the power of "better than always predicting the mean"; both by blocks of time alone, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import sqrt

import numpy as np
import polars as pl
from scipy.signal import lfilter

from reportgen.clusters import Groups
from reportgen.intervals import MeanOfRows
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.row_means import rows_in_groups
from reportgen.measuring.series_limits import of_ratios
from reportgen.measuring.time_blocks import time_blocks, wider
from reportgen.metrics import REGISTRY
from reportgen.tables.results import MetricRow
from tests.coverage.designs import Floats

POINTS, MEMORY = (30, 60, 120, 400), (0.0, 0.5, 0.8)

R2 = REGISTRY["regression"]["r2"]

Draw = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""From a signal and an error to truth and estimate."""


def _follows(share: float, steep: float = 1.0) -> Draw:
    def draw(signal: Floats, error: Floats) -> tuple[Floats, Floats]:
        return sqrt(share) * signal + sqrt(1 - share) * error, steep * sqrt(share) * signal

    return draw


DESIGNS: dict[str, tuple[Draw, float]] = {
    "twice as steep": (_follows(0.5, 2.0), 0.0),
    "the mean and noise": (lambda signal, error: (error, 0.3 * signal), -0.09),
    "R² of 0.69": (_follows(0.69), 0.69),
}


def series(random: np.random.Generator, points: int, memory: float) -> tuple[Floats, Floats]:
    """A signal and an error, normal with a variance of 1."""
    noise = random.standard_normal((2, points + 50)) * sqrt(1 - memory**2)
    signal, error = lfilter([1.0], [1.0, -memory], noise, axis=1)[:, 50:]
    return signal, error


def limits(truth: Floats, estimate: Floats) -> tuple[MetricRow, MetricRow]:
    """R² with its limits by blocks of time, and as results have it."""
    frame = pl.DataFrame({"truth": truth, "estimate": estimate, "weight": 1.0})
    points = pl.Series("point", np.arange(len(truth)))

    def by(groups: Groups) -> list[MetricRow]:
        metric = replace(R2, interval=MeanOfRows(R2.bounds))
        return rows_in_groups(MetricSubject("m"), frame, [metric], groups)

    blocks = by(Groups.of(time_blocks(points)))
    of_series = of_ratios(MetricSubject("m"), blocks, frame.with_columns(points), [R2])
    [row] = wider(of_series, by(Groups(np.arange(len(truth)), len(truth))))
    return blocks[0], row


def rates(design: str, points: int, memory: float, runs: int) -> tuple[Floats, Floats]:
    """Shares of limits that hold R², and that lie above 0: by blocks and in results."""
    draw, true = DESIGNS[design]
    random = np.random.default_rng([points, round(10 * memory)])
    both = [limits(*draw(*series(random, points, memory))) for _ in range(runs)]
    ends = np.array([[(row["low"], row["high"]) for row in pair] for pair in both], dtype=float)
    low, high = ends[..., 0], ends[..., 1]
    return ((low <= true) & (true <= high)).mean(axis=0), (low > 0).mean(axis=0)


def main(runs: str = "400") -> None:
    """Print a line per design."""
    for design, points, memory in product(DESIGNS, POINTS, MEMORY):
        (held_before, held), (above_before, above) = rates(design, points, memory, int(runs))
        print(
            f"- {design}, {points} points, autocorrelation {memory}: held {held:.3f} (blocks "
            f"{held_before:.3f}), above 0 {above:.3f} ({above_before:.3f})",
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
