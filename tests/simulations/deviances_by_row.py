"""Deviances of models with rare large errors: ``… tests.simulations.deviances_by_row 2000``.

Poisson, gamma and Tweedie deviances and squared log errors. The estimates of one model are all off
by 30 %, those of the other are right but for a share of the rows, in which they are far too large
or too small; both have the same expected deviance, or both have such rows. The exchange of the
outputs of rows is that of the signs of their differences, whose sum is compared with its normal
limits. Share of the data sets in which it rejects, in which its report recommends it and it
rejects, and in which it is recommended (``deviances`` has whole reports of some).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

from reportgen.array_types import Floats
from reportgen.comparing.heavy_errors import UNSEEN_DEVIANCES, heavy_deviances
from tests.simulations.situations import ALPHA, Generator

POWERS = {"poisson": 1.0, "tweedie": 1.5, "gamma": 2.0}
"""Of the variance, as a function of the mean."""

LOG_ERRORS = "squared log errors"
MEASURES = (*POWERS, LOG_ERRORS)
ROWS = (100, 150, 300, 400, 600, 1000, 3000)
OFF = 0.3
SHARES = (0.002, 0.01, 0.05)


@dataclass(frozen=True)
class Design:
    """What the rows are measured by, the share of rare errors, and what these are."""

    measure: str
    share: float
    above: bool
    both: bool = False

    @property
    def factor(self) -> float:
        """By what a rare estimate is multiplied, so that the expected deviances are the same."""
        target = (self.excess(np.exp(OFF)) + self.excess(np.exp(-OFF))) / 2 / self.share
        ends = (1e-9, 40.0) if self.above else (-40.0, -1e-9)
        try:
            root = optimize.brentq(lambda log: self.excess(np.exp(log)) - target, *ends)
        except ValueError:
            return float("nan")
        return float(np.exp(root))

    def excess(self, factor: float) -> float:
        """Expected deviance of estimates so many times too large, for a mean of 1."""
        if self.measure == LOG_ERRORS:
            return float(np.log(factor) ** 2)
        one = np.ones(1)
        lost = self._loss(one, one, factor * one) - self._loss(one, one, one)
        return float(lost[0])

    def differences(self, random: Generator, rows: int) -> Floats:
        """Deviance of the first model less that of the second, by row."""
        mean = np.exp(1.5 + 0.4 * random.standard_normal(rows))
        even = np.exp(np.where(random.random(rows) < 0.5, OFF, -OFF))
        rare = [np.where(random.random(rows) < self.share, self.factor, 1.0) for _ in range(2)]
        first = rare[1] if self.both else even
        truth = self._truth(random, mean)
        return self._loss(truth, mean, first) - self._loss(truth, mean, rare[0])

    def _truth(self, random: Generator, mean: Floats) -> Floats:
        if self.measure == "poisson":
            return random.poisson(mean).astype(float)
        if self.measure == "gamma":
            return mean * random.gamma(4, 0.25, len(mean))
        if self.measure == LOG_ERRORS:
            return (1 + mean) * np.exp(0.4 * random.standard_normal(len(mean))) - 1
        # A sum of as many gamma values as a Poisson number is a Tweedie value of power 1.5.
        number = random.poisson(2 * np.sqrt(mean))
        return random.gamma(np.maximum(number, 1e-9), np.sqrt(mean) / 2) * (number > 0)

    def _loss(self, truth: Floats, mean: Floats, factor: Floats) -> Floats:
        """What an estimate loses, but for what depends on the truth alone."""
        if self.measure == LOG_ERRORS:
            lost: Floats = (np.log1p(truth) - np.log((1 + mean) * factor)) ** 2
            return lost
        estimate, power = mean * factor, POWERS[self.measure]
        if power == 1:
            return 2 * (estimate - truth * np.log(estimate))
        if power == 2:
            return 2 * (truth / estimate + np.log(estimate))
        return 2 * (
            truth * estimate ** (1 - power) / (power - 1) + estimate ** (2 - power) / (2 - power)
        )


DESIGNS = [
    Design(measure, share, above, both)
    for measure in MEASURES
    for share in SHARES
    for above in (True, False)
    for both in (False, True)
]


def rates(design: Design, rows: int, sets: int) -> Iterator[float]:
    """How often the test rejects, is recommended and rejects, and is recommended."""
    critical, seen = stats.norm.isf(ALPHA / 2), []
    for run in range(sets):
        apart = design.differences(np.random.default_rng([run, rows]), rows)
        rejected = abs(apart.sum()) > critical * np.sqrt(np.square(apart).sum())
        kurtosis = float(stats.kurtosis(apart, fisher=False))
        recommended = rows >= UNSEEN_DEVIANCES and not heavy_deviances(kurtosis, rows)
        seen.append((rejected, rejected and recommended, recommended))
    yield from np.mean(seen, axis=0)


def main(sets: str = "2000") -> None:
    """Print a line per design and number of rows."""
    for design in DESIGNS:
        if np.isnan(design.factor):
            continue
        print(f"{design}, {design.factor:.3g} times", flush=True)
        for rows in ROWS:
            written = ", ".join(f"{rate:.3f}" for rate in rates(design, rows, int(sets)))
            print(f"  {rows} rows: {written}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
