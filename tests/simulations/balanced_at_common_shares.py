"""The test of balanced accuracy: ``python -m tests.simulations.balanced_at_common_shares 2000``.

Hard labels of two models with the same balanced accuracy, at common shares of positives: models
alike, near copies, one that finds more positives and one that raises fewer false alarms, and one
that always predicts positive beside one that guesses. Share of the data sets in which it rejects.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl
from scipy.stats import norm

from reportgen.comparisons.balanced_decisions import areas_of_counts, balanced_pair
from tests.simulations.situations import ALPHA, Generator, asked, normals

ROWS = (60, 100, 200, 600, 1000)
SHARES = (0.3, 0.4, 0.5)

KINDS = {
    "alike": ((0.8, 0.8), (0.8, 0.8)),
    "alike and good": ((0.95, 0.95), (0.95, 0.95)),
    "near copies": ((0.8, 0.8), (0.8, 0.8)),
    "unlike": ((0.95, 0.65), (0.65, 0.95)),
    "one nearly perfect on positives": ((0.99, 0.75), (0.87, 0.87)),
    "a constant": ((1.0, 0.0), (0.5, 0.5)),
}
"""Recall and specificity of both models."""


def counts(random: Generator, kind: str, rows: int, share: float) -> pl.DataFrame:
    """The rows of every combination of truth and decisions."""
    truth = random.random(rows) < share
    noise = norm.cdf(normals(random, rows))
    if kind == "near copies":
        noise[:, 1] = np.where(random.random(rows) < 0.05, random.random(rows), noise[:, 0])
    right = [
        np.where(truth, noise[:, k] < recall, noise[:, k] < specificity)
        for k, (recall, specificity) in enumerate(KINDS[kind])
    ]
    frame = pl.DataFrame({"truth": truth, "a": right[0] == truth, "b": right[1] == truth})
    return frame.group_by(pl.all()).len("rows")


def level(kind: str, rows: int, share: float, sets: int) -> float:
    """How often the test rejects."""
    rejected = 0
    for run in range(sets):
        table = counts(np.random.default_rng([run, rows]), kind, rows, share)
        estimates = areas_of_counts(table, ["a", "b"])
        test = balanced_pair(estimates, (0, 1), asked("balanced_accuracy"))
        rejected += test.p_value is not None and test.p_value < ALPHA
    return rejected / sets


def main(sets: str = "2000") -> None:
    """Print a line per design."""
    for kind in KINDS:
        for share in SHARES:
            levels = (f"{level(kind, rows, share, int(sets)):.3f}" for rows in ROWS)
            print(f"{kind}, {share:.0%} positive, {ROWS} rows: {', '.join(levels)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
