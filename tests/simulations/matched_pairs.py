"""Matched pairs of a positive and a negative: ``python -m tests.simulations.matched_pairs RUNS``.

Scores follow what the rows of a pair share. The share of data sets whose limits by pair hold the
AUC of all rows and the difference of two models that see as much, and in which the latter leave
out 0; then how often a group structure that nobody matched is said to be matched.
"""

from __future__ import annotations

import sys
from math import sqrt

import numpy as np
import polars as pl
from scipy.special import expit, ndtr

from reportgen.results import evaluate
from tests.quick import QUICK
from tests.simulations.report_data_alike import Alike

APART = 1.0
DESIGNS = ((40, 0.3), (40, 0.8), (200, 0.8))
"""Pairs, and the share of the variance of scores that is between pairs."""

AUC = float(ndtr(APART / sqrt(2)))


def pairs(random: np.random.Generator, number: int, shared: float) -> pl.DataFrame:
    """A positive and a negative of every pair, whose scores have a variance of 1 in a class."""
    of_pair, truth = random.normal(size=(number, 1)), np.array([0, 1])
    scores = {}
    for model in "ab":
        seen = sqrt(shared) * of_pair + sqrt(1 - shared) * random.normal(size=(number, 2))
        scores[model] = expit(seen + APART * truth).ravel()
    pair = np.arange(number).repeat(2)
    return pl.DataFrame({"truth": np.tile(truth, number), "pair": pair, **scores})


def evaluated(frame: pl.DataFrame, group: str, models: str = "ab"):
    """The results of two models in groups."""
    spec = {
        "data": "frame",
        "truth": "truth",
        "models": {m: {"score": m} for m in models},
        "columns": {"group": group},
        **QUICK,
    }
    return evaluate(spec, frame)


def rates(number: int, shared: float, runs: int) -> tuple[float, float]:
    """The shares of data sets: AUC held, difference significant."""
    random, held, rejected = np.random.default_rng(number), [], []
    for _ in range(runs):
        results = evaluated(pairs(random, number, shared), "pair")
        rows = results.metrics.filter(pl.col("slice").is_null(), metric="auc")
        held += [low <= AUC <= high for low, high in rows.select("low", "high").iter_rows()]
        rejected.append(any(model.significant for model in results.decision.models))
    return float(np.mean(held)), float(np.mean(rejected))


def said_matched(runs: int) -> int:
    """How many reports of groups of two rows that nobody matched say that they are."""
    random, rows = np.random.default_rng(2), Alike(80, models="a", prevalence=0.5, size=2)
    codes = [
        {caveat.code for caveat in evaluated(rows(random), "group", "a").decision.caveats}
        for _ in range(runs)
    ]
    return sum("matched" in of_run for of_run in codes)


def main(runs: str = "200") -> None:
    """Print a line per design."""
    for number, shared in DESIGNS:
        held, rejected = rates(number, shared, int(runs))
        print(
            f"- {number} pairs, {shared} shared: AUC held {held:.3f}, difference {rejected:.3f}",
            flush=True,
        )
    print(f"- not matched, said to be: {said_matched(int(runs))} of {runs}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
