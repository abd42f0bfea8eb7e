"""Limits of calibration in the large: ``python -m tests.simulations.calibration_in_the_large``.

The lowest and highest share of data sets whose 95 % limits hold the true shift of the log odds,
over 60, 200 and 1,000 rows and AUCs of 0.75 and 0.9, 30 % positive: with the variance of a model
whose slope is 1 (the information), and with that of a report, the larger of it and the sandwich.
Forecasts are too sure above a steepness of 1. 600 data sets each:

- steepness 0.5: 0.952 to 0.982 → 0.952 to 0.982
- steepness 1: 0.927 to 0.960 → 0.930 to 0.962
- steepness 2.5: 0.750 to 0.872 → 0.915 to 0.953
- steepness 6: 0.523 to 0.667 → 0.882 to 0.953
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm

from reportgen.curves.recalibration import recalibration
from reportgen.sweeping import sweep
from tests.coverage.designs import Floats, Forecasts

ROWS, AREAS, STEEPNESSES = (60, 200, 1000), (0.75, 0.9), (0.5, 1.0, 2.5, 6.0)


def shift_of(truth: Floats, forecast: Floats) -> float:
    """The shift that removes the average bias, in a population."""
    odds = logit(np.clip(forecast, 1e-300, 1 - 1e-16))
    return float(brentq(lambda shift: (expit(odds + shift) - truth).mean(), -30, 30))


def covered(design: Forecasts, runs: int) -> tuple[float, float]:
    """The share of limits that hold the shift, by the information and by a report."""
    population = Forecasts(10**6, design.prevalence, design.area, design.steepness)
    (truth,), (forecast,) = population.draw(1, np.random.default_rng(7))
    true, held, seen = shift_of(truth, forecast), np.zeros(2), 0
    for sample in zip(*design.draw(runs, np.random.default_rng(design.rows)), strict=True):
        frame = pl.DataFrame({"truth": sample[0] > 0, "score": sample[1]})
        row = recalibration(sweep(frame)).row(0, named=True)
        if row["in_the_large"] is None:
            continue
        p = expit(logit(sample[1]) + row["in_the_large"])
        errors = np.sqrt([1 / (p * (1 - p)).sum(), row["in_the_large_variance"]])
        held += abs(row["in_the_large"] - true) <= norm.isf(0.025) * errors
        seen += 1
    return tuple(held / seen)


def main(runs: str = "600") -> None:
    """Print the lowest and the highest coverage by steepness."""
    for steepness in STEEPNESSES:
        designs = (Forecasts(n, 0.3, area, steepness) for n, area in product(ROWS, AREAS))
        shares = [covered(design, int(runs)) for design in designs]
        least, most = np.min(shares, axis=0), np.max(shares, axis=0)
        texts = (f"{low:.3f} to {high:.3f}" for low, high in zip(least, most, strict=True))
        print(f"- steepness {steepness:g}: {' → '.join(texts)}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
