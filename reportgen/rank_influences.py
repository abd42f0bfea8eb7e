"""What each row adds to a rank correlation, and correlations without each group of rows."""

from __future__ import annotations

import math

import numpy as np

from reportgen.array_types import Flags, Floats, Integers
from reportgen.rank_orders import Ranks, agreement, earlier_and_lower


def of_spearman(first: Floats, second: Floats) -> Floats:
    """What each pair adds to Spearman's ρ, from the ranks of its values and those it shifts.

    Formula: (c − C)/√(UV) − ρ/2·((u − U)/U + (v − V)/V), C = Σ ab/n, U and V alike, a and b
    centred mean ranks over n; c = ab + Σ_j h(y_j, y)·b_j/n + Σ_j a_j·h(f_j, f)/n − 2C,
    h 1 where the second value is larger, ½ where it is the same; u = a² + 2·Σ_j h·a_j/n − 2U.
    Undefined: NaN where either is constant.
    Reference: Croux & Dehon (2010), doi:10.1007/s10260-010-0142-z.

    >>> of_spearman(np.arange(4.0), np.arange(4.0)).tolist()
    [0.0, 0.0, 0.0, 0.0]
    """
    number = len(first)
    ranks = Ranks.of(first), Ranks.of(second)
    a, b = ((r.means - (number + 1) / 2) / number for r in ranks)
    both, of_a, of_b = (float(product.sum()) / number for product in (a * b, a * a, b * b))
    if not (of_a > 0 and of_b > 0):
        return np.full(number, np.nan)
    added = a * b + _of_upper(ranks[0], b) + _of_upper(ranks[1], a) - 3 * both
    of_first, of_second = (
        v * v + 2 * _of_upper(rank, v) - 3 * square
        for v, rank, square in ((a, ranks[0], of_a), (b, ranks[1], of_b))
    )
    whole = math.sqrt(of_a * of_b)
    return _unrounded(added / whole - both / whole / 2 * (of_first / of_a + of_second / of_b))


def of_kendall(first: Floats, second: Floats) -> Floats:
    """What each pair adds to Kendall's τ-b.

    Formula: 2·((s − S)/√(UV) − τ/2·((u − U)/U + (v − V)/V)), s the concordant less the discordant
    pairs of the row, u and v those that are not tied in either, over n; S, U and V their means.
    Undefined: NaN where either is constant.
    Reference: Cliff & Charlin (1991), doi:10.1207/s15327906mbr2604_6; Croux & Dehon (2010),
    doi:10.1007/s10260-010-0142-z.

    >>> of_kendall(np.arange(4.0), np.array([0.0, 1.0, 3.0, 2.0])).round(3).tolist()
    [0.667, 0.667, -0.667, -0.667]
    """
    number, both = len(first), (Ranks.of(first), Ranks.of(second))
    agreeing = pair_signs(*both) / number
    untied = [1 - ranks.sizes[ranks.numbers] / number for ranks in both]
    mean, of_first, of_second = (float(v.mean()) for v in (agreeing, *untied))
    if not (of_first > 0 and of_second > 0):
        return np.full(number, np.nan)
    whole = math.sqrt(of_first * of_second)
    relative = untied[0] / of_first + untied[1] / of_second - 2
    return _unrounded(2 * ((agreeing - mean) / whole - mean / whole / 2 * relative))


def pair_signs(first: Ranks, second: Ranks) -> Integers:
    """Of each row the pairs with it that are concordant, less those that are discordant.

    >>> values = np.array([1.0, 2.0, 2.0]), np.array([5.0, 4.0, 6.0])
    >>> pair_signs(*map(Ranks.of, values)).tolist()
    [0, -1, 1]
    """
    y, f = first.numbers, second.numbers
    number = len(y)
    if not (first.tied_pairs or second.tied_pairs):
        below = np.empty(number, np.int64)
        below[second.order] = earlier_and_lower(y[second.order])
        return 4 * below - 2 * (y + f) + number - 1
    below, above = _below_both(y, f), _below_both(y.max() - y, f.max() - f)
    in_both = Ranks.of((y * number + f).astype(np.float64))
    tied = [r.sizes[r.numbers] for r in (first, second, in_both)]
    return 2 * (below + above) - number + tied[0] + tied[1] - tied[2]


def _of_upper(ranks: Ranks, values: Floats) -> Floats:
    """Of each row the mean over all rows of the values of those above it, of equal ones half."""
    sums = np.add.reduceat(values[ranks.order], ranks.first)
    result = np.empty(len(values))
    result[ranks.order] = np.repeat(sums.sum() - np.cumsum(sums) + sums / 2, ranks.sizes)
    return result / len(values)


def _unrounded(added: Floats) -> Floats:
    """Without the rounding of rows that add nothing."""
    return np.where(np.abs(added) < 1e-12, 0.0, added)


def _below_both(first: Integers, second: Integers) -> Integers:
    """Of each row the rows that are below it in both, of integers from 0 to their number."""
    number = len(first)
    order = np.argsort((first + 1) * number - second)
    by_second = np.argsort(second[order] * number + np.arange(number, 0, -1))
    counts = np.empty(number, np.int64)
    counts[order[by_second]] = earlier_and_lower(by_second)
    return counts


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
