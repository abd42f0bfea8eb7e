"""Claims about weighted rows that limits decide: ``… tests.simulations.weighted_claims 500``.

Of measures without a test of a claim, as they are no share of rows, the share of data sets whose
limits refute a claim that is just true: that the measure has at most its true value, and at least.
Weights are lognormal or a few are large, and say nothing of the rows or come with larger errors.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl

from reportgen.concluding.claim_verdicts import of_limits
from reportgen.results import Results, evaluate
from tests.simulations.report_data_alike import Floats, Generator

MEASURES = {
    "binary": ("auc", "f1", "mcc", "balanced_accuracy", "brier_score", "log_loss"),
    "regression": ("mean_squared_error", "mean_absolute_error", "mean_error", "r2"),
}
OUTPUTS = {"binary": "score", "regression": "estimate"}
POPULATION = 400_000
WEIGHTS = ("lognormal, 1", "one in twenty of 20 times the weight")


@dataclass(frozen=True)
class Design:
    """Rows and their weights; ``harder``: errors are larger where the weight is above 1."""

    task: str
    rows: int
    weights: str
    harder: bool

    def draw(self, random: Generator, rows: int) -> pl.DataFrame:
        """A truth, the output of a model, and weights."""
        weight = _weights(random, rows, self.weights)
        signal, noise = random.normal(size=(2, rows))
        spread = np.where((weight > 1) & self.harder, 2.0, 1.0)
        latent = signal + spread * noise
        if self.task == "binary":
            score = 1 / (1 + np.exp(-1.7 * signal))
            columns = {"truth": (latent > 0).astype(int), "a": score}
        else:
            columns = {"truth": latent, "a": signal}
        return pl.DataFrame({**columns, "weight": weight})

    def report(self, frame: pl.DataFrame, claims: list[str]) -> Results:
        """The report of one data set."""
        models = {"a": {OUTPUTS[self.task]: "a"}}
        spec = {"task": self.task, "truth": "truth", "models": models, "data": "frame"}
        asked = {"columns": {"weight": "weight"}, "comparisons": {"claims": claims}}
        return evaluate({**spec, **asked, "bootstrap": {"replicates": 0}}, frame)


def _weights(random: Generator, rows: int, kind: str) -> Floats:
    if kind == WEIGHTS[0]:
        weights: Floats = np.exp(random.normal(size=rows))
        return weights
    return np.where(random.random(rows) < 0.05, 20.0, 1.0)


DESIGNS = [
    Design(task, rows, weights, harder)
    for task in MEASURES
    for weights in WEIGHTS
    for harder in (False, True)
    for rows in (100, 400)
]


@cache
def true_values(design: Design) -> dict[str, float]:
    """The measures of a population."""
    frame = design.draw(np.random.default_rng(11), POPULATION)
    rows = design.report(frame, []).metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null()), model="a"
    )
    values = dict(rows.select("metric", "value").iter_rows())
    return {name: values[name] for name in MEASURES[design.task]}


def refuted(design: Design, sets: int) -> Iterator[str]:
    """A line per measure: the shares of refuted claims of either side, and of those left open."""
    true = true_values(design)
    claims = [f"a.{name} {op} {value!r}" for name, value in true.items() for op in ("<=", ">=")]
    counts: Counter[tuple[str, str]] = Counter()
    for run in range(sets):
        frame = design.draw(np.random.default_rng([3, run]), design.rows)
        results = design.report(frame, claims)
        for row in results.comparisons.iter_rows(named=True):
            counts[row["metric"], row["side"]] += of_limits(row, results) == "refuted"
    for name in true:
        most, least = (counts[name, side] / sets for side in ("above", "below"))
        yield f"{name}: at most refuted {most:.3f}, at least {least:.3f}"


def main(sets: str = "500", *tasks: str) -> None:
    """Print a line per design and measure."""
    for design in DESIGNS:
        if design.task in (tasks or MEASURES):
            for line in refuted(design, int(sets)):
                print(f"{design}, {line}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
