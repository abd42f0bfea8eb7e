"""Limits of measures of ordered classes: ``python -m tests.simulations.ordered_classes RUNS``.

Prints the share of data sets whose 95 % limits hold the true value, of those that have limits, and
their mean width: of independent rows, and of 600 rows in groups of one size, of sizes that grow to
four times the smallest and with 70 % of the rows in one. Five classes, of a truth and an estimate
that share a signal, each with a part that the rows of a group have in common.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import polars as pl

from reportgen.measuring.cell_slopes import SMOOTH, TableCells
from reportgen.measuring.table_limits import cell_limits
from tests.coverage.designs import Floats
from tests.simulations.one_large_group import Unequal

NAMES = ("accuracy_within_one", "mean_class_error", "class_bias", "quadratic_kappa", "mcc")
CUTS = np.array([-1.2, -0.4, 0.4, 1.2])
CLASSES = len(CUTS) + 1


@dataclass(frozen=True)
class Design:
    """Rows of their own, or in groups, whose estimates err by ``noise`` standard deviations."""

    rows: Unequal
    noise: float = 0.7

    def cells(self, random: np.random.Generator) -> TableCells:
        """The table of one data set."""
        sizes = self.rows.sizes(random, self.rows.groups)
        code = np.repeat(np.arange(len(sizes)), sizes)
        share = self.rows.correlation

        def shared() -> Floats:
            of_group, of_row = random.normal(size=len(sizes)), random.normal(size=len(code))
            result: Floats = np.sqrt(share) * of_group[code] + np.sqrt(1 - share) * of_row
            return result

        truth = shared()
        estimate = (truth + self.noise * shared()) / np.sqrt(1 + self.noise**2)
        frame = pl.DataFrame(
            {
                "group": code,
                "truth": np.searchsorted(CUTS, truth),
                "predicted": np.searchsorted(CUTS, estimate),
            }
        )
        table = np.zeros((CLASSES, CLASSES))
        np.add.at(table, (frame["truth"].to_numpy(), frame["predicted"].to_numpy()), 1)
        by_group = frame.group_by("group", "truth", "predicted", maintain_order=True).agg(
            pl.len().cast(pl.Float64).alias("count")
        )
        alone = bool((sizes == 1).all())
        return TableCells(table, table, None if alone else by_group)

    @cached_property
    def truth(self) -> dict[str, float]:
        """The measures of the population, which has the correlation of rows and of groups alike."""
        alone = Design(Unequal(400_000, 1, 0.0), self.noise)
        return _values(alone.cells(np.random.default_rng(7)))


def _values(cells: TableCells) -> dict[str, float]:
    return {name: SMOOTH[name](cells)[0] for name in NAMES}


def coverage(design: Design, runs: int) -> dict[str, tuple[float, float]]:
    """By measure the share of limits that hold, of those that there are, and the mean width."""
    random, held = np.random.default_rng(11), {name: list[tuple[bool, float]]() for name in NAMES}
    for _ in range(runs):
        cells = design.cells(random)
        for name, (low, high) in cell_limits(cells, _values(cells), 0.95).items():
            held[name].append((low <= design.truth[name] <= high, high - low))
    return {name: tuple(np.mean(of, axis=0)) for name, of in held.items() if of}


def main(runs: int) -> None:
    """Print a line per design."""
    alone = [Unequal(rows, 1, 0.0) for rows in (30, 100, 400)]
    grouped = [
        Unequal(groups, 600 // groups, icc, kind=kind)
        for groups, kind, icc in product(
            (12, 40), ("equal", "one to four", "70 % in one"), (0.0, 0.1, 0.5)
        )
    ]
    for rows in (*alone, *grouped):
        of = coverage(Design(rows), runs)
        texts = ", ".join(f"{name} {held:.3f} ({width:.2f})" for name, (held, width) in of.items())
        what = f"{rows.groups} groups, {rows.kind}, {rows.correlation:g}"
        print(f"- {f'{rows.groups} rows' if rows.rows == 1 else what}: {texts}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
