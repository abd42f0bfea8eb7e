"""Series that seem to change in time: ``python -m tests.simulations.breaks``.

The share of series with the caveat of ``after_break``, and of those in which ``trend_p_value`` is
below 0.05: of autoregressions alone, with a break of two standard deviations after 70 % of the
points, with a line that rises by four, and with a cubic that does. 1,000 series each, of 1,000
points and more 100:

- of autoregressions alone the caveat came in at most 0.025 (50 points), 0.019 (100) and 0.022
  (200), never of more; the trend in 0.017 to 0.058 of up to 200 points, of an autocorrelation of
  0.98 in 0.047 to 0.076
- of a break with an autocorrelation of 0.3 the caveat came in 0.58 (50 points) to 0.96 (5,000), of
  a line in 0.78 to 0.96, of a cubic in 0.73 to 0.95; the trend of a line in 0.93 to 1.00
- from an autocorrelation of 0.6 on the caveat came in at most 0.18 of any; the trend of a line in
  0.59 (50 points) and 1.00 (1,000), with 0.8 in 0.27 and 1.00
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
from scipy.signal import lfilter

from reportgen.comparisons.diebold_mariano import after_break, autocorrelation
from reportgen.comparisons.time_trend import trend_p_value

SIZES, CORRELATIONS, AFTER = (50, 100, 200, 1000, 5000), (0.0, 0.3, 0.6, 0.8, 0.95, 0.98), 0.7
CHANGES = {
    "nothing": lambda time: 0 * time,
    "a break": lambda time: 2.0 * (time >= AFTER),
    "a line": lambda time: 4 * time,
    "a cubic": lambda time: 4 * time**3,
}


def seen(points: int, correlation: float, change: str, runs: int) -> tuple[float, float]:
    """The shares of series of so many points with the caveat, and with a significant trend."""
    random, number = np.random.default_rng([points, round(100 * correlation)]), [0, 0]
    later = CHANGES[change](np.arange(points) / points) / np.sqrt(1 - correlation**2)
    for _ in range(runs):
        series = lfilter([1], [1, -correlation], random.normal(size=points + 200))[200:] + later
        centred = series - series.mean()
        p = trend_p_value(series)
        number[0] += bool(after_break(centred, autocorrelation(centred)))
        number[1] += p is not None and p < 0.05
    return number[0] / runs, number[1] / runs


def main(runs: str = "1000") -> None:
    """Print the shares of each design."""
    for points, correlation in product(SIZES, CORRELATIONS):
        number = int(runs) if points < 1000 else int(runs) // 10
        shares = {name: seen(points, correlation, name, number) for name in CHANGES}
        printed = "; ".join(f"{name} {a:.3f}, {b:.3f}" for name, (a, b) in shares.items())
        print(f"- {points} points, autocorrelation {correlation:g}: {printed}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
