"""Limits of costs at a stated prevalence: ``python -m tests.simulations.costs_in_use RUNS``.

Prints the share of draws whose 95 % limits hold the true cost per case, by the number of positives
and negatives, the rates of right decisions, the prevalence and the cost of a missed positive; a
false alarm costs 1.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import NamedTuple

import numpy as np

from reportgen.concluding.costs_in_use import cost_of_rates
from reportgen.concluding.model_values import ModelValue
from reportgen.intervals import wilson_modified


class Design(NamedTuple):
    """How many rows of each class there are, how often a model is right, and what errors cost."""

    positives: int
    negatives: int
    recall: float
    specificity: float
    prevalence: float
    missed: float


DESIGNS = (
    Design(50, 50, 0.8, 0.9, 0.02, 20),
    Design(20, 80, 0.8, 0.9, 0.02, 20),
    Design(200, 200, 0.95, 0.98, 0.01, 50),
    Design(30, 30, 0.9, 0.95, 0.001, 100),
    Design(500, 500, 0.7, 0.8, 0.05, 5),
    Design(50, 50, 0.8, 0.9, 0.1, 1),  # the error rate
    Design(30, 200, 0.9, 0.97, 0.3, 1),
)


@cache
def _rate(right: int, rows: int) -> ModelValue:
    return ModelValue(right / rows, *wilson_modified(right, rows, 0.95))


def coverage(design: Design, runs: int) -> float:
    """The share of draws whose limits hold the true cost."""
    random = np.random.default_rng(1)
    weights = design.prevalence * design.missed, 1 - design.prevalence
    true = weights[0] * (1 - design.recall) + weights[1] * (1 - design.specificity)
    held = 0
    for _ in range(runs):
        rates = [
            _rate(int(random.binomial(rows, share)), rows)
            for rows, share in (
                (design.positives, design.recall),
                (design.negatives, design.specificity),
            )
        ]
        cost = cost_of_rates((weights[0], rates[0]), (weights[1], rates[1]), limited=True)
        held += (cost.low or 0.0) <= true <= (cost.high or 0.0)
    return held / runs


if __name__ == "__main__":
    for each in DESIGNS:
        print(*each, coverage(each, int(sys.argv[1])))
