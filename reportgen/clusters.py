"""Rows in groups that depend on each other: sums by group, robust variances, design effects.

A mean, a share, an AUC or any smooth function of sums is, but for terms of lower
order, a constant plus a sum over the rows of what each one contributes: its
influence. Rows of one group may depend on each other, groups may not, so that
the variance of the sum is that of the sums by group.
Liang & Zeger (1986), doi:10.1093/biomet/73.1.13; Rao & Scott (1992), doi:10.2307/2532311.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import ndtri, stdtrit

from reportgen.array_types import Flags, Floats, Indices, Integers
from reportgen.integer_sort import first_of_runs
from reportgen.leverage import GroupSizes

Hashes = npt.NDArray[np.uint64]

FEW = 30
"""With fewer groups than this, limits that allow for them are rough."""

_ORDINARY = 100
"""Powers of two within which fourth powers, and their sums, are floats with all their digits."""


@dataclass(frozen=True)
class Groups:
    """Which rows belong together: ``code`` has the group of each row, from 0 to ``number`` − 1.

    Where rows of a group that are alike stand together, ``counts`` says for how many each does.
    """

    code: Integers
    number: int
    counts: Floats | None = None

    @classmethod
    def of(cls, column: pl.Series) -> Groups:
        """The groups that a column names; a row without a name is a group of its own.

        Integers keep their order. Other names are compared by hashes of 64 bits:
        the chance that two of a million groups are taken for one is 3 in 100 million.

        >>> groups = Groups.of(pl.Series(["b", "a", None, "b", None]))
        >>> groups.number, sorted(groups.sizes.tolist())
        (4, [1, 1, 1, 2])
        """
        if column.null_count():
            has_group, named = column.is_not_null().to_numpy(), cls.of(column.drop_nulls())
            alone = column.null_count()
            code = np.empty(len(column), np.int64)
            code[has_group], code[~has_group] = named.code, named.number + np.arange(alone)
            return cls(code, named.number + alone)
        if not column.dtype.is_integer():
            return cls(*ranks_of_hashes(column.hash().to_numpy()))
        code = column.to_numpy()
        if len(code) and (code.min() < 0 or code.max() >= 4 * len(code)):
            code = column.rank("dense").to_numpy() - 1
        code = code.astype(np.int64, copy=False)
        return _dense(code, int(code.max(initial=-1)) + 1)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.code) if self.counts is None else int(self.counts.sum())

    @cached_property
    def sizes(self) -> Integers:
        """Rows of each group."""
        sizes = np.bincount(self.code, self.counts, self.number)
        return sizes if self.counts is None else sizes.astype(np.int64)

    @property
    def single(self) -> bool:
        """Whether each row is a group of its own, so that all rows are independent."""
        return self.number == self.rows

    def among(self, rows: Flags | Indices) -> Groups:
        """The groups of some of the rows; those without such a row are left out.

        >>> groups = Groups.of(pl.Series(["a", "a", "b", "c"]))
        >>> groups.among(np.array([True, True, False, True])).number
        2
        """
        return _dense(
            self.code[rows], self.number, None if self.counts is None else self.counts[rows]
        )

    def sums(self, values: npt.ArrayLike) -> Floats:
        """Sum of the values of each group; of several columns, group × column.

        >>> Groups.of(pl.Series([1, 1, 1])).sums([1.0, 2.0, 4.0]).tolist()
        [7.0]
        """
        columns = np.asarray(values, dtype=np.float64)
        if self.counts is not None:
            columns = (columns.T * self.counts).T
        if columns.ndim == 1:
            total: Floats = np.bincount(self.code, columns, self.number).astype(
                np.float64, copy=False
            )
            return total
        by_column = [np.bincount(self.code, column, self.number) for column in columns.T]
        return np.column_stack(by_column) if by_column else np.empty((self.number, 0))

    def total(self, values: Floats) -> float:
        """Sum of the values over all rows."""
        return float((values if self.counts is None else values * self.counts).sum())

    def mean(self, values: Floats) -> float:
        """Mean of the values over all rows.

        >>> Groups(np.array([0, 0]), 1, np.array([3.0, 1.0])).mean(np.array([1.0, 5.0]))
        2.0
        """
        return float(values.mean()) if self.counts is None else self.total(values) / self.rows


def covariance_of_sum(sums: Floats, groups: float | None = None) -> Floats:
    """Robust covariance of the sums over all rows of columns of influences, from sums by group.

    Formula: G/(G − 1)·Σ_g s_g s_g′, with s_g the ``sums`` of group g
    (group × column) over the influences of its rows, which add up to 0 over
    all rows. ``groups`` is G where only some of the groups have rows that can
    contribute (default: all). NaN with fewer than two groups.
    Reference: Liang & Zeger (1986), doi:10.1093/biomet/73.1.13.

    >>> covariance_of_sum(np.array([[1.0], [-1.0]])).tolist()
    [[4.0]]
    """
    number = float(len(sums)) if groups is None else groups
    # Sums of numpy, not of BLAS: the same on any number of threads.
    products = [[float((one * other).sum()) for other in sums.T] for one in sums.T]
    return np.array(products).reshape(sums.shape[1], -1) * correction(number)


def variance_of_sum(influence: npt.ArrayLike, groups: Groups | None = None) -> float:
    """Robust variance of the sum of one column of centred influences.

    Formula: G/(G − 1)·Σ_g (Σ_{i in g} u_i)²; without ``groups`` each row is
    one: n/(n − 1)·Σ u_i². NaN with fewer than two groups.
    Reference: Liang & Zeger (1986), doi:10.1093/biomet/73.1.13.

    >>> variance_of_sum([1.0, 1.0, -1.0, -1.0], Groups.of(pl.Series(["a", "a", "b", "b"])))
    16.0
    """
    sums = np.asarray(influence, dtype=np.float64) if groups is None else groups.sums(influence)
    return sum_of_squares(sums) * correction(len(sums))


def intraclass_correlation(values: npt.ArrayLike, groups: Groups) -> float:
    """Share of the variance of ``values`` that lies between the groups.

    Formula: (MSB − MSW) / (MSB + (m₀ − 1)·MSW) from the mean squares between
    and within groups, with m₀ = (n − Σm²/n)/(G − 1) of the group sizes m. NaN
    with fewer than two groups, without a group of two rows, or without variance.
    Reference: Donner (1986), doi:10.2307/1403259.

    >>> intraclass_correlation([1.0, 1.0, 0.0, 0.0], Groups.of(pl.Series(["a", "a", "b", "b"])))
    1.0
    """
    if groups.number < 2 or groups.single:
        return float("nan")
    centred = np.asarray(values, dtype=np.float64)
    centred = centred - groups.mean(centred)
    return intraclass_of_sums(groups.sums(centred), groups.total(np.square(centred)), groups.sizes)


def intraclass_of_sums(sums: Floats, squares: float, sizes: npt.NDArray[Any]) -> float:
    """The same from the ``sums`` by group of centred values and the sum of their ``squares``.

    >>> intraclass_of_sums(np.array([1.0, -1.0]), 1.0, np.array([2, 2]))
    1.0
    """
    number, rows = len(sizes), int(sizes.sum())
    if number < 2 or number == rows:
        return float("nan")
    between = float((np.square(sums) / sizes).sum())
    within = max(squares - between, 0.0) / (rows - number)
    between /= number - 1
    size = (rows - float(np.square(sizes).sum()) / rows) / (number - 1)
    total = between + (size - 1) * within
    return (between - within) / total if total > 0 else float("nan")


def degrees_of_freedom(sums: Floats, groups: int | None = None) -> float:
    """Degrees of freedom of a robust variance: as many as its own variance says.

    Formula: 2·(Σ s_g²)² / (Σ s_g⁴ − (Σ s_g²)²/G)·(G − 1)/G, at least 1 and at most
    G − 1: few where single groups carry most of the variance, as when groups
    are of unequal size. They depend on no unit: sums whose fourth powers are no
    floats are scaled by a power of two. ``groups`` is as in ``covariance_of_sum``.
    NaN with fewer than two groups.
    Reference: Pan & Wall (2002), doi:10.1002/sim.1142.

    >>> degrees_of_freedom(np.array([1.0, -1.0, 1.0, -1.0]))
    3.0
    """
    number = len(sums) if groups is None else groups
    _, exponent = np.frexp(np.abs(sums).max(initial=0.0))
    scaled = sums if abs(exponent) <= _ORDINARY else np.ldexp(sums, -exponent)
    return degrees_of_freedom_of_powers(
        sum_of_squares(scaled), sum_of_squares(np.square(scaled)), number
    )


def degrees_of_freedom_of_powers(second: float, fourth: float, groups: int) -> float:
    """The same from Σ s_g² and Σ s_g⁴.

    >>> degrees_of_freedom_of_powers(4.0, 4.0, 4)
    3.0
    """
    if groups < 2:
        return float("nan")
    total, most = second**2, groups - 1.0
    spread = fourth - total / groups
    if spread <= 2 * total / groups:
        return most
    return max(2 * total / spread * most / groups, 1.0)


@dataclass(frozen=True, slots=True)
class Effect:
    """How dependence within groups widens an interval.

    ``design`` is the design effect of the variance, ``degrees_of_freedom`` those of Student's t.
    """

    design: float
    degrees_of_freedom: float

    def inflation(self, confidence: float) -> float:
        """By what a variance grows, so that limits by normal quantiles are those by t: D·(t/z)².

        Korn & Graubard (1998), Survey Methodology 24, 193-201.
        """
        if not self.degrees_of_freedom > 0:
            return float("nan")
        normal = float(ndtri((1 + confidence) / 2))
        return self.design * (t_quantile(confidence, self.degrees_of_freedom) / normal) ** 2

    def or_wider(self, design: float, degrees_of_freedom: float) -> Effect:
        """Another effect where limits of 95 % are wider by it, by more than rounding.

        >>> Effect(2.0, 9.0).or_wider(3.0, 9.0), Effect(2.0, 9.0).or_wider(2.0, 9.0).design
        (Effect(design=3.0, degrees_of_freedom=9.0), 2.0)
        """
        other = Effect(design, degrees_of_freedom)
        wider = other.inflation(0.95) > self.inflation(0.95) * (1 + 1e-9)
        return other if wider else self

    def with_more(self, variance: float, degrees_of_freedom: float) -> Effect:
        """The effect with an independent variance added, and the degrees of freedom of both.

        Satterthwaite (1946), doi:10.2307/3002019.

        >>> Effect(2.0, 4.0).with_more(0.0, 9.0), Effect(2.0, 8.0).with_more(2.0, 8.0)
        (Effect(design=2.0, degrees_of_freedom=4.0), Effect(design=4.0, degrees_of_freedom=16.0))
        """
        if not variance > 0:
            return self
        parts = self.design**2 / self.degrees_of_freedom + variance**2 / degrees_of_freedom
        design = self.design + variance
        return Effect(design, design**2 / parts)


@dataclass(frozen=True, slots=True)
class EffectAt:
    """``Effect`` with its inflation of a variance at one confidence."""

    design: float
    degrees_of_freedom: float
    inflation: float


def effect_of_sums(
    sums: Floats, squares: float, rows: int, sizes: npt.NDArray[Any] | GroupSizes
) -> Effect:
    """The design effect from the ``sums`` by group of centred influences, and its df.

    ``squares`` is the sum of the squares of all rows, ``sizes`` are the rows of the groups, or
    their weights. Of groups of unlike size the variance
    is the jackknife's, or that of one intraclass correlation of all groups where limits are wider
    by it (``leverage.common_correlation``).

    >>> effect_of_sums(np.array([2.0, -2.0]), 4.0, 4, np.array([2, 2]))
    Effect(design=3.0, degrees_of_freedom=1.0)
    """
    apart, number = squares * correction(rows), len(sums)
    if not apart > 0 or number in (1, rows):
        together = sum_of_squares(sums) * correction(number)
        return Effect(together / apart if apart > 0 else float("nan"), degrees_of_freedom(sums))
    of_groups = sizes if isinstance(sizes, GroupSizes) else GroupSizes(sizes)
    pulled = of_groups.jackknife_sums(sums)
    pulled *= 1 - 1 / number
    robust = Effect(sum_of_squares(pulled) * correction(number) / apart, degrees_of_freedom(pulled))
    variance, freedom = of_groups.common_correlation(sums, rows, apart)
    return robust.or_wider(variance / apart, freedom)


def mean_effect(
    values: Floats,
    groups: Groups,
    weights: Floats | None = None,
    out: Floats | None = None,
    sizes: GroupSizes | None = None,
) -> tuple[float, Effect] | None:
    """Variance of a mean of rows if they were independent, and the effect of the groups.

    Null without two rows, or where a value is not finite. ``out`` is written
    over, and may be the values; ``sizes`` are the rows of the groups, or their
    weights, where they are known.
    """
    mean = np.nan
    if groups.rows > 1:
        counts = groups.counts if weights is None else weights
        mean = np.average(values, weights=counts)
    if not np.isfinite(mean):
        return None
    influence = np.subtract(values, mean, out=out)
    total = float(groups.rows)
    if weights is not None:
        influence *= weights
        total = float(weights.sum())
    rows = groups.rows
    squares = (
        sum_of_squares(influence)
        if groups.counts is None
        else float(groups.total(np.square(influence)))
    )
    variance = squares * correction(rows) / total**2
    if sizes is None:
        sizes = GroupSizes(groups.sizes if weights is None else groups.sums(weights))
    return variance, effect_of_sums(groups.sums(influence), squares, rows, sizes)


def t_quantile(confidence: float, degrees_of_freedom: float) -> float:
    """Two-sided quantile of Student's t: 2.0227 for 0.95 and 39 degrees of freedom."""
    return float(stdtrit(degrees_of_freedom, (1 + confidence) / 2))


