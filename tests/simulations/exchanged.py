"""Permutation of measures of decisions, of unlike models: ``… tests.simulations.exchanged 1000``.

Both models have the same value of the measure, and the second one predicts positives so many times
more rarely. Of the rows on which two models differ a permutation exchanges a half, of either class,
so that counts alone say what it does. Of each measure the largest share of data sets that reject,
and of those that reject where models predict positives about as often, as recommending needs.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.stats import norm

from reportgen.comparing.exchanged_outputs import most_alike
from reportgen.metrics import METRICS

Floats = npt.NDArray[np.float64]
Rates = tuple[float, float]
"""Recall and false-positive rate."""

MEASURES = (
    "precision",
    "negative_predictive_value",
    "markedness",
    "f_half",
    "f1",
    "f2",
    "mcc",
    "cohen_kappa",
    "balanced_accuracy",
    "g_mean",
)
FIRST: tuple[Rates, ...] = ((0.9, 0.3), (0.95, 0.6), (0.8, 0.1))
RATIOS = (1.0, 1.15, 1.3, 1.5, 2.0, 3.0, 5.0)
PERMUTATIONS = 199


def values(counts: Floats, name: str) -> Floats:
    """The measure of tables whose last axis is tp, fp, fn, tn."""
    frame = pl.DataFrame(counts.reshape(-1, 4), schema=["tp", "fp", "fn", "tn"], orient="row")
    frame = frame.with_columns(pl.all().name.suffix("2"))
    result: Floats = (
        frame.select(METRICS[name].expression().cast(pl.Float64)).to_series().to_numpy()
    )
    return result.reshape(counts.shape[:-1])


def at(positive: float, recall: Floats, false: Floats, name: str) -> Floats:
    """The measure of models with these rates."""
    parts = (recall * positive, false * (1 - positive))
    rest = ((1 - recall) * positive, (1 - false) * (1 - positive))
    return values(1e6 * np.stack([*parts, *rest], axis=-1), name)


def as_good(positive: float, first: Rates, times: float, name: str) -> Rates | None:
    """The rates of a model with the same value that predicts so many times fewer positives."""
    predicted = (positive * first[0] + (1 - positive) * first[1]) / times
    recall = np.linspace(0.02, 0.995, 2000)
    false = (predicted - positive * recall) / (1 - positive)
    possible = (false >= 0.001) & (false <= recall)
    recall, false = recall[possible], false[possible]
    gaps = at(positive, recall, false, name) - at(positive, *np.array(first)[:, None], name)
    crossings = np.flatnonzero(gaps[:-1] * gaps[1:] < 0)
    return (float(recall[crossings[0]]), float(false[crossings[0]])) if len(crossings) else None


def rejected(
    rows: int, positive: float, models: tuple[Rates, Rates], name: str, runs: int
) -> tuple[float, float]:
    """Share of data sets in which p is at most 0.05, and in which models are like too."""
    random = np.random.default_rng(3)
    truth = random.normal(size=(runs, rows)) < norm.ppf(positive)
    shared = random.normal(size=truth.shape)
    a, b = (
        norm.cdf((shared + random.normal(size=truth.shape)) / np.sqrt(2))
        < np.where(truth, recall, false)
        for recall, false in models
    )
    sides = []
    for of_class in (truth, ~truth):
        both, first, second = ((of_class & x).sum(axis=1)[:, None] for x in (a & b, a & ~b, ~a & b))
        moved = random.binomial(first + second, 0.5, (runs, PERMUTATIONS))
        kept = np.concatenate([first, moved], axis=1)
        size = of_class.sum(axis=1)[:, None]
        sides.append([(both + k, size - both - k) for k in (kept, first + second - kept)])
    tables = [
        np.stack([tp, fp, fn, tn], axis=-1).astype(float)
        for (tp, fn), (fp, tn) in zip(*sides, strict=True)
    ]
    gaps = values(tables[0], name) - values(tables[1], name)
    observed, null = np.abs(gaps[:, :1]), np.abs(gaps[:, 1:])
    further = (~(null < observed * (1 - 1e-12))).sum(axis=1) + 1
    p_values = further / (PERMUTATIONS + 1)
    rejects = (p_values <= 0.05) & ~np.isnan(observed[:, 0])
    fewer, more = np.sort([a.sum(axis=1), b.sum(axis=1)], axis=0)
    return float(rejects.mean()), float((rejects & (more < most_alike(name) * fewer)).mean())


def main(runs: int) -> None:
    """Print a line per measure, number of rows and ratio."""
    for name, rows, times in product(MEASURES, (40, 60, 600), RATIOS):
        rates = [
            rejected(rows, positive, (first, second), name, runs)
            for positive, first in product((0.5, 0.2), FIRST)
            if (second := first if times == 1 else as_good(positive, first, times, name))
        ]
        if rates:
            every, like = map(max, zip(*rates, strict=True))
            print(f"{name}, {rows} rows, {times:g} times: {every:.3f}, {like:.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
