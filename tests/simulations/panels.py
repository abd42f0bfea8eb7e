"""Panels: two models on the same groups at every point of time, such as stores over days.

Differences of losses persist within a group, groups share shocks of a point of time, which may
persist too, and one model is better in some groups than in others:
``python -m tests.simulations.panels 2000``.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import product

import numpy as np
import polars as pl
from scipy.signal import lfilter
from scipy.special import stdtr

from reportgen.clusters import Groups
from reportgen.comparisons.diebold_mariano import long_run_variance
from reportgen.comparisons.groups_in_time import Clustered, in_panel

GROUPS, POINTS = (5, 12, 30), (90, 30, 365)

ALPHA, START = 0.05, 200

KINDS = {
    "nothing depends": (0.0, 0.0, 0.0, 0.0),
    "groups persist": (0.0, 0.8, 0.0, 0.0),
    "shocks": (0.0, 0.0, 0.5, 0.0),
    "shocks persist": (0.0, 0.0, 0.5, 0.8),
    "groups persist, shocks": (0.0, 0.8, 0.5, 0.0),
    "both persist": (0.0, 0.8, 0.5, 0.8),
    "groups differ and persist": (0.5, 0.8, 0.0, 0.0),
    "groups differ, shocks persist": (0.5, 0.0, 0.5, 0.8),
    "groups differ, both persist": (0.2, 0.8, 0.5, 0.8),
}
"""Spread of the groups' means, autocorrelation in a group, spread and autocorrelation of shocks;
the spread of the rows of a group is 1."""

TESTS = ("panel", "groups", "points of time")


def _series(random: np.random.Generator, shape: tuple[int, ...], persists: float) -> np.ndarray:
    noise = random.standard_normal((*shape[:-1], shape[-1] + START)) * np.sqrt(1 - persists**2)
    return lfilter([1.0], [1.0, -persists], noise)[..., START:]


def differences(
    random: np.random.Generator, kind: str, groups: int, points: int
) -> tuple[np.ndarray, float]:
    """Differences of losses of mean 0, by group and point, and the spread of their mean."""
    spread, persists, shock, shock_persists = KINDS[kind]
    values = spread * random.standard_normal((groups, 1))
    values = values + _series(random, (groups, points), persists)
    values = values + shock * _series(random, (points,), shock_persists)
    variance = spread**2 / groups + (1 + persists) / (1 - persists) / groups / points
    variance += shock**2 * (1 + shock_persists) / (1 - shock_persists) / points
    return values, float(np.sqrt(variance))


def errors(values: np.ndarray) -> dict[str, tuple[float, float]]:
    """The standard error of the mean by each test, and its degrees of freedom."""
    groups, points = values.shape
    centred = values - values.mean()
    of_groups = float(np.square(centred.mean(axis=1)).sum()) / (groups * (groups - 1))
    group = Groups.of(pl.Series(np.repeat(np.arange(groups), points)))
    together = in_panel(
        centred.ravel() / values.size,
        group,
        np.tile(np.arange(points), groups),
        Clustered(of_groups, groups - 1),
    )
    of_points = long_run_variance(centred.mean(axis=0))
    return {
        "panel": (np.sqrt(together.variance / points), together.df),
        "groups": (np.sqrt(of_groups), groups - 1),
        "points of time": (np.sqrt(of_points.variance / points), of_points.df),
    }


def rates(kind: str, groups: int, points: int, runs: int) -> dict[str, tuple[float, float]]:
    """Level and power of each test, at a difference of 3.5 standard errors."""
    level: Counter[str] = Counter()
    power: Counter[str] = Counter()
    for run in range(runs):
        random = np.random.default_rng([run, groups, points])
        values, spread = differences(random, kind, groups, points)
        mean = float(values.mean())
        for test, (error, df) in errors(values).items():
            level[test] += 2 * stdtr(df, -abs(mean) / error) < ALPHA
            power[test] += 2 * stdtr(df, -abs(mean + 3.5 * spread) / error) < ALPHA
    return {test: (level[test] / runs, power[test] / runs) for test in TESTS}


def main(runs: str = "2000") -> None:
    """Print a line per kind and shape: level and power of each test."""
    for points, groups, kind in product(POINTS, GROUPS, KINDS):
        of = rates(kind, groups, points, int(runs))
        text = ", ".join(f"{test} {low:.3f} {high:.2f}" for test, (low, high) in of.items())
        print(f"{groups} groups, {points} points of time, {kind}: {text}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
