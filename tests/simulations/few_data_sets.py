"""Nemenyi's test of equally good models, over few data sets.

It decides where no adjusted p of Wilcoxon's test can fall below α:
``python -m tests.simulations.few_data_sets 4000``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy.stats import rankdata

from reportgen.comparisons.rank_pairs import critical_difference

MODELS, DATA_SETS = (3, 5, 9, 12, 20), (6, 8, 12)

KINDS = {
    "alike": 1.0,
    "spreads up to 3 : 1": 3.0,
    "spreads up to 10 : 1": 10.0,
    "half of them worse": 1.0,
}
"""How many times the scores of the last model vary as those of the first."""


def rejected(models: int, data_sets: int, kind: str, runs: int) -> float:
    """The share of runs in which two equally good models differ significantly."""
    random = np.random.default_rng(models * 100 + data_sets)
    scores = random.normal(size=(runs, data_sets, models)) * np.geomspace(1, KINDS[kind], models)
    half = max(models // 2, 2)
    alike = half if kind.startswith("half") else models
    scores[:, :, alike:] -= 9
    ranks = rankdata(scores, axis=2).mean(axis=1)[:, :alike]
    return float(np.mean(np.ptp(ranks, axis=1) >= critical_difference(models, data_sets)))


def rates(runs: int) -> Iterator[tuple[str, list[float]]]:
    """Each kind with its shares of all numbers of models and data sets."""
    for kind in KINDS:
        yield kind, [rejected(m, n, kind, runs) for m, n in product(MODELS, DATA_SETS)]


def main(runs: str = "4000") -> None:
    """Print the smallest and the largest share of each kind."""
    for kind, shares in rates(int(runs)):
        print(f"{kind}: {min(shares):.3f} to {max(shares):.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
