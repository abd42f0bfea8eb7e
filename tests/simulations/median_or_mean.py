"""The median of a distribution against its mean: ``python -m tests.simulations.median_or_mean 40``.

One model estimates the true conditional median of each truth, the other the true conditional mean.
Whom the report names: by absolute errors it would be the former, by squared ones the latter.
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


DESIGNS: dict[tuple[str, int], Callable[[Generator, int], Sample]] = {
    ("lognormal noise", 200): lognormal,
    ("lognormal noise", 1000): lognormal,
    ("gamma noise", 250): gamma,
    ("counts", 250): counts,
}


def named(draw: Callable[[Generator, int], Sample], rows: int, sets: int) -> Counter[str]:
    """How often a report says that a model is ahead, by model and measure."""
    seen: Counter[str] = Counter()
    models = {name: {"estimate": name} for name in ("median", "mean")}
    for run in range(sets):
        truth, median, mean = draw(np.random.default_rng([rows, run]), rows)
        frame = pl.DataFrame({"y": truth, "median": median, "mean": mean})
        spec = {"truth": "y", "models": models, "bootstrap": {"replicates": 0}}
        decision = evaluate(spec, frame).decision
        if decision.relation == "ahead":
            seen[f"{decision.leader} by {decision.measure}"] += 1
    return seen


def main(sets: str = "40") -> None:
    """Print a line per design."""
    for (name, rows), draw in DESIGNS.items():
        print(f"{name}, {rows} rows: {dict(named(draw, rows, int(sets)))}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
