"""How often each unit of the rows is in each replicate, or in the rows without each block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_array, csr_array, vstack

from reportgen.array_types import Floats, Indices, Integers, SmallIntegers, chunks

_BATCH = 2**19
"""So many units of replicates are counted together."""


class Recalled:
    """What was worked out of the same resamples before, by what it follows from.

    Models on the same rows have much in common: all that follows from the truth alone.
    """

    def __init__(self) -> None:
        self._values: dict[bytes, Floats] = {}

    def of(self, given: bytes, make: Callable[[], Floats]) -> Floats:
        """What follows from ``given``, made where it is asked for the first time."""
        if given not in self._values:
            self._values[given] = make()
        return self._values[given]

    def sums(self, columns: Floats, make: Callable[[Floats], Floats]) -> Floats:
        """The sums of each column, of those that are new all at once."""
        keys = [digest(column) for column in columns.T]
        new = {key: k for k, key in enumerate(keys) if key not in self._values}
        if new:
            sums = make(np.ascontiguousarray(columns[:, list(new.values())]))
            self._values |= dict(zip(new, sums.T, strict=True))
        return np.column_stack([self._values[key] for key in keys])


def digest(*arrays: npt.NDArray[Any], level: float = 0.0) -> bytes:
    """What stands for the content of arrays."""
    content = sha256(str(level).encode())
    for array in arrays:
        content.update(np.ascontiguousarray(array).data)
    return content.digest()


class Resamples(Protocol):
    """Sums of rows, and how often single rows occur, in many resamples of units."""

    recalled: Recalled

    @property
    def number(self) -> int:
        """How many resamples there are."""

    @property
    def size(self) -> int:
        """How many units a resample has."""

    def sums(self, columns: Floats) -> Floats:
        """The sum of each column of rows, one line per resample."""

    def entries(self, rows: Indices) -> csr_array:
        """How often each of these rows occurs, one line per resample; rows in this order."""


class Replicates:
    """Replicates: the counts of their units (columns) as sparse matrices, one after the other.

    ``unit`` is the one of each row, None where each row is its own.
    """

    def __init__(self, counts: Sequence[csc_array], size: int, unit: Integers | None) -> None:
        self.size = size
        self.recalled = Recalled()
        self._counts = counts
        self._unit = unit
        self._members: csr_array | None = None
        if unit is not None:
            each = (np.ones(len(unit)), (unit, np.arange(len(unit))))
            self._members = csr_array(each, shape=(counts[0].shape[1], len(unit)))

    @property
    def number(self) -> int:
        """How many replicates there are."""
        return sum(some.shape[0] for some in self._counts)

    def sums(self, columns: Floats) -> Floats:
        """Those of units, as often as they are drawn, in the order of units."""
        return self.recalled.sums(columns, self._sums)

    def _sums(self, columns: Floats) -> Floats:
        of_units = columns if self._members is None else self._members @ columns
        return np.concatenate([some @ of_units for some in self._counts])

    def entries(self, rows: Indices) -> csr_array:
        """Rows of one unit occur equally often."""
        units = rows if self._unit is None else self._unit[rows]
        entries: csr_array = vstack([c[:, units].tocsr() for c in self._counts], format="csr")
        return entries


class WithoutBlocks:
    """The rows without those of each block, of which ``block`` has the number: −1 in none."""

    def __init__(self, block: Integers, number: int, size: int) -> None:
        self.number = number
        self.size = size
        self.recalled = Recalled()
        self._block = block

    def sums(self, columns: Floats) -> Floats:
        """Sums of the blocks before and after: taking one off would leave rounding, not 0."""
        return self.recalled.sums(columns, self._sums)

    def _sums(self, columns: Floats) -> Floats:
        inside = self._block >= 0
        block = self._block[inside]
        of_blocks = np.column_stack([np.bincount(block, c[inside], self.number) for c in columns.T])
        none = np.zeros((1, columns.shape[1]))
        before = np.concatenate([none, of_blocks[:-1].cumsum(axis=0)])
        after = np.concatenate([none, of_blocks[:0:-1].cumsum(axis=0)])[::-1]
        total: Floats = before + after
        return total

    def entries(self, rows: Indices) -> csr_array:
        """Each row once, but without its block."""
        inside = np.flatnonzero(self._block[rows] >= 0)
        present = self._block[rows[inside]][None, :] != np.arange(self.number)[:, None]
        ends = np.concatenate([[0], present.sum(axis=1).cumsum()])
        place = np.broadcast_to(inside, present.shape)[present]
        return csr_array((np.ones(len(place)), place, ends), shape=(self.number, len(rows)))


def drawn_units(
    stratum: Integers, drawn: Mapping[int, int], seed: int, replicates: int
) -> Iterator[SmallIntegers]:
    """The units of replicates, some lines at a time: so many of each stratum, with replacement.

    Each stratum has its own stream: it does not matter how many lines are drawn at once.
    """
    streams = {
        s: np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 2, s]))) for s in drawn
    }
    strata = {s: np.flatnonzero(stratum == s).astype(np.int32) for s in streams}
    is_one = [len(here) for here in strata.values()] == [len(stratum)]  # places are units
    for part in chunks(replicates, max(1, _BATCH // max(sum(drawn.values()), 1))):
        number = part.stop - part.start
        places = {
            s: streams[s].integers(len(here), size=(number, drawn[s]), dtype=np.int32)
            for s, here in strata.items()
        }
        chosen = [place if is_one else strata[s][place] for s, place in places.items()]
        yield chosen[0] if len(chosen) == 1 else np.concatenate(chosen, axis=1)


def counted_draws(
    stratum: Integers, drawn: Mapping[int, int], seed: int, replicates: int
) -> list[csc_array]:
    """The counts of the units of each replicate, some replicates at a time."""
    counts = []
    for units in drawn_units(stratum, drawn, seed, replicates):
        number, size = units.shape
        ends = np.arange(number + 1, dtype=np.int32) * np.int32(size)
        once: npt.NDArray[Any] = np.ones(units.size, np.uint16 if size < 2**16 else np.uint32)
        matrix = csr_array((once, units.ravel(), ends), shape=(number, len(stratum))).tocsc()
        matrix.sum_duplicates()
        matrix.data = matrix.data.astype(np.min_scalar_type(matrix.data.max()))
        counts.append(matrix)
    return counts


_LAST: ContextVar[dict[str, tuple[bytes, Resamples]] | None] = ContextVar(
    "counts of the last units", default=None
)


@contextmanager
def shared_draws() -> Iterator[None]:
    """Where the counts of the last units serve the next model on these too.

    Their seed decides: such models have the same replicates anyway.
    """
    before = _LAST.set({})
    try:
        yield
    finally:
        _LAST.reset(before)


def shared(kind: str, key: bytes, make: Callable[[], Resamples]) -> Resamples:
    """The last counts of this kind, where they have this key, or new ones."""
    last = _LAST.get()
    if last is None:
        return make()
    if kind not in last or last[kind][0] != key:
        last.pop(kind, None)
        last[kind] = key, make()
    return last[kind][1]