def _dense(code: Integers, number: int, counts: Floats | None = None) -> Groups:
    """Groups of codes below ``number`` that are not all in use."""
    present = np.bincount(code, minlength=number) > 0
    if present.all():
        return Groups(code, number, counts)
    renumbered = np.cumsum(present) - 1
    return Groups(renumbered[code], int(present.sum()), counts)


def ranks_of_hashes(hashes: Hashes) -> tuple[Integers, int]:
    """The place of each hash among the distinct ones, and how many these are."""
    if not len(hashes):
        return np.empty(0, np.int64), 0
    heads = first_of_runs(hashes)
    of_heads = hashes if len(heads) == len(hashes) else hashes[heads]
    order = _ascending(of_heads)
    ordered = of_heads[order]
    ranks, places = np.empty(len(heads), np.int64), np.append(False, ordered[1:] != ordered[:-1])
    places = places.cumsum()
    ranks[order] = places
    return np.repeat(ranks, np.diff(heads, append=len(hashes))), int(places[-1]) + 1


def _ascending(hashes: Hashes) -> Integers:
    """The order of hashes, by one sort of integers with the row's number in their last bits."""
    last = np.uint64((1 << (len(hashes) - 1).bit_length()) - 1)
    packed = pl.Series((hashes & ~last) | np.arange(len(hashes), dtype=np.uint64))
    order: Integers = (packed.sort(multithreaded=False).to_numpy() & last).view(np.int64)
    ordered = hashes[order]
    return order if (ordered[1:] >= ordered[:-1]).all() else np.argsort(hashes, kind="stable")


def sum_of_squares(values: npt.ArrayLike) -> float:
    """Sum of squares, not by BLAS: the same on any number of threads."""
    column = np.asarray(values, dtype=np.float64)
    return float(np.einsum("i,i->", column, column))


def correction(groups: float) -> float:
    """G/(G − 1), NaN with fewer than two groups."""
    return groups / (groups - 1) if groups > 1 + 1e-9 else float("nan")
