"""How often scores are taken for fitted on the evaluated rows: by number of rows.

``python -m tests.simulations.fitted_scores RUNS`` prints the share of data sets in which scores
that were calibrated on the same rows are seen (isotonic regression, means of 5 and of 20 bins,
leaves of a tree; isotonic regression with weights), and in which those of the same learners from as
many other rows, and calibrated scores of 2 to 20 values, are; with weights of 1 to 3 as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.isotonic import IsotonicRegression
from sklearn.tree import DecisionTreeClassifier

from reportgen.measuring.fitted_scores import fitted_levels
from reportgen.sweeping import ranking_of

Floats = npt.NDArray[np.float64]
Learner = Callable[[Floats, Floats], Callable[[Floats], Floats]]
Generator = np.random.Generator

SIZES = (60, 100, 150, 400, 1000, 10_000)
STEPS = (2, 5, 10, 20)


def _isotonic(signal: Floats, truth: Floats) -> Callable[[Floats], Floats]:
    fit = IsotonicRegression(out_of_bounds="clip").fit(signal, truth)
    return lambda values: np.clip(fit.predict(values), 0, 1)


def _bins(number: int) -> Learner:
    def learn(signal: Floats, truth: Floats) -> Callable[[Floats], Floats]:
        edges = np.quantile(signal, np.arange(1, number) / number)
        place = np.digitize(signal, edges)
        means = np.array([truth[place == k].mean() for k in range(number)])
        return lambda values: means[np.digitize(values, edges)]

    return learn


def _tree(signal: Floats, truth: Floats) -> Callable[[Floats], Floats]:
    model = DecisionTreeClassifier(max_leaf_nodes=12, min_samples_leaf=8, random_state=0)
    model.fit(signal[:, None], truth)
    return lambda values: model.predict_proba(values[:, None])[:, 1]


LEARNERS: Mapping[str, Learner] = {
    "isotonic": _isotonic,
    "5 bins": _bins(5),
    "20 bins": _bins(20),
    "tree": _tree,
}


def _rows(random: Generator, rows: int) -> tuple[Floats, Floats]:
    signal = random.standard_normal(rows)
    return signal, (random.random(rows) < 1 / (1 + np.exp(1 - signal))).astype(float)


def seen(truth: Floats, score: Floats, weight: Floats | None = None) -> bool:
    """Whether the scores are taken for fitted."""
    frame = pl.DataFrame({"truth": truth > 0, "score": score})
    if weight is None:
        return fitted_levels(ranking_of(frame)) is not None
    weighted = ranking_of(frame.with_columns(weight=weight), weight="weight")
    return fitted_levels(weighted) is not None


def rates(rows: int, runs: int) -> dict[str, float]:
    """The share of data sets in which the scores of each kind are taken for fitted."""
    random = np.random.default_rng(rows)
    counts: dict[str, int] = {}

    def count(name: str, truth: Floats, score: Floats, weight: Floats | None = None) -> None:
        counts[name] = counts.get(name, 0) + seen(truth, score, weight)

    for _ in range(runs):
        (signal, truth), (other, of_other) = _rows(random, rows), _rows(random, rows)
        for name, learner in LEARNERS.items():
            score = learner(signal, truth)
            count(f"{name}, same rows", truth, score(signal))
            count(f"{name}, other rows", of_other, score(other))
        weight = random.integers(1, 4, rows) * 1.0
        fit = IsotonicRegression(out_of_bounds="clip").fit(signal, truth, sample_weight=weight)
        count("weighted, same rows", truth, np.clip(fit.predict(signal), 0, 1), weight)
        count("weighted, other rows", of_other, np.clip(fit.predict(other), 0, 1), weight)
        for steps in STEPS:
            score = random.integers(1, steps + 1, rows) / (steps + 1)
            chance = (random.random(rows) < score) * 1.0
            count(f"calibrated, {steps} values", chance, score)
            count(f"weighted, {steps} values", chance, score, weight)
    return {name: number / runs for name, number in counts.items()}


def main(runs: int) -> None:
    """Print a line per number of rows."""
    for rows in SIZES:
        shares = ", ".join(f"{name} {share:.3f}" for name, share in rates(rows, runs).items())
        print(f"- {rows} rows: {shares}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
