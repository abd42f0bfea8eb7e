"""Errors by bins of two calibrated models: ``… tests.simulations.calibrated_scores 100``.

One gives the true probability of each row, the other the mean of those of like rows, in two or
five values; or both give the former, of which each sees other features. Of classes it is the
highest probability. Share of the reports in which the permutation and the bootstrap test reject.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.results import evaluate
from tests.simulations.report_data_alike import Generator

ROWS = (100, 300, 1000)
MEASURES = ("expected_calibration_error", "maximum_calibration_error", "brier_reliability")
STEPS = (2, 5, 0)
"""Values that the probabilities of the second model have; 0 where they are as many as rows."""

GRID = 1 / (1 + np.exp(-2 * np.random.default_rng(0).normal(size=200_000)))
"""True probabilities of any rows."""


def coarse(true: Floats, steps: int) -> Floats:
    """The mean probability of the rows between two quantiles."""
    ends = np.quantile(GRID, np.arange(1, steps) / steps)
    means = np.array([GRID[np.digitize(GRID, ends) == k].mean() for k in range(steps)])
    return np.asarray(means[np.digitize(true, ends)])


def frame(random: Generator, rows: int, steps: int) -> pl.DataFrame:
    """Rows of a target of two classes, and the probabilities of both models."""
    if steps:
        true = random.choice(GRID, rows)
        both = true, coarse(true, steps)
    else:  # each model sees one of two parts of what decides the class
        parts = random.random((rows, 2))
        both = 0.25 + parts[:, 0] / 2, 0.25 + parts[:, 1] / 2
        true = parts.mean(axis=1)
    outcome = (random.random(rows) < true).astype(int)
    return pl.DataFrame({"y": outcome, "a": both[0], "b": both[1]})


def rejections(rows: int, steps: int, measure: str, sets: int) -> dict[str, float]:
    """How often each of the tests of the measure rejects."""
    counts: Counter[str] = Counter()
    spec = {
        "truth": "y",
        "models": {name: {"score": name} for name in "ab"},
        "comparisons": {"primary": measure},
        "bootstrap": {"replicates": 500},
    }
    for run in range(sets):
        results = evaluate(spec, frame(np.random.default_rng([rows, run]), rows, steps))
        tests = results.comparisons.filter(pl.col("slice").is_null(), metric=measure)
        for test in tests.iter_rows(named=True):
            p = test["p_value"]
            counts[test["comparison"]] += p is not None and p < test["alpha"]
            counts["recommended"] += test["recommendation"] == "recommended"
    return {name: count / sets for name, count in sorted(counts.items())}


def main(sets: str = "100") -> None:
    """Print a line per design."""
    for steps in STEPS:
        for rows in ROWS:
            for measure in MEASURES:
                print(f"{steps} values, {rows} rows, {measure}:", end=" ")
                print(rejections(rows, steps, measure, int(sets)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
