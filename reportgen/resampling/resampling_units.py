"""What is drawn: rows that are alike form a unit, and units of a stratum are drawn together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.sparse import csr_array

from reportgen.array_types import Floats, Integers, IntegersOfAnySize, chunks
from reportgen.integer_sort import first_of_runs
from reportgen.resampling.multinomial import REPLICATES, Multinomial
from reportgen.resampling.row_kinds import row_kinds

UNITS = 2**15
"""With more kinds of rows than this, weights or cells are merged, and groups put in blocks."""

BLOCKS = 2**12
"""So many blocks of about equal size take the place of more than ``UNITS`` groups."""

_BATCH = 2**20

_AT_ONCE = 32
"""So many replicates are multiplied at a time."""


@dataclass(frozen=True, slots=True)
class UnitWeights:
    """What units bring to the slots of one model (slot: cell and class), in order of the slots.

    ``unit``, ``slot`` and ``mass`` have one entry per unit and slot; ``start``
    is the first entry of each slot that occurs, ``slots`` the number of all,
    ``row`` the mean mass of a row.
    """

    unit: IntegersOfAnySize
    slot: IntegersOfAnySize
    mass: Floats
    start: Integers
    slots: int
    row: float

    def masses(self, counts: Integers) -> Floats:
        """Mass in each slot, one row per replicate, given how often each unit was drawn."""
        if len(self.start) == counts.shape[1] and np.array_equal(self.unit, self.start):
            return self._of_whole_slots(counts)
        return products(self._by_slot(counts.shape[1]), counts)

    def _of_whole_slots(self, counts: Integers) -> Floats:
        """The masses where each unit is all of a slot; a slot without a unit takes the last, 0."""
        of_units = np.zeros((len(counts), counts.shape[1] + 1))
        np.multiply(counts, self.mass, out=of_units[:, :-1])
        unit = np.full(self.slots, counts.shape[1])
        unit[self.slot] = np.arange(counts.shape[1])
        return of_units.take(unit, axis=1)

    def _by_slot(self, units: int) -> csr_array:
        """The masses as a matrix, a row per slot; its product adds them in the order of units."""
        ends = np.searchsorted(self.slot, np.arange(self.slots + 1, dtype=self.slot.dtype))
        return csr_array((self.mass, self.unit, ends), shape=(self.slots, units))


def products(matrix: csr_array, rows: npt.NDArray[Any]) -> Floats:
    """The product of a sparse matrix with each of the rows.

    Of a few rows at a time, which fit into the processor's cache: a third of the time.
    """
    result = np.empty((len(rows), matrix.shape[0]))
    for some in chunks(len(rows), _AT_ONCE):
        columns = np.ascontiguousarray(rows[some].T, dtype=np.float64)
        result[some] = (matrix @ columns).T
    return result


@dataclass(frozen=True, slots=True)
class Units:
    """How many rows (or groups) of each kind there are, the stratum of each, and their shares."""

    count: Integers
    stratum: Integers
    shares: tuple[UnitWeights, ...]

    def draw_counts(self, replicates: int, seed: Sequence[int]) -> Iterator[Integers]:
        """How often each unit is drawn, in batches of replicates.

        Each stratum keeps its size: its units are drawn with replacement, from
        a stream of its own, so that batches leave no trace.
        """
        strata = [np.flatnonzero(self.stratum == stratum) for stratum in np.unique(self.stratum)]
        streams = [
            np.random.Generator(np.random.PCG64(np.random.SeedSequence([*seed, int(stratum)])))
            for stratum in np.unique(self.stratum)
        ]
        drawn_from = [Multinomial.of(self.count[here]) for here in strata]
        widest = max(len(self.count), *(share.slots for share in self.shares), 1)
        size = max(REPLICATES, min(_BATCH // widest, 2000) // REPLICATES * REPLICATES)
        place = np.argsort(np.concatenate(strata)) if len(strata) > 1 else None
        for first in range(0, replicates, size):
            rows = min(size, replicates - first)
            drawn = [one.draw(s, rows) for one, s in zip(drawn_from, streams, strict=True)]
            if place is not None:
                yield np.concatenate(drawn, axis=1).take(place, axis=1)
            else:
                yield drawn[0] if drawn else np.zeros((rows, 0), dtype=np.int64)


def units(
    slots: Sequence[tuple[IntegersOfAnySize, int]],
    *,
    weight: pl.Series | None = None,
    group: pl.Series | None = None,
    stratified: bool = False,
) -> Units:
    """Units of rows whose slots (2·cell + 1(positive)) are given per model, with their number.

    Rows with the same slots and weight are a unit; with ``group``, a group is
    one. Strata are the classes; groups have them only when each lies within
    one class. Of more than ``UNITS`` units the weights of the same slots are
    merged, and groups are drawn in ``blocks``.
    """
    names = [f"slot{k}" for k in range(len(slots))]
    columns = {} if group is None else {"group": _dense(group)}
    columns |= {n: s.astype(np.int32, copy=False) for n, (s, _) in zip(names, slots, strict=True)}
    if weight is not None:
        columns["weight"] = weight.cast(pl.Float64).to_numpy()
    kinds = _merged(row_kinds(columns))
    columns.clear()  # long, and not read again
    rows = len(slots[0][0])
    mass = kinds["weight"].to_numpy() if weight is not None else np.ones(kinds.height)
    of_class = kinds["slot0"].to_numpy() % 2
    if group is None:
        unit: IntegersOfAnySize = np.arange(kinds.height)
        count, stratum = kinds["rows"].to_numpy().astype(np.int64), of_class
    else:
        unit = kinds["group"].to_numpy()
        mass = mass * kinds["rows"].to_numpy()
        number = int(unit[-1]) + 1 if len(unit) else 0
        stratum = _classes(unit, of_class, number) * int(stratified)
        if number > UNITS:
            block, stratum = blocks(stratum)
            unit, number = block.astype(np.int32)[unit], len(stratum)
        count = np.ones(number, dtype=np.int64)
    row = float((mass * (count[unit] if group is None else 1)).sum()) / max(rows, 1)
    shares = tuple(
        _unit_weights(unit, kinds[name].to_numpy(), mass, number, row)
        for name, (_, number) in zip(names, slots, strict=True)
    )
    return Units(count, stratum if stratified else np.zeros_like(stratum), shares)


def units_of(kinds: tuple[Integers, ...], rows: Integers, cells: tuple[int, int]) -> Units:
    """The same of the rows of two models as ``score_cells.crossed`` has them, by class."""
    first, positive, second = kinds
    slots = [2 * cell + positive for cell in (first, second)]
    unit, mass = np.arange(len(positive)), np.ones(len(positive))
    shares = tuple(
        _unit_weights(unit, s, mass, 2 * n, 1.0) for s, n in zip(slots, cells, strict=True)
    )
    return Units(rows, positive, shares)


def _unit_weights(
    unit: IntegersOfAnySize, slot: IntegersOfAnySize, mass: Floats, slots: int, row: float
) -> UnitWeights:
    # By radix where the slots fit; what shares a slot stays in the order of the groups or kinds.
    order = np.argsort(slot.astype(np.uint16) if slots < 2**16 else slot, kind="stable")
    unit, slot, mass = unit[order], slot[order], mass[order]
    start = first_of_runs(slot)
    return UnitWeights(unit, slot, mass, start, slots, row)


def _classes(unit: IntegersOfAnySize, of_class: Integers, number: int) -> Integers:
    """Class of each group; one stratum for all when a group holds both."""
    rows, positives = (np.bincount(unit, w, number) for w in (None, of_class))
    if ((positives > 0) & (positives < rows)).any():
        return np.zeros(number, dtype=np.int64)
    return (positives > 0).astype(np.int64)


def blocks(stratum: Integers) -> tuple[Integers, Integers]:
    """The block of each of many groups, and the stratum of each of the ``BLOCKS`` blocks.

    Groups of a stratum are dealt out to its blocks at random, always alike, in equal numbers.
    Drawn in blocks, a sum over the groups has the variance that it has drawn one by one:
    their sums within a block are as independent. What it loses is that the deal decides a
    little: its standard error is off by 1/√(2·4096), 1.1 %, as that of 4,000 replicates is.

    >>> block, of_block = blocks(np.zeros(50_000, dtype=np.int64))
    >>> len(of_block), int(np.bincount(block).min()), int(np.bincount(block).max())
    (4096, 12, 13)
    """
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(len(stratum))))
    block = np.empty(len(stratum), dtype=np.int64)
    of_block: list[Integers] = []
    first = 0
    for one in np.unique(stratum):
        here = random.permutation(np.flatnonzero(stratum == one))
        number = min(len(here), max(1, round(BLOCKS * len(here) / len(stratum))))
        block[here] = first + np.arange(len(here)) * number // len(here)
        of_block.append(np.full(number, one))
        first += number
    return block, np.concatenate(of_block)


def _dense(group: pl.Series) -> Integers:
    """The groups numbered from 0 in their order, those of no row left out."""
    if not group.dtype.is_integer() or group.is_empty():
        return group.rank("dense").cast(pl.Int64).to_numpy() - 1
    code: Integers = group.cast(pl.Int64).to_numpy()
    code = code - code.min()
    if code.max() > 4 * len(code):
        return group.rank("dense").cast(pl.Int64).to_numpy() - 1
    occurs = np.zeros(int(code.max()) + 1, np.int64)
    occurs[code] = 1
    return (np.cumsum(occurs) - 1)[code]


def _merged(kinds: pl.DataFrame) -> pl.DataFrame:
    """The kinds of rows; of too many those in the same slots have one weight.

    Rows that weigh w in all, and w² in squares, are as many as (Σw)²/Σw² that weigh Σw²/Σw:
    their sum is the same, and so is its variance.
    """
    if kinds.height <= UNITS or "weight" not in kinds.columns or "group" in kinds.columns:
        return kinds
    slots = [name for name in kinds.columns if name.startswith("slot")]
    mass, square = (pl.col("weight") ** power * pl.col("rows") for power in (1, 2))
    every = {"w": mass.sum(), "w2": square.sum(), "rows": pl.col("rows").sum()}
    sums = kinds.group_by(slots, maintain_order=True).agg(**every)
    alike = (pl.col("w") ** 2 / pl.col("w2")).round().clip(1)
    rows = pl.when(pl.col("w2") > 0).then(alike).otherwise("rows")
    return sums.select(*slots, weight=pl.col("w") / rows, rows=rows.cast(pl.UInt32))
