"""Statistics of rows: of each replicate, whose rows are read, or from counts of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.metrics.aggregates import Recorded
from reportgen.resampling.counted_sums import MOST_ROWS, CountedSums, can_be_counted
from reportgen.resampling.replicate_measures import by_replicate, difference_of
from reportgen.resampling.replicate_sums import added_parts, of_each_row
from reportgen.resampling.unit_counts import Resamples

_AT_ONCE = 2**20
"""Of so many rows numbers are computed once, of more for those of each replicate."""


@dataclass(frozen=True, slots=True)
class RowStatistics:
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

    def read_from(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The columns that are read, and numbers of rows that take long, where these are few."""
        read = self.roots
        if read:
            frame = frame.select(c for c in frame.columns if c in read)
        few = frame.height <= _AT_ONCE
        return frame.with_columns(**of_each_row(self.aggregates)) if few else frame

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

    def part(self, places: Sequence[int]) -> RowStatistics:
        """Those in these places."""
        return RowStatistics([self.expressions[k] for k in places], self.aggregates)

    def counted(self, rows: int) -> list[int]:
        """The places of those that follow from how often each of so many rows occurs."""
        possible = 0 < rows <= MOST_ROWS and can_be_counted(self.aggregates)
        return self.of_aggregates if possible else []


class CountedStatistics:
    """Statistics of aggregates of the rows of a frame, of the difference with two."""

    def __init__(self, frames: Sequence[pl.DataFrame], statistics: RowStatistics) -> None:
        self._frames = frames
        self._aggregates = statistics.aggregates
        self._expressions = statistics.expressions
        self._whole = [added_parts(f, self._aggregates, np.array([f.height])) for f in frames]

    @property
    def value(self) -> Floats:
        """Value of each statistic, in one line."""
        return self._values(self._whole, 1)

    @cached_property
    def _sums(self) -> list[CountedSums]:
        pairs = zip(self._frames, self._whole, strict=True)
        return [CountedSums(frame, self._aggregates, whole) for frame, whole in pairs]

    def values(self, counts: Resamples) -> Floats:
        """Value of each statistic in each resample."""
        with np.errstate(
            all="ignore"
        ):  # what a measure is not defined for is left to its expression
            tables = [sums.table(counts) for sums in self._sums]
        return self._values(tables, counts.number)

    def _values(self, tables: Sequence[pl.DataFrame], lines: int) -> Floats:
        return difference_of([by_replicate(t, self._expressions, lines) for t in tables])


def values_of_rows(
    frames: Sequence[pl.DataFrame],
    statistics: RowStatistics,
    index: Integers | slice,
    sizes: Integers,
) -> Floats:
    """Value of each statistic in each replicate, of the difference with two frames."""
    return difference_of([statistics.by_replicate(frame[index], sizes) for frame in frames])
