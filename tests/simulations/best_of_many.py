"""How often limits of the best of like models hold: ``python -m tests.simulations.best_of_many``.

The models have one AUC, and the default limits of it.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import ndtr

from reportgen.intervals.area_scores import score_limits
from tests.simulations.guessing import areas
from tests.simulations.report_data_alike import Alike

MODELS = (1, 2, 3, 5, 8, 12)


def held(rows: int, prevalence: float, runs: int, seed: int = 3) -> dict[int, float]:
    """By number of models the share of data sets whose limits of the best hold the AUC."""
    random, design = np.random.default_rng(seed), Alike(rows, "abcdefghijkl", prevalence)
    true, counts = ndtr(design.apart / np.sqrt(2)), dict.fromkeys(MODELS, 0)
    for _ in range(runs):
        frame = design(random).sort("truth", descending=True)
        positives = float(frame["truth"].sum())
        value, variance = areas(frame.select(list(design.models)).to_numpy().T, int(positives))
        sizes = np.full(len(value), positives), np.full(len(value), rows - positives)
        low, high = score_limits(value, variance, *sizes)
        for models in MODELS:
            best = int(value[:models].argmax())
            counts[models] += bool(low[best] <= true <= high[best])
    return {models: count / runs for models, count in counts.items()}


def main(runs: str = "1000") -> None:
    """Print the shares."""
    for rows, prevalence in ((200, 0.4), (600, 0.1)):
        shares = ", ".join(f"{m}: {s:.3f}" for m, s in held(rows, prevalence, int(runs)).items())
        print(f"{rows} rows, {prevalence:.0%} positive, best of {shares}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
