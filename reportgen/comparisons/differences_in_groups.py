"""Intervals of differences of measures of counts where rows come in groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from reportgen.array_types import Floats, chunks
from reportgen.clusters import Effect, degrees_of_freedom, degrees_of_freedom_of_powers, t_quantile
from reportgen.leverage import common_correlation, jackknife_sums

_NOISE = 1e-9
"""A cell that contributes less than this share of what the others do contributes nothing."""

LARGE = 0.02
"""Where no group has this share of the rows, none pulls an estimate towards itself."""


def half_widths_of_groups(
    influence: Floats,
    by_group: Sequence[Floats],
    squares: Floats,
    confidence: float,
) -> Floats:
    """Half the width of each interval, pair × metric, from the sums of the groups.

    Only groups with a row in a cell that matters count as groups: of recall those
    with a positive. ``squares`` are the squared weights of the rows, pair × cell. Where a
    group has ``LARGE`` or more of these rows the variance is the jackknife's over groups, or that
    of one intraclass correlation of all groups where limits are wider by it.
    Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181.
    """
    half_widths = np.full(influence.shape[:2], np.nan)
    for pair, counts in enumerate(by_group):
        defined = np.flatnonzero(np.isfinite(influence[pair]).all(axis=1))
        size = np.abs(influence[pair, defined])
        active = size > _NOISE * size.max(axis=1, keepdims=True, initial=1e-300)
        adds = np.where(active, influence[pair, defined], 0.0)
        of_cells = {cells: _sizes(counts, cells) for cells in map(_cells, active)}
        second, fourth = _moments(counts, adds)
        for k, (metric, cells) in enumerate(
            zip(defined.tolist(), map(_cells, active), strict=True)
        ):
            sizes = of_cells[cells]
            number = int(np.count_nonzero(sizes))
            if not (second[k] > 0 and number > 1):
                continue
            if sizes.max() < LARGE * sizes.sum():
                freedom = degrees_of_freedom_of_powers(second[k], fourth[k], number)
                effect = Effect(second[k] * number / (number - 1), freedom)
            else:
                of_rows = float(squares[pair] @ adds[k] ** 2)
                rows = float(sizes.sum()) ** 2 / float(squares[pair, cells].sum())
                effect = _with_large(counts @ adds[k], sizes, rows, of_rows)
            error = effect.design**0.5
            half_widths[pair, metric] = error * t_quantile(confidence, effect.degrees_of_freedom)
    return half_widths


def _with_large(sums: Floats, sizes: Floats, rows: float, squares: float) -> Effect:
    """Variance and degrees of freedom from what groups of these sizes add, and rows squared.

    ``rows`` is how many of equal weight these are worth.
    """
    present = sizes > 0
    sums, shares = sums[present], sizes[present] / sizes.sum()
    number = len(sums)
    pulled = jackknife_sums(sums, shares) * (1 - 1 / number)
    variance = float(np.square(pulled).sum()) * number / (number - 1)
    robust = Effect(variance, degrees_of_freedom(pulled))
    return robust.or_wider(*common_correlation(sums, shares, rows, squares))


def _sizes(counts: Floats, cells: tuple[int, ...]) -> Floats:
    """The rows of each group in these cells."""
    sizes: Floats = counts[:, cells].sum(axis=1)
    return sizes


def _cells(active: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(np.flatnonzero(active).tolist())


def _moments(counts: Floats, influence: Floats) -> tuple[list[float], list[float]]:
    """Sums over the groups of the squares and fourth powers of each metric's sum by group."""
    second, fourth = (np.zeros(len(influence)) for _ in range(2))
    for part in chunks(len(counts)):
        sums = np.square(influence @ counts[part].T)
        second += sums.sum(axis=1)
        fourth += np.square(sums, out=sums).sum(axis=1)
    return second.tolist(), fourth.tolist()
