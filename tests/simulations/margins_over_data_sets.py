"""Equivalence over data sets: ``python -m tests.simulations.margins_over_data_sets 4000``.

Differences by data set from several distributions, shifted so that their median, or mean, is at the
lower margin, and so small that they are within the margin otherwise. In what share of the samples
the t-tests and the sign tests show equivalence: the level of the t-tests is that of the mean, of
the sign tests that of the median. Power: half of the data sets differ by nothing, as do the means.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.comparisons import Question, equivalence, equivalence_by_signs
from reportgen.comparisons.paired import mean_difference
from tests.simulations.situations import ALPHA, Generator

MARGIN = 0.02
NUMBERS = (5, 6, 8, 12, 20, 30)
QUESTION = Question(("a", "b"), "auc", unit="data sets", alpha=ALPHA)
POPULATION = 400_000

DISTRIBUTIONS: dict[str, Callable[[Generator, tuple[int, ...]], Floats]] = {
    "normal": lambda random, size: random.normal(0, 0.01, size),
    "t with 3 degrees of freedom": lambda random, size: 0.008 * random.standard_t(3, size),
    "lognormal": lambda random, size: -0.01 * random.lognormal(0, 1, size),
    "one in ten is far worse": lambda random, size: (
        random.normal(0, 0.003, size) - 0.2 * (random.random(size) < 0.1)
    ),
    "three in ten are worse": lambda random, size: (
        random.normal(0, 0.003, size) - 0.05 * (random.random(size) < 0.3)
    ),
}


def shown(differences: Floats) -> tuple[bool, bool]:
    """Whether the t-tests and the sign tests show equivalence."""
    pairs = pl.DataFrame({"first": differences, "second": np.zeros(len(differences))})
    means = equivalence(mean_difference(pairs), QUESTION, MARGIN)[0]
    medians = equivalence_by_signs(pairs, QUESTION, MARGIN)[0]
    by_mean, by_median = ((test.p_value or 0.0) <= ALPHA for test in (means, medians))
    return by_mean, by_median


def rates(name: str, number: int, runs: int) -> tuple[float, float, float, float]:
    """Of the mean at the margin by t, of the median there by signs, and of no shift by both."""
    draw, random = DISTRIBUTIONS[name], np.random.default_rng([number, len(name)])
    many = draw(np.random.default_rng(1), (POPULATION,))
    samples = draw(random, (runs, number))
    at_mean, at_median = (samples - MARGIN - float(of(many)) for of in (np.mean, np.median))
    alike = samples - float(np.median(many))
    by_mean = np.mean([shown(sample)[0] for sample in at_mean])
    by_median = np.mean([shown(sample)[1] for sample in at_median])
    power = np.mean([shown(sample) for sample in alike], axis=0)
    return float(by_mean), float(by_median), float(power[0]), float(power[1])


def main(runs: int) -> None:
    """Print a line per distribution and number of data sets."""
    for name in DISTRIBUTIONS:
        for number in NUMBERS:
            mean, median, t, sign = rates(name, number, runs)
            print(
                f"{name}, {number} data sets: t {mean:.3f}, sign {median:.3f}; models alike: "
                f"t {t:.2f}, sign {sign:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]))
