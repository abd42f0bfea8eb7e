"""How often a column that is not declared is said to group the rows: without and with dependence.

``python -m tests.simulations.undeclared_groups RUNS`` prints the share of data sets by the sizes of
the groups and the kind of losses: independent errors, of rates of 2, 10 and 30 %, independent
squares of normal errors and of errors of Student's t with 2 degrees of freedom, wrong decisions
whose rate depends on a true class that differs between groups, columns that are the class, and
errors that share 2, 5 and 20 % of their variance within groups. Each data set has two models and
their difference, as one column at the level of three.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from reportgen.clusters import Groups
from reportgen.measuring.undeclared_effects import LEVEL, effect_beyond_chance
from reportgen.measuring.undeclared_groups import FEWEST_SLICES

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Generator = np.random.Generator
Drawn = tuple[Floats, Integers | None]
"""The losses of a model and the true classes, where there are any."""


def equal(rows: int, size: int) -> Integers:
    """The group of each row: all of the same size."""
    return np.arange(rows) // size


def skewed(random: Generator, rows: int, number: int) -> Integers:
    """Groups whose sizes are as uneven as those of lognormal weights; the first has a third."""
    weights = random.lognormal(0, 1.5, number)
    weights[0] = weights[1:].sum() / 2
    drawn = random.choice(number, rows, p=weights / weights.sum())
    return np.unique(drawn, return_inverse=True)[1]


SIZES: Mapping[str, Callable[[Generator], Integers]] = {
    "100 pairs": lambda _: equal(200, 2),
    "100 groups of 5": lambda _: equal(500, 5),
    "10 groups of 20": lambda _: equal(200, 20),
    "8 groups of 100": lambda _: equal(800, 100),
    "250 groups of 20": lambda _: equal(5000, 20),
    "1,500 pairs": lambda _: equal(3000, 2),
    "12 uneven groups, 600 rows": lambda random: skewed(random, 600, 12),
    "100 uneven groups, 2,000 rows": lambda random: skewed(random, 2000, 100),
    "3 slices of 100": lambda _: equal(300, 100),
    "5 slices of 40": lambda _: equal(200, 40),
    "4 uneven slices, 600 rows": lambda random: skewed(random, 600, 4),
}
"""Fewer than 8 are those of slices that are named as units, which are looked at from 3 on."""


def _errors(rate: float) -> Callable[[Generator, Integers], Drawn]:
    return lambda random, code: ((random.random(len(code)) < rate).astype(float), None)


def _by_class(random: Generator, code: Integers) -> Drawn:
    """The share of positives differs between groups, and positives are missed more often."""
    share = random.beta(1, 1, code.max() + 1)[code]
    truth = (random.random(len(code)) < share).astype(np.int64)
    return (random.random(len(code)) < np.where(truth, 0.4, 0.05)).astype(float), truth


def _of_class(random: Generator, code: Integers) -> Drawn:
    """The column is the class itself, and some classes are harder."""
    rate = random.beta(1, 3, code.max() + 1)[code]
    return (random.random(len(code)) < rate).astype(float), code


def _shared(correlation: float) -> Callable[[Generator, Integers], Drawn]:
    def draw(random: Generator, code: Integers) -> Drawn:
        of_group = random.standard_normal(code.max() + 1)[code]
        own = random.standard_normal(len(code))
        latent = np.sqrt(correlation) * of_group + np.sqrt(1 - correlation) * own
        return (latent > 0.6).astype(float), None

    return draw


INDEPENDENT: Mapping[str, Callable[[Generator, Integers], Drawn]] = {
    "errors of 2 %": _errors(0.02),
    "errors of 10 %": _errors(0.1),
    "errors of 30 %": _errors(0.3),
    "squared normal": lambda random, code: (random.standard_normal(len(code)) ** 2, None),
    "squared t2": lambda random, code: (random.standard_t(2, len(code)) ** 2, None),
    "classes differ by group": _by_class,
    "column is the class": _of_class,
}

DEPENDENT: Mapping[str, Callable[[Generator, Integers], Drawn]] = {
    "correlation 0.02": _shared(0.02),
    "correlation 0.05": _shared(0.05),
    "correlation 0.2": _shared(0.2),
}


def said(random: Generator, code: Integers, draw: Callable[[Generator, Integers], Drawn]) -> bool:
    """Whether the column is named, from two models and their difference."""
    groups = Groups(code, int(code.max()) + 1)
    first, classes = draw(random, code)
    if classes is None:
        second, _ = draw(random, code)
    else:  # the other model has the same truth
        second = _within(random, first, classes)
    return any(
        effect_beyond_chance(values, groups, classes, LEVEL / 3, FEWEST_SLICES) is not None
        for values in (first, second, second - first)
    )


def _within(random: Generator, values: Floats, classes: Integers) -> Floats:
    """The values in another order within each class."""
    result = values.copy()
    for one in np.unique(classes):
        of_class = classes == one
        result[of_class] = random.permutation(values[of_class])
    return result


def rates(runs: int) -> Iterator[tuple[str, str, float]]:
    """The share of data sets in which the column is named, by sizes and losses."""
    for sizes, codes in SIZES.items():
        for losses, draw in {**INDEPENDENT, **DEPENDENT}.items():
            random = np.random.default_rng([len(sizes), len(losses)])
            count = sum(said(random, codes(random), draw) for _ in range(runs))
            yield sizes, losses, count / runs


def main(runs: int) -> None:
    """Print a line for each kind of data."""
    for sizes, losses, share in rates(runs):
        print(f"- {sizes}, {losses}: {share:.4f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
