"""KS of scores with few values against continuous ones: ``… tests.simulations.unlike_values 500``.

Both models guess, or separate the classes alike; the scores of one are cut into so many values.
Share of the data sets in which the permutation of outputs rejects equal KS statistics.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.stats import rankdata

from reportgen.array_types import Floats
from tests.simulations.situations import ALPHA, Generator

ROWS = (80, 300)
VALUES = (2, 3, 5, 10, 20, 40)
SEPARATIONS = (0.0, 1.0)
POSITIVE = 0.4
PERMUTATIONS = 199


def distances(scores: Floats, truth: Floats) -> Floats:
    """The KS statistic of each row of scores."""
    order = np.argsort(scores, axis=1)
    value = np.take_along_axis(scores, order, axis=1)
    step = np.where(truth[order] > 0, 1 / truth.sum(), -1 / (1 - truth).sum())
    apart = np.abs(step.cumsum(axis=1))
    last = np.concatenate([value[:, 1:] != value[:, :-1], np.ones((len(value), 1), bool)], axis=1)
    furthest: Floats = np.where(last, apart, 0.0).max(axis=1)
    return furthest


def rejects(random: Generator, rows: int, values: int, separation: float) -> bool:
    """Whether the test rejects in one data set."""
    truth = (random.random(rows) < POSITIVE).astype(float)
    first, second = separation * truth + random.standard_normal((2, rows))
    first = np.digitize(first, np.quantile(first, np.arange(1, values) / values))
    ranks = rankdata(first), rankdata(second)
    swaps = random.random((PERMUTATIONS + 1, rows)) < 0.5
    swaps[0] = False
    sides = (distances(np.where(swaps, *pair), truth) for pair in (ranks, ranks[::-1]))
    apart = np.abs(np.subtract(*sides))
    return bool((apart >= apart[0] - 1e-12).mean() < ALPHA)


def main(sets: str = "500") -> None:
    """Print a line per separation, number of rows and of values."""
    for separation in SEPARATIONS:
        for rows in ROWS:
            for values in VALUES:
                random = np.random.default_rng([rows, values])
                share = np.mean(
                    [rejects(random, rows, values, separation) for _ in range(int(sets))]
                )
                print(
                    f"apart by {separation}, {rows} rows, {values} values: {share:.3f}", flush=True
                )


if __name__ == "__main__":
    main(*sys.argv[1:])
