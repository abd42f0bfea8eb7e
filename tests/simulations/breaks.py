"""How often a series seems to have a break: ``python -m tests.simulations.breaks``.

The share of series with the caveat of ``after_break``, of autoregressions without a break and with
one of two standard deviations after 70 % of the points. 300 series each, of 5,000 points 60:

- without a break, autocorrelation 0.3: 0.030 (100 points), 0.017 (200), 0.000 (1,000 and 5,000);
  0.6: 0.010 (100), else 0.000; 0.8, 0.95 and 0.98: 0.000
- with one, autocorrelation 0.3: 0.68 (100 points), 0.84, 0.91 and 0.93; from 0.6 on 0.00 to 0.05
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
from scipy.signal import lfilter

from reportgen.comparisons.diebold_mariano import after_break, autocorrelation

SIZES, CORRELATIONS, SIZE, AFTER = (100, 200, 1000, 5000), (0.3, 0.6, 0.8, 0.95, 0.98), 2.0, 0.7


def warned(points: int, correlation: float, size: float, runs: int) -> float:
    """The share of series of so many points with the caveat, of a break of so many deviations."""
    random, seen = np.random.default_rng([points, round(100 * correlation)]), 0
    later = size / np.sqrt(1 - correlation**2) * (np.arange(points) >= AFTER * points)
    for _ in range(runs):
        series = lfilter([1], [1, -correlation], random.normal(size=points + 200))[200:] + later
        centred = series - series.mean()
        seen += bool(after_break(centred, autocorrelation(centred)))
    return seen / runs


def main(runs: str = "300") -> None:
    """Print the shares of each design."""
    for points, correlation in product(SIZES, CORRELATIONS):
        number = int(runs) if points < 5000 else int(runs) // 5
        shares = [warned(points, correlation, size, number) for size in (0.0, SIZE)]
        print(f"- {points} points, {correlation:g}: {shares[0]:.3f}, with a break {shares[1]:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
