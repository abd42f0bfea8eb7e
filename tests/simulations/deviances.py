"""Winners by deviances where a model has rare large errors: ``… tests.simulations.deviances 200``.

Both models have the same expected deviance: the estimates of ``a`` are all off by 30 %, those of
``b`` are right but for one in a hundred, or are off at random as those of ``a``.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate
from tests.simulations.report_data_alike import Floats, Generator

RARE = {"poisson": 7.55, "gamma": 0.1323}
"""By what one estimate in a hundred is multiplied: the expected deviances then are the same."""

ROWS = (150, 400, 1000)


def report(random: Generator, kind: str, rows: int, *, rare: bool) -> Results:
    """The report of one data set, in which the deviance is the primary measure."""
    mean: Floats = np.exp(1.5 + 0.4 * random.normal(size=rows))
    counts = random.poisson(mean).astype(float)
    truth = counts if kind == "poisson" else mean * random.gamma(4, 0.25, rows)
    off = np.exp(np.where(random.random(rows) < 0.5, 0.3, -0.3))
    other = np.exp(np.where(random.random(rows) < 0.5, 0.3, -0.3))
    if rare:
        other = np.where(random.random(rows) < 0.01, RARE[kind], 1.0)
    frame = pl.DataFrame({"y": truth, "a": mean * off, "b": mean * other})
    models = {name: {"estimate": name} for name in "ab"}
    asked = {"comparisons": {"primary": f"{kind}_deviance"}, "bootstrap": {"replicates": 500}}
    return evaluate({"truth": "y", "models": models, **asked}, frame)


def shares(kind: str, rows: int, sets: int, *, rare: bool) -> tuple[float, float]:
    """In what shares of the data sets the test is recommended, and page one has a winner."""
    counts: Counter[str] = Counter()
    for run in range(sets):
        results = report(np.random.default_rng([rows, run]), kind, rows, rare=rare)
        [test] = results.comparisons.filter(comparison="paired_permutation").to_dicts()
        counts["recommended"] += test["recommendation"] == "recommended"
        counts["winner"] += results.decision.relation == "ahead"
    return counts["recommended"] / sets, counts["winner"] / sets


def main(sets: str = "200") -> None:
    """Print a line per design."""
    for kind in RARE:
        for rows in ROWS:
            for rare in (True, False):
                recommended, winner = shares(kind, rows, int(sets), rare=rare)
                errors = "rare large errors" if rare else "like errors"
                print(f"{kind}, {rows} rows, {errors}: {recommended:.3f}, {winner:.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
