"""Multinomial counts of many units, several times as fast as one binomial count after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlogy

from reportgen.array_types import Floats, Integers, chunks

MANY = 2**7
"""NumPy draws from fewer units."""

LARGEST, MOST = 2**10, 2**22
"""And where a unit or all of them have more rows, whose tables would not fit the caches."""

REPLICATES = 32
"""So many replicates are drawn at a time; batches of a multiple of it leave no trace."""

_SHORT = 2.0
"""So many standard deviations of their sum the Poisson counts are expected to fall short."""

_BITS, _GUIDE = 16, 12
"""Random bits of a count, and those of them that a table is looked up by."""

_UNDECIDED = 2**16 - 1

Small = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Multinomial:
    """How often each unit is drawn, as many times in all as all have rows.

    Poisson counts with means in proportion to the rows are multinomial given their sum, so
    that counts which fall a little short, and the rows that are missing, drawn one by one, are
    the multinomial distribution exactly; where their sum is too large all are drawn by NumPy.
    Devroye (1986), *Non-Uniform Random Variate Generation*, XI.1,
    doi:10.1007/978-1-4613-8643-8.

    >>> count = np.full(500, 20)
    >>> drawn = Multinomial.of(count).draw(np.random.default_rng(1), 3)
    >>> drawn.shape, drawn.sum(axis=1).tolist()
    ((3, 500), [10000, 10000, 10000])
    """

    count: Integers
    poisson: PoissonTables | None
    unit_of_row: Small

    @classmethod
    def of(cls, count: Integers) -> Multinomial:
        """Ready to draw from units of so many rows."""
        whole = int(count.sum())
        tabled = MANY <= len(count) <= _UNDECIDED and whole <= MOST
        if not tabled or not 1 < count.max() <= LARGEST:
            return cls(count, None, np.empty(0, np.uint16))
        units = np.repeat(np.arange(len(count), dtype=np.uint16), count)
        return cls(count, PoissonTables.of(count, 1 - _SHORT / whole**0.5), units)

    def draw(self, stream: np.random.Generator, replicates: int) -> Integers:
        """The counts, one row per replicate."""
        if self.poisson is None:
            return self._plain(stream, replicates)
        result = np.empty((replicates, len(self.count)), np.int64)
        for rows in chunks(replicates, REPLICATES):
            short = self.poisson.draw(stream, REPLICATES)  # all, so that fewer are the first
            result[rows] = self._completed(stream, short)[: rows.stop - rows.start]
        return result

    def _completed(self, stream: np.random.Generator, short: Small) -> Integers:
        """Counts with the rows that they lack."""
        units, whole = len(self.count), len(self.unit_of_row)
        missing = whole - short.sum(axis=1, dtype=np.int64)
        over = np.flatnonzero(missing < 0)
        missing[over] = 0
        added = self.unit_of_row[stream.integers(whole, size=missing.sum(), dtype=np.uint32)]
        cell = added + np.repeat(np.arange(len(short)) * units, missing)
        counts = np.bincount(cell, minlength=short.size).reshape(short.shape) + short
        counts[over] = self._plain(stream, len(over))
        return counts

    def _plain(self, stream: np.random.Generator, replicates: int) -> Integers:
        units, whole = len(self.count), int(self.count.sum())
        if self.count.max() > 1:
            counts: Integers = stream.multinomial(whole, self.count / whole, size=replicates)
            return counts
        drawn = stream.integers(units, size=(replicates, units))
        drawn += units * np.arange(replicates)[:, None]
        return np.bincount(drawn.ravel(), minlength=replicates * units).reshape(replicates, units)


@dataclass(frozen=True, slots=True)
class PoissonTables:
    """Poisson counts of units, looked up by their first random bits.

    Units of one size share their distribution function and its guide table: by the first bits
    the count, or that more bits decide. ``cumulated`` has the functions of counts from ``first``
    on, one after the other, that of the k-th size raised by k.
    Chen & Asau (1974), doi:10.1080/05695557408974949.
    """

    size: Integers
    guide: Small
    cumulated: Floats
    first: Integers
    width: int

    @classmethod
    def of(cls, count: Integers, share: float) -> PoissonTables:
        """Those with this share of ``count`` as means."""
        sizes, size = np.unique(count, return_inverse=True)
        mean = sizes * share
        around = 12 * mean**0.5
        first = np.maximum(mean - around, 0).astype(np.int64)
        width = int((mean + around - first).max()) + 30
        value = first[:, None] + np.arange(width)
        log_factorial = gammaln(np.arange(value[:, -1].max() + 1) + 1.0)
        chance = np.exp(xlogy(value, mean[:, None]) - mean[:, None] - log_factorial[value])
        cumulated = chance.cumsum(axis=1)
        cumulated /= cumulated[:, -1:]
        guide = _guide(cumulated, first)
        cumulated += np.arange(len(sizes))[:, None]
        return cls(size.astype(np.int32), guide, cumulated.ravel(), first, width)

    def draw(self, stream: np.random.Generator, replicates: int) -> Small:
        """Counts of each unit, one row per replicate."""
        number = replicates * len(self.size)
        words = stream.bit_generator.random_raw(-(-number * _BITS // 64))
        bits = words.astype("<u8", copy=False).view("<u2")[:number].reshape(replicates, -1)
        counts = self.guide.take((bits >> (_BITS - _GUIDE)) + (self.size << _GUIDE))
        flat = counts.ravel()
        undecided = np.flatnonzero(flat == _UNDECIDED)
        uniform = (bits.ravel()[undecided] + stream.random(len(undecided))) / 2**_BITS
        size = self.size[undecided % len(self.size)]
        place = np.minimum(size + uniform, np.nextafter(size + 1.0, 0.0))
        passed = np.searchsorted(self.cumulated, place, side="right")
        flat[undecided] = passed - size * self.width + self.first[size]
        return counts


def _guide(cumulated: Floats, first: Integers) -> Small:
    """The count of each first bits, by distribution function; where it is undecided, that.

    A count begins where its distribution function is at or below the start of a cell of the
    guide; in the cell before, both it and the one before occur.
    """
    cells = 2**_GUIDE
    start = np.ceil(cumulated * cells).astype(np.int64)
    counts = first[:, None] + np.arange(start.shape[1] + 1)
    guide = np.repeat(counts.astype(np.uint16), np.diff(start, prepend=0, append=cells).ravel())
    guide[(start + cells * np.arange(len(start))[:, None] - 1)[start > 0]] = _UNDECIDED
    return guide
