"""Losses of recalibrated copies: ``python -m tests.simulations.recalibrated_losses 1000``.

Two models whose logits are functions of one score, and whose probabilities lose the same on average
of many rows: one too mild and one too sure, or one too low and one too high. The share of data sets
in which the test of probability losses rejects; then of copies of a calibrated one that lose more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import polars as pl
from scipy.optimize import brentq
from scipy.special import expit

from reportgen.array_types import Floats
from reportgen.comparisons import probability_losses
from reportgen.metrics.row_losses import LOSSES
from tests.simulations.situations import ALPHA, Generator, asked

MANY = np.random.default_rng(0).normal(size=200_000)
SCORES = ((0.0, 1.5), (-3.0, 1.0), (-4.0, 1.0))
"""Mean and spread of the true logits."""

KINDS = ("milder and surer", "lower and higher", "of 16 values")

Copies = tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]


def expected(metric: str, logits: Floats, copy: Floats) -> float:
    """What probabilities lose on average where these are the true logits."""
    loss, true = LOSSES[metric], expit(logits)
    return float((true * loss(copy.copy(), 1.0) + (1 - true) * loss(copy.copy(), 0.0)).mean())


@lru_cache
def copies(metric: str, mean: float, spread: float, kind: str) -> Copies | None:
    """Two copies that lose the same on average; none where the second cannot lose as much."""
    logits = mean + spread * MANY
    milder = kind != "lower and higher"

    def first(z: Floats) -> Floats:
        if kind == "of 16 values":
            return np.clip(np.round(expit(z) * 15) / 15, 0.01, 0.99)
        return expit(0.6 * z) if milder else expit(z - 0.5)

    def second(z: Floats, by: float) -> Floats:
        return np.clip(expit(by * z) if milder else expit(z + by), 1e-9, 1 - 1e-9)

    aim = expected(metric, logits, first(logits))
    ends = (1.0001, 8.0) if milder else (0.01, 4.0)
    if expected(metric, logits, second(logits, ends[1])) < aim:
        return None
    by = brentq(lambda b: expected(metric, logits, second(logits, b)) - aim, *ends)
    return first, lambda z: second(z, by)


def rejected(random: Generator, metric: str, score: tuple[float, float], two: Copies, rows: int):
    """Whether the test rejects; none where it has no p."""
    logits = score[0] + score[1] * random.normal(size=rows)
    truth = random.random(rows) < expit(logits)
    frame = pl.DataFrame({"truth": truth, "a": two[0](logits), "b": two[1](logits)})
    p_value = probability_losses(frame, asked(metric)).p_value
    return None if p_value is None else p_value < ALPHA


def rates(metric: str, score: tuple[float, float], two: Copies, sets: int) -> str:
    """The share of data sets in which it rejects, by their rows."""
    parts = []
    for rows in (100, 200, 500, 2_000):
        drawn = [
            rejected(np.random.default_rng([k, rows]), metric, score, two, rows)
            for k in range(sets)
        ]
        known = [one for one in drawn if one is not None]
        parts.append(f"{rows} rows {np.mean(known) if known else np.nan:.3f}")
    return ", ".join(parts)


def main(sets: str = "1000") -> None:
    """Print a line per design."""
    for metric in LOSSES:
        for score in SCORES:
            for kind in KINDS:
                two = copies(metric, *score, kind)
                if two is not None:
                    print(metric, score, kind, rates(metric, score, two, int(sets)), flush=True)
        for times in (0.6, 0.77, 1.3):
            calibrated: Copies = (expit, lambda z, t=times: expit(t * z))
            print(metric, f"logits times {times}", rates(metric, SCORES[0], calibrated, int(sets)))


if __name__ == "__main__":
    main(*sys.argv[1:])
