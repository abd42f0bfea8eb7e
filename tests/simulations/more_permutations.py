"""The level of permutation tests that go on near it: ``… -m tests.simulations.more_permutations``.

Where nothing differs the share of all permutations that lie as far as the observed difference is
uniform. Each run draws such a share and the permutations from it, and goes on by the rule of
reports where p is not surely above the level.
"""

from __future__ import annotations

import sys

import numpy as np

from reportgen.comparisons import Draws
from reportgen.comparisons.model_pair import MOST_DRAWS

ALPHAS, FIRST = (0.05, 0.01), (100, 200, 1000, 2000)


def level(draws: int, alpha: float, runs: int, seed: int = 0) -> tuple[float, float]:
    """The share of runs with p up to alpha, and the share that go on."""
    random = np.random.default_rng(seed)
    shares = random.random(runs)
    far = random.binomial(draws, shares)
    first = Draws(draws, goes_on=True)
    more = {b: first.further((b + 1) / (draws + 1), alpha, 8) for b in np.unique(far).tolist()}
    further = np.array([more[b] for b in far.tolist()])
    far = far + random.binomial(further, shares)
    p = (far + 1) / (draws + further + 1)
    return float((p <= alpha).mean()), float((further > 0).mean())


def main(runs: str = "1000000") -> None:
    """Print the level by number of permutations."""
    for alpha in ALPHAS:
        for draws in FIRST:
            rejects, goes_on = level(draws, alpha, int(runs))
            print(
                f"alpha {alpha}, {draws} permutations and up to {MOST_DRAWS:,}: {rejects:.4f}, "
                f"goes on in {goes_on:.3f}"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
