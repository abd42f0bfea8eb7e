"""How often guessing is said to be better: ``python -m tests.simulations.above_guessing RUNS``.

It predicts the second most frequent class, and some more rows correctly: as many as the most
frequent class has more, so that its accuracy is the share of that class. Where the second class is
the most frequent one in the sample, the model is better than always predicting that one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import polars as pl
from scipy.special import ndtri

from reportgen.concluding.chance import not_better
from reportgen.measuring.binary_model import evaluate_metrics, evaluate_model
from reportgen.measuring.multiclass_metrics import evaluate_metrics as of_classes
from reportgen.measuring.multiclass_model import MulticlassModel
from reportgen.predictions import ModelColumns
from reportgen.records.decision import AtChance
from reportgen.results.multiclass import with_limits_of_table
from reportgen.spec import Spec
from reportgen.tables.results import MetricRow

MODEL = ModelColumns(name="m", score=None, label="label")
"""Its decisions are labels."""


@dataclass(frozen=True)
class Design:
    """Groups of rows, their intraclass correlation, and the shares of the classes."""

    groups: int
    rows: int
    correlation: float
    shares: tuple[float, ...]
    weighted: bool = False

    def sample(self, random: np.random.Generator) -> pl.DataFrame:
        """Rows with a truth and a label, by number of the class."""
        group = np.repeat(np.arange(self.groups), self.rows)
        noise = random.normal(size=len(group)) * sqrt(1 - self.correlation)
        latent = sqrt(self.correlation) * random.normal(size=self.groups)[group] + noise
        truth = np.searchsorted(ndtri(np.cumsum(self.shares)[:-1]), latent)
        first, second = sorted(self.shares, reverse=True)[:2]
        known = random.random(len(group)) < (first - second) / (1 - second)
        place = len(self.shares) - 1 - self.shares[::-1].index(second)
        columns = {"truth": truth, "label": np.where(known, truth, place)}
        if self.rows > 1:
            columns["group"] = group
        if self.weighted:
            columns["weight"] = np.exp(random.normal(size=len(group)) / 2)
        return pl.DataFrame(columns)


SPEC = Spec.model_validate(
    {
        "data": "d",
        "truth": "truth",
        "models": {"m": {"label": "label"}},
        "bootstrap": {"replicates": 0},
    }
)

DESIGNS = (
    Design(600, 1, 0, (0.53, 0.47)),
    Design(2000, 1, 0, (0.51, 0.49)),
    Design(600, 1, 0, (0.53, 0.47), weighted=True),
    Design(40, 15, 0.3, (0.55, 0.45)),
    Design(40, 15, 0.3, (0.55, 0.45), weighted=True),
    Design(40, 100, 0.1, (0.53, 0.47)),
    Design(600, 1, 0, (0.36, 0.3, 0.34)),
    Design(2000, 1, 0, (0.35, 0.32, 0.33)),
    Design(40, 15, 0.3, (0.38, 0.28, 0.34)),
    Design(40, 100, 0.1, (0.36, 0.31, 0.33)),
)


def measures(design: Design, frames: Sequence[pl.DataFrame]) -> list[dict[str, MetricRow]]:
    """The measures of each data set, by name."""
    weight = "weight" if design.weighted else None
    if len(design.shares) == 2:
        logical = [frame.with_columns(pl.col("truth", "label") == 0) for frame in frames]
        models = [evaluate_model(frame, MODEL, None, weight=weight) for frame in logical]
        names = {"accuracy", "accuracy_gain", "no_information_rate"}
        return [
            {r["metric"]: r for r in rows} for rows in evaluate_metrics(models, SPEC, {}, names)
        ]
    tables = []
    for frame in frames:
        grouped = "group" in frame.columns
        model = MulticlassModel(MODEL, frame, tuple("abc"), weight, grouped=grouped)
        [numbers] = of_classes([model], None)
        rows = with_limits_of_table(model, numbers, None, SPEC)
        tables.append({r["metric"]: r for r in rows if r["class"] is r["average"] is None})
    return tables


SPEC = Spec.model_validate(
    {
        "data": "d",
        "truth": "truth",
        "models": {"m": {"label": "label"}},
        "bootstrap": {"replicates": 0},
    }
)


def better(design: Design, runs: int) -> tuple[float, float]:
    """Shares of data sets in which the model is said to be better, and worse, than guessing."""
    random = np.random.default_rng([design.groups, design.rows, len(design.shares)])
    states = []
    for numbers in measures(design, [design.sample(random) for _ in range(runs)]):
        value, gain = numbers["accuracy"], numbers["accuracy_gain"]
        ends = value["value"], value["low"], value["high"]
        above = gain["value"], gain["low"], gain["high"]
        rate = numbers["no_information_rate"]["value"]
        row = AtChance("m", "accuracy", *ends, rate, above=None if None in above else above)
        left = not_better([row], 0.95, design.groups, len(design.shares))
        states.append((not left, any(one.worse for one in left)))
    is_better, is_worse = np.mean(states, axis=0)
    return float(is_better), float(is_worse)


def main(runs: str = "1000") -> None:
    """Print a line per design."""
    for design in DESIGNS:
        of_better, of_worse = better(design, int(runs))
        print(f"- {design}: better {of_better:.4f}, worse {of_worse:.4f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
