"""Calibrated scores named too extreme or mild: ``python -m tests.simulations.calibration_slopes``.

The share of data sets of a calibrated model of which page one says so: its slope is a quarter off,
and its 95 % limits exclude 1. Over 60, 200 and 1,000 rows, AUCs of 0.65, 0.75 and 0.9, and 10 % or
30 % positive; then of scores that are too extreme, of a slope of 0.5. Slopes of all data sets are
fitted at once; those of the first few are compared with the slopes of a report. 2,000 each:

- steepness 1, 60 rows: 0.027 to 0.047
- steepness 1, 200 rows: 0.035 to 0.050
- steepness 1, 1000 rows: 0.002 to 0.053
- steepness 2, 60 rows: 0.221 to 0.751
- steepness 2, 200 rows: 0.574 to 0.998
- steepness 2, 1000 rows: 0.996 to 1.000
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
import polars as pl
from scipy.special import logit
from scipy.stats import norm

from reportgen.concluding.calibration_slopes import is_off
from reportgen.concluding.model_values import ModelValue
from reportgen.curves.recalibration import recalibration
from reportgen.sweeping import sweep
from tests.coverage.designs import Floats, Forecasts
from tests.simulations.slope_limits import lines

ROWS, AREAS, PREVALENCES = (60, 200, 1000), (0.65, 0.75, 0.9), (0.1, 0.3)
COMPARED = 5


def slopes(truth: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Slope and its variance of each data set: not finite where the likelihood has no maximum."""
    fits = lines(truth, logit(scores))
    return fits.fitted[1], np.maximum(fits.information[1], fits.sandwich[1])


def named(design: Forecasts, runs: int) -> float:
    """The share of data sets in which page one says that the scores are too extreme or mild."""
    drawn, given = design.draw(runs, np.random.default_rng(design.rows))
    truth, scores = (drawn > 0).astype(float), given
    both, half = np.ptp(truth, axis=1) > 0, norm.isf(0.025)
    slope, variance = slopes(truth[both], scores[both])
    for place in np.flatnonzero(np.isfinite(slope))[:COMPARED]:
        frame = pl.DataFrame({"truth": truth[both][place] > 0, "score": scores[both][place]})
        row = recalibration(sweep(frame)).row(0, named=True)
        assert np.allclose([row["slope"], row["slope_variance"]], [slope[place], variance[place]])
    with np.errstate(invalid="ignore"):
        width = half * np.sqrt(variance)
    values = zip(slope, slope - width, slope + width, strict=True)
    return sum(is_off(ModelValue(*map(float, one)), 1, 0.95) for one in values) / runs


def main(runs: str = "2000") -> None:
    """Print the lowest and the highest share by steepness and number of rows."""
    for steepness, rows in product((1.0, 2.0), ROWS):
        shares = [
            named(Forecasts(rows, prevalence, area, steepness), int(runs))
            for area, prevalence in product(AREAS, PREVALENCES)
        ]
        text = f"{min(shares):.3f} to {max(shares):.3f}"
        print(f"- steepness {steepness:g}, {rows} rows: {text}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
