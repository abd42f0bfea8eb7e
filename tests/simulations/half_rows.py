"""Differences of measures of counts where models rarely differ: ``… tests.simulations.half_rows``.

Of models that are alike, limits which leave out 0 are wrong; of unlike ones, those which leave out
the true difference. They are computed with half a row more in the cells of rows on which
the models differ, where one or both of them are empty, and without it; of rows alone and in groups.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from reportgen.comparisons import metric_differences as of
from reportgen.comparisons.joint_cells import CELLS
from reportgen.comparisons.metric_differences import half_widths_of_groups
from reportgen.intervals.delta import delta_variances, influences
from reportgen.intervals.shapes import normal_quantile
from reportgen.metrics import METRICS

Floats = npt.NDArray[np.float64]

MEASURES = ("precision", "f1", "mcc", "balanced_accuracy", "cohen_kappa", "informedness")


@dataclass(frozen=True)
class Design:
    """Rows, groups, positives, and the shares on which models differ and on which both are wrong.

    Of the rows of a group a share of √``correlation`` repeats one of them. ``behind`` is the part
    of the rows on which models differ where the first alone is right, of either class.
    """

    rows: int
    size: int
    prevalence: float
    differ: float
    both_wrong: float = 0.1
    correlation: float = 0.0
    behind: float = 0.5

    def cells(self) -> Floats:
        """The probability of each of ``CELLS``."""
        right = {
            (True, True): 1 - self.differ - self.both_wrong,
            (True, False): self.differ * self.behind,
            (False, True): self.differ * (1 - self.behind),
            (False, False): self.both_wrong,
        }
        shares = [
            (self.prevalence if truth else 1 - self.prevalence)
            * right[(first == truth, second == truth)]
            for truth, first, second in CELLS
        ]
        return np.array(shares)

    def tables(self, random: np.random.Generator, runs: int) -> Floats:
        """Counts by run, group and cell, in the order of ``CELLS``."""
        groups, shares = self.rows // self.size, self.cells()
        cell = random.choice(8, (runs, groups, self.size), p=shares)
        copies = random.random(cell.shape) < sqrt(self.correlation)
        leading = random.choice(8, (runs, groups, 1), p=shares)
        cell = np.where(copies, leading, cell)
        return (cell[..., None] == np.arange(8)).sum(axis=2).astype(float)


def _rejects(gaps: Floats, half_widths: Floats) -> Floats:
    """Share of data sets whose limits leave out 0, by measure."""
    return (np.abs(gaps) > half_widths).mean(axis=0)


FEWEST = 10
"""Rows of either class of the data sets that count, and at least one on which the models differ."""


def rates(design: Design, runs: int, seed: int = 0) -> Iterator[tuple[str, Floats]]:
    """By the form of the limits the share that leaves out the true difference, by measure."""
    evaluate = of._evaluation([METRICS[m] for m in MEASURES], {})
    tables = design.tables(np.random.default_rng(seed), runs)
    counts = tables.sum(axis=1)
    if design.behind != 0.5:
        positive, differ = counts[:, :4].sum(axis=1), counts[:, [1, 2, 5, 6]].sum(axis=1)
        kept = (np.minimum(positive, design.rows - positive) >= FEWEST) & (differ > 0)
        tables, counts = tables[kept], counts[kept]
    gaps = evaluate(counts) - evaluate(1e9 * design.cells()[None])
    if design.size == 1:
        z = normal_quantile(0.95)
        yield "without", _rejects(gaps, z * np.sqrt(delta_variances(evaluate, counts, counts)))
        halves = of._with_halves(counts, counts)
        yield "half a row", _rejects(gaps, z * np.sqrt(delta_variances(evaluate, *halves)))
        return
    for name, widths in _of_groups(evaluate, counts, tables):
        yield name, _rejects(gaps, widths)


def _of_groups(
    evaluate: of.Evaluate, counts: Floats, tables: Floats
) -> Iterator[tuple[str, Floats]]:
    halved, squares = of._with_halves(counts, counts)
    for name, cells, more in (("without", counts, counts), ("half a row", halved, squares)):
        influence = influences(evaluate, cells)
        yield name, half_widths_of_groups(influence, list(tables), counts, 0.95, more > counts)


def designs() -> Sequence[Design]:
    """The designs that are run."""
    alone = [
        Design(n, 1, prevalence, differ)
        for n in (50, 200, 1000)
        for prevalence in (0.1, 0.5)
        for differ in (0.02, 0.05, 0.2)
    ]
    grouped = [
        Design(groups * 5, 5, prevalence, differ, correlation=0.3)
        for groups in (20, 60)
        for prevalence in (0.1, 0.5)
        for differ in (0.02, 0.05, 0.2)
    ]
    rare = [
        Design(rows, size, prevalence, differ, 0.05, correlation, behind=0.1)
        for rows, size, prevalence in ((300, 1, 0.05), (200, 5, 0.08), (600, 15, 0.03))
        for differ in (0.05, 0.1)
        for correlation in ((0.0,) if size == 1 else (0.0, 0.3))
    ]
    return [*alone, *grouped, *rare]


def main(runs: str = "2000") -> None:
    """Print the shares."""
    for design in designs():
        for name, shares in rates(design, int(runs)):
            values = ", ".join(f"{m} {s:.3f}" for m, s in zip(MEASURES, shares, strict=True))
            print(f"{design}: {name}: {values}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
