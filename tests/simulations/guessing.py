"""How often models that guess are said to be better, or worse: ``… -m tests.simulations.guessing``.

Each model has the default interval of its AUC; the limits are widened to hold for all at once.
"""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from reportgen.concluding.chance import not_better
from reportgen.intervals.area_scores import score_limits
from reportgen.records.decision import AtChance

SITUATIONS = (
    (1, 100, 30),
    (3, 100, 30),
    (12, 60, 20),
    (12, 400, 200),
    (12, 2000, 20),
    (30, 300, 90),
)
"""Models, rows and positives."""

Floats = npt.NDArray[np.float64]


def areas(scores: Floats, positives: int) -> tuple[Floats, Floats]:
    """The AUC of each row of scores, whose first ones are positive, and its DeLong variance."""
    others = scores.shape[1] - positives
    ranks = rankdata(scores, axis=1)
    of_positives = ranks[:, :positives] - rankdata(scores[:, :positives], axis=1)
    of_others = positives - (ranks[:, positives:] - rankdata(scores[:, positives:], axis=1))
    shares = of_positives / others, of_others / positives
    variance = sum(share.var(axis=1, ddof=1) / share.shape[1] for share in shares)
    return shares[0].mean(axis=1), variance


def claimed(models: int, rows: int, positives: int, seed: int) -> tuple[bool, bool, bool]:
    """Whether a model is said to be better, one worse, and either by limits of its own."""
    scores = np.random.default_rng(seed).normal(size=(models, rows))
    value, variance = areas(scores, positives)
    sizes = (np.full(models, float(positives)), np.full(models, float(rows - positives)))
    low, high = score_limits(value, variance, *sizes, confidence=0.95)
    guesses = [
        AtChance(str(model), "auc", *map(float, numbers), 0.5)
        for model, numbers in enumerate(zip(value, low, high, strict=True))
    ]
    left = not_better(guesses, 0.95, rows)
    alone = [row for guess in guesses for row in not_better([guess], 0.95, rows)]
    uncorrected = len(alone) < models or any(row.worse for row in alone)
    return len(left) < models, any(row.worse for row in left), uncorrected


def main(runs: int) -> None:
    """Print the shares of data sets."""
    for models, rows, positives in SITUATIONS:
        results = np.array([claimed(models, rows, positives, seed) for seed in range(runs)])
        better, worse, uncorrected = results.mean(axis=0)
        print(
            f"{models} models, {positives} positives of {rows}: better {better:.4f}, worse "
            f"{worse:.4f}; either, not corrected {uncorrected:.4f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
