"""A test of declared costs over time that is used only where autocorrelation seems to be low.

``python -m tests.simulations.costs_screened RUNS [BOUND]`` prints a line per situation of equal
costs: in what share of the data sets the autocorrelations of the costs of either model, of their
difference and of the costliest error about a row are all below a bound, and how often the test
rejects in these. The data that say so are those that are tested.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl

from reportgen.comparisons import declared_costs_in_time
from tests.simulations.models_in_time import COST, cost_situations, costs, named
from tests.simulations.situations import ALPHA, asked

BOUND = 0.1


def highest_autocorrelation(losses: pl.DataFrame) -> float:
    """The highest one of the sums by point of time, of those that vary."""
    point = losses["point"].to_numpy()
    columns = losses.select(
        "first", "second", "costliest", apart=pl.col("first") - pl.col("second")
    )
    lags = []
    for column in columns.iter_columns():
        away = column.to_numpy() - column.to_numpy().mean()
        series = np.bincount(point, away)
        if series @ series > 0:
            lags.append(float(series[1:] @ series[:-1] / (series @ series)))
    return max(lags, default=0.0)


def main(runs: int, bound: float) -> None:
    """Print a line per situation."""
    place = 0
    for depends in (0.0, 0.3, 0.5, 0.8, 0.9):
        for shape, dear, missed in cost_situations():
            place += 1
            random = np.random.default_rng([2, place])
            low = rejected = 0
            for _ in range(runs):
                losses, groups = costs(random, shape, dear, missed, depends)
                if highest_autocorrelation(losses) < bound:
                    low += 1
                    p = declared_costs_in_time(losses, asked(COST), groups).p_value
                    rejected += p is not None and p <= ALPHA
            of_low = f"{rejected / low:.3f}" if low else "-"
            name = named(shape, dear, missed, depends)
            print(f"{name}: below in {low / runs:.3f}, rejected of these {of_low}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else BOUND)
