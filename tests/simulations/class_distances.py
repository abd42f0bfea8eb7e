"""Winners by kappas of ordered classes: ``python -m tests.simulations.class_distances 200``.

``near`` is off by one class in four of ten rows, ``gross`` gives a random class in so many that
both have the same expected kappa.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import polars as pl
from scipy.optimize import brentq

from reportgen.results import Results, evaluate
from tests.simulations.report_data_alike import Floats, Generator

CLASSES, OFF = 5, 0.4
ROWS = (150, 400, 1000)
POWERS = {"linear_kappa": 1, "quadratic_kappa": 2}


def kappa(joint: Floats, power: int) -> float:
    """The kappa of expected shares of truth and prediction."""
    places = np.arange(CLASSES)
    distance = np.abs(places[:, None] - places).astype(float) ** power
    chance = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return float(1 - (distance * joint).sum() / (distance * chance).sum())


def near() -> Floats:
    """What the model with small errors gives, by class: one class off, inwards at the ends."""
    given = np.eye(CLASSES) * (1 - OFF)
    for k in range(CLASSES):
        beside = [j for j in (k - 1, k + 1) if 0 <= j < CLASSES]
        given[k, beside] += OFF / len(beside)
    return given


def gross(share: float) -> Floats:
    """What the model with gross errors gives: a random class in a share of the rows."""
    return np.eye(CLASSES) * (1 - share) + share / CLASSES


def share_of_gross(power: int) -> float:
    """The share of random classes that gives both models one kappa."""
    target = kappa(near() / CLASSES, power)
    return float(brentq(lambda s: kappa(gross(s) / CLASSES, power) - target, 0.001, 0.999))


def report(random: Generator, measure: str, rows: int) -> Results:
    """The report of one data set, in which the kappa is the primary measure."""
    truth = random.integers(0, CLASSES, rows)
    frame = {"y": truth}
    for name, given in (("near", near()), ("gross", gross(share_of_gross(POWERS[measure])))):
        ends = given.cumsum(axis=1)[truth]
        frame[name] = (random.random(rows)[:, None] > ends).sum(axis=1)
    models = {name: {"label": name} for name in ("near", "gross")}
    asked = {"comparisons": {"primary": measure}, "bootstrap": {"replicates": 1000}}
    spec = {"truth": "y", "task": "multiclass", "ordered": True, "models": models, **asked}
    return evaluate(spec, pl.DataFrame(frame))


def shares(measure: str, rows: int, sets: int) -> tuple[float, float]:
    """In what shares of the data sets the test is recommended, and page one has a winner."""
    counts: Counter[str] = Counter()
    for run in range(sets):
        results = report(np.random.default_rng([rows, run]), measure, rows)
        tests = results.comparisons.filter(comparison="paired_permutation", metric=measure)
        counts["recommended"] += "recommended" in tests["recommendation"]
        counts["winner"] += results.decision.relation == "ahead"
    return counts["recommended"] / sets, counts["winner"] / sets


def main(sets: str = "200") -> None:
    """Print a line per design."""
    for measure in POWERS:
        for rows in ROWS:
            recommended, winner = shares(measure, rows, int(sets))
            print(f"{measure}, {rows} rows: {recommended:.3f}, {winner:.3f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
