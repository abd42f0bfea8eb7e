"""Models on rows of their own, with other shares of classes.

``python -m tests.simulations.unlike_mixes RUNS``. Both models are alike: they predict the same
share of each class correctly. Prints how often page one names a winner in accuracy, by the rows of
each model, the shares of positives in them, and the shares of positives and of negatives that are
predicted correctly; and how often it does where the second model errs in a tenth more of both
classes, in rows of one mix.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import polars as pl

from reportgen import evaluate

SPEC = {
    "truth": "y",
    "models": {"column": "model", "label": "p"},
    "columns": {"id": "id"},
    "bootstrap": {"replicates": 0},
}


class Design(NamedTuple):
    """Rows of each model, shares of positives, and the shares of a class predicted correctly."""

    rows: int
    shares: tuple[float, float]
    recall: float
    specificity: float
    worse: float = 0.0


DESIGNS = (
    Design(500, (0.30, 0.24), 0.4, 0.97),
    Design(500, (0.30, 0.26), 0.4, 0.97),
    Design(500, (0.30, 0.20), 0.4, 0.97),
    Design(2000, (0.30, 0.27), 0.4, 0.97),
    Design(200, (0.30, 0.20), 0.4, 0.97),
    Design(500, (0.5, 0.44), 0.6, 0.9),
    Design(500, (0.3, 0.3), 0.8, 0.9),
)
WORSE = tuple(design._replace(shares=(0.3, 0.3), worse=0.1) for design in DESIGNS[-1:])


def drawn(design: Design, random: np.random.Generator) -> pl.DataFrame:
    """Rows of two models, each with ids of its own."""
    parts = []
    for name, share, worse in zip("ab", design.shares, (0.0, design.worse), strict=True):
        positive = random.random(design.rows) < share
        right = np.where(positive, design.recall, design.specificity) - worse
        correct = random.random(design.rows) < right
        ids = [f"{name}{k}" for k in range(design.rows)]
        columns = {"id": ids, "model": name, "y": positive, "p": positive == correct}
        parts.append(pl.DataFrame(columns))
    return pl.concat(parts)


def winners(design: Design, runs: int) -> float:
    """In what share of the data sets page one names a winner in accuracy."""
    random = np.random.default_rng(1)
    ahead = 0
    for _ in range(runs):
        decision = evaluate(SPEC, drawn(design, random)).decision
        ahead += decision.relation == "ahead" and decision.measure == "accuracy"
    return ahead / runs


if __name__ == "__main__":
    for each in (*DESIGNS, *WORSE):
        print(*each, winners(each, int(sys.argv[1])), flush=True)
