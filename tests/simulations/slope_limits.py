"""How often limits of the calibration slope and intercept hold the true value.

``python -m tests.simulations.slope_limits 2000``: by the information matrix, and by the larger of
it and the sandwich, where log odds are recalibrated by a line, and where they are not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from tests.coverage.designs import Floats

STEPS = 60

Truths = Callable[[Floats], Floats]
"""The true log odds of forecasts, by their log odds."""

TRUTHS: dict[str, Truths] = {
    "a line, slope 1": lambda x: x,
    "a line, slope 0.5": lambda x: 0.5 * x,
    "a line, slope 2": lambda x: 2 * x,
    "only the highest are too extreme": lambda x: np.minimum(x, 0.5),
    "a step": lambda x: np.where(x > 0, 1.5, -1.5),
    "rare, only the highest say anything": lambda x: np.where(x > 1, x, -2.5),
    "never near 0 or 1": lambda x: logit(0.15 + 0.7 * expit(x)),
    "falling above the middle": lambda x: 1 - 0.5 * np.abs(x),
}


@dataclass(frozen=True)
class Lines:
    """Intercept and slope of each data set, with variances by information and by the sandwich."""

    fitted: Floats
    information: Floats
    sandwich: Floats


def lines(truth: Floats, odds: Floats) -> Lines:
    """Of data sets in rows: not finite where the likelihood has no maximum."""
    fitted = np.zeros((2, len(truth), 1))
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            p = expit(fitted[0] + fitted[1] * odds)
            w, rest = p * (1 - p), truth - p
            a, b, c = (np.sum(w * odds**k, axis=1, keepdims=True) for k in range(3))
            u, v = (np.sum(rest * odds**k, axis=1, keepdims=True) for k in range(2))
            determinant = a * c - b * b
            fitted += np.stack([c * u - b * v, a * v - b * u]) / determinant
        info = np.stack([c, a]) / determinant
        added = np.stack([rest * (c - b * odds), rest * (a * odds - b)]) / determinant
    sandwich = np.sum(added**2, axis=2)
    whole = np.abs(fitted[:, :, 0]) < 100
    return Lines(np.where(whole, fitted[:, :, 0], np.nan), info[:, :, 0], sandwich)


def coverage(truth_of: Truths, spread: float, rows: int, sets: int) -> Floats:
    """Of intercept and slope: the share held by information, and by the larger of both."""
    random = np.random.default_rng(rows)

    def drawn(number: int, size: int) -> tuple[Floats, Floats]:
        odds = spread * random.normal(size=(number, size))
        return (random.random((number, size)) < expit(truth_of(odds))).astype(float), odds

    many = lines(*drawn(1, 2_000_000)).fitted
    sample = lines(*drawn(sets, rows))
    exists = np.isfinite(sample.fitted).all(axis=0)
    away = np.abs(sample.fitted - many)[:, exists]
    variances = sample.information, np.maximum(sample.information, sample.sandwich)
    held = [(away <= 1.959964 * np.sqrt(v[:, exists])).mean(axis=1) for v in variances]
    return np.array([exists.mean(), *np.concatenate(held)])


def main(sets: str = "2000") -> None:
    """Print a line for each design."""
    print("truth, spread, rows: exist; information: intercept, slope; larger: intercept, slope")
    for name, truth_of in TRUTHS.items():
        for spread in (0.5, 1.0, 2.5):
            for rows in (30, 100, 300, 1000):
                numbers = coverage(truth_of, spread, rows, int(sets))
                print(name, spread, rows, *(f"{n:.3f}" for n in numbers), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
