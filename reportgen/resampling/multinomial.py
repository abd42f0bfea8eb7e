"""How often each of many units is drawn: the multinomial distribution, from few tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import pdtr

from reportgen.array_types import Floats, Integers
from reportgen.chunks import chunks

MANY = 2**12
"""Of more units than this, those of the same size share a table; NumPy draws from fewer."""

REPLICATES = 32
"""So many replicates are drawn at a time; batches of a multiple of it leave no trace."""

_SPARE = 6.0
"""So many standard deviations of their sum the Poisson counts are expected to fall short."""


Tables = Sequence[tuple[slice, Floats]]
"""Units in a row, and the distribution function that they share."""


def draw_multinomial(stream: np.random.Generator, count: Integers, replicates: int) -> Integers:
    """How often each unit is drawn, as many times in all as all have rows; one row per replicate.

    Poisson counts with means in proportion to ``count`` are multinomial given their sum, so
    that counts which fall a little short, and the rows that are missing, drawn one by one, are
    the multinomial distribution exactly. A count whose sum is too large is drawn again. Units
    of one size have one distribution, whose table all of their counts are looked up in.
    Devroye (1986), *Non-Uniform Random Variate Generation*, XI.1,
    doi:10.1007/978-1-4613-8643-8.
    """
    whole = int(count.sum())
    short = 1 - _SPARE / max(whole, 1) ** 0.5
    if len(count) <= MANY or short < 0.9:
        plain: Integers = stream.multinomial(whole, count / whole, size=replicates)
        return plain
    order = np.argsort(count, kind="stable")
    sizes, first = np.unique(count[order], return_index=True)
    ends = np.append(first[1:], len(order))
    tables = [
        (slice(a, b), _table(float(c) * short)) for c, a, b in zip(sizes, first, ends, strict=True)
    ]
    unit_of_row = np.repeat(np.arange(len(count)), count)
    result = np.empty((replicates, len(count)), np.int64)
    for rows in chunks(replicates, REPLICATES):
        counts = np.empty((REPLICATES, len(count)), np.int64)  # all, so that fewer are the first
        counts[:, order] = _short_counts(stream, tables, whole)
        missing = whole - counts.sum(axis=1)
        units = unit_of_row[stream.integers(whole, size=missing.sum())]
        units += np.repeat(np.arange(REPLICATES) * len(count), missing)
        counts += np.bincount(units, minlength=counts.size).reshape(counts.shape)
        result[rows] = counts[: rows.stop - rows.start]
    return result


def _table(mean: float) -> Floats:
    """The distribution function of a Poisson count, up to where it is 1."""
    return np.asarray(pdtr(np.arange(int(mean + 12 * mean**0.5) + 30), mean), np.float64)


def _short_counts(stream: np.random.Generator, tables: Tables, most: int) -> Integers:
    """Poisson counts of each unit, at most so many in all."""
    counts = _poisson(stream, tables, REPLICATES)
    while (over := counts.sum(axis=1) > most).any():
        counts[over] = _poisson(stream, tables, int(over.sum()))
    return counts


def _poisson(stream: np.random.Generator, tables: Tables, replicates: int) -> Integers:
    counts = np.empty((replicates, tables[-1][0].stop), np.int64)
    for units, table in tables:
        uniform = stream.random((replicates, units.stop - units.start))
        counts[:, units] = np.searchsorted(table, uniform, side="right")
    return counts
