"""Rows in the order of a value: its quantiles and extremes in many resamples at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.sparse import csr_array

from reportgen.array_types import Floats, Indices, Integers
from reportgen.integer_sort import order_of
from reportgen.metrics.pairs import SAME
from reportgen.resampling.unit_counts import Resamples, digest

_EXTREMES = 64
"""In nearly every resample one of so many of the lowest or highest rows occurs."""

_DEVIATIONS, _FURTHER = 5, 8
"""Quantiles of resamples lie within so many standard deviations, and rows, of that of all rows."""

_WIDER = 8
"""Where one does not, so many times as many rows are looked at."""


@dataclass(frozen=True, slots=True)
class OrderedRows:
    """Places of rows in the order of their ``values``, and what they weigh.

    ``content`` stands for both.
    """

    rows: Indices
    values: Floats
    weight: Floats
    content: bytes

    @classmethod
    def of(cls, values: Floats, weight: Floats) -> OrderedRows:
        """Equal values stay in the order of the rows."""
        finite = bool(np.isfinite(values).all())
        rows = order_of(values) if finite else np.argsort(values, kind="stable")
        return cls(rows, values[rows], weight[rows], digest(values, weight))

    def window(self, level: float, size: int) -> slice:
        """Where a quantile of a resample of so many units is nearly always."""
        number = len(self.rows)
        share = self.weight.cumsum()
        middle = int(np.searchsorted(share, level * share[-1]))
        deviation = number * math.sqrt(level * (1 - level) / size)
        half = math.ceil(_DEVIATIONS * deviation) + _FURTHER
        return slice(max(middle - half, 0), min(middle + half, number))

    def before(self, window: slice) -> Floats:
        """What each row weighs that is below a window, 0 for others."""
        mass = np.zeros(len(self.rows))
        mass[self.rows[: window.start]] = self.weight[: window.start]
        return mass

    def quantiles(
        self, level: float, counts: Resamples, window: slice, below: Floats, whole: Floats
    ) -> Floats:
        """That of each resample, as ``metrics.pairs.quantile``; NaN without rows.

        ``below`` is what its rows below the window weigh, ``whole`` what all do.
        """
        make = partial(self._quantiles, level, counts, window, below, whole)
        return counts.recalled.of(b"quantile" + digest(level=level) + self.content, make)

    def _quantiles(
        self, level: float, counts: Resamples, window: slice, below: Floats, whole: Floats
    ) -> Floats:
        here = Entries.of(counts.entries(self.rows[window]), self.weight[window])
        at = here.number_below((level - SAME) * whole - below)
        following = at + (here.reached(at) + below <= (level + SAME) * whole)
        outside = (following >= here.size) & (window.stop < len(self.rows))
        if window.start:
            outside |= below >= (level - SAME) * whole
        if outside.any():
            half = _WIDER * (window.stop - window.start)
            wider = slice(max(window.start - half, 0), min(window.stop + half, len(self.rows)))
            below = counts.sums(self.before(wider)[:, None])[:, 0]
            return self._quantiles(level, counts, wider, below, whole)
        first, second = (here.taken(self.values[window], place) for place in (at, following))
        return np.where(first == second, first, (first + second) / 2)

    def extremes(self, counts: Resamples, *, greatest: bool = False) -> Floats:
        """The least value of each resample, or the greatest; NaN without rows."""
        make = partial(self._extremes, counts, -1 if greatest else 1)
        return counts.recalled.of((b"greatest" if greatest else b"least") + self.content, make)

    def _extremes(self, counts: Resamples, step: int) -> Floats:
        rows, values, weight = self.rows[::step], self.values[::step], self.weight[::step]
        number = _EXTREMES
        while True:
            here = Entries.of(counts.entries(rows[:number]), weight[:number])
            if here.size.all() or number >= len(rows):
                return here.taken(values, np.zeros_like(here.size))
            number *= _WIDER

    def distances(self, counts: Resamples, ends: Floats, start: float, weight: Floats) -> Floats:
        """Weighted sum of the distances from an end of what lies between it and the start.

        ``weight`` is that of each row.
        """
        key = b"distances" + digest(ends, weight, level=start) + self.content
        return counts.recalled.of(key, partial(self._distances, counts, ends, start, weight))

    def _distances(self, counts: Resamples, ends: Floats, start: float, weight: Floats) -> Floats:
        low, high = np.nanmin(ends, initial=start), np.nanmax(ends, initial=start)
        if low == high:
            return np.zeros(len(ends))
        bounds = np.searchsorted(self.values, low), np.searchsorted(self.values, high, "right")
        window = slice(int(bounds[0]), int(bounds[1]))
        here = Entries.of(counts.entries(self.rows[window]), weight[self.rows[window]])
        return here.distances(self.values[window], ends, start)


@dataclass(frozen=True)
class Entries:
    """The rows of a window that each resample has, ascending, and what all up to each weigh."""

    counts: csr_array
    weight: Floats
    size: Integers

    @classmethod
    def of(cls, counts: csr_array, weight: Floats) -> Entries:
        """Of so often each row of a window, which have a weight."""
        return cls(counts, weight, np.diff(counts.indptr))

    @cached_property
    def mass(self) -> Floats:
        """What each entry weighs."""
        mass: Floats = self.counts.data.astype(np.float64)
        if (self.weight != 1).any():
            mass *= self.weight[self.counts.indices]
        return mass

    @cached_property
    def weighed(self) -> Floats:
        """What all entries before each weigh, and what all do."""
        weighed = np.zeros(len(self.mass) + 1)
        np.cumsum(self.mass, out=weighed[1:])
        return weighed

    @property
    def _start(self) -> Floats:
        """What the entries of all resamples before weigh."""
        start: Floats = self.weighed[self.counts.indptr[:-1]]
        return start

    def number_below(self, mass: Floats) -> Integers:
        """How many entries of each resample weigh less together."""
        place = np.searchsorted(self.weighed[1:], self._start + mass)
        number: Integers = np.clip(place - self.counts.indptr[:-1], 0, self.size)
        return number

    def reached(self, place: Integers) -> Floats:
        """What the entries up to this place of each resample weigh, or all of them."""
        at = self.counts.indptr[:-1] + np.minimum(place + 1, self.size)
        reached: Floats = self.weighed[at] - self._start
        return reached

    def taken(self, values: Floats, place: Integers) -> Floats:
        """The value at this place of each resample, or its last; NaN without entries."""
        taken = np.full(len(self.size), np.nan)
        some = self.size > 0
        at = (self.counts.indptr[:-1] + np.minimum(place, self.size - 1))[some]
        taken[some] = values[self.counts.indices[at]]
        return taken

    def distances(self, values: Floats, ends: Floats, start: float) -> Floats:
        """See ``OrderedRows.distances``."""
        line = np.repeat(np.arange(len(self.size)), self.size)
        value, end = values[self.counts.indices], ends[line]
        between = ((start <= value) & (value < end)) | ((end <= value) & (value < start))
        far = np.where(between, self.mass * np.abs(value - end), 0.0)
        total: Floats = np.bincount(line, far, len(ends)).astype(np.float64)
        return total
