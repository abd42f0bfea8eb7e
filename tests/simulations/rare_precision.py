"""How often limits of a difference in average precision hold the true one where positives are rare.

Limits by influences, as reports have them, and how often they leave out 0 where it is true::

    python -m tests.simulations.rare_precision 500
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.measuring.precision_differences import PrecisionDifferences

Generator = np.random.Generator

SIZES = ((600, 0.1), (1_000, 0.02), (3_000, 0.01), (10_000, 0.01), (20_000, 0.01), (20_000, 0.0015))
"""Rows, and the share of positives."""

MODELS = (((2.0, 2.0), 1.0), ((3.0, 3.0), 1.0), ((2.0, 2.4), 1.0), ((3.0, 2.5), 1.5))
"""How far the positives of both models lie above the negatives, and their spread in the second."""

CORRELATION = 0.7
"""Of the scores of two models on a row of one class."""

POPULATION = 2_000_000


def scores(
    random: Generator, rows: int, positives: int, distances: tuple[float, float], spread: float
) -> pl.DataFrame:
    """Truth and the scores of two models; in the second the positives have another spread."""
    truth = np.arange(rows) < positives
    shared, *single = random.normal(size=(3, rows))
    first, second = (
        np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * noise for noise in single
    )
    first = first + distances[0] * truth
    second = np.where(truth, distances[1] + spread * second, second)
    return pl.DataFrame({"truth": truth, "a": first, "b": second})


def average_precision(truth: Floats, score: Floats) -> float:
    """The mean precision at the positives of scores without ties."""
    ranked = truth[np.argsort(-score, kind="stable")]
    return float((np.cumsum(ranked) / np.arange(1, len(ranked) + 1))[ranked].mean())


def coverage(
    rows: int, share: float, distances: tuple[float, float], spread: float, runs: int
) -> tuple[float, float]:
    """The difference in a population, and the share of runs whose limits hold it."""
    random = np.random.default_rng(0)
    whole = scores(random, POPULATION, round(POPULATION * share), distances, spread)
    first, second = (
        average_precision(whole["truth"].to_numpy(), whole[name].to_numpy()) for name in "ab"
    )
    held = 0
    for _ in range(runs):
        positives = max(2, int(random.binomial(rows, share)))
        frame = scores(random, rows, positives, distances, spread)
        columns = {name: frame[name].to_numpy() for name in "ab"}
        mean = PrecisionDifferences(frame["truth"].to_numpy(), columns).between("a", "b")
        test = mean.test(0.95)
        held += test["low"] <= first - second <= test["high"]
    return first - second, held / runs


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("| rows | share of positives | difference | covered |\n|---:|---:|---:|---:|")
    for size, rarity in SIZES:
        for between, wider in MODELS:
            true, held = coverage(size, rarity, between, wider, count)
            print(f"| {size:,} | {rarity:g} | {true:+.3f} | {held:.3f} |", flush=True)
