"""Measures of several classes, of labels and of numbers: bootstrap and permutation of two models.

A pair of models is either *counted* (what each kind of row adds to the counts
of either model) or *rowwise* (the rows of either model, in one order). Both
can be resampled and exchanged between the models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.sparse import coo_array

from reportgen.array_types import Floats, Integers
from reportgen.clusters import Groups
from reportgen.comparisons.paired_permutation import DRAWS, Draws, bootstrapped, permuted, units_of
from reportgen.comparisons.records import Comparison, Question
from reportgen.resampling import bootstrap_rows
from reportgen.resampling.evaluation import by_replicate
from reportgen.resampling.outcomes import Outcome
from reportgen.resampling.outcomes import table as outcomes

Table = Any
"""Kind × cell: an array; of groups, with a few cells each, a sparse one."""

MOST_ROWS = 50_000
"""Of more rows each permutation would have to sum up a measure of rows anew."""

_AT_ONCE = 2**21


@dataclass(frozen=True)
class CountedPair:
    """Two models whose measure is one of counts.

    Row k of ``first`` and ``second`` is what a row of the kind k adds to the
    counts under either model, ``rows`` how many there are; ``value`` gives the
    measure of each line of counts (NaN: undefined). Where ``groups`` are given, a
    kind is what one whole group adds, as ``in_groups`` makes it.
    """

    first: Table
    second: Table
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
    def units(self) -> str:
        """What is exchanged, in words."""
        return units_of(self.size if self.groups is None else self.groups.rows, self.groups)

    def observed(self) -> float:
        """The difference, first minus second."""
        a, b = (self.rows[None, :] @ part for part in (self.first, self.second))
        return float((self.value(a) - self.value(b))[0])

    def differs(self) -> bool:
        """Whether any row counts otherwise under the two models."""
        if self.groups is not None:
            return self.differ
        return bool((self.first != self.second).sum())

    def permuted(self, draws: int, random: np.random.Generator) -> Iterator[Floats]:
        """Differences after each row changed sides with chance one half, in batches."""
        base = [self.rows[None, :] @ part for part in (self.first, self.second)]
        change = self.second - self.first
        for count in _batches(draws, len(self.rows)):
            moved = random.binomial(self.rows, 0.5, (count, len(self.rows))) @ change
            yield self.value(base[0] + moved) - self.value(base[1] - moved)

    def resampled(self, replicates: int, random: np.random.Generator) -> Iterator[Floats]:
        """Differences on rows drawn with replacement, in batches."""
        for count in _batches(replicates, len(self.rows)):
            rows = random.multinomial(self.size, self.rows / self.size, size=count)
            yield self.value(rows @ self.first) - self.value(rows @ self.second)


@dataclass(frozen=True)
class RowwisePair:
    """Two models whose measure is an expression over rows, which are in one order.

    ``group`` names what rows belong together, a column of the first frame: they
    are drawn and exchanged together.
    """

    first: pl.DataFrame
    second: pl.DataFrame
    expression: pl.Expr
    bounds: tuple[float, float]
    group: str | None = None

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.first.height

    def observed(self) -> float:
        """The difference, first minus second."""
        both = self._values(np.arange(2 * self.size).reshape(2, 1, -1))
        return float(both[0])

    def differs(self) -> bool:
        """Whether any row is otherwise under the two models."""
        return not self.first.drop(self.group or ()).equals(self.second)

    @property
    def groups(self) -> Groups | None:
        """Which rows belong together."""
        return None if self.group is None else Groups.of(self.first[self.group])

    @property
    def units(self) -> str:
        """What is exchanged, in words."""
        return units_of(self.size, self.groups)

    def permuted(self, draws: int, random: np.random.Generator) -> Iterator[Floats]:
        """Differences after each row, or group, changed sides with chance one half, in batches."""
        rows, groups = np.arange(self.size), self.groups
        number = self.size if groups is None else groups.number
        for count in _batches(draws, self.size):
            swap = random.random((count, number)) < 0.5
            if groups is not None:
                swap = swap[:, groups.code]
            yield self._values(np.stack([rows + self.size * swap, rows + self.size * ~swap]))

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


Pair = CountedPair | RowwisePair


def permuted_pair(pair: Pair, question: Question, draws: Draws = DRAWS) -> Comparison:
    """``paired_permutation`` of any pair: of rows that stand in the order of their values.

    Undefined beyond 50,000 rows where the measure is one of rows.
    """
    if isinstance(pair, RowwisePair):
        pair = _ordered(pair)
        if pair.size > MOST_ROWS:
            reason = f"more than {MOST_ROWS:,} rows would have to be summed for each permutation"
            return permuted(question, reason=reason)
    if pair.size == 0:
        return permuted(question, reason="no rows")
    null_distribution = np.concatenate(
        list(pair.permuted(draws.number, np.random.default_rng(draws.seed)))
    )
    return permuted(
        question,
        observed=pair.observed(),
        null_distribution=null_distribution,
        differ=pair.differs(),
        units=pair.units,
    )


def bootstrapped_pair(
    pair: Pair, question: Question, *, replicates: int = 2000, seed: int = 0
) -> Comparison:
    """``paired_bootstrap`` of any pair; whole groups are drawn where it has them."""
    if pair.size == 0:
        return bootstrapped(question, None, 0, replicates)
    if isinstance(pair, RowwisePair):
        table = bootstrap_rows(
            pair.first,
            {question.metric: pair.expression},
            other=pair.second,
            group=pair.group,
            replicates=replicates,
            seed=seed,
            confidence=question.confidence,
            bounds={question.metric: pair.bounds},
        )
    else:
        drawn = np.concatenate(list(pair.resampled(replicates, np.random.default_rng([seed, 5]))))
        value = pair.observed()
        one = Outcome(question.metric, (-np.inf, np.inf), value, value, drawn)
        table = outcomes([one], question.confidence, ["percentile"], difference=True)
    return bootstrapped(question, table.row(0, named=True), pair.size, replicates)


def _ordered(pair: RowwisePair) -> RowwisePair:
    """The same with its rows in the order of their values: theirs in the file leaves no trace."""
    beside = pair.second.rename({name: f"other:{name}" for name in pair.second.columns})
    both = pl.concat([pair.first, beside], how="horizontal")
    order = both.with_row_index("place").sort(both.columns)["place"]
    return RowwisePair(
        pair.first[order], pair.second[order], pair.expression, pair.bounds, pair.group
    )


def _batches(draws: int, width: int) -> Iterator[int]:
    size = max(1, _AT_ONCE // max(width, 1))
    for begin in range(0, draws, size):
        yield min(size, draws - begin)
