"""Bootstrap of any statistic of rows: an expression that gives one value of a frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.integer_sort import in_order_of_rows
from reportgen.metrics.aggregates import Recorded
from reportgen.resampling.bootstrap_outcomes import Outcome, bounds_of, table
from reportgen.resampling.bootstrap_settings import DEFAULT, BootstrapSettings
from reportgen.resampling.group_averages import GroupAverages
from reportgen.resampling.limits import acceleration
from reportgen.resampling.replicate_measures import by_replicate
from reportgen.resampling.replicate_sums import added_parts, of_each_row

ROWS = 3_000
"""With more rows than this a replicate draws only so many, and its spread is scaled by √(m/n)."""

_BLOCKS = 500
_BATCH = 2**17

_AT_ONCE = 2**20
"""Of so many rows numbers are computed once, of more for those of each replicate."""
_ANY = (float("-inf"), float("inf"))


Indices32 = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class _Statistics:
    """Expressions over the rows of a replicate, or over the aggregates of its rows."""

    expressions: Sequence[pl.Expr]
    aggregates: Recorded

    @property
    def of_aggregates(self) -> list[int]:
        """The places of those that read aggregates."""
        return [
            k
            for k, one in enumerate(self.expressions)
            if not self.aggregates.keys().isdisjoint(one.meta.root_names())
        ]

    @property
    def roots(self) -> set[str]:
        """The columns of rows that are read."""
        read = {name for one in self.expressions for name in one.meta.root_names()}
        if self.aggregates:
            read |= {"weight"}.union(*(a.roots for a in self.aggregates.values()))
        return read - self.aggregates.keys()

    def by_replicate(self, rows: pl.DataFrame, sizes: Integers) -> Floats:
        """Value of each in each replicate, which have so many rows each, one after the other."""
        of_aggregates = self.of_aggregates
        of_rows = [k for k in range(len(self.expressions)) if k not in of_aggregates]
        values = np.empty((len(sizes), len(self.expressions)))
        if of_aggregates:
            table = added_parts(rows, self.aggregates, sizes)
            values[:, of_aggregates] = self._values(table, of_aggregates, len(sizes))
        if of_rows:
            table = rows.with_columns(replicate=np.repeat(np.arange(len(sizes)), sizes))
            values[:, of_rows] = self._values(table, of_rows, len(sizes))
        return values

    def _values(self, table: pl.DataFrame, places: Sequence[int], replicates: int) -> Floats:
        return by_replicate(table, [self.expressions[k] for k in places], replicates)


def bootstrap_rows(  # noqa: PLR0913  # one keyword per option
    frame: pl.DataFrame,
    statistics: Mapping[str, pl.Expr],
    *,
    other: pl.DataFrame | None = None,
    strata: str | None = None,
    group: str | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    most: int = ROWS,
    aggregates: Recorded | None = None,
    options: BootstrapSettings = DEFAULT,
) -> pl.DataFrame:
    """Limits of statistics of rows: errors of regression, scores of several classes.

    ``statistics`` are expressions that give one value of the frame. With
    ``other``, a second frame with the same rows in the same order (another
    model), they are of the difference, first minus second, with the p-value
    of :func:`bootstrap_pair`. ``strata`` names a column whose values keep
    their sizes, ``group`` one whose values are drawn whole (then without
    strata). Weights are a column that the statistics read: rows are drawn alike.

    What reads columns of ``aggregates`` of the rows reads no others.

    Up to ``most`` rows are resampled as they are. Of n more, each replicate
    draws m = ``most``, or as many groups as have so many rows, and its distance
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
    unit, stratum = _units(frames[0], strata, group)
    measured = _Statistics(list(statistics.values()), aggregates or {})
    read = measured.roots
    if read:
        frames = [ordered.select(c for c in ordered.columns if c in read) for ordered in frames]
    if frame.height <= _AT_ONCE:
        frames = [ordered.with_columns(**of_each_row(measured.aggregates)) for ordered in frames]
    replicates, seed = options.replicates, options.seed
    value, skew = np.full(len(names), np.nan), np.zeros(len(names))
    replicate_values = np.full((replicates, len(names)), np.nan)
    rows = frame.height
    drawn = _drawn(stratum, min(1.0, most / max(rows, 1)))
    share = sum(drawn.values()) / max(len(stratum), 1)
    if rows:
        value = _values(frames, measured, slice(None), np.array([rows]))[0]
    if len(stratum) > 1 and replicates:
        draws = _Draws(unit, stratum, drawn, seed)
        has_bca = "bca" in options.methods
        if share < 1 and sum(drawn.values()) == 1:
            averages = GroupAverages(draws.of_each(frames, measured), _masses(frames[0], unit))
            replicate_values, share = averages.replicates(replicates, seed, value), 1.0
            skew = averages.accelerations() if has_bca else skew
        else:
            replicate_values = draws.values(frames, measured, replicates)
            skew = _acceleration(frames, measured, unit, seed, share) if has_bca else skew
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


