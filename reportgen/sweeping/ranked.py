"""A sweep as bare columns: what sums over all thresholds read, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.tables import Sweep

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Running = npt.NDArray[Any]

BLOCK = 2**13
"""So many rows at a time: what is made of them stays in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a ranking: scores, rows of each class at each, and running counts.

    ``rows`` counts scores from 0. ``hits2`` and ``alarms2`` are the rows' squared
    weights, the rows themselves without weights.
    """

    rows: slice
    score: Floats
    tp: Floats
    fp: Floats
    hits: Floats
    alarms: Floats
    hits2: Floats
    alarms2: Floats


@dataclass(frozen=True, slots=True)
class Ranked:
    """The columns of a ``Sweep`` that the others follow from, in as little memory as they need.

    ``tp`` and ``fp`` are integers, or sums of weights. ``tp2`` and ``fp2`` are
    the running sums of squared weights, null where rows are not weighted.
    """

    threshold: Floats
    tp: Running
    fp: Running
    tp2: Floats | None = None
    fp2: Floats | None = None

    @classmethod
    def of(cls, sweep: Swept) -> Ranked:
        """The columns of a sweep."""
        if isinstance(sweep, Ranked):
            return sweep
        names = ("threshold", "tp", "fp", "tp2", "fp2")
        return cls(**{name: sweep[name].to_numpy() for name in names if name in sweep})

    def __len__(self) -> int:
        return len(self.threshold) - 1

    @property
    def score(self) -> Floats:
        """The distinct scores, highest first: the thresholds without the first, which is +∞."""
        return self.threshold[1:]

    @property
    def positives(self) -> float:
        """Number of positives, or their weight."""
        return float(self.tp[-1])

    @property
    def negatives(self) -> float:
        """Number of negatives, or their weight."""
        return float(self.fp[-1])

    @property
    def both_classes(self) -> bool:
        """Whether there are positives and negatives."""
        return self.positives > 0 and self.negatives > 0

    @property
    def probabilities(self) -> bool:
        """Whether there are scores, and all lie in the unit interval."""
        return len(self) > 0 and bool(self.score[-1] >= 0 and self.score[0] <= 1)

    @property
    def distinct(self) -> bool:
        """Whether every row has a score and a weight of its own: no two are tied."""
        return self.tp2 is None and self.positives + self.negatives == len(self)

    def occupied(self) -> Ranked:
        """The scores that some row has with a weight above 0."""
        if self.tp2 is None or self.fp2 is None:
            return self
        kept = np.append([True], np.diff(self.tp) + np.diff(self.fp) > 0)
        columns = (self.threshold, self.tp, self.fp, self.tp2, self.fp2)
        return Ranked(*(column[kept] for column in columns))

    def reached(self, scores: npt.ArrayLike, origin: float = 0.0) -> Indices:
        """How many of the distinct scores, less ``origin``, are at least each of ``scores``."""
        wanted = np.asarray(scores, dtype=np.float64)
        return self._leading(lambda at: self.score[at] - origin >= wanted, wanted.shape)

    def calling(self, rows: npt.ArrayLike) -> Indices:
        """The first row of the sweep that calls at least so many rows positive, or the last."""
        wanted = np.asarray(rows, dtype=np.float64)
        if self.distinct:
            return np.clip(np.ceil(wanted), 0, len(self)).astype(np.intp)
        fewer = self._leading(lambda at: self.tp[at + 1] + self.fp[at + 1] < wanted, wanted.shape)
        return np.where(wanted > 0, np.minimum(fewer + 1, len(self)), 0)

    def _leading(
        self, holds: Callable[[Indices], npt.NDArray[np.bool_]], shape: tuple[int, ...]
    ) -> Indices:
        """How many distinct scores there are before the first for which something ceases to hold.

        ``holds`` takes a position for each of ``shape`` questions; all are halved at once.
        """
        low, high = np.zeros(shape, np.intp), np.full(shape, len(self), np.intp)
        while (low < high).any():
            middle = (low + high) // 2
            held = holds(np.minimum(middle, len(self) - 1)) & (low < high)
            low = np.where(held, middle + 1, low)
            high = np.where(held, high, np.minimum(middle, high))
        return low

    def pieces(self, cuts: Iterable[int] = (), size: int = BLOCK) -> Iterator[Piece]:
        """All rows in stretches of at most ``size``, none of them across a cut."""
        ends = {*range(0, len(self), size), *(int(c) for c in cuts if 0 < c < len(self)), len(self)}
        ordered = sorted(ends)
        running = [r for r in (self.tp, self.fp, self.tp2, self.fp2) if r is not None]
        for start, stop in pairwise(ordered):
            to, before = slice(start + 1, stop + 1), slice(start, stop)
            counts = [column[to].astype(np.float64) for column in running[:2]]
            added = [(column[to] - column[before]).astype(np.float64) for column in running]
            yield Piece(before, self.threshold[to], *counts, *added[:2], *added[-2:])

    def first(self, name: str, wanted: npt.ArrayLike) -> Indices:
        """The first row of the sweep whose count ``name`` is at least each of ``wanted``.

        The last row where none is.
        """
        column, least = getattr(self, name), np.asarray(wanted, dtype=np.float64)
        if column.dtype != np.float64:  # else all of it would be turned into floats
            least = np.clip(np.ceil(least), 0, len(self) + 1.0).astype(column.dtype)
        return np.minimum(np.searchsorted(column, least), len(self))

    def called(self, row: int) -> float:
        """Rows, or their weight, with one of the ``row`` highest scores."""
        return float(self.tp[row]) + float(self.fp[row])

    def counts(self, rows: npt.ArrayLike | slice, *names: str) -> list[Floats]:
        """The named running counts where the ``rows`` highest scores are called positive."""
        return [getattr(self, name)[rows].astype(np.float64) for name in names]

    def corners(self) -> Indices:
        """The rows of the sweep at which its ROC curve turns, and both ends."""
        kept = [np.array([0])]
        for start in range(0, len(self), BLOCK):
            rows = slice(start, start + BLOCK + 2)
            hits, alarms = (np.diff(c[rows].astype(np.float64)) for c in (self.tp, self.fp))
            turns = hits[:-1] * alarms[1:] != hits[1:] * alarms[:-1]
            kept.append(start + 1 + np.flatnonzero(turns))
        return np.unique(np.concatenate([*kept, [len(self)]]))

    def table(self, rows: npt.ArrayLike | None = None) -> DataFrame[Sweep]:
        """The sweep, or the ``rows`` of it: 0 calls nothing positive, k the k highest scores."""
        names = ["threshold", "tp", "fp", *(["tp2", "fp2"] if self.tp2 is not None else [])]
        found = dict(
            zip(names, self.counts(slice(None) if rows is None else rows, *names), strict=True)
        )
        found["fn"], found["tn"] = self.positives - found["tp"], self.negatives - found["fp"]
        return Sweep.validate(
            pl.DataFrame(found).select("threshold", "tp", "fp", "fn", "tn", *names[3:])
        )


Swept: TypeAlias = "DataFrame[Sweep] | Ranked"
"""Counts at every threshold, in either form."""


def with_squares(frame: pl.DataFrame) -> pl.DataFrame:
    """Add the sums of squared weights where there are none: for unit weights, the counts."""
    if "tp2" in frame.columns:
        return frame
    cells = ("tp", "fp", "fn", "tn")
    return frame.with_columns(pl.col(c).cast(pl.Float64).alias(f"{c}2") for c in cells)
