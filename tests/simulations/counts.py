"""Poisson deviances of unlike models of counts: ``python -m tests.simulations.counts 500``.

Both models are as good: one predicts six tenths of every mean, the other so many times it that its
expected deviance is the same. The share of data sets in which the paired permutation test of the
Poisson deviance rejects, at 5 %; means are alike, or spread by a lognormal factor.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl
from scipy.optimize import brentq

from reportgen.comparisons import Draws, RowwisePair, paired_permutation
from reportgen.metrics import REGISTRY
from tests.simulations.situations import ALPHA, asked

LOW = 0.6
HIGH = float(brentq(lambda c: c - np.log(c) - (LOW - np.log(LOW)), 1, 5))
DESIGNS = [
    (rows, mean, spread)
    for rows in (50, 200, 800)
    for mean in (0.1, 0.3, 1.0, 5.0)
    for spread in (0.0, 1.0)
]


def rejected(rows: int, mean: float, spread: float, sets: int) -> float:
    """The share of data sets in which the deviances of the two models differ."""
    random, count = np.random.default_rng([rows, int(100 * mean), int(10 * spread)]), 0
    metric = REGISTRY["regression"]["poisson_deviance"]
    for _ in range(sets):
        means = mean * np.exp(spread * random.normal(size=rows) - spread**2 / 2)
        truth = pl.DataFrame({"truth": random.poisson(means).astype(float)})
        frames = [
            truth.with_columns(estimate=pl.Series(c * means), weight=pl.lit(1.0))
            for c in (LOW, HIGH)
        ]
        pair = RowwisePair(*frames, metric.expression(), metric.bounds)
        test = paired_permutation(pair, asked(metric.name), draws=Draws(199, 1))
        count += test.p_value is not None and test.p_value < ALPHA
    return count / sets


def main(sets: str = "500") -> None:
    """Print a line per design: how many counts there are on average, and how often it rejects."""
    for rows, mean, spread in DESIGNS:
        rate = rejected(rows, mean, spread, int(sets))
        print(f"{rows} rows, mean {mean}, spread {spread}: {rate:.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
