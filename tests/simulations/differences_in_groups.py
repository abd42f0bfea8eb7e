"""Differences of measures in unequal groups: ``python -m tests.simulations.differences_in_groups``.

Two models are alike, so that limits which leave out 0 are wrong. 600 rows in 8, 15 and 40 groups,
of one size or with 35 % or 70 % of the rows in one; truth and scores share a part within a group.
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np

from reportgen.comparisons import metric_differences as of
from reportgen.comparisons.joint_cells import CELLS
from reportgen.comparisons.metric_differences import half_widths_of_groups
from reportgen.intervals.delta import influences
from reportgen.metrics import METRICS
from tests.simulations.half_rows import MEASURES, Floats

ROWS = 600


def counts_by_group(random: np.random.Generator, sizes: list[int], icc: float) -> Floats:
    """The rows of each group by truth and both predictions: group × cell."""
    code = np.repeat(np.arange(len(sizes)), sizes)

    def shared() -> Floats:
        of_group, of_row = random.normal(size=len(sizes)), random.normal(size=len(code))
        result: Floats = np.sqrt(icc) * of_group[code] + np.sqrt(1 - icc) * of_row
        return result

    truth = random.random(len(code)) < 0.4
    first, second = (truth * 1.2 + shared() > 0.8 for _ in range(2))
    cell = 4 * ~truth + 2 * ~first + ~second
    table = np.bincount(code * len(CELLS) + cell, minlength=len(sizes) * len(CELLS))
    return table.reshape(len(sizes), -1).astype(float)


def rates(groups: int, share: float, icc: float, runs: int) -> dict[str, float]:
    """By measure the share of data sets whose limits leave out 0; 0 is as large as the others."""
    others = round(ROWS * (1 - share) / (groups - 1)) if share else ROWS // groups
    sizes = [round(ROWS * share) if share else others, *[others] * (groups - 1)]
    random, evaluate = np.random.default_rng(3), of._evaluation([METRICS[m] for m in MEASURES], {})
    tables = [counts_by_group(random, sizes, icc) for _ in range(runs)]
    counts = np.array([table.sum(axis=0) for table in tables])
    halved, squares = of._with_halves(counts, counts)
    adds = influences(evaluate, halved)
    widths = half_widths_of_groups(adds, tables, counts, 0.95, squares > counts)
    left_out = (np.abs(evaluate(counts)) > widths).mean(axis=0)
    return dict(zip(MEASURES, left_out.tolist(), strict=True))


def main(runs: int) -> None:
    """Print a line per design."""
    for groups, share, icc in product((8, 15, 40), (0.0, 0.35, 0.7), (0.0, 0.1, 0.5)):
        values = ", ".join(f"{m} {s:.3f}" for m, s in rates(groups, share, icc, runs).items())
        print(f"- {groups} groups, {share:.0%} in one, {icc:g}: {values}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
