"""Correlations of ranks after rows of two models changed sides, of many exchanges at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from reportgen.array_types import Flags, Floats
from reportgen.rank_orders import Ranks

Exchanged = Callable[[Floats, Floats, Floats, Flags], Floats]
"""Truth and both estimates by row, and which rows change sides, by exchange: the differences."""

MOST_OF_PAIRS = 1_500
"""Of more rows all pairs take longer than the order of each exchange by itself."""


def spearman_differences(truth: Floats, first: Floats, second: Floats, swap: Flags) -> Floats:
    """Spearman's ρ of the first side less that of the second one, for each exchange.

    All estimates are put in order once: the rank of one within its side is the number of those of
    the side up to it, of equal ones the mean. NaN where a side is constant.

    >>> values = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])
    >>> spearman_differences(*values, np.array([[False] * 3, [True] * 3])).round(9).tolist()
    [2.0, -2.0]
    """
    size, pool = len(truth), np.concatenate([first, second])
    order = np.argsort(pool, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(pool[order]) > 0))
    centre = (size + 1) / 2
    centred = Ranks.of(truth).means - centre
    of_truth, spread = centred[order % size], float(np.square(centred).sum())
    is_first, rho = np.concatenate([~swap, swap], axis=1)[:, order], []
    for side in (is_first, ~is_first):
        count = np.add.reduceat(side, starts, axis=1, dtype=np.float64)
        rank = np.cumsum(count, axis=1) - (count - 1) / 2 - centre
        together = np.add.reduceat(np.where(side, of_truth, 0.0), starts, axis=1)
        squares = np.einsum("ek,ek,ek->e", rank, rank, count)
        with np.errstate(divide="ignore", invalid="ignore"):
            rho.append(np.einsum("ek,ek->e", rank, together) / np.sqrt(squares * spread))
    difference: Floats = rho[0] - rho[1]
    return difference


def kendall_differences(truth: Floats, first: Floats, second: Floats, swap: Flags) -> Floats:
    """Kendall's τ-b of the first side less that of the second one, for each exchange.

    Sums over all pairs of rows are quadratic forms of which rows changed sides; their terms are
    whole numbers, which floats of 32 bits add up exactly. NaN where a side is constant.

    >>> values = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])
    >>> kendall_differences(*values, np.array([[False] * 3, [True] * 3])).tolist()
    [2.0, -2.0]
    """
    of_truth = _signs(truth, truth)
    untied = float(np.abs(of_truth).sum(dtype=np.float64)) / 2
    kinds = [_signs(a, b) for a, b in ((first, first), (first, second), (second, second))]
    tau = []
    for kept in (~swap, swap):
        agreeing = _of_pairs([of_truth * kind for kind in kinds], kept)
        unequal = _of_pairs([np.abs(kind) for kind in kinds], kept)
        with np.errstate(divide="ignore", invalid="ignore"):
            tau.append(agreeing / np.sqrt(untied * unequal))
    difference: Floats = tau[0] - tau[1]
    return difference


BY_RANKS: Mapping[str, tuple[Exchanged, int | None]] = {
    "spearman_rho": (spearman_differences, None),
    "kendall_tau": (kendall_differences, MOST_OF_PAIRS),
}
"""What gives the differences of a measure, and of how many rows at most."""


def _of_pairs(terms: Sequence[Floats], kept: Flags) -> Floats:
    """Sums over the pairs of rows of which both, one or none are kept, for each exchange."""
    keep = kept.astype(np.float32)
    gone = 1 - keep
    both, one, none = terms
    parts = keep @ both * keep, 2 * (keep @ one * gone), gone @ none * gone
    total: Floats = np.sum([part.sum(axis=1, dtype=np.float64) for part in parts], axis=0) / 2
    return total


def _signs(one: Floats, other: Floats) -> Floats:
    """Of each pair of rows, whether the first value is above or below the second one."""
    return np.sign(one[:, None] - other[None, :]).astype(np.float32)
