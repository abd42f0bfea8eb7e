"""Limits of MAPE, and winners by it: ``python -m tests.simulations.relative_errors 200``.

Truths are of gamma distributions, more or less often near 0. The errors of ``a`` have one size, so
that those relative to small truths outweigh all others; those of ``b`` are relative to the truth,
and both have the same expected MAPE.
"""

from __future__ import annotations

import math
import sys
from collections import Counter

import numpy as np
import polars as pl

from reportgen.results import Results, evaluate
from tests.simulations.report_data_alike import Generator

SHAPES = (1.3, 2.0, 4.0)
ROWS = (100, 300, 1000)
MAPE = "mean_absolute_percentage_error"


def expected(shape: float) -> float:
    """The expected MAPE of normal errors of standard deviation 2, of truths of scale 10."""
    return 2 * math.sqrt(2 / math.pi) / (10 * (shape - 1))


def report(random: Generator, shape: float, rows: int) -> Results:
    """The report of one data set, in which MAPE is the primary measure."""
    truth = random.gamma(shape, 10, rows)
    relative = expected(shape) / math.sqrt(2 / math.pi)
    frame = pl.DataFrame(
        {
            "y": truth,
            "a": truth + 2 * random.normal(size=rows),
            "b": truth * (1 + relative * random.normal(size=rows)),
        }
    )
    models = {name: {"estimate": name} for name in "ab"}
    asked = {"comparisons": {"primary": MAPE}, "bootstrap": {"replicates": 500}}
    return evaluate({"truth": "y", "models": models, "measures": [MAPE], **asked}, frame)


def shares(shape: float, rows: int, sets: int) -> tuple[float, float, float]:
    """Limits of ``a`` that are given, that are given and below its MAPE; and winners."""
    counts: Counter[str] = Counter()
    for run in range(sets):
        results = report(np.random.default_rng([rows, run]), shape, rows)
        [high] = results.metrics.filter(pl.col("slice").is_null(), metric=MAPE, model="a")["high"]
        counts["given"] += high is not None
        counts["missed"] += high is not None and high < expected(shape)
        counts["winner"] += results.decision.relation == "ahead"
    return counts["given"] / sets, counts["missed"] / sets, counts["winner"] / sets


def main(sets: str = "200") -> None:
    """Print a line per design."""
    for shape in SHAPES:
        for rows in ROWS:
            given, missed, winner = shares(shape, rows, int(sets))
            limits = f"limits {given:.3f}, missed {missed:.3f}"
            print(f"shape {shape}, {rows} rows: {limits}, winners {winner:.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
