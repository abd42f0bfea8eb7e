"""Shares near 1 of rows in groups: ``python -m tests.simulations.shares_at_one 800``.

Specificities of groups are drawn about their mean, recalls about 0.8, with one intraclass
correlation. Often there is no false alarm at all, and the share has no variance: how often its
limits hold the mean, and how wide they are then.
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl

from reportgen.clusters import Groups
from reportgen.intervals.proportions import wilson_modified
from reportgen.measuring.cell_effects import LEAST_OF_SHARE, CellTable
from reportgen.metric_names import CELLS

DESIGNS = ((40, 15), (10, 100), (8, 250))
"""Groups, and rows in each."""


def limits_of_specificity(table: CellTable) -> tuple[float, float]:
    """Those by the effect of the groups."""
    counts = dict(zip(CELLS, table.totals, strict=True))
    rows = counts["tn"] + counts["fp"]
    share = counts["tn"] / rows
    of = {"tn": (1 - share) / rows, "fp": -share / rows} if 0 < share < 1 else {}
    contribution = np.array([of.get(cell, 0.0) for cell in CELLS])
    times = max(1.0, table.effect(contribution, ("tn", "fp"), LEAST_OF_SHARE).inflation(0.95))
    return wilson_modified(counts["tn"] / times, rows / times)


def covered(
    groups: int, rows: int, specificity: float, correlation: float, runs: int
) -> tuple[float, float, float]:
    """The share of limits that hold it, that of data sets without a false alarm.

    And the mean of the lower limit in these.
    """
    random, code = np.random.default_rng(groups), np.repeat(np.arange(groups), rows)
    spread, held, lower = 1 / correlation - 1, 0, []
    for _ in range(runs):
        of_groups = [
            random.beta(mean * spread, (1 - mean) * spread, groups) for mean in (specificity, 0.8)
        ]
        truth, chance = random.random(len(code)) < 0.3, random.random(len(code))
        predicted = np.where(truth, chance < of_groups[1][code], chance > of_groups[0][code])
        table = CellTable.of(truth, predicted, Groups.of(pl.Series(code)))
        low, high = limits_of_specificity(table)
        held += low <= specificity <= high
        if not table.totals[CELLS.index("fp")]:
            lower.append(low)
    return held / runs, len(lower) / runs, float(np.mean(lower)) if lower else float("nan")


def main(runs: str = "800") -> None:
    """Print a line per design."""
    for groups, rows in DESIGNS:
        for correlation in (0.02, 0.1, 0.3):
            for specificity in (0.999, 0.995, 0.98):
                held, none, low = covered(groups, rows, specificity, correlation, int(runs))
                print(
                    f"{groups} × {rows}, correlation {correlation}, {specificity}: {held:.3f}; "
                    f"no false alarm in {none:.3f}, lower limit then {low:.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main(*sys.argv[1:])
