"""The median of a distribution against its mean: ``python -m tests.simulations.median_or_mean 40``.

One model estimates the true conditional median of each truth, the other the true conditional mean.
Whom the report names: by absolute errors it would be the former, by squared ones the latter. In the
last designs it is no matter of the median: ``better`` has the smaller errors.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
import polars as pl
from scipy import stats

from reportgen.array_types import Floats
from reportgen.results import evaluate
from tests.simulations.situations import Generator

Sample = tuple[Floats, Floats, Floats]
"""Truths, their medians, and their means."""


def lognormal(random: Generator, rows: int) -> Sample:
    """A normal level with lognormal noise: all truths together are hardly skewed."""
    level = 6 * random.normal(size=rows)
    return level + random.lognormal(0, 1.2, rows), level + 1, level + np.exp(0.72)


def gamma(random: Generator, rows: int) -> Sample:
    """A uniform level with gamma noise."""
    level = 10 * random.random(rows)
    middle = float(stats.gamma.ppf(0.5, 0.3)) * 3
    return level + random.gamma(0.3, 3, rows), level + middle, level + 0.9


def counts(random: Generator, rows: int) -> Sample:
    """Poisson counts of few events."""
    mean = random.uniform(0.2, 1.3, rows)
    return random.poisson(mean).astype(float), stats.poisson.ppf(0.5, mean), mean


def unlike_spreads(random: Generator, rows: int) -> Sample:
    """Lognormal noise of spreads that both models know, and that the level does not show."""
    level, spread = 5 * random.normal(size=rows), random.uniform(0.2, 1.5, rows)
    return level + random.lognormal(0, spread), level + 1, level + np.exp(spread**2 / 2)


def products(random: Generator, rows: int) -> Sample:
    """Lognormal levels times gamma noise."""
    level, middle = np.exp(random.normal(0, 0.8, rows)), float(stats.gamma.ppf(0.5, 0.8)) / 0.8
    return level * random.gamma(0.8, 1.25, rows), level * middle, level


def smaller_errors(random: Generator, rows: int) -> Sample:
    """Normal errors about skewed truths, smaller ones of the first model."""
    truth = 3 * random.lognormal(0, 0.8, rows)
    return truth, truth + random.normal(size=rows), truth + 1.3 * random.normal(size=rows)


def median_behind(random: Generator, rows: int) -> Sample:
    """The first estimates the mean well, the second the median badly, as of prices."""
    level = np.exp(random.normal(0, 0.8, rows))
    truth = level * np.exp(0.25 * random.normal(size=rows))
    return truth, level * np.exp(0.03125), level * np.exp(0.25 * random.normal(size=rows))


DESIGNS: dict[tuple[str, int], Callable[[Generator, int], Sample]] = {
    ("lognormal noise", 200): lognormal,
    ("lognormal noise", 1000): lognormal,
    ("gamma noise", 250): gamma,
    ("counts", 250): counts,
    ("unlike spreads", 250): unlike_spreads,
    ("unlike spreads", 1000): unlike_spreads,
    ("products", 250): products,
}

BETTER: dict[tuple[str, int], Callable[[Generator, int], Sample]] = {
    ("smaller errors", 100): smaller_errors,
    ("smaller errors", 250): smaller_errors,
    ("median behind", 250): median_behind,
}


def named(
    draw: Callable[[Generator, int], Sample],
    rows: int,
    sets: int,
    names: tuple[str, str] = ("median", "mean"),
) -> Counter[str]:
    """How often a report says that a model is ahead, by model and measure."""
    seen: Counter[str] = Counter()
    models = {name: {"estimate": name} for name in names}
    for run in range(sets):
        truth, *estimates = draw(np.random.default_rng([rows, run]), rows)
        frame = pl.DataFrame({"y": truth, **dict(zip(names, estimates, strict=True))})
        spec = {"truth": "y", "models": models, "bootstrap": {"replicates": 0}}
        decision = evaluate(spec, frame).decision
        if decision.relation == "ahead":
            seen[f"{decision.leader} by {decision.measure}"] += 1
    return seen


def main(sets: str = "40") -> None:
    """Print a line per design."""
    for (name, rows), draw in DESIGNS.items():
        print(f"{name}, {rows} rows: {dict(named(draw, rows, int(sets)))}", flush=True)
    for (name, rows), draw in BETTER.items():
        seen = dict(named(draw, rows, int(sets), ("better", "other")))
        print(f"{name}, {rows} rows: {seen}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
