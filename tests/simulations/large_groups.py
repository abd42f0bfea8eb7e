"""How often resampled limits of the median absolute error hold the true value, in large groups.

``python -m tests.simulations.large_groups 200``: groups whose errors are spread unlike each
other, of more and fewer rows than a replicate draws.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl

from reportgen.metrics import REGISTRY
from reportgen.resampling import BootstrapSettings, bootstrap_rows

MEDIAN = REGISTRY["regression"]["median_absolute_error"]
DESIGNS = ((20, 200), (20, 10_000), (40, 200), (40, 2000), (40, 10_000))
"""Numbers of groups, and of rows in each."""

UNLIKE = 0.3
"""Deviation of the logarithm of a group's spread."""


def errors(groups: int, size: int, random: np.random.Generator) -> pl.DataFrame:
    """Estimates of a truth of 0, normal in each group."""
    spread = np.exp(UNLIKE * random.normal(size=groups)).repeat(size)
    return pl.DataFrame(
        {
            "truth": np.zeros(groups * size),
            "estimate": spread * random.normal(size=groups * size),
            "weight": np.ones(groups * size),
            "group": np.arange(groups).repeat(size),
        }
    )


def held(groups: int, size: int, samples: int) -> tuple[float, float]:
    """The share of samples whose limits hold the median of all groups, and their mean width."""
    population = errors(10**6, 1, np.random.default_rng(99))["estimate"].abs()
    middle = float(np.median(population))
    hits, widths = 0, []
    for sample in range(samples):
        frame = errors(groups, size, np.random.default_rng([groups, size, sample]))
        row = bootstrap_rows(
            frame,
            {MEDIAN.name: MEDIAN.expression()},
            group="group",
            bounds={MEDIAN.name: MEDIAN.bounds},
            options=BootstrapSettings(500, methods=("bca",)),
        ).row(0, named=True)
        hits += row["low"] <= middle <= row["high"]
        widths.append(row["high"] - row["low"])
    return hits / samples, float(np.mean(widths))


if __name__ == "__main__":
    for design in DESIGNS:
        share, width = held(*design, int(sys.argv[1]))
        print(f"{design[0]} groups of {design[1]:,}: {share:.3f}, width {width:.3f}", flush=True)
