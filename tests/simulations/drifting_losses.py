"""How often stationary losses are taken for drifting: ``… tests.simulations.drifting_losses 1000``.

Differences of two models in loss with this autocorrelation and a mean of 0: the share of series in
which the Diebold–Mariano test rejects, and that in which it does not and is not recommended, as the
losses seem to drift.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl
from scipy.signal import lfilter

from reportgen.comparisons.diebold_mariano import diebold_mariano
from tests.simulations.situations import ALPHA, asked

POINTS, MEMORIES = (30, 50, 100, 200, 500), (0.0, 0.5, 0.8, 0.9, 0.95)


def shares(points: int, memory: float, sets: int) -> tuple[float, float]:
    """Of series in which the test rejects, and in which it is withdrawn."""
    random = np.random.default_rng([points, int(100 * memory)])
    rejected = withdrawn = 0
    for _ in range(sets):
        gaps = lfilter([1.0], [1.0, -memory], random.normal(size=points + 300))[300:]
        losses = pl.DataFrame({"first": 20 + gaps, "second": np.full(points, 20.0)})
        test = diebold_mariano(losses, asked("mean_absolute_error"))[0]
        rejects = (test.p_value or 1.0) < ALPHA
        rejected += rejects
        withdrawn += test.drift and not rejects
    return rejected / sets, withdrawn / sets


def main(sets: str = "1000") -> None:
    """Print both shares of every design."""
    for memory in MEMORIES:
        for points in POINTS:
            rejected, withdrawn = shares(points, memory, int(sets))
            print(f"{memory}, {points} points: {rejected:.3f}, {withdrawn:.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
