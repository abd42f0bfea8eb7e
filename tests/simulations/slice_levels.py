"""Tests of slices against what a model predicts: ``python -m tests.simulations.slice_levels``.

The share of reports of a calibrated model in which any slice is significant after Holm
(level), and in which the first one is, whose odds, or numbers, are shifted (power; doubled odds,
0.4 standard deviations). ``sure``: forecasts are right on average in every slice, and too sure.
``skewed``: exponential errors. 2,000 reports each, 200 for power:

- level of calibrated models: 0.000 to 0.065 in 51 designs; of ``sure`` ones 0.104
- power of one slice among 10, prevalence 0.3: 0.17 of 50 rows, 0.90 of 200, 1.00 of 1,000;
  0.53 of 40 groups of 10, 0.07 of 15; of the mean error 0.23 of 30 rows, 1.00 of 200
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import expit, logit
from scipy.stats import norm

from reportgen.clusters import Groups
from reportgen.comparisons import holm
from reportgen.comparisons.expected_truth import (
    AgainstPrediction,
    errors_against_zero,
    events_against_expected,
)
from reportgen.sample_design import SampleDesign
from tests.coverage.designs import Floats

Generator = np.random.Generator
ALPHA = 0.05


@dataclass(frozen=True)
class Design:
    """Slices of so many rows, in groups of so many rows, whose rows share a part of the noise."""

    slices: int
    rows: int
    prevalence: float = 0.3
    group: int = 0
    weighted: bool = False
    unequal: bool = False
    sure: bool = False
    numbers: bool = False
    skewed: bool = False

    def __str__(self) -> str:
        of_group = f", groups of {self.group}" if self.group else ""
        what = "numbers" if self.numbers else f"prevalence {self.prevalence:g}"
        names = ("weighted", "unequal", "sure", "skewed")
        marks = "".join(f", {name}" for name in names if getattr(self, name))
        return f"{self.slices} slices of {self.rows}, {what}{of_group}{marks}"

    def tests(self, effect: float, random: Generator) -> list[AgainstPrediction | None]:
        """The test of each slice; the first one is shifted by ``effect``."""
        return [self._test(effect if k == 0 else 0.0, random) for k in range(self.slices)]

    def _test(self, effect: float, random: Generator) -> AgainstPrediction | None:
        code, noise = self._dependent(random)
        groups = None if not self.group else Groups.of(pl.Series(code))
        weights = random.lognormal(0, 0.7, self.rows) if self.weighted else None
        if self.numbers:
            error = -np.log(norm.sf(noise)) - 1 if self.skewed else noise
            return errors_against_zero(error + effect, SampleDesign(weights, groups=groups))
        odds = logit(self.prevalence) + random.normal(0, 0.3 if self.sure else 1.0, self.rows)
        right = expit(odds)
        truth = (norm.cdf(noise) < expit(odds + effect)).astype(float)
        forecast = self._too_sure(right, random) if self.sure else right
        return events_against_expected(truth, forecast, SampleDesign(weights, groups=groups))

    def _too_sure(self, right: Floats, random: Generator) -> Floats:
        """Forecasts near 0 and 1 whose mean, given the row, is the right one."""
        return 0.01 + 0.98 * (random.random(self.rows) < (right - 0.01) / 0.98)

    def _dependent(self, random: Generator) -> tuple[np.ndarray, Floats]:
        """The group of each row, and normal noise that correlates by 0.4 within a group."""
        if not self.group:
            return np.arange(self.rows), random.standard_normal(self.rows)
        number = self.rows // self.group
        shares = random.lognormal(0, 0.7 if self.unequal else 0.0, number)
        code = np.repeat(np.arange(number), random.multinomial(self.rows, shares / shares.sum()))
        shared = random.standard_normal(number)[code] * np.sqrt(0.4)
        return code, shared + random.standard_normal(self.rows) * np.sqrt(0.6)


DESIGNS = (
    *(Design(k, n, p) for k in (1, 10) for n in (50, 200, 1000) for p in (0.03, 0.3, 0.9)),
    Design(50, 100, 0.05),
    Design(10, 200, sure=True),
    Design(10, 200, weighted=True),
    Design(10, 200, 0.05, weighted=True),
    *(Design(k, n, p, 10) for k in (1, 10) for n in (80, 150, 400) for p in (0.05, 0.3)),
    *(Design(k, 400, 0.3, 10, unequal=True) for k in (1, 10)),
    Design(10, 400, 0.3, 10, weighted=True),
    *(Design(k, n, numbers=True, skewed=s) for k in (1, 10) for n in (30, 200) for s in (0, 1)),
    *(Design(k, n, group=10, numbers=True) for k in (1, 10) for n in (80, 400)),
    Design(10, 400, group=10, numbers=True, unequal=True),
    Design(10, 400, group=10, numbers=True, skewed=True),
    Design(10, 200, numbers=True, weighted=True),
)
"""What is simulated."""


def rejected(design: Design, effect: float, runs: int) -> tuple[float, float]:
    """The share of reports in which any slice, and in which the first, is significant."""
    random = np.random.default_rng(sum(map(ord, str(design))))
    any_slice = first = 0
    for _ in range(runs):
        tests = design.tests(effect, random)
        p = holm([1.0 if test is None else test.p_value for test in tests])
        any_slice += min(p) < ALPHA
        first += p[0] < ALPHA
    return any_slice / runs, first / runs


def main(runs: str = "2000", show: Callable[[str], None] = print) -> None:
    """Print level and power of each design."""
    for design in DESIGNS:
        level, _ = rejected(design, 0.0, int(runs))
        effect = 0.4 if design.numbers else float(np.log(2))
        _, power = rejected(design, effect, max(int(runs) // 10, 1))
        show(f"- {design}: {level:.3f}, power {power:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
