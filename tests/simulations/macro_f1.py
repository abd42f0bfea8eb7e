"""Differences in macro F1 of models that are alike: ``python -m tests.simulations.macro_f1 2000``.

The share of data sets whose limits leave out 0, of two models and of the best and the worst of
several, whose limits are widened for all pairs; and the share that hold a difference of models
that are not alike.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import numpy.typing as npt

from reportgen.clusters import Groups
from reportgen.comparing.class_differences import MacroF1, between
from reportgen.intervals import widening

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """Rows of classes of a share each, and how often a model is right and errs as the others do.

    ``rare`` is the share of the last class, the others have equal ones. Errors fall on any other
    class. ``together``: the share of errors that all models have in common. ``better`` is added to
    the share of correct predictions of the first model.
    """

    rows: int
    classes: int = 3
    rare: float = 0.0
    right: float = 0.7
    together: float = 0.5
    models: int = 2
    size: int = 1
    better: float = 0.0

    def draw(self, random: np.random.Generator, rows: int | None = None) -> list[MacroF1]:
        """What each model has on one data set; rows of a group are of one class."""
        rows = rows or self.rows
        k, groups = self.classes, (rows or self.rows) // self.size
        shares = np.full(k, 1 / k)
        if self.rare:
            shares = np.array([(1 - self.rare) / (k - 1)] * (k - 1) + [self.rare])
        truth = random.choice(k, groups, p=shares).repeat(self.size)
        shared = self._wrong(random, truth, 0.0)
        models = []
        for model in range(self.models):
            alone = self._wrong(random, truth, self.better if model == 0 else 0.0)
            from_all = random.random(rows) < self.together
            predicted = np.where(from_all, shared, alone)
            models.append(MacroF1.of_classes(truth, predicted, k))
        return models

    def _wrong(
        self, random: np.random.Generator, truth: npt.NDArray[np.int64], better: float
    ) -> npt.NDArray[np.int64]:
        """Predictions, half of which a group has in common where rows come in groups."""
        groups = len(truth) // self.size
        u, shift = random.random(len(truth)), random.integers(1, self.classes, len(truth))
        if self.size > 1:
            copied = random.random(len(truth)) < sqrt(0.5)
            u = np.where(copied, random.random(groups).repeat(self.size), u)
        other = (truth + shift) % self.classes
        return np.where(u < self.right + better, truth, other)


DESIGNS = (
    Design(15, right=0.5),
    Design(20, right=0.5),
    Design(30, right=0.5),
    Design(60),
    Design(200),
    Design(200, together=0.95),
    Design(200, right=0.95),
    Design(200, rare=0.05),
    Design(200, rare=0.05, right=0.9, together=0.9),
    Design(600, rare=0.02),
    Design(300, classes=10),
    Design(1000, classes=10, rare=0.01),
    Design(300, size=10),
    Design(300, size=10, rare=0.1),
    Design(200, models=6),
    Design(200, models=12, together=0.0),
    Design(200, better=0.15),
    Design(200, better=0.15, rare=0.05),
    Design(300, size=10, better=0.15),
)


def missed(design: Design, runs: int) -> float:
    """The share of data sets with limits that leave out the true difference; of pairs any."""
    random = np.random.default_rng(4)
    true = 0.0
    if design.better:
        first, second = design.draw(random, 1_000_000)
        true = first.value - second.value
    misses = 0
    groups = None
    if design.size > 1:
        code = np.arange(design.rows) // design.size
        groups = Groups(code, design.rows // design.size)
    pairs = design.models * (design.models - 1) // 2
    for _ in range(runs):
        models = design.draw(random)
        if not design.better:
            models.sort(key=lambda m: -m.value)
        pair = (models[0], models[-1])
        mean = between(*pair, groups)
        if mean.reason:
            continue
        test = mean.test(0.95)
        near = widening(pairs, 0.95) * (test["estimate"] - test["low"])
        misses += abs(test["estimate"] - true) > near
    return misses / runs


SHARES = ((0.4, 0.3, 0.01, 0.02), (0.4, 0.3, 0.03, 0.03), (0.4, 0.3, 0.05, 0.05))
"""Shares of the rows that have each of four labels, two of them rare."""


def missed_by_rows(runs: int, rows: int = 200) -> dict[int, float]:
    """The same of two models of labels, by the rows of the rarest label, whatever limits it has."""
    random = np.random.default_rng(5)
    misses: dict[int, list[bool]] = {}
    for shares in map(np.array, SHARES):
        for _ in range(runs):
            truth = random.random((rows, len(shares))) < shares
            if not (fewest := int(truth.sum(axis=0).min())):
                continue
            models = []
            for _ in range(2):
                logit = 3 * (truth - 0.5) + 1.2 * random.normal(size=truth.shape)
                given = logit + 0.6 * np.log(shares / (1 - shares)) > 0
                models.append(replace(MacroF1.of_labels(truth, given), fewest=rows))
            mean = between(models[0], models[1])
            if mean.reason is None:
                test = mean.test(0.95)
                misses.setdefault(fewest, []).append(test["low"] > 0 or test["high"] < 0)
    return {few: float(np.mean(of)) for few, of in sorted(misses.items()) if len(of) > runs / 20}


def main(runs: str = "2000") -> None:
    """Print the share of every design, and of labels by the rows of the rarest."""
    for design in DESIGNS:
        print(f"{design}: {missed(design, int(runs)):.3f}", flush=True)
    print(missed_by_rows(int(runs)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
