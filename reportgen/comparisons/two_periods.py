"""Two samples of one quantity, from two periods: how far apart they are, and a test.

The test permutes the periods of independent units (rows, or groups of them), and so holds its level
whatever the distribution. Its statistic is studentised by group, so that it also does for large
samples whose groups differ in size: Chung & Romano (2013), doi:10.1214/13-AOS1090. Of
several shares the largest statistic counts, by its own distribution over all of them: Westfall
& Young (1993), Resampling-Based Multiple Testing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import chdtr, chndtrinc

from reportgen.array_types import Floats, Integers

REPLICATES, FEWER_REPLICATES, MANY_UNITS, LEAST_MERGED = 999, 199, 5_000, 100
"""Permutations; more units than ``MANY_UNITS`` are merged at random, to no fewer of a period than
``LEAST_MERGED``, and permuted fewer times where they are still more than twice as many."""

FEWEST_UNITS = 4
"""PeriodUnits of a period below which no permutation can be rare."""

CUTS = tuple(k / 20 for k in range(1, 20))
"""Quantiles of both samples at which distribution functions are compared."""

BINS = 10
"""Bins of the population stability index: tenths of the earlier sample."""

_CHUNK, _CELLS, _SMALLEST = 50, 20_000_000, 1e-24


@dataclass(frozen=True)
class Quantity:
    """The values of a quantity, row by row; of categories the place of each, from 0.

    ``categories`` is their number, null of numbers; ``weights`` are null where each row counts 1.
    """

    values: Floats
    weights: Floats | None = None
    categories: int | None = None

    @property
    def weight(self) -> Floats:
        """The weight of each row."""
        return np.ones(len(self.values)) if self.weights is None else self.weights

    @cached_property
    def shares(self) -> Floats:
        """The share of each category."""
        counts = _sums(self, self.values, self.categories or 0)
        shares: Floats = counts / counts.sum()
        return shares

    @cached_property
    def mean_and_variance(self) -> tuple[float, float]:
        """Mean and variance over the rows, by weight."""
        mean = float(np.average(self.values, weights=self.weights))
        return mean, float(np.average(np.square(self.values - mean), weights=self.weights))


def standardised_difference(before: tuple[float, float], now: tuple[float, float]) -> float | None:
    """Difference of two means over the standard deviation, from mean and variance of each.

    Formula: (m₁ − m₀) / √((s₁² + s₀²)/2). Null where neither sample varies and the means differ.
    Reference: Austin (2009), doi:10.1002/sim.3697.

    >>> standardised_difference((0.0, 1.0), (0.5, 1.0)), standardised_difference((1, 0), (2, 0))
    (0.5, None)
    """
    difference, variance = now[0] - before[0], (now[1] + before[1]) / 2
    if variance > 0:
        return float(difference / np.sqrt(variance))
    return 0.0 if difference == 0 else None


def share_difference(before: float, now: float) -> float | None:
    """The standardised difference of two shares, whose variance is p(1 − p).

    >>> share_difference(0.5, 0.5), share_difference(0.2, 0.8)
    (0.0, 1.5)
    """
    value = standardised_difference((before, before * (1 - before)), (now, now * (1 - now)))
    return None if value is None else round(value, 12)


def stability_index(before: Floats, now: Floats) -> float:
    """Population stability index of the weights in the bins of two samples.

    Formula: Σ (q − p)·ln(q/p) over the shares p before and q now, the symmetric divergence of
    Jeffreys. Half a row is added to every bin where a bin of either sample is empty.
    References: Jeffreys (1946), doi:10.1098/rspa.1946.0056; Yurdakul & Naranjo (2020), Journal of
    Risk Model Validation 14.

    >>> round(stability_index(np.array([50.0, 50.0]), np.array([75.0, 25.0])), 6)
    0.274653
    """
    return float(_indices(before[None], now[None])[0])


def _indices(before: Floats, now: Floats) -> Floats:
    """The index of the weights in each line of both samples."""
    empty = ((before == 0) | (now == 0)).any(axis=1, keepdims=True)
    p, q = (side + 0.5 * empty for side in (before, now))
    p, q = (side / side.sum(axis=1, keepdims=True) for side in (p, q))
    result: Floats = ((q - p) * np.log(q / p)).sum(axis=1)
    return result


def binned(before: Quantity, now: Quantity) -> tuple[Floats, Floats]:
    """The rows of both samples in the tenths of the earlier one, or in their categories.

    Weighted rows count as many as there are, each by its weight.
    """
    if before.categories is not None:
        first, second = (_sums(side, side.values, before.categories) for side in (before, now))
        return first, second
    edges = np.unique(_quantiles(before, [k / BINS for k in range(1, BINS)]))
    first, second = (
        _sums(side, np.searchsorted(edges, side.values, "left"), len(edges) + 1)
        for side in (before, now)
    )
    present = (first > 0) | (second > 0)
    return first[present], second[present]


def _sums(sample: Quantity, cells: Floats | Integers, number: int) -> Floats:
    weight = sample.weight / sample.weight.mean()
    sums: Floats = np.bincount(cells.astype(np.int64), weight, number).astype(np.float64)
    return sums


def kolmogorov_smirnov(before: Quantity, now: Quantity) -> float:
    """The largest distance of the two distribution functions.

    Reference: Smirnov (1948), doi:10.1214/aoms/1177730256.

    >>> kolmogorov_smirnov(Quantity(np.array([1.0, 2.0])), Quantity(np.array([2.0, 3.0])))
    0.5
    """
    points = np.unique(np.concatenate([before.values, now.values]))
    return float(np.abs(_distribution(before, points) - _distribution(now, points)).max())


def _distribution(sample: Quantity, points: Floats) -> Floats:
    order = np.argsort(sample.values, kind="stable")
    cumulated = np.concatenate([[0.0], np.cumsum(sample.weight[order])])
    at = np.searchsorted(sample.values[order], points, "right")
    shares: Floats = cumulated[at] / cumulated[-1]
    return shares


def _quantiles(sample: Quantity, at: Sequence[float]) -> Floats:
    return np.quantile(sample.values, at, weights=sample.weights, method="inverted_cdf")


@dataclass(frozen=True)
class PeriodUnits:
    """The independent units of two samples: that of each row, null where each row is one.

    PeriodUnits of the two samples are different ones, each numbered from 0.
    """

    before: Integers | None = None
    now: Integers | None = None


class PermutationTest(NamedTuple):
    """The p-value, and the stability index of each permutation."""

    p_value: float
    indices: Floats

    def upper_limit(self, before: Floats, now: Floats, alpha: float) -> float | None:
        """The stability index that samples with these sums in bins leave open, at level ``alpha``.

        Without a shift an index is a multiple of χ² with one df less than bins, or fewer where
        rows depend on each other: multiple and df are those of the mean and the variance of the
        permutations. With one it is noncentral; the limit is the largest index of which the
        observed one is in the lower ``alpha``. Null of a single bin, or where permutations change
        nothing.
        Reference: Yurdakul & Naranjo (2020), Journal of Risk Model Validation 14; Satterthwaite
        (1946), doi:10.2307/3002019.
        """
        mean, variance = float(self.indices.mean()), float(self.indices.var())
        if len(before) < 2 or not variance > 0:
            return None
        freedom = min(2 * mean**2 / variance, len(before) - 1.0)
        scale = freedom / mean
        scaled = scale * stability_index(before, now)
        if chdtr(freedom, scaled) <= alpha:
            return 0.0
        return float(chndtrinc(scaled, freedom, alpha)) / scale


def permutation_test(
    before: Quantity, now: Quantity, units: PeriodUnits, *, seed: int = 0
) -> PermutationTest:
    """The test of the null hypothesis that both samples have one distribution.

    Statistic: the largest |p₁ − p₀|/√(v₁ + v₀) over the shares of the categories, or of numbers
    over the shares below 19 quantiles of both samples, with the variances v of shares of units.
    Assumes that units are exchangeable under the null hypothesis. Not for rows in order of time
    whose neighbours depend on each other, unless units are long blocks of them.

    >>> same = Quantity(np.arange(100.0))
    >>> moved = Quantity(same.values + 80)
    >>> [permutation_test(same, now, PeriodUnits()).p_value for now in (same, moved)]
    [1.0, 0.001]
    """
    codes, bins = _cells(before, now)
    number, cumulative = len(bins), before.categories is None
    if units.before is None or units.now is None:
        if before.weights is None:
            counts = [np.bincount(code, minlength=number) for code in codes]
            return _of_counts(counts[0], counts[1], bins, cumulative=cumulative, seed=seed)
        units = PeriodUnits(np.arange(len(before.values)), np.arange(len(now.values)))
    tables = [
        _table(code, number, sample.weight, unit, cumulative=cumulative)
        for code, sample, unit in zip(codes, (before, now), (units.before, units.now), strict=True)
        if unit is not None
    ]
    return _of_units(tables[0], tables[1], bins, seed)


def _cells(before: Quantity, now: Quantity) -> tuple[list[Integers], Integers]:
    """The cell of each row of both samples, and the bin of the stability index of each cell."""
    if before.categories is not None:
        codes = [side.values.astype(np.int64) for side in (before, now)]
        return codes, np.arange(before.categories)
    both = Quantity(
        np.concatenate([before.values, now.values]),
        None if before.weights is None else np.concatenate([before.weight, now.weight]),
    )
    cuts = _quantiles(both, CUTS)
    edges = np.unique(cuts)
    codes = [np.searchsorted(edges, side.values, "left") for side in (before, now)]
    tenths = np.unique(cuts[1::2])
    return codes, np.append(np.searchsorted(tenths, edges, "left"), len(tenths))


def _in_bins(compared: Floats, whole: Floats, bins: Integers, *, cumulative: bool) -> Floats:
    """The sums in each bin of the stability index, from those that are compared and all."""
    cells = (
        np.diff(compared, axis=1, prepend=0.0, append=whole[:, None]) if cumulative else compared
    )
    starts = np.searchsorted(bins, np.arange(bins[-1] + 1))
    sums: Floats = np.add.reduceat(cells, starts, axis=1)
    return sums


def _compared(cells: Floats, *, cumulative: bool) -> Floats:
    """The sums that are compared, from those of the cells: below each cut, or of each category."""
    return np.cumsum(cells, axis=-1)[..., :-1] if cumulative else cells


def _of_counts(
    before: Integers, now: Integers, bins: Integers, *, cumulative: bool, seed: int
) -> PermutationTest:
    """Of rows that count 1 each: what a permutation gives follows from the counts alone."""
    total, rows = before + now, int(now.sum())
    random = np.random.default_rng(seed)
    drawn = random.multivariate_hypergeometric(total, rows, size=REPLICATES, method="marginals")
    first = np.vstack([now, drawn]).astype(np.float64)
    sides = [
        (_compared(side, cumulative=cumulative), side.sum(axis=1))
        for side in (first, total - first)
    ]
    statistics = _largest(*(_share(*side) for side in sides))
    of_now, of_before = (_in_bins(*side, bins, cumulative=cumulative) for side in sides)
    return PermutationTest(_p(statistics), _indices(of_before, of_now)[1:])


def _share(counts: Floats, rows: Floats) -> tuple[Floats, Floats]:
    size = rows[:, None]
    share = counts / size
    return share, share * (1 - share) / np.maximum(size - 1, 1)


@dataclass(frozen=True)
class _UnitTable:
    """The sums of each unit: of the weights that are compared, and of all weights."""

    parts: Floats
    whole: Floats
    rows: int
    cumulative: bool


def _table(
    code: Integers, number: int, weight: Floats, unit: Integers, *, cumulative: bool
) -> _UnitTable:
    units = int(unit.max(initial=-1)) + 1
    flat = np.bincount(unit * number + code, weight, units * number).astype(np.float64)
    cells: Floats = flat.reshape(units, number)
    parts = _compared(cells, cumulative=cumulative)
    return _UnitTable(parts, cells.sum(axis=1), len(code), cumulative)


def _of_units(before: _UnitTable, now: _UnitTable, bins: Integers, seed: int) -> PermutationTest:
    """Of units: the periods of whole units are permuted."""
    random = np.random.default_rng(seed)
    sizes = len(before.whole), len(now.whole)
    together = min(-(-sum(sizes) // MANY_UNITS), max(min(sizes) // LEAST_MERGED, 1))
    if together > 1:
        before, now = (_merged(side, together, random) for side in (before, now))
    parts, whole = (
        np.concatenate([getattr(side, name) for side in (now, before)])
        for name in ("parts", "whole")
    )
    columns = parts.shape[1]
    sums = np.column_stack([parts, parts**2, parts * whole[:, None], whole, whole**2])
    total, of_now = sums.sum(axis=0), np.arange(len(whole)) < len(now.whole)
    replicates = REPLICATES if len(whole) <= 2 * MANY_UNITS else FEWER_REPLICATES
    rows_by_weight = (before.rows + now.rows) / whole.sum()

    def statistics(chosen: Floats) -> tuple[Floats, Floats]:
        # Sums of numpy, not of BLAS: the same on any number of threads.
        side, counts = np.einsum("bu,uk->bk", chosen, sums), chosen.sum(axis=1)
        largest = _largest(
            _robust(side, columns, counts), _robust(total - side, columns, len(whole) - counts)
        )
        of_now, of_before = (
            _in_bins(one[:, :columns], one[:, -2], bins, cumulative=now.cumulative) * rows_by_weight
            for one in (side, total - side)
        )
        return largest, _indices(of_before, of_now)

    result = [statistics(of_now[None].astype(np.float64))]
    chunk = max(1, min(_CHUNK, _CELLS // len(whole)))
    for start in range(0, replicates, chunk):
        size = min(chunk, replicates - start)
        drawn = random.permuted(np.tile(of_now, (size, 1)), axis=1)
        result.append(statistics(drawn.astype(np.float64)))
    largest, indices = (np.concatenate(parts) for parts in zip(*result, strict=True))
    return PermutationTest(_p(largest), indices[1:])


def _merged(table: _UnitTable, together: int, random: np.random.Generator) -> _UnitTable:
    """So many units at random as one, which are as exchangeable as they are."""
    number = max(len(table.whole) // together, 1)
    unit = random.permutation(len(table.whole)) % number
    parts = np.stack([np.bincount(unit, column, number) for column in table.parts.T], axis=1)
    whole = np.bincount(unit, table.whole, number)
    return replace(table, parts=parts.astype(np.float64), whole=whole.astype(np.float64))


def _robust(sums: Floats, columns: int, units: Floats) -> tuple[Floats, Floats]:
    """Shares and their variances, from sums and products of sums by unit."""
    part, square, product = (sums[:, k * columns : (k + 1) * columns] for k in range(3))
    whole, squared = sums[:, -2, None], sums[:, -1, None]
    share = part / whole
    spread = np.maximum(square - 2 * share * product + share**2 * squared, 0.0)
    return share, spread / whole**2 * (units / np.maximum(units - 1, 1))[:, None]


def _largest(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> Floats:
    """The largest studentised difference of each replicate."""
    difference, variance = np.abs(first[0] - second[0]), first[1] + second[1]
    differs = difference > 1e-12
    ratio = np.where(differs, np.inf, 0.0)
    np.divide(difference, np.sqrt(variance), out=ratio, where=differs & (variance > _SMALLEST))
    largest: Floats = ratio.max(axis=1, initial=0.0)
    return largest


def _p(statistics: Floats) -> float:
    """The share of statistics at least as large as the first one, which is observed."""
    return float((statistics >= statistics[0] * (1 - 1e-9)).mean())
