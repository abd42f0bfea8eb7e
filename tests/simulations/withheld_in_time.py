"""Limits by group where groups are in order of time, of which reports withhold some.

Reports give none of a single model where limits that also allow for points of time would be 1.25
times as wide (``records.rows.WIDER``). ``python -m tests.simulations.withheld_in_time RUNS`` prints
by kind of panel and shape the share of data sets whose limits of a mean by group hold it, of all
and of those that have them, and the share that has none.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

from reportgen.clusters import t_quantile
from reportgen.records.rows import WIDER
from tests.simulations.panels import KINDS, differences, errors


def rates(kind: str, groups: int, points: int, runs: int) -> tuple[float, float, float]:
    """The share that holds, of all and of those with limits, and the share without."""
    held, withheld = np.zeros(runs, bool), np.zeros(runs, bool)
    for run in range(runs):
        random = np.random.default_rng([run, groups, points, 3])
        values, _ = differences(random, kind, groups, points)
        half = {name: error * t_quantile(0.95, df) for name, (error, df) in errors(values).items()}
        held[run] = abs(values.mean()) <= half["groups"]
        withheld[run] = half["panel"] >= WIDER * half["groups"]
    given = held[~withheld]
    return float(held.mean()), float(given.mean()) if len(given) else np.nan, float(withheld.mean())


def main(runs: int) -> None:
    """Print a line per kind and shape."""
    for kind, groups, points in product(KINDS, (8, 30), (30, 90)):
        of_all, of_given, without = rates(kind, groups, points, runs)
        print(
            f"- {kind}, {groups} groups, {points} points of time: held in {of_all:.3f}, "
            f"of those with limits {of_given:.3f}; none in {without:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]))
