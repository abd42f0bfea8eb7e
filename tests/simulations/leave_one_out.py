"""Regressions left one row out: ``python -m tests.simulations.leave_one_out 1000``.

Both models are one learner, of features of its own that say the same of the truth, so that their
expected squared errors are equal.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import polars as pl

from reportgen.comparisons import Question, corrected_resampled_t
from reportgen.comparisons.paired import mean_difference
from reportgen.tables import FoldPairs
from tests.simulations.report_data_alike import Floats, Generator

DESIGNS = ((20, 2), (60, 2), (60, 8), (200, 2))
"""Rows, and features of each model."""

SIGNALS = (0, 1, 3)
"""Standard deviation of what the features explain, against 1 of what they do not."""


def least_squares(features: Floats, truth: Floats) -> Floats:
    """Errors of each row under the fit to all others, by the leverages of the fit to all."""
    of_all = np.column_stack([np.ones(len(truth)), features])
    hat = of_all @ np.linalg.pinv(of_all)
    errors: Floats = (truth - hat @ truth) / (1 - np.diag(hat))
    return errors


def nearest(features: Floats, truth: Floats) -> Floats:
    """Errors of the truth of the nearest other row."""
    away = np.square(features[:, None] - features[None]).sum(axis=-1)
    np.fill_diagonal(away, np.inf)
    errors: Floats = truth - truth[away.argmin(axis=1)]
    return errors


def stump(features: Floats, truth: Floats) -> Floats:
    """Errors of a tree of one split, grown without the row."""
    order = np.argsort(features, axis=0)
    return np.array([_left_out(row, features, truth, order) for row in range(len(truth))])


def _left_out(row: int, features: Floats, truth: Floats, order: np.ndarray) -> float:
    best, estimate = -1.0, 0.0
    left = np.arange(1, len(truth) - 1)
    for column in range(features.shape[1]):
        kept = order[:, column][order[:, column] != row]
        sums = np.cumsum(truth[kept])
        low, high = sums[:-1] / left, (sums[-1] - sums[:-1]) / (len(kept) - left)
        gain = left * low**2 + (len(kept) - left) * high**2
        at = int(gain.argmax())
        if gain[at] > best:
            split = (features[kept[at], column] + features[kept[at + 1], column]) / 2
            best = float(gain[at])
            estimate = float(low[at] if features[row, column] <= split else high[at])
    return float(truth[row]) - estimate


LEARNERS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "least squares": least_squares,
    "nearest neighbour": nearest,
    "stump": stump,
}


def rejections(
    learner: str, rows: int, features: int, signal: float, sets: int
) -> tuple[float, float]:
    """How often the test of rows and the corrected test of folds reject."""
    errors = LEARNERS[learner]
    rejected = np.zeros(2)
    for run in range(sets):
        random: Generator = np.random.default_rng([rows, features, run])
        of_both = random.normal(size=(rows, 2 * features))
        truth = of_both.sum(axis=1) * signal / np.sqrt(2 * features) + random.normal(size=rows)
        squared = [errors(of_both[:, side::2], truth) ** 2 for side in (0, 1)]
        rejected += [p < 0.05 for p in _p_values(*squared)]
    of_rows, of_folds = rejected / sets
    return float(of_rows), float(of_folds)


def _p_values(first: Floats, second: Floats) -> tuple[float, float]:
    rows = pl.DataFrame({"first": first, "second": second})
    folds = rows.with_columns(
        repeat=pl.lit("1"),
        fold=pl.int_range(pl.len()).cast(pl.String),
        train_rows=pl.lit(float(len(first) - 1)),
        test_rows=pl.lit(1.0),
    )
    question = Question(("a", "b"), "mse", unit="folds")
    of_folds = corrected_resampled_t(FoldPairs.validate(folds), question)
    return mean_difference(rows).test(0.95)["p_value"], of_folds.p_value or 1.0


def main(sets: str = "1000") -> None:
    """Print a line per design: rejections of the test of rows and of the corrected test."""
    for learner in LEARNERS:
        for rows, features in DESIGNS:
            for signal in SIGNALS:
                of_rows, of_folds = rejections(learner, rows, features, signal, int(sets))
                print(
                    f"{learner}, {rows} rows, {features} features, signal {signal}: "
                    f"{of_rows:.3f}, {of_folds:.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main(*sys.argv[1:])