def _units(frame: pl.DataFrame, strata: str | None, group: str | None) -> tuple[Integers, Integers]:
    if group is not None:
        unit = frame[group].rank("dense").cast(pl.Int64).to_numpy() - 1
        return unit, np.zeros(unit.max() + 1 if len(unit) else 0, dtype=np.int64)
    unit = np.arange(frame.height)
    if strata is None:
        return unit, np.zeros(frame.height, dtype=np.int64)
    return unit, frame[strata].rank("dense").cast(pl.Int64).to_numpy() - 1


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
class _Draws:
    """Replicates of so many units of each stratum: those of the rows, or groups of them."""

    unit: Integers
    stratum: Integers
    drawn: Mapping[int, int]
    seed: int

    def values(
        self, frames: Sequence[pl.DataFrame], statistics: _Statistics, replicates: int
    ) -> Floats:
        """Value of each statistic in each replicate."""
        return self._of_units(frames, statistics, self._units(replicates))

    def of_each(self, frames: Sequence[pl.DataFrame], statistics: _Statistics) -> Floats:
        """Value of each statistic in each unit alone."""
        every = np.arange(len(self.stratum), dtype=np.uint32)
        return self._of_units(frames, statistics, every[:, None])

    def _units(self, replicates: int) -> Iterator[Indices32]:
        """The units of each replicate, ascending."""
        streams = {
            s: np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, 2, s])))
            for s in self.drawn
        }
        strata = {s: np.flatnonzero(self.stratum == s) for s in streams}
        for _ in range(replicates):
            chosen = [
                here[streams[s].integers(len(here), size=self.drawn[s])]
                for s, here in strata.items()
            ]
            yield np.sort(np.concatenate(chosen).astype(np.uint32))  # half the time of int64

    def _of_units(
        self, frames: Sequence[pl.DataFrame], statistics: _Statistics, chosen: Iterable[Indices32]
    ) -> Floats:
        """Value of each statistic of the rows of some units, those of a batch at once."""
        alone = np.array_equal(self.unit, np.arange(len(self.stratum)))
        rows_of = None if alone else _Members.of(self.unit, len(self.stratum))
        share = sum(self.drawn.values()) / len(self.stratum)
        size = max(1, int(_BATCH / max(len(self.unit) * share, 1)))
        values, remaining = [], iter(chosen)
        while batch := list(islice(remaining, size)):
            index = batch if rows_of is None else [rows_of(c.astype(np.int64)) for c in batch]
            sizes = np.array([len(rows) for rows in index])
            values.append(_values(frames, statistics, np.concatenate(index), sizes))
        return np.concatenate(values)


@dataclass(frozen=True, slots=True)
class _Members:
    """The rows of each unit: in the order of the units, where those of each begin, their number."""

    rows: Integers
    first: Integers
    number: Integers

    @classmethod
    def of(cls, unit: Integers, units: int) -> _Members:
        number = np.bincount(unit, minlength=units)
        return cls(np.argsort(unit, kind="stable"), np.cumsum(number) - number, number)

    def __call__(self, units: Integers) -> Integers:
        """The rows of the units, one after the other."""
        number = self.number[units]
        start = np.repeat(self.first[units] - np.cumsum(number) + number, number)
        rows: Integers = self.rows[start + np.arange(len(start))]
        return rows


def _values(
    frames: Sequence[pl.DataFrame],
    statistics: _Statistics,
    index: Integers | slice,
    sizes: Integers,
) -> Floats:
    """Value of each statistic in each replicate, of the difference with two frames."""
    parts = [statistics.by_replicate(frame[index], sizes) for frame in frames]
    return parts[0] if len(parts) == 1 else parts[0] - parts[1]


def _acceleration(
    frames: Sequence[pl.DataFrame],
    statistics: _Statistics,
    unit: Integers,
    seed: int,
    share: float,
) -> Floats:
    """Acceleration by leaving out blocks of units; of a part of the rows, scaled, if many."""
    stream = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 3])))
    number = int(unit.max()) + 1
    order = stream.permutation(number)
    unit_count = max(min(number, 2), round(number * share))
    part = unit_count / number
    blocks = min(_BLOCKS, unit_count)
    block = np.full(number, -1)
    block[order[:unit_count]] = np.arange(unit_count) * blocks // unit_count
    of_row = block[unit]
    rows = np.flatnonzero(of_row >= 0)
    size = max(1, _BATCH // max(len(rows), 1))
    parts = []
    for start in range(0, blocks, size):
        left = [rows[of_row[rows] != b] for b in range(start, min(start + size, blocks))]
        index, sizes = np.concatenate(left), np.array([len(part) for part in left])
        parts.append(_values(frames, statistics, index, sizes))
    without = np.concatenate(parts)
    one = np.zeros(len(without), dtype=np.int64)
    weights = np.ones(len(without))
    columns = [acceleration(-column, weights, one) for column in without.T]
    skew: Floats = np.array(columns) * part**0.5
    return skew
