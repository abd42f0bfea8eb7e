"""How often Brier scores that are as good but unlike differ: ``… tests.simulations.brier_in_time``.

Probabilities that are too mild beside ones that are too extreme, or of which 2 % are sure guesses,
with one expected Brier score, of series with this autocorrelation: the share in which the
Diebold–Mariano test rejects, and that in which it does and is recommended.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.signal import lfilter
from scipy.special import expit, ndtr

from reportgen.array_types import Floats
from reportgen.comparing.exchanged_outputs import FEW_POINTS
from reportgen.comparisons.diebold_mariano import diebold_mariano
from tests.simulations.situations import ALPHA, Generator, asked

SIGNAL, MILD = 1.5, 0.75
"""Slope of the true log-odds, and that of the mild probabilities."""

Probabilities = Callable[[float, Floats, Floats, float], Floats]


def extreme(base: float, z: Floats, _: Floats, slope: float) -> Floats:
    """Log-odds with too steep a slope."""
    return expit(base + slope * z)


def sure(base: float, z: Floats, w: Floats, slope: float) -> Floats:
    """The same, with a guess of 0.99 or 0.01 in 2 % of the rows."""
    place = ndtr(w)
    guess = np.where(place < 0.01, 0.99, 0.01)
    return np.where(place < 0.02, guess, expit(base + slope * z))


SHAPES: dict[str, Probabilities] = {"extreme": extreme, "sure": sure}


@cache
def slope_of(shape: str, base: float) -> float:
    """The slope with which the expected Brier score is that of the mild probabilities."""
    random = np.random.default_rng(0)
    z, w = random.normal(size=(2, 1_000_000))
    truth = random.random(len(z)) < expit(base + SIGNAL * z)
    mild = ((expit(base + MILD * z) - truth) ** 2).mean()
    unlike = SHAPES[shape]

    def apart(slope: float) -> float:
        return float(((unlike(base, z, w, slope) - truth) ** 2).mean() - mild)

    return float(brentq(apart, SIGNAL, 12, xtol=1e-3))


def series(random: Generator, points: int, memory: float) -> Floats:
    """Normal deviates with this autocorrelation."""
    noise = random.normal(size=points + 200) * (1 - memory**2) ** 0.5
    return np.asarray(lfilter([1.0], [1.0, -memory], noise))[200:]


def rates(shape: str, base: float, points: int, memory: float, sets: int) -> tuple[float, float]:
    """The shares of series in which the test rejects, and does where it is recommended."""
    random, slope = np.random.default_rng([points, int(100 * memory)]), slope_of(shape, base)
    rejected = recommended = 0
    for _ in range(sets):
        z, w, u = (series(random, points, memory) for _ in range(3))
        truth = ndtr(u) < expit(base + SIGNAL * z)
        losses = pl.DataFrame(
            {
                "first": (expit(base + MILD * z) - truth) ** 2,
                "second": (SHAPES[shape](base, z, w, slope) - truth) ** 2,
            }
        )
        test = diebold_mariano(losses, asked("brier_score"))[0]
        rejects = (test.p_value or 1.0) < ALPHA and not test.drift
        rejected += rejects
        recommended += rejects and (test.worth or 0.0) >= FEW_POINTS
    return rejected / sets, recommended / sets


def main(sets: str = "500") -> None:
    """Print both shares of every design."""
    for shape in SHAPES:
        for base in (0.0, -2.0):
            for points in (100, 200, 500):
                for memory in (0.0, 0.5, 0.8):
                    shares = rates(shape, base, points, memory, int(sets))
                    print(
                        f"{shape}, log-odds {base}, {points} points, autocorrelation {memory}: "
                        f"{shares[0]:.3f}, {shares[1]:.3f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main(*sys.argv[1:])
