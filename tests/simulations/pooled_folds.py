"""How often limits of rows pooled over folds hold the accuracy of a learner: ``… pooled_folds``.

The rows are those of ten folds, each predicted by a model that was fitted on the other nine. The
true value is the mean accuracy of such models on new rows. Limits are those of a report (Wilson,
modified), which take the rows for independent.
"""

from __future__ import annotations

import sys

import numpy as np

from reportgen.intervals.proportions import wilson_modified
from tests.report_data import LEARNERS

FOLDS, NEW = 10, 2000
ROWS, SIGNALS = (60, 100, 300), (0.0, 0.3, 0.8)


def accuracies(
    learner: str, rows: int, signal: float, random: np.random.Generator
) -> tuple[int, float]:
    """How many pooled rows are right, and the mean accuracy of the fits on new rows."""

    def draw(size: int) -> tuple[np.ndarray, np.ndarray]:
        truth = random.permutation(np.arange(size) % 2 == 0)
        return random.normal(size=(size, 4)) + signal * truth[:, None], truth

    (data, truth), (new, of_new) = draw(rows), draw(NEW)
    fold = random.permutation(np.arange(rows) % FOLDS)
    right, elsewhere = 0, []
    for k in range(FOLDS):
        test = fold == k
        scores = LEARNERS[learner](data[~test], truth[~test], np.vstack([data[test], new]))
        of_test, of_others = np.split(scores >= 0.5, [test.sum()])
        right += int((of_test == truth[test]).sum())
        elsewhere.append((of_others == of_new).mean())
    return right, float(np.mean(elsewhere))


def coverage(learner: str, rows: int, signal: float, runs: int) -> float:
    """The share of data sets whose limits hold the mean accuracy."""
    random = np.random.default_rng(rows)
    results = [accuracies(learner, rows, signal, random) for _ in range(runs)]
    true = np.mean([elsewhere for _, elsewhere in results])
    limits = {right: wilson_modified(right, rows) for right, _ in results}
    return float(np.mean([limits[right][0] <= true <= limits[right][1] for right, _ in results]))


def main(runs: str = "500") -> None:
    """Print the coverage of every learner."""
    for learner in LEARNERS:
        for rows in ROWS:
            shares = [coverage(learner, rows, signal, int(runs)) for signal in SIGNALS]
            values = ", ".join(f"{share:.3f}" for share in shares)
            print(f"{learner}, {rows} rows: {values}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
