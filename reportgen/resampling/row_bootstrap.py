"""Bootstrap of any statistic of rows: an expression that gives one value of a frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers, chunks
from reportgen.integer_sort import in_order_of_rows
from reportgen.metrics.aggregates import Recorded
from reportgen.resampling.bootstrap_outcomes import Outcome, bounds_of, table
from reportgen.resampling.bootstrap_settings import BootstrapSettings
from reportgen.resampling.limits import acceleration
from reportgen.resampling.row_draws import OmittedBlocks, RowDraws
from reportgen.resampling.row_statistics import CountedStatistics, RowStatistics, values_of_rows

ROWS = 3_000
"""With more rows than this a replicate draws only so many, and its spread is scaled by √(m/n)."""

_BLOCKS = 500
_ANY = (float("-inf"), float("inf"))


def bootstrap_rows(
    frame: pl.DataFrame,
    statistics: Mapping[str, pl.Expr],
    *,
    other: pl.DataFrame | None = None,
    group: str | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    aggregates: Recorded | None = None,
    options: BootstrapSettings,
) -> pl.DataFrame:
    """Limits of statistics of rows: errors of regression, scores of several classes.

    ``statistics`` are expressions that give one value of the frame. With
    ``other``, a second frame with the same rows in the same order (another
    model), they are of the difference, first minus second, with the p-value
    of :func:`bootstrap_pair`. ``group`` names a column whose values are
    drawn whole. Weights are a column that the statistics read: rows are drawn alike.

    What reads columns of ``aggregates`` of the rows reads no others. Of up to 2¹⁸ rows these are
    worked out from how often each row is drawn, and not from the rows of each replicate: the
    values are the same but for the order in which sums are rounded, about a part in 10¹² of
    a value.

    Up to ``ROWS`` rows are resampled as they are. Of n more, each replicate
    draws m = ``ROWS``, or as many groups as have so many rows, and its distance
    from the value is scaled by the root of the part of them that it draws,
    √(m/n): right for statistics with a root-n error (means, quantiles,
    correlations), not for extremes, whose bootstrap is wrong anyway. Where one
    group has so many rows, what each gives is averaged over as many as there
    are: see :class:`GroupAverages`. BCa's acceleration is the
    jackknife's by 500 blocks of rows. A single row or group has nothing to be
    exchanged for: no limits. Columns as in :func:`bootstrap`.
    Bickel, Götze & van Zwet (1997), Statistica Sinica 7, 1-31.
    """
    names = list(statistics)
    frames = _ordered(frame, other)
    unit, stratum = _units(frames[0], group)
    measured = RowStatistics(list(statistics.values()), aggregates or {})
    frames = [measured.read_from(ordered) for ordered in frames]
    replicates, seed = options.replicates, options.seed
    value, skew = np.full(len(names), np.nan), np.zeros(len(names))
    replicate_values = np.full((replicates, len(names)), np.nan)
    rows = frame.height
    drawn = _drawn(stratum, min(1.0, ROWS / max(rows, 1)))
    share = sum(drawn.values()) / max(len(stratum), 1)
    resampled = _Statistics.of(frames, measured)
    if rows:
        value = resampled.value()[0]
    if len(stratum) > 1 and replicates:
        draws = RowDraws(unit, stratum, drawn, seed)
        has_bca = "bca" in options.methods
        if share < 1 and sum(drawn.values()) == 1:
            averages = GroupAverages(draws.of_each(frames, measured), _masses(frames[0], unit))
            replicate_values, share = averages.replicates(replicates, seed, value), 1.0
            skew = averages.accelerations() if has_bca else skew
        else:
            replicate_values = resampled.replicates(draws, replicates)
            skew = resampled.accelerations(unit, seed, share) if has_bca else skew
    limits_of = bounds or {}
    outcomes = [
        Outcome(
            name,
            bounds_of(limits_of.get(name, _ANY), difference=other is not None),
            float(value[k]),
            float(value[k]),
            replicate_values[:, k],
            float(skew[k]),
            share**0.5,
        )
        for k, name in enumerate(names)
    ]
    return table(outcomes, options, difference=other is not None)


def _ordered(frame: pl.DataFrame, other: pl.DataFrame | None) -> list[pl.DataFrame]:
    """The frames in an order that the rows themselves give, the same for both."""
    if other is None:
        return [in_order_of_rows(frame)]
    beside = other.rename({c: f"other:{c}" for c in other.columns})
    both = pl.concat([frame, beside], how="horizontal").sort([*frame.columns, *beside.columns])
    return [
        both.select(frame.columns),
        both.select(beside.columns).rename({f"other:{c}": c for c in other.columns}),
    ]


def _units(frame: pl.DataFrame, group: str | None) -> tuple[Integers, Integers]:
    if group is not None:
        unit = frame[group].rank("dense").cast(pl.Int64).to_numpy() - 1
        return unit, np.zeros(unit.max() + 1 if len(unit) else 0, dtype=np.int64)
    return np.arange(frame.height), np.zeros(frame.height, dtype=np.int64)


def _masses(frame: pl.DataFrame, unit: Integers) -> Floats:
    """The weight of each unit: its rows, where they have none."""
    weight = frame["weight"].cast(pl.Float64).to_numpy() if "weight" in frame.columns else None
    masses: Floats = np.bincount(unit, weight).astype(np.float64)
    return masses


def _drawn(stratum: Integers, share: float) -> dict[int, int]:
    """How many units of each stratum a replicate draws: at least one."""
    sizes = zip(*np.unique(stratum, return_counts=True), strict=True)
    return {int(s): max(1, round(int(size) * share)) for s, size in sizes}


@dataclass(frozen=True, slots=True)
class _Statistics:
    """Those of frames that follow from how often each row occurs, and those that read the rows."""

    frames: Sequence[pl.DataFrame]
    every: RowStatistics
    counted: CountedStatistics | None
    counted_at: list[int]

    @classmethod
    def of(cls, frames: Sequence[pl.DataFrame], every: RowStatistics) -> _Statistics:
        at = every.counted(frames[0].height)
        return cls(frames, every, CountedStatistics(frames, every.part(at)) if at else None, at)

    def value(self) -> Floats:
        """Value of each statistic, in one line."""
        of_counts = None if self.counted is None else self.counted.value
        number = np.array([self.frames[0].height])
        return self._together(
            of_counts, lambda part: values_of_rows(self.frames, part, slice(None), number)
        )

    def replicates(self, draws: RowDraws, number: int) -> Floats:
        """Value of each statistic in each replicate."""
        of_counts = None if self.counted is None else draws.counted_values(self.counted, number)
        return self._together(of_counts, lambda part: draws.values(self.frames, part, number))

    def accelerations(self, unit: Integers, seed: int, share: float) -> Floats:
        """Those of leaving out blocks of units; of a part of the rows, scaled, if many."""
        left_out = OmittedBlocks.of(unit, seed, share, _BLOCKS)
        of_counts = None if self.counted is None else left_out.counted_values(self.counted)
        without = self._together(of_counts, lambda part: left_out.values(self.frames, part))
        one = np.zeros(len(without), dtype=np.int64)
        weights = np.ones(len(without))
        columns = [acceleration(-column, weights, one) for column in without.T]
        skew: Floats = np.array(columns) * (left_out.size / (int(unit.max()) + 1)) ** 0.5
        return skew

    def _together(
        self, of_counts: Floats | None, of_rows: Callable[[RowStatistics], Floats]
    ) -> Floats:
        if of_counts is None:
            return of_rows(self.every)
        number = len(self.every.expressions)
        others = [k for k in range(number) if k not in self.counted_at]
        values = np.empty((len(of_counts), number))
        values[:, self.counted_at] = of_counts
        if others:
            values[:, others] = of_rows(self.every.part(others))
        return values


_TOGETHER = 2**20


@dataclass(frozen=True)
class GroupAverages:
    """``values`` of each statistic (columns) in each group (rows), and the weight of each group.

    A statistic of all rows differs from the weighted mean of its values in the groups by what does
    not depend on which groups are there, where these are large: the mean of resampled groups is
    spread as it is. A group in which a statistic is undefined has no weight.
    """

    values: Floats
    weight: Floats

    @cached_property
    def _weights(self) -> Floats:
        return np.where(np.isfinite(self.values), self.weight[:, None], 0.0)

    @cached_property
    def _weighted(self) -> Floats:
        return self._weights * np.where(np.isfinite(self.values), self.values, 0.0)

    def replicates(self, number: int, seed: int, value: Floats) -> Floats:
        """So many replicates of as many groups as there are, about the ``value`` of each statistic.

        NaN where no group that is drawn has a value.
        """
        stream = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 2])))
        groups = len(self.values)
        even = np.full(groups, 1 / groups)
        parts = [
            self._means(stream.multinomial(groups, even, size=size).astype(np.float64))
            for part in chunks(number, max(1, _TOGETHER // groups))
            for size in [part.stop - part.start]
        ]
        shifted: Floats = np.concatenate(parts) + value - self._means(np.ones((1, groups)))
        return shifted

    def accelerations(self) -> Floats:
        """BCa's acceleration of each statistic, from leaving out one group at a time."""
        without = self._means(1.0 - np.eye(len(self.values)))
        each, one = np.ones(len(without)), np.zeros(len(without), dtype=np.int64)
        return np.array([acceleration(-column, each, one) for column in without.T])

    def _means(self, counts: Floats) -> Floats:
        """Weighted means of the groups, each as often as a line counts it."""
        # Sums of NumPy, not of BLAS: the same on any number of threads.
        sums, weights = (
            np.einsum("rg,gk->rk", counts, of) for of in (self._weighted, self._weights)
        )
        means: Floats = np.divide(sums, weights, out=np.full(sums.shape, np.nan), where=weights > 0)
        return means
