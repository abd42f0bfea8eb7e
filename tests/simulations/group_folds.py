"""Tests over folds of whole groups, where reports recommend them.

``python -m tests.simulations.group_folds`` prints, for the AUC and for the accuracy, how often the
test rejects at α = 0.05, the share of data sets in which it is recommended, and how often it
rejects among these. Both learners see features of their own that say as much about the class.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.predictions.evaluation_scheme import Evaluation
from tests.simulations.advised_folds import MEASURES, rejected
from tests.simulations.folds import FEATURES, Learner, Tested, centroids, neighbours, tree
from tests.simulations.situations import Generator

LEARNERS: dict[str, Learner] = {"centroids": centroids, "neighbours": neighbours, "trees": tree}


@dataclass(frozen=True)
class Design:
    """Groups of equal size, dealt to folds whole; ``shared`` is the share of their variance."""

    groups: int
    size: int
    shared: float
    signal: float
    learner: str
    repeats: int = 4
    truth_of_groups: bool = True
    folds: int = 5

    def tested(self, random: Generator) -> tuple[Tested, np.ndarray]:
        """Both models on every fold, and the truth of all rows."""
        rows, code = self.groups * self.size, np.repeat(np.arange(self.groups), self.size)
        truth = random.random(self.groups if self.truth_of_groups else rows) < 0.5
        truth = truth[code] if self.truth_of_groups else truth
        width = 2 * FEATURES
        data = truth[:, None] * self.signal
        data = data + np.sqrt(self.shared) * random.standard_normal((self.groups, width))[code]
        data = data + np.sqrt(1 - self.shared) * random.standard_normal((rows, width))
        result = Tested([], [], [])
        for repeat in range(self.repeats):
            order = random.permutation(self.groups)
            for fold in range(self.folds):
                test = np.isin(code, order[fold :: self.folds])
                if truth[~test].all() or not truth[~test].any():
                    continue
                scores = [
                    LEARNERS[self.learner](data[~test][:, s], truth[~test], data[test][:, s])
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
        rows, repeated = self.groups * self.size, self.repeats > 1
        return Evaluation(
            "repeated_k_fold" if repeated else "k_fold",
            self.folds * self.repeats,
            self.repeats,
            self.folds,
            rows,
            rows / self.folds,
            test_rows=rows * self.repeats,
            test_examples=rows,
            groups=self.groups,
        )


DESIGNS = (
    Design(40, 5, 0.6, 0.6, "neighbours", truth_of_groups=False),
    Design(40, 5, 0.6, 0.6, "neighbours"),
    Design(40, 5, 0.6, 1.0, "neighbours"),
    Design(30, 10, 0.3, 0.6, "neighbours", truth_of_groups=False),
    Design(60, 5, 0.6, 0.6, "trees"),
    Design(40, 5, 0.6, 0.6, "centroids"),
    Design(40, 5, 0.6, 0.6, "neighbours", repeats=1),
    Design(40, 5, 0.9, 1.0, "neighbours"),
)


def main(runs: int) -> None:
    """Print the shares of each design."""
    for design in DESIGNS:
        runs_of = [rejected(design, np.random.default_rng([7, seed])) for seed in range(runs)]
        for metric, (rejects, recommended, both) in zip(
            MEASURES, np.mean(np.array(runs_of, dtype=float), axis=0), strict=True
        ):
            level = both / recommended if recommended else 0.0
            print(f"{design}: {metric} {rejects:.3f}, {recommended:.2f} of them with {level:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
