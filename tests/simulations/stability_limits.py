"""How often the upper limit of a population stability index holds the true one.

``python -m tests.simulations.stability_limits RUNS`` prints a line per situation: normal scores
that move by so many standard deviations, or classes whose shares change; nominal 0.95. The true
index is over the tenths of the earlier distribution.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from reportgen.array_types import Floats
from reportgen.comparisons.two_periods import (
    PeriodUnits,
    Quantity,
    binned,
    permutation_test,
    stability_index,
)

ALPHA = 0.05
Generator = np.random.Generator


@dataclass(frozen=True)
class Periods:
    """So many groups of so many rows in each period; rows of a group are correlated by ½.

    With ``shares`` the rows are of classes, whose shares these are before and now.
    """

    groups: tuple[int, int]
    rows: tuple[int, int] = (1, 1)
    moved: float = 0.0
    shares: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    weighted: bool = False

    @property
    def index(self) -> float:
        """The index of the two distributions."""
        if self.shares is not None:
            return stability_index(*(np.array(side) for side in self.shares))
        tenths = norm.ppf(np.arange(11) / 10)
        return stability_index(np.full(10, 0.1), np.diff(norm.cdf(tenths - self.moved)))

    def side(self, random: Generator, place: int) -> tuple[Quantity, np.ndarray]:
        """The rows of a period, and the group of each."""
        unit = np.repeat(np.arange(self.groups[place]), self.rows[place])
        values: Floats = random.standard_normal(len(unit))
        if self.rows[place] > 1:
            of_group = random.standard_normal(self.groups[place])[unit]
            values = np.sqrt(0.5) * (values + of_group)
        weights = random.exponential(size=len(unit)) + 0.2 if self.weighted else None
        if self.shares is None:
            return Quantity(values + place * self.moved, weights), unit
        ends = norm.ppf(np.cumsum(self.shares[place])[:-1])
        codes = np.searchsorted(ends, values).astype(float)
        return Quantity(codes, weights, len(self.shares[place])), unit


CLASSES = ((0.5, 0.3, 0.2), (0.4, 0.35, 0.25))
SITUATIONS: Mapping[str, Periods] = {
    **{
        f"{before} and {now} rows, moved by {moved}": Periods((before, now), moved=moved)
        for before, now in ((50, 50), (150, 100), (50, 300), (1000, 300))
        for moved in (0.0, 0.2, 0.5, 1.0)
    },
    **{
        f"30 groups of 10 and 20 of 10, moved by {moved}": Periods((30, 20), (10, 10), moved=moved)
        for moved in (0.0, 0.5, 1.0)
    },
    "60 groups of 5 and 20 of 15, moved by 0.5": Periods((60, 20), (5, 15), 0.5),
    "weights, 300 and 200 rows, moved by 0.5": Periods((300, 200), moved=0.5, weighted=True),
    "three classes, 150 and 100 rows": Periods((150, 100), shares=CLASSES),
    "three classes, 30 groups of 10 and 20 of 10": Periods((30, 20), (10, 10), shares=CLASSES),
    "two classes, 2 % and 4 %, 300 and 200 rows": Periods(
        (300, 200), shares=((0.98, 0.02), (0.96, 0.04))
    ),
}


def coverage(periods: Periods, runs: int, seed: int = 0) -> tuple[float, float]:
    """The share of upper limits that are not below the true index, and their median."""
    limits = []
    for run in range(runs):
        random = np.random.default_rng([seed, run])
        (before, first), (now, second) = (periods.side(random, place) for place in (0, 1))
        alone = max(periods.rows) == 1
        units = PeriodUnits() if alone else PeriodUnits(first, second)
        limit = permutation_test(before, now, units).upper_limit(*binned(before, now), ALPHA)
        limits.append(np.inf if limit is None else limit)
    return float(np.mean(np.array(limits) >= periods.index)), float(np.median(limits))


def main(runs: int) -> None:
    """Print a line per situation."""
    for name, periods in SITUATIONS.items():
        held, median = coverage(periods, runs)
        print(f"{name}: PSI {periods.index:.3f}, held {held:.3f}, median limit {median:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
