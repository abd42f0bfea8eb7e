"""Claims about weighted rows that limits decide: ``… tests.simulations.weighted_claims 500``.

Of measures without a test of a claim, as they are no share of rows, the share of data sets whose
limits refute a claim that is just true: that the measure has at most its true value, and at least.
Weights are lognormal or a few are large, and say nothing of the rows or come with larger errors;
rows are alone, or in 40 groups that share half of their noise. Of mean losses of forecasts also by
limits that are of fewer rows of equal weight than decide.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import polars as pl

from reportgen.concluding.claim_verdicts import is_outside, of_few_heavy_rows, of_limits
from reportgen.results import Results, evaluate
from tests.simulations.report_data_alike import Floats, Generator

MEASURES = {
    "binary": ("auc", "f1", "mcc", "balanced_accuracy", "brier_score", "log_loss"),
    "regression": ("mean_squared_error", "mean_absolute_error", "mean_error", "r2"),
}
OUTPUTS = {"binary": "score", "regression": "estimate"}
POPULATION = 300_000
OF_GROUP = 15
WEIGHTS = ("lognormal, 1", "one in twenty of 20 times the weight")


@dataclass(frozen=True)
class Design:
    """Rows and their weights; ``harder``: errors are larger where the weight is above 1."""

    task: str
    rows: int
    weights: str
    harder: bool
    grouped: bool = False

    def draw(self, random: Generator, rows: int) -> pl.DataFrame:
        """A truth, the output of a model, and weights."""
        weight = _weights(random, rows, self.weights)
        signal, noise = random.normal(size=(2, rows))
        group = np.arange(rows) // OF_GROUP
        if self.grouped:
            signal, noise = (
                (one + random.normal(size=group[-1] + 1)[group]) / np.sqrt(2)
                for one in (signal, noise)
            )
        spread = np.where((weight > 1) & self.harder, 2.0, 1.0)
        latent = signal + spread * noise
        if self.task == "binary":
            score = 1 / (1 + np.exp(-1.7 * signal))
            columns = {"truth": (latent > 0).astype(int), "a": score}
        else:
            columns = {"truth": latent, "a": signal}
        return pl.DataFrame({**columns, "weight": weight, "group": group})

    def report(self, frame: pl.DataFrame, claims: list[str]) -> Results:
        """The report of one data set."""
        models = {"a": {OUTPUTS[self.task]: "a"}}
        spec = {"task": self.task, "truth": "truth", "models": models, "data": "frame"}
        roles = {"weight": "weight", **({"group": "group"} if self.grouped else {})}
        asked = {"columns": roles, "comparisons": {"claims": claims}}
        return evaluate({**spec, **asked, "bootstrap": {"replicates": 0}}, frame)


def _weights(random: Generator, rows: int, kind: str) -> Floats:
    if kind == WEIGHTS[0]:
        weights: Floats = np.exp(random.normal(size=rows))
        return weights
    return np.where(random.random(rows) < 0.05, 20.0, 1.0)


DESIGNS = [
    Design(task, rows, weights, harder, grouped)
    for rows, grouped in ((100, False), (400, False), (600, True))
    for task in MEASURES
    for weights in WEIGHTS
    for harder in (False, True)
]


@cache
def true_values(design: Design) -> dict[str, float]:
    """The measures of a population, which groups do not change."""
    design = replace(design, grouped=False)
    frame = design.draw(np.random.default_rng(11), POPULATION)
    rows = design.report(frame, []).metrics.filter(
        pl.all_horizontal(pl.col("slice", "class", "average").is_null()), model="a"
    )
    values = dict(rows.select("metric", "value").iter_rows())
    return {name: values[name] for name in MEASURES[design.task]}


def refuted(design: Design, sets: int) -> Iterator[str]:
    """A line per measure: the shares of refuted claims that it is at most, and at least, so large.

    Then the share that is not decided, as the rows are worth too few, and that is refuted there.
    """
    true = true_values(design)
    claims = [f"a.{name} {op} {value!r}" for name, value in true.items() for op in ("<=", ">=")]
    counts: Counter[tuple[str, str, str]] = Counter()
    for run in range(sets):
        frame = design.draw(np.random.default_rng([3, run]), design.rows)
        results = design.report(frame, claims)
        for row in results.comparisons.iter_rows(named=True):
            held = of_few_heavy_rows(row, results)
            counts[row["metric"], row["side"], "few"] += held and is_outside(row)
            counts[row["metric"], row["side"], "left"] += held
            counts[row["metric"], row["side"], ""] += of_limits(row, results) == "refuted"
    for name in true:
        most, least = (counts[name, side, ""] / sets for side in ("above", "below"))
        few = max(counts[name, side, "few"] for side in ("above", "below")) / sets
        left = counts[name, "above", "left"] / sets
        yield f"{name}: {most:.3f}, {least:.3f}; not decided {left:.3f}, refuted {few:.3f}"


def main(sets: str = "500", *only: str) -> None:
    """Print a line per design and measure; ``only`` names a task, ``rows`` or ``groups``."""
    for design in DESIGNS:
        if {*only} <= {design.task, "groups" if design.grouped else "rows"}:
            for line in refuted(design, int(sets)):
                print(f"{design}, {line}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
