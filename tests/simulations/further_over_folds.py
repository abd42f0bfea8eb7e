"""The corrected t-test over folds in measures that a spec names: ``python -m
tests.simulations.further_over_folds 200``.

Two learners that differ in nothing (centroids with a signal and without), 60 and 200 rows. The
share of data sets in which the recommended test rejects, where each fold has a value.
"""

from __future__ import annotations

import sys

import numpy as np

from reportgen.comparisons import corrected_resampled_t, corrected_t_of_repeats
from tests.simulations.fold_measures import Floats, Measure, kappa, mcc, measured_by_fold
from tests.simulations.folds import SCHEMES, centroids, tested
from tests.simulations.situations import asked


def average_precision(truth: Floats, score: Floats) -> float | None:
    """Mean precision at the rank of each positive; scores have no ties."""
    if not truth.any():
        return None
    ordered = truth[np.argsort(-score)]
    precision = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    return float(precision[ordered].mean())


def balanced_accuracy(truth: Floats, score: Floats) -> float | None:
    """Mean of the shares of either class that are predicted correctly at a score of 0."""
    if truth.all() or not truth.any():
        return None
    return float(((score > 0)[truth].mean() + (score <= 0)[~truth].mean()) / 2)


MEASURES: dict[str, Measure] = {
    "mcc": mcc,
    "cohen_kappa": kappa,
    "average_precision": average_precision,
    "balanced_accuracy": balanced_accuracy,
}


def rejected(scheme: str, rows: int, signal: float, name: str, sets: int) -> tuple[float, int]:
    """The share of data sets that the recommended form rejects, and how many have a value."""
    seen, count = 0, 0
    for run in range(sets):
        random = np.random.default_rng([run, rows])
        splits = SCHEMES[scheme](random, rows)
        result = tested(random, rows, splits, signal, 0.0, centroids, None)
        pairs = measured_by_fold(result, MEASURES[name])
        repeated = len(set(result.repeats)) > 1
        test = corrected_t_of_repeats if repeated else corrected_resampled_t
        record = test(pairs, asked(name))
        if record.p_value is not None:
            seen, count = seen + (record.p_value < 0.05), count + 1
    return seen / max(count, 1), count


def main(sets: str = "200") -> None:
    """Print a line per scheme, size and signal."""
    for scheme in ("10 folds", "5 × 2 folds", "15 splits"):
        for rows in (60, 200):
            for signal in (0.0, 0.5):
                shares = {m: rejected(scheme, rows, signal, m, int(sets)) for m in MEASURES}
                text = ", ".join(f"{m} {share:.3f} of {n}" for m, (share, n) in shares.items())
                print(f"{scheme}, {rows} rows, signal {signal}: {text}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
