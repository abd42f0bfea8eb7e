"""Probability losses of weighted rows: ``python -m tests.simulations.weighted_probabilities 1000``.

Two models with one expected Brier score (and, alike, one log loss), alone and in 40 groups of 15
rows that share half of what varies: alike, alike and worse on rows of large weight, and one that is
nearly sure and wrong in 1 or 3 % of the rows beside one that never is. Weights of rows, or of
groups, are lognormal, or one in twenty is 20 times as large. Share of the data sets in which the
test rejects; of models of which one is worse that is its power.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import expit

from reportgen.array_types import Floats, Integers
from reportgen.clusters import Groups
from reportgen.comparisons.probability_losses import probability_losses
from reportgen.sample_design import SampleDesign
from tests.simulations.situations import ALPHA, Generator, asked

WEIGHTS = ("lognormal, 1", "one in twenty of 20 times the weight")
KINDS = ("alike", "alike and harder", "1 % sure and wrong", "3 % sure and wrong", "worse")
OF_GROUP = 15
SURE = 0.999


@dataclass(frozen=True)
class Design:
    """Rows, alone or in groups, whose weights are those of rows or of groups."""

    kind: str
    weights: str
    rows: int
    grouped: bool = False
    of_groups: bool = False

    def draw(self, random: Generator) -> pl.DataFrame:
        """Truth, weight, and the probabilities of both models."""
        code = np.arange(self.rows) // OF_GROUP
        weight = self._weight(random, self.rows)
        if self.of_groups:
            weight = self._weight(random, int(code[-1]) + 1)[code]
        if "sure" in self.kind:
            share = float(self.kind.split()[0]) / 100
            truth = random.random(self.rows) < 0.5
            wrong = self._uniform(random, code) < share
            of_truth = np.where(wrong, 1 - SURE, SURE)
            even = 1 - np.sqrt(share * SURE**2 + (1 - share) * (1 - SURE) ** 2)
            probabilities = [np.where(truth, p, 1 - p) for p in (even, of_truth)]
        else:
            shared, *own = (self._normal(random, code) for _ in range(3))
            noise = np.where((weight > 1) & (self.kind == "alike and harder"), 1.5, 0.5)
            more = 3.0 if self.kind == "worse" else 1.0
            logit = 1.5 * shared
            truth = random.random(self.rows) < expit(logit)
            probabilities = [
                expit(logit + times * noise * one)
                for times, one in zip((1.0, more), own, strict=True)
            ]
        a, b = probabilities
        return pl.DataFrame({"truth": truth, "weight": weight, "a": a, "b": b, "group": code})

    def _weight(self, random: Generator, number: int) -> Floats:
        if self.weights == WEIGHTS[0]:
            weight: Floats = np.exp(random.standard_normal(number))
            return weight
        return np.where(random.random(number) < 0.05, 20.0, 1.0)

    def _normal(self, random: Generator, code: Integers) -> Floats:
        own = random.standard_normal(len(code))
        if not self.grouped:
            return own
        shared = random.standard_normal(int(code[-1]) + 1)[code]
        return (shared + own) / np.sqrt(2)

    def _uniform(self, random: Generator, code: Integers) -> Floats:
        """Whether a row is one of the wrong ones; in groups half of these are whole groups'."""
        if not self.grouped:
            return random.random(len(code))
        of_group = random.random(int(code[-1]) + 1)[code]
        return np.where(random.random(len(code)) < 0.5, of_group, random.random(len(code)))


DESIGNS = [
    Design(kind, weights, rows, grouped, of_groups)
    for kind in KINDS
    for weights in WEIGHTS
    for rows, grouped, of_groups in (
        (60, False, False),
        (100, False, False),
        (400, False, False),
        (600, True, False),
        (600, True, True),
    )
]


def levels(design: Design, sets: int) -> Iterator[float]:
    """How often the test of the Brier score rejects, and that of the log loss."""
    rejected = {"brier_score": 0, "log_loss": 0}
    for run in range(sets):
        frame = design.draw(np.random.default_rng([run, design.rows]))
        groups = Groups.of(frame["group"]) if design.grouped else None
        weights = frame["weight"].to_numpy()
        for metric in rejected:
            test = probability_losses(frame, asked(metric), SampleDesign(weights, groups=groups))
            rejected[metric] += test.p_value is not None and test.p_value < ALPHA
    yield rejected["brier_score"] / sets
    if "sure" not in design.kind:
        yield rejected["log_loss"] / sets


def main(sets: str = "1000") -> None:
    """Print a line per design."""
    for design in DESIGNS:
        written = ", ".join(f"{rate:.3f}" for rate in levels(design, int(sets)))
        print(f"{design}: {written}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
