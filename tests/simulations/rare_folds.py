"""Tests over folds of a rare class: ``python -m tests.simulations.rare_folds``.

For the AUC and for the accuracy it prints how often the test rejects at α = 0.05, the share of data
sets in which it is recommended, and how often it rejects among these. The positives are dealt to
the folds evenly. Both learners see features of their own that say as much about the class.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.predictions.evaluation_scheme import Evaluation
from tests.simulations.advised import LEARNERS
from tests.simulations.advised_folds import MEASURES, rejected
from tests.simulations.folds import FEATURES, Tested, evaluation_of
from tests.simulations.situations import Generator


@dataclass(frozen=True)
class Design:
    """So many positives of these rows; the classes lie ``signal`` apart in each feature."""

    positives: int
    rows: int
    learner: str
    repeats: int
    signal: float = 0.8
    folds: int = 5

    def tested(self, random: Generator) -> tuple[Tested, np.ndarray]:
        """Both models on every fold, and the truth of all rows."""
        truth = np.arange(self.rows) < self.positives
        data = truth[:, None] * self.signal + random.standard_normal((self.rows, 2 * FEATURES))
        learn = LEARNERS[self.learner]
        result = Tested([], [], [])
        for repeat in range(self.repeats):
            fold = np.arange(self.rows) % self.folds
            for rows in (truth, ~truth):
                fold[rows] = random.permutation(np.arange(rows.sum()) % self.folds)
            for test in (fold == k for k in range(self.folds)):
                scores = [
                    learn(data[~test][:, s], truth[~test], data[test][:, s])
                    for s in (slice(0, FEATURES), slice(FEATURES, None))
                ]
                part = {"truth": truth[test], "a": scores[0], "b": scores[1]}
                part["id"] = np.flatnonzero(test)
                result.parts.append(pl.DataFrame(part))
                result.repeats.append(repeat)
                result.train.append(int((~test).sum()))
        return result, truth

    def evaluation(self) -> Evaluation:
        """What a report knows of the folds."""
        return evaluation_of(self.rows, self.folds, self.repeats)


DESIGNS = tuple(
    Design(positives, rows, learner, repeats)
    for positives, rows in ((10, 100), (20, 200), (10, 400))
    for learner, repeats in (("centroids", 1), ("centroids", 4), ("neighbours", 4))
)


def main(runs: int) -> None:
    """Print the shares of each design."""
    for design in DESIGNS:
        runs_of = [rejected(design, np.random.default_rng([8, seed])) for seed in range(runs)]
        for metric, (rejects, recommended, both) in zip(
            MEASURES, np.mean(np.array(runs_of, dtype=float), axis=0), strict=True
        ):
            level = both / recommended if recommended else 0.0
            text = f"{rejects:.3f}, recommended in {recommended:.3f}, of these {level:.3f}"
            print(f"{design}: {metric} {text}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
