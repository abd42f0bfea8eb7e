"""Replicates of units of rows: their rows are read, or counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.resampling.row_statistics import (
    CountedStatistics,
    RowStatistics,
    values_of_rows,
)
from reportgen.resampling.unit_counts import (
    Replicates,
    WithoutBlocks,
    counted_draws,
    digest,
    drawn_units,
    shared,
)

_BATCH = 2**17


@dataclass(frozen=True, slots=True)
class RowDraws:
    """Replicates of so many units of each stratum: those of the rows, or groups of them."""

    unit: Integers
    stratum: Integers
    drawn: Mapping[int, int]
    seed: int

    @property
    def _alone(self) -> bool:
        """Whether each row is a unit."""
        return np.array_equal(self.unit, np.arange(len(self.stratum)))

    def values(
        self, frames: Sequence[pl.DataFrame], statistics: RowStatistics, replicates: int
    ) -> Floats:
        """Value of each statistic in each replicate."""
        chosen = drawn_units(self.stratum, self.drawn, self.seed, replicates)
        # Half of the time of 64 bits.
        ascending = (np.sort(line.view(np.uint32)) for units in chosen for line in units)
        return self._of_units(frames, statistics, ascending)

    def counted_values(self, statistics: CountedStatistics, replicates: int) -> Floats:
        """The same of statistics that follow from how often each row is drawn."""
        drawn = np.array([*self.drawn.items(), (self.seed, replicates)])

        def counts() -> Replicates:
            of_units = counted_draws(self.stratum, self.drawn, self.seed, replicates)
            size = sum(self.drawn.values())
            return Replicates(of_units, size, None if self._alone else self.unit)

        key = digest(self.unit, self.stratum, drawn)
        return statistics.values(shared("drawn", key, counts))

    def of_each(self, frames: Sequence[pl.DataFrame], statistics: RowStatistics) -> Floats:
        """Value of each statistic in each unit alone."""
        every = np.arange(len(self.stratum), dtype=np.uint32)
        return self._of_units(frames, statistics, every[:, None])

    def _of_units(
        self,
        frames: Sequence[pl.DataFrame],
        statistics: RowStatistics,
        chosen: Iterable[np.ndarray],
    ) -> Floats:
        """Value of each statistic of the rows of some units, those of a batch at once."""
        rows_of = None if self._alone else _Members.of(self.unit, len(self.stratum))
        share = sum(self.drawn.values()) / len(self.stratum)
        size = max(1, int(_BATCH / max(len(self.unit) * share, 1)))
        values, remaining = [], iter(chosen)
        while batch := list(islice(remaining, size)):
            index = batch if rows_of is None else [rows_of(c.astype(np.int64)) for c in batch]
            sizes = np.array([len(rows) for rows in index])
            values.append(values_of_rows(frames, statistics, np.concatenate(index), sizes))
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


@dataclass(frozen=True, slots=True)
class OmittedBlocks:
    """The block of each row, −1 of those that are in none; blocks of units are left out in turn."""

    block: Integers
    number: int
    size: int

    @classmethod
    def of(cls, unit: Integers, seed: int, share: float, blocks: int) -> OmittedBlocks:
        """So many random blocks of a share of the units."""
        stream = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 3])))
        number = int(unit.max()) + 1
        order = stream.permutation(number)
        size = max(min(number, 2), round(number * share))
        blocks = min(blocks, size)
        block = np.full(number, -1)
        block[order[:size]] = np.arange(size) * blocks // size
        return cls(block[unit], blocks, size)

    def values(self, frames: Sequence[pl.DataFrame], statistics: RowStatistics) -> Floats:
        """Value of each statistic without each block."""
        rows = np.flatnonzero(self.block >= 0)
        size = max(1, _BATCH // max(len(rows), 1))
        parts = []
        for start in range(0, self.number, size):
            some = range(start, min(start + size, self.number))
            left = [rows[self.block[rows] != b] for b in some]
            index, sizes = np.concatenate(left), np.array([len(part) for part in left])
            parts.append(values_of_rows(frames, statistics, index, sizes))
        return np.concatenate(parts)

    def counted_values(self, statistics: CountedStatistics) -> Floats:
        """The same of statistics that follow from counts."""
        key = digest(self.block, level=self.number)
        counts = partial(WithoutBlocks, self.block, self.number, self.size)
        return statistics.values(shared("left out", key, counts))
