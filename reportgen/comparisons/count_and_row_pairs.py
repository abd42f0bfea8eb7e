"""Two models of several classes, of labels or of numbers, for bootstrap and permutation.

A pair is either *counted* (what each kind of row adds to the counts of either model) or *rowwise*
(the rows of either model, in one order).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.sparse import coo_array

from reportgen.array_types import Flags, Floats, Integers
from reportgen.clusters import Groups
from reportgen.comparisons.model_pair import Draws, batches, units_of
from reportgen.comparisons.rank_exchanges import Exchanged
from reportgen.resampling import bootstrap_rows
from reportgen.resampling.bootstrap_outcomes import DifferenceOutcome, Outcome, first_difference
from reportgen.resampling.bootstrap_outcomes import table as outcomes
from reportgen.resampling.bootstrap_settings import BootstrapSettings
from reportgen.resampling.replicate_measures import by_replicate

CountTable = Any
"""Kind × cell: an array; of groups, with a few cells each, a sparse one."""

MOST_ROWS = 50_000
"""Of more rows each permutation would have to sum up a measure of rows anew."""

_AT_ONCE = 2**21

_ROWS_AT_ONCE = 2**18
"""Fewer where each is a row of a frame, with all its columns."""


@dataclass(frozen=True)
class CountedPair:
    """Two models whose measure is one of counts.

    Row k of ``first`` and ``second`` is what a row of the kind k adds to the
    counts under either model, ``rows`` how many there are; ``value`` gives the
    measure of each line of counts (NaN: undefined). Where ``groups`` are given, a
    kind is what one whole group adds, as ``in_groups`` makes it.
    """

    first: CountTable
    second: CountTable
    rows: Integers
    value: Callable[[Floats], Floats]
    groups: Groups | None = None
    differ: bool = True

    @classmethod
    def in_groups(
        cls,
        cells: Sequence[Integers],
        size: int,
        groups: Groups,
        value: Callable[[Floats], Floats],
    ) -> CountedPair:
        """From the cells, below ``size``, to which each row adds one under either model.

        A row of ``cells`` is one of the data and has a column per cell that it adds to.
        """
        shape, ones = (groups.number, size), np.ones(cells[0].size)
        code = np.repeat(groups.code, cells[0].shape[1])
        first, second = (coo_array((ones, (code, c.ravel())), shape).tocsr() for c in cells)
        differ = bool((cells[0] != cells[1]).any())
        return cls(first, second, np.ones(groups.number, np.int64), value, groups, differ)

    @property
    def size(self) -> int:
        """The number of rows, of whole groups where they are the kinds."""
        return int(self.rows.sum())

    @property
    def width(self) -> int:
        """How many numbers each exchange takes."""
        return len(self.rows)

    @property
    def units(self) -> str:
        """What is exchanged, in words."""
        return units_of(self.size if self.groups is None else self.groups.rows, self.groups)

    def fixed(self) -> str | None:
        """Why nothing can be exchanged."""
        return None if self.size else "no rows"

    def _observed(self) -> float:
        a, b = (self.rows[None, :] @ part for part in (self.first, self.second))
        return float((self.value(a) - self.value(b))[0])

    def _differs(self) -> bool:
        """Whether any row counts otherwise under the two models."""
        if self.groups is not None:
            return self.differ
        return bool((self.first != self.second).sum())

    def permuted(self, draws: Draws) -> tuple[float, Floats, bool]:
        """The difference, those after each exchange, and whether any row is unlike."""
        exchanged = list(self._exchanged(draws.number, np.random.default_rng(draws.seed)))
        return self._observed(), np.concatenate(exchanged), self._differs()

    def _exchanged(self, draws: int, random: np.random.Generator) -> Iterator[Floats]:
        """Differences after each row changed sides with chance one half, in batches."""
        base = [self.rows[None, :] @ part for part in (self.first, self.second)]
        change = self.second - self.first
        for count in batches(draws, len(self.rows), _AT_ONCE):
            moved = random.binomial(self.rows, 0.5, (count, len(self.rows))) @ change
            yield self.value(base[0] + moved) - self.value(base[1] - moved)

    def resampled(self, options: BootstrapSettings) -> DifferenceOutcome | None:
        """The difference with its limits and p-value."""
        random = np.random.default_rng([options.seed, 5])
        differences = list(self._resampled(options.replicates, random))
        value = self._observed()
        one = Outcome("difference", (-np.inf, np.inf), value, value, np.concatenate(differences))
        table = outcomes([one], options, difference=True)
        return first_difference(table)

    def _resampled(self, replicates: int, random: np.random.Generator) -> Iterator[Floats]:
        """Differences on rows drawn with replacement, in batches."""
        for count in batches(replicates, len(self.rows), _AT_ONCE):
            rows = random.multinomial(self.size, self.rows / self.size, size=count)
            yield self.value(rows @ self.first) - self.value(rows @ self.second)


@dataclass(frozen=True)
class RowwisePair:
    """Two models whose measure is an expression over rows, which are in one order.

    ``group`` names what rows belong together, a column of the first frame: they
    are drawn and exchanged together. ``exchanged`` gives the differences of a measure of ranks,
    ``of_row`` what each row adds to a measure that is a mean, null where it has no part in it.
    """

    first: pl.DataFrame
    second: pl.DataFrame
    expression: pl.Expr
    bounds: tuple[float, float]
    group: str | None = None
    exchanged: Exchanged | None = None
    of_row: Callable[[pl.DataFrame], pl.Series] | None = None

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.first.height

    def fixed(self) -> str | None:
        """Why nothing can be exchanged."""
        if self.size > MOST_ROWS:
            return f"more than {MOST_ROWS:,} rows would have to be summed for each permutation"
        return None if self.size else "no rows"

    def _observed(self) -> float:
        both = self._values(np.arange(2 * self.size).reshape(2, 1, -1))
        return float(both[0])

    def _differs(self) -> bool:
        """Whether any row is otherwise under the two models."""
        return not self.first.drop(self.group or ()).equals(self.second)

    @property
    def groups(self) -> Groups | None:
        """Which rows belong together."""
        return None if self.group is None else Groups.of(self.first[self.group])

    @property
    def width(self) -> int:
        """How many numbers each exchange takes."""
        return self.size

    @property
    def units(self) -> str:
        """What is exchanged, in words."""
        return units_of(self.size, self.groups)

    def permuted(self, draws: Draws) -> tuple[float, Floats, bool]:
        """The difference, those after each exchange, and whether any row is unlike."""
        pair = self._ordered()
        exchanged = list(pair._exchanged(draws.number, np.random.default_rng(draws.seed)))
        return pair._observed(), np.concatenate(exchanged), pair._differs()

    def resampled(self, options: BootstrapSettings) -> DifferenceOutcome | None:
        """The difference with its limits and p-value, from ``resampling.bootstrap_rows``."""
        table = bootstrap_rows(
            self.first,
            {"difference": self.expression},
            other=self.second,
            group=self.group,
            options=options,
            bounds={"difference": self.bounds},
        )
        return first_difference(table)

    def _ordered(self) -> RowwisePair:
        """The same with its rows in the order of their values: the file's leaves no trace."""
        beside = self.second.rename({name: f"other:{name}" for name in self.second.columns})
        both = pl.concat([self.first, beside], how="horizontal")
        order = both.with_row_index("place").sort(both.columns)["place"]
        return replace(self, first=self.first[order], second=self.second[order])

    def _exchanged(self, draws: int, random: np.random.Generator) -> Iterator[Floats]:
        """Differences after each row, or group, changed sides with chance one half, in batches."""
        rows, groups, means = np.arange(self.size), self.groups, self._means()
        number = self.size if groups is None else groups.number
        for count in batches(draws, self.size, _ROWS_AT_ONCE):
            swap = random.random((count, number)) < 0.5
            if groups is not None:
                swap = swap[:, groups.code]
            if means is not None:
                yield means(swap)
            elif self.exchanged is not None:
                yield self.exchanged(*self._pairs, swap)
            else:
                yield self._values(np.stack([rows + self.size * swap, rows + self.size * ~swap]))

    def _means(self) -> Callable[[Flags], Floats] | None:
        """The difference of means after rows changed sides: their sums do by what rows add."""
        if self.of_row is None:
            return None
        frames = self.first.drop(self.group or ()), self.second
        added = [self.of_row(frame).cast(pl.Float64) for frame in frames]
        values = [column.fill_null(0.0).to_numpy() for column in added]
        parts = [column.is_not_null().cast(pl.Float64).to_numpy() for column in added]
        apart, more = values[1] - values[0], parts[1] - parts[0]
        whole, rows = [v.sum() for v in values], [p.sum() for p in parts]

        def differences(swap: Flags) -> Floats:
            exchanged = swap.astype(np.float64)
            moved, gone = exchanged @ apart, exchanged @ more
            with np.errstate(invalid="ignore", divide="ignore"):
                first = (whole[0] + moved) / (rows[0] + gone)
                second = (whole[1] - moved) / (rows[1] - gone)
            return np.asarray(first - second, np.float64)

        return differences

    @property
    def _pairs(self) -> tuple[Floats, Floats, Floats]:
        """The truth and both estimates."""
        columns = self.first["truth"], self.first["estimate"], self.second["estimate"]
        truth, first, second = (c.cast(pl.Float64).to_numpy() for c in columns)
        return truth, first, second

    def _values(self, index: npt.NDArray[np.int64]) -> Floats:
        """Differences by replicate; index by side, replicate and row into both frames."""
        _, count, size = index.shape
        both = pl.concat([self.first.drop(self.group or ()), self.second])
        replicate = pl.Series("replicate", np.repeat(np.arange(count), size))
        parts = [
            by_replicate(both[side.ravel()].with_columns(replicate), [self.expression], count)[:, 0]
            for side in index
        ]
        return parts[0] - parts[1]
