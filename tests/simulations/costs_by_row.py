"""Limits of costs that differ from row to row: ``python -m tests.simulations.costs_by_row 2000``.

What a missed positive costs is log-normal, a false alarm costs 5.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from reportgen.measuring.own_cost_limits import own_cost_limits
from tests.simulations.report_data_alike import Floats, Generator


@dataclass(frozen=True)
class Errors:
    """How often rows are decided wrongly, and how often more or less where errors are costly.

    Of ``rows`` a share is positive; ``spread`` is the standard deviation of the logarithm of the
    costs of missing one, ``depends`` by how much the logarithm of the share missed grows with it.
    """

    rows: int
    positive: float
    missed: float
    alarms: float
    spread: float = 1.2
    depends: float = 0.0

    @property
    def expected(self) -> float:
        """The expected cost of a row, as far as no share is cut off at 1."""
        of_missed = 50 * np.exp((self.spread + self.depends) ** 2 / 2 - self.depends**2 / 2)
        missed = self.positive * self.missed * of_missed
        return float(missed + (1 - self.positive) * self.alarms * 5)

    def limits(self, random: Generator) -> tuple[float, float]:
        """Those of one sample."""
        positive = random.random(self.rows) < self.positive
        size: Floats = random.normal(size=self.rows)
        possible = np.where(positive, 50 * np.exp(self.spread * size), 5.0)
        often = self.missed * np.exp(self.depends * size - self.depends**2 / 2)
        wrong = random.random(self.rows) < np.where(positive, often, self.alarms)
        return own_cost_limits(possible, wrong, positive, np.ones(self.rows))


DESIGNS = (
    Errors(40, 0.5, 0.05, 0.05, 0.8),
    Errors(100, 0.3, 0.1, 0.1, 0.8),
    Errors(300, 0.24, 0.08, 0.02),
    Errors(300, 0.5, 0.2, 0.1, 0.5),
    Errors(800, 0.24, 0.125, 0.05),
    Errors(800, 0.24, 0.125, 0.05, depends=0.5),
    Errors(800, 0.24, 0.125, 0.05, depends=-0.5),
    Errors(1500, 0.24, 0.0125, 0.0),
    Errors(1500, 0.24, 0.04, 0.0),
    Errors(1500, 0.24, 0.3, 0.2),
    Errors(1500, 0.24, 0.3, 0.2, depends=0.3),
    Errors(5000, 0.02, 0.3, 0.02),
)


def held(design: Errors, sets: int) -> tuple[float, float, float]:
    """In what share of samples the limits hold the expected cost, or lie above or below it."""
    ends = np.array([design.limits(np.random.default_rng([9, run])) for run in range(sets)])
    above, below = ends[:, 0] > design.expected, ends[:, 1] < design.expected
    return float(1 - above.mean() - below.mean()), float(above.mean()), float(below.mean())


def main(sets: str = "2000") -> None:
    """Print a line per design."""
    for design in DESIGNS:
        inside, above, below = held(design, int(sets))
        print(f"{design}: held {inside:.3f}, above {above:.3f}, below {below:.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
