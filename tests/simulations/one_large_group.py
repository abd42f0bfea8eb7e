"""Limits where groups are of unequal size: ``python -m tests.simulations.one_large_group RUNS``.

Prints by design and measure the share of data sets whose 95 % limits hold the true value, of those
that have limits, and their mean width: 600 rows in 8, 15 and 40 groups of one size, of sizes that
grow to four times the smallest, and with 70 % of the rows in one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from tests.whole.test_results_groups_coverage import Setting, Sizes, binary, numbers

ROWS = 600
OF_CLASSES = ("accuracy", "f1", "balanced_accuracy", "mcc", "auc", "brier_score")
OF_NUMBERS = ("mean_absolute_error",)


@dataclass(frozen=True)
class Unequal(Setting):
    """``kind`` says of what sizes the groups are."""

    kind: str = "equal"

    def sizes(self, random: np.random.Generator, groups: int) -> Sizes:
        """The rows of each group."""
        if self.kind == "equal":
            return super().sizes(random, groups)
        if self.kind == "one to four":
            shares = np.linspace(1, 4, groups)
        else:
            shares = np.array([0.7, *[0.3 / (groups - 1)] * (groups - 1)])
        return np.maximum(1, np.round(ROWS * shares / shares.sum())).astype(np.int64)


@cache
def truth(correlation: float) -> Mapping[str, float]:
    """The measures of 8,000 groups of one size: those of the population."""
    rows = Setting(8_000, 15, correlation).drawn(np.random.default_rng(70))
    return {
        name: row["value"]
        for measure in (binary, numbers)
        for name, row in measure([rows])[0].items()
    }


def coverage(setting: Unequal, runs: int) -> dict[str, tuple[float, float]]:
    """By measure the share of limits that hold, of those that there are, and the mean width."""
    result = {}
    of_tasks: Sequence[tuple[Any, Sequence[str]]] = ((binary, OF_CLASSES), (numbers, OF_NUMBERS))
    for measure, names in of_tasks:
        random = np.random.default_rng([70, setting.groups, round(10 * setting.correlation)])
        samples = measure([setting.drawn(random) for _ in range(runs)])
        for name in names:
            true = truth(setting.correlation)[name]
            rows = [row[name] for row in samples if row[name]["low"] is not None]
            held = [row["low"] <= true <= row["high"] for row in rows]
            width = [row["high"] - row["low"] for row in rows]
            result[name] = float(np.mean(held)), float(np.mean(width))
    return result


def main(runs: int) -> None:
    """Print a line per design."""
    kinds = ("equal", "one to four", "70 % in one")
    for groups, kind, icc in product((8, 15, 40), kinds, (0.0, 0.1, 0.5)):
        of = coverage(Unequal(groups, ROWS // groups, icc, kind=kind), runs)
        texts = ", ".join(f"{name} {held:.3f} ({width:.3f})" for name, (held, width) in of.items())
        print(f"- {groups} groups, {kind}, {icc:g}: {texts}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
