"""Rank correlations of the pairs without those of each group, in the time of a few of them all."""

from __future__ import annotations

import math

import numpy as np

from reportgen.array_types import Flags, Floats, Integers
from reportgen.rank_influences import pair_signs
from reportgen.rank_orders import Ranks, agreement


def kendall_without_each(first: Floats, second: Floats, group: Integers, number: int) -> Floats:
    """Kendall's τ-b without the pairs of each group; NaN where either is constant.

    Formula: (S − Σ s + S_g)/√(pairs that are not tied in y · those not tied in f), s the
    concordant less the discordant pairs of a row, with all rows, summed over those of the group,
    S their half sum over all rows, and S_g that among the rows of the group alone.

    >>> values = np.array([1.0, 2.0, 3.0, 4.0])
    >>> kendall_without_each(values, np.array([1.0, 2.0, 4.0, 3.0]), np.array([0, 0, 1, 1]), 2)
    array([-1.,  1.])
    """
    of_groups = np.zeros(number, np.int64)
    ranks = Ranks.of(first), Ranks.of(second)
    np.add.at(of_groups, group, pair_signs(*ranks))
    without = np.full(number, np.nan)
    for g, here in enumerate(_members(group, number)):
        rest = len(group) - len(here)
        within, *_ = agreement(Ranks.of(first[here]), Ranks.of(second[here]))
        agreeing = int(of_groups.sum()) // 2 - int(of_groups[g]) + within
        untied = [rest * (rest - 1) // 2 - _tied_without(r, here) for r in ranks]
        if all(untied):
            tau = agreeing / math.sqrt(untied[0]) / math.sqrt(untied[1])
            without[g] = min(1.0, max(-1.0, tau))
    return without


def spearman_without_each(first: Floats, second: Floats, group: Integers, number: int) -> Floats:
    """Spearman's ρ without the pairs of each group; NaN where either is constant.

    Formula: Pearson's r of the mean ranks among the rest.

    >>> values = np.array([1.0, 2.0, 3.0, 4.0])
    >>> spearman_without_each(values, np.array([1.0, 2.0, 4.0, 3.0]), np.array([0, 0, 1, 1]), 2)
    array([-1.,  1.])
    """
    numbers = [(ranks.numbers, ranks.sizes) for ranks in map(Ranks.of, (first, second))]
    without = np.full(number, np.nan)
    for g in range(number):
        rest = group != g
        a, b = (_ranks_of(rest, *one) for one in numbers)
        products, *squares = (float(column.sum()) for column in (a * b, a**2, b**2))
        whole = math.sqrt(math.prod(squares))
        if whole:
            without[g] = min(1.0, max(-1.0, products / whole))
    return without


def _members(group: Integers, number: int) -> list[Integers]:
    """The rows of each group."""
    order = np.argsort(group, kind="stable")
    return np.split(order, np.cumsum(np.bincount(group, minlength=number))[:-1])


def _tied_without(ranks: Ranks, rows: Integers) -> int:
    """Pairs of equal values without these rows."""
    if not ranks.tied_pairs:
        return 0
    sizes = ranks.sizes - np.bincount(ranks.numbers[rows], minlength=len(ranks.first))
    return int((sizes * (sizes - 1) // 2).sum())


def _ranks_of(rest: Flags, numbers: Integers, sizes: Integers) -> Floats:
    """Mean ranks of some rows among themselves, about their mean, by the numbers of the values."""
    there = numbers[rest]
    counts = np.bincount(there, minlength=len(sizes))
    means = np.cumsum(counts) - (counts - 1) / 2
    ranks: Floats = means[there]
    return ranks - ranks.mean() if len(ranks) else ranks
