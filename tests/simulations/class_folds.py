"""Macro F1 of several classes over folds, of learners that are alike: ``… class_folds 1000 60``.

Two learners of one kind are fitted to features of their own, each of which says as much of the
class. Of each design the share of data sets in which the limits of the difference in macro F1
leave out 0: those of independent rows, those widened for training parts that overlap, which gates
read, and those twice as wide, by which page one sets models apart. Then, of so many whole reports,
those that name a winner, pass the gate, or say of a model that it is better in any other measure.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from itertools import starmap

import numpy as np
import polars as pl

from reportgen.clusters import Groups, t_quantile
from reportgen.comparing.class_differences import MacroF1, between
from reportgen.concluding.other_measures import NARROW
from reportgen.measuring.overlapping_folds import OverlappingFolds
from reportgen.results import evaluate
from tests.quick import QUICK
from tests.report_data import LEARNERS

GATE = "a.macro_f1 - b.macro_f1 > 0"


@dataclass(frozen=True)
class Design:
    """Rows of three classes in folds; ``rare`` is the share of the last class."""

    learner: str
    rows: int
    folds: int = 5
    rare: float = 1 / 3
    signal: float = 0.5

    def draw(self, random: np.random.Generator) -> pl.DataFrame:
        """The truth, the class that each learner gives, and the fold."""
        shares = [(1 - self.rare) / 2] * 2 + [self.rare]
        truth = random.choice(3, self.rows, p=shares)
        fold = random.permutation(self.rows) % self.folds
        columns = {"truth": truth, "fold": fold}
        for model in "ab":
            data = random.normal(size=(self.rows, 3)) + 2 * self.signal * np.eye(3)[truth]
            columns[model] = np.zeros(self.rows, int)
            for k in range(self.folds):
                test = fold == k
                columns[model][test] = self._classes(data[~test], truth[~test], data[test])
        return pl.DataFrame(columns)

    def _classes(self, old: np.ndarray, truth: np.ndarray, new: np.ndarray) -> np.ndarray:
        """The class with the best score against the others; one without rows has none."""
        scores = np.full((3, len(new)), -1.0)
        for k in np.unique(truth):
            scores[k] = LEARNERS[self.learner](old, truth == k, new)
        return scores.argmax(axis=0)


DESIGNS = [
    Design("centroids", 60),
    Design("trees", 60),
    Design("trees", 100, folds=10),
    Design("centroids", 200, rare=0.05),
    Design("trees", 200, rare=0.05),
    Design("trees", 300, folds=10, rare=0.1),
    Design("trees", 100, signal=0.0),
    Design("logistic", 200, rare=0.1),
]


def leave_out(frame: pl.DataFrame, folds: int) -> list[bool]:
    """Whether limits of rows, of fits whose training parts overlap, and wide ones leave out 0."""
    truth, fold = frame["truth"].to_numpy(), frame["fold"].to_numpy()
    models = [MacroF1.of_classes(truth, frame[m].to_numpy(), 3) for m in "ab"]
    of_rows, of_fits = (between(*models, groups) for groups in (None, Groups(fold, folds)))
    fits = OverlappingFolds(Groups(fold, folds), (1 + folds / (folds - 1)) ** 0.5)
    half_widths = [
        0.0 if mean.reason else mean.error * t_quantile(0.95, mean.df)
        for mean in (of_rows, of_fits)
    ]
    half_widths[1:] = [half_widths[1] * fits.widening, half_widths[1] * fits.widening * NARROW]
    value = abs(of_rows.value or 0.0)
    return [value > half > 0 for half in half_widths]


def count(frame: pl.DataFrame, said: Counter[str]) -> None:
    """Add what the report of one data set says that differs."""
    models = {model: {"label": model} for model in "ab"}
    spec = {"task": "multiclass", "truth": "truth", "models": models, "columns": {"fold": "fold"}}
    results = evaluate({**spec, "data": "frame", "gates": [GATE], **QUICK}, frame)
    said["winner"] += results.decision.relation in ("ahead", "mixed")
    codes = {caveat.code for caveat in results.decision.caveats}
    said["another measure"] += not codes.isdisjoint({"other_measure", "ahead_elsewhere"})
    said["gate"] += (results.gates["state"] == "pass").sum()


def lines(design: Design, runs: int, reports: int) -> str:
    """The shares of a design."""
    frames = [design.draw(np.random.default_rng([7, run])) for run in range(runs)]
    shares = np.mean([leave_out(frame, design.folds) for frame in frames], axis=0)
    said: Counter[str] = Counter()
    for frame in frames[:reports]:
        count(frame, said)
    of_reports = ", ".join(f"{kind} {count}" for kind, count in said.items())
    return f"{design}: {' '.join(f'{share:.3f}' for share in shares)}; of {reports}: {of_reports}"


def main(runs: str = "1000", reports: str = "60") -> None:
    """Print a line per design."""
    for line in starmap(lines, [(design, int(runs), int(reports)) for design in DESIGNS]):
        print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
