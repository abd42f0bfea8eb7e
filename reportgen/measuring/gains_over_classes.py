"""The accuracy above the share of each class: which of many has the lowest limit."""

from __future__ import annotations

import numpy as np

from reportgen.array_types import Floats, Indices
from reportgen.clusters import Effect, correction, degrees_of_freedom_of_powers
from reportgen.intervals.modified_wilson import modified_wilson
from reportgen.measuring.cell_slopes import GAIN, OneMore, span

FEW = 20
"""Up to so many classes each is looked at."""

FLAT = 1e-18
"""Variances of measures that are rounding."""

_NEAR = 1e-9
"""Limits that differ by less are not told apart before they are computed one by one."""

_ADDS = np.array([0.0, 1.0, -1.0, 0.0])[:, None]
"""What a row adds to the gain over a class: those of the class that are correct and the other
correct ones, those of the class that are not correct, and the rest."""


def lowest_of(more: OneMore, gains: Floats) -> Indices:
    """Places of the classes whose lower limits may be the least, from the gain over each.

    All cells add to the variance of each gain in one of four ways, so that sums by class give
    those of all classes at once, but for rounding. Of rows in groups these are all classes.
    """
    cells, places = more.cells, np.arange(len(gains))
    if len(gains) <= FEW or cells.of_several_rows is not None:
        return places
    with np.errstate(divide="ignore", invalid="ignore"):
        expected, rows = _effective_rows(more)
        lowest, width = span(GAIN, cells)
        share, centre = (gains - lowest) / width, (expected - lowest) / width
        trials = centre * (1 - centre) * width**2 * rows
        low, _ = modified_wilson(share, trials, more.confidence)
    sure = (rows < 1 / FLAT) & (np.abs(share - 1 / 2) <= 1 / 2) & (np.abs(centre - 1 / 2) < 1 / 2)
    if not sure.any():
        return places
    return np.flatnonzero(~(sure & (low > low[sure].min() + _NEAR)))


def _effective_rows(more: OneMore) -> tuple[Floats, Floats]:
    """The gain over each class with the one row more, and one over its variance, widened by t."""
    table, cells = more.table, more.cells
    expected = (_ADDS * _by_kind(table.count)).sum(axis=0) / table.mass
    influence = (_ADDS - expected) / table.mass
    weight = np.divide(
        cells.squares, cells.count, where=cells.count > 0, out=np.zeros_like(cells.count)
    )
    squared = np.square(influence)
    second = (_by_kind(cells.squares) * squared).sum(axis=0)
    second += (_by_kind(more.share) * more.weight**2 * squared).sum(axis=0)
    fourth = (_by_kind(cells.squares * np.square(weight)) * np.square(squared)).sum(axis=0)
    units = cells.mass / more.weight + 1
    inflation = [
        Effect(1.0, degrees_of_freedom_of_powers(two, four, round(units))).inflation(
            more.confidence
        )
        for two, four in zip(second.tolist(), fourth.tolist(), strict=True)
    ]
    return expected, 1 / (second * correction(units) * np.array(inflation))


def _by_kind(of_cell: Floats) -> Floats:
    """What cells of each kind have in sum, by class.

    >>> _by_kind(np.array([[8.0, 2.0], [1.0, 4.0]])).tolist()
    [[8.0, 4.0], [4.0, 8.0], [2.0, 1.0], [1.0, 2.0]]
    """
    own, row = np.diag(of_cell), of_cell.sum(axis=1)
    right, missed = own.sum() - own, row - own
    return np.stack([own, right, missed, row.sum() - row - right])
