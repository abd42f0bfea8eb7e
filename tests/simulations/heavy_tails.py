"""R² of models no better than the mean: ``python -m tests.simulations.heavy_tails``.

Where the kurtosis of the differences in squared error from the mean of the rows is above
``HEAVY``: how often the 95 % limits of R² lie above 0 and below it, and how often the paired
t-test says better and worse, each 0.025 at its level.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
from scipy import stats

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.comparing.heavy_errors import HEAVY
from reportgen.intervals import MeanOfRows
from reportgen.measuring.independent_means import closed_form
from reportgen.measuring.metric_rows import MetricSubject
from reportgen.measuring.row_means import rows_in_groups
from reportgen.metrics import REGISTRY

Drawn = tuple[Floats, Floats]


def counts(random: np.random.Generator, rows: int, sigma: float) -> Drawn:
    """Counts, and estimates whose distance from their mean is twice that of the true rates."""
    rate, mean = 0.3 * np.exp(random.normal(0, sigma, rows)), 0.3 * np.exp(sigma**2 / 2)
    return random.poisson(rate).astype(float), 2 * rate - mean


def lognormal(random: np.random.Generator, rows: int, sigma: float) -> Drawn:
    """The same of lognormal values."""
    known, error = random.normal(0, sigma, (2, rows))
    expected, mean = np.exp(known + sigma**2 / 2), np.exp(sigma**2)
    return np.exp(known + error), 2 * expected - mean


def rare_errors(random: np.random.Generator, rows: int, share: float) -> Drawn:
    """Normal values, of which a share of the estimates is so far off that R² is 0."""
    known, error = random.normal(size=(2, rows))
    off = np.where(random.random(rows) < share, random.choice([-1, 1], rows) / share**0.5, 0)
    return known + error, known + off


DESIGNS: dict[str, Callable[[np.random.Generator, int], Drawn]] = {
    "counts, σ 0.6": lambda random, rows: counts(random, rows, 0.6),
    "counts, σ 1": lambda random, rows: counts(random, rows, 1.0),
    "lognormal, σ 0.8": lambda random, rows: lognormal(random, rows, 0.8),
    "2 % far off": lambda random, rows: rare_errors(random, rows, 0.02),
    "1 % far off": lambda random, rows: rare_errors(random, rows, 0.01),
    "0.5 % far off": lambda random, rows: rare_errors(random, rows, 0.005),
}


def said(design: str, rows: int, runs: int, seed: int = 1) -> tuple[Floats, float]:
    """Shares of better and worse by R² and by the t-test, and the share with heavy tails."""
    metric = REGISTRY["regression"]["r2"]
    named = replace(metric, interval=MeanOfRows(metric.bounds, metric.root, closed_form(metric)))
    random, alone, heavy = np.random.default_rng(seed), Groups(np.arange(rows), rows), []
    for _ in range(runs):
        truth, estimate = DESIGNS[design](random, rows)
        less = (truth - estimate) ** 2 - (truth - truth.mean()) ** 2
        if stats.kurtosis(less, fisher=False) <= HEAVY:
            continue
        frame = pl.DataFrame({"truth": truth, "estimate": estimate, "weight": np.ones(rows)})
        [row] = rows_in_groups(MetricSubject("m"), frame, [named], alone)
        low, high = row["low"] or -np.inf, row["high"] or np.inf
        t, critical = stats.ttest_1samp(less, 0).statistic, stats.t.isf(0.025, rows - 1)
        heavy.append((low > 0, high < 0, t < -critical, t > critical))
    return np.array(heavy, float).reshape(-1, 4).mean(axis=0), len(heavy) / runs


def main(arguments: list[str]) -> None:
    """Print the shares: rows, runs."""
    rows, runs = (int(one) for one in arguments or ("800", "600"))
    for design in DESIGNS:
        shares, heavy = said(design, rows, runs)
        written = " ".join(f"{share:.3f}" for share in shares)
        print(f"{design:18} of {heavy:.2f}: R² and t-test better, worse {written}")


if __name__ == "__main__":
    main(sys.argv[1:])
