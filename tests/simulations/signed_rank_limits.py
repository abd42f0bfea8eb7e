"""How often the limits of all pairs hold together, of tests that know their own quantiles.

``python -m tests.simulations.signed_rank_limits RUNS`` prints a line per situation: the share of
runs in which the simultaneous limits of Wilcoxon's signed-rank test of eleven models and a
baseline hold every true difference. Values of data sets, whose differences are normal or have
heavy tails (t with 3 degrees of freedom); models with one baseline share its deviations.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.comparisons import Question, adjust, signed_rank

MODELS = 11
"""Models that are compared with the baseline."""


def all_held(values: Floats, truth: Floats, correction: str = "bonferroni") -> bool | None:
    """Whether all limits hold the true differences; None where a pair has none.

    ``values`` has a line per data set: those of the baseline, then those of the models.
    """
    base, *others = values.T
    records = [
        signed_rank(
            pl.DataFrame({"first": other, "second": base}),
            Question((f"m{k}", "base"), "mean_error", unit="data sets"),
        )
        for k, other in enumerate(others)
    ]
    rows = adjust(records, correction, "base")
    if any(row.simultaneous_low is None or row.simultaneous_high is None for row in rows):
        return None
    return all(
        (row.simultaneous_low or 0.0) <= true <= (row.simultaneous_high or 0.0)
        for row, true in zip(rows, truth, strict=True)
    )


def share_held(data_sets: int, runs: int, *, heavy: bool = False, seed: int = 0) -> float:
    """The share of runs with limits in which they hold together."""
    random = np.random.default_rng(seed)
    truth = np.linspace(0.0, 2.0, MODELS)
    held = []
    for _ in range(runs):
        size = (data_sets, MODELS + 1)
        noise = random.standard_t(3, size) if heavy else random.standard_normal(size)
        held.append(all_held(noise + np.concatenate([[0.0], truth]), truth))
    return float(np.mean([one for one in held if one is not None]))


def main(runs: int) -> None:
    """Print a line per situation."""
    for data_sets in (9, 12, 20, 40, 80):
        for heavy in (False, True):
            of = "heavy tails" if heavy else "normal"
            print(f"{data_sets} data sets, {of}: {share_held(data_sets, runs, heavy=heavy):.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
