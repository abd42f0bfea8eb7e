"""Situations of AUCs of rows whose scores and classes follow those before them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.signal import lfilter
from scipy.stats import norm

from reportgen.comparisons import Comparison, delong, delong_long_run
from tests.simulations.situations import Generator, asked, situation

START = 200
"""Points of time that are left out, so that the first one that counts depends on as many."""


def _areas(
    points: int,
    depends: float,
    prevalence: float,
    *,
    classes_depend: bool = True,
    spread: float = 1,
) -> None:
    """Two models with an AUC of 0.8; scores, and mostly classes, follow an autoregression."""
    of = "scores and classes" if classes_depend else "scores alone"
    wide = "" if spread == 1 else f", positives of one model spread {spread:g} times as widely"
    name = f"{points} points of time, autocorrelation {depends:g} of {of}, {prevalence:g} positive"

    @situation(name + wide, power=2.2 / np.sqrt(points * prevalence) / np.sqrt(1 - depends))
    def draw(random: Generator, effect: float) -> Iterator[Comparison]:
        def series(rho: float) -> np.ndarray:
            noise = random.standard_normal(points + START) * np.sqrt(1 - rho**2)
            return lfilter([1.0], [1.0, -rho], noise)[START:]

        truth = series(depends if classes_depend else 0.0) < norm.ppf(prevalence)
        if not 2 <= truth.sum() <= points - 2:
            return
        shared, shift = series(depends), norm.ppf(0.8) * truth
        a, b = (np.sqrt(0.5) * (shared + series(depends)) for _ in range(2))
        rows = pl.DataFrame(
            {
                "point": np.arange(points),
                "truth": truth,
                "first": np.sqrt(2) * shift + a,
                "second": (np.sqrt(1 + spread**2) - effect) * shift
                + np.where(truth, spread, 1) * b,
            }
        )
        yield delong_long_run(rows, asked("auc"))
        yield delong(rows, asked("auc"), scores=("first", "second"))


for _points in (200, 400, 1000):
    for _depends in (0.0, 0.5, 0.8):
        for _prevalence in (0.1, 0.3):
            _areas(_points, _depends, _prevalence)
    _areas(_points, 0.8, 0.3, classes_depend=False)
    _areas(_points, 0.8, 0.3, spread=2)
    _areas(_points, 0.8, 0.1, spread=2)
