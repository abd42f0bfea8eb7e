"""A ranking with ties or weights: the counts at each distinct score, as bare columns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from reportgen.array_types import Floats, Indices, chunks
from reportgen.sweeping.ranking import Chunk, Ranking, Rises, ascending

Running = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class TiedScores(Ranking):
    """Running counts at the distinct scores, each column with a 0 in front.

    ``tp`` and ``fp`` are integers, or sums of weights. ``tp2`` and ``fp2`` are
    the running sums of squared weights, null where rows are not weighted.
    """

    score: Floats
    tp: Running
    fp: Running
    tp2: Floats | None = None
    fp2: Floats | None = None

    @property
    def positives(self) -> float:
        """Number of positives, or their weight."""
        return float(self.tp[-1])

    @property
    def negatives(self) -> float:
        """Number of negatives, or their weight."""
        return float(self.fp[-1])

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.tp2 is not None

    @property
    def of_whole_rows(self) -> bool:
        """Whether the counts are integers."""
        return self.tp.dtype.kind in "iu" and self.fp.dtype.kind in "iu"

    def running(self, name: str, rows: Indices) -> Floats:
        """The running count or sum of weights ``name`` at ``rows``."""
        values: Floats = getattr(self, name)[rows].astype(np.float64)
        return values

    def first(self, name: str, counts: npt.ArrayLike) -> Indices:
        """The first row whose count ``name`` is at least each of ``counts``, or the last."""
        return self._first(getattr(self, name), counts)

    def threshold_for_count(self, rows: npt.ArrayLike) -> Indices:
        """The first row that predicts at least so many rows positive, or the last."""
        return self._first(self.tp + self.fp, rows)

    def _first(self, column: Running, counts: npt.ArrayLike) -> Indices:
        least = np.asarray(counts, dtype=np.float64)
        if column.dtype != np.float64:  # else all of it would be turned into floats
            least = np.clip(np.ceil(least), 0, column[-1] + 1.0).astype(column.dtype)
        return np.minimum(np.searchsorted(column, least), len(self))

    def through(self, rows: slice) -> tuple[Floats, Floats]:
        """``tp`` and ``fp`` at each of a stretch of the scores, read as they lie."""
        at = slice(rows.start + 1, rows.stop + 1)
        return _floats(self.tp[at]), _floats(self.fp[at])

    def rows(self, block: slice) -> Floats:
        """Rows, or their weight, at each of a block of scores."""
        ends = slice(block.start, block.stop + 1)
        counts = self.tp[ends] + self.fp[ends]
        return _floats(counts[1:] - counts[:-1])

    def chunk(self, rows: slice) -> Chunk:
        """The distinct scores from one place to another."""
        after = slice(rows.start + 1, rows.stop + 1)
        running = [r for r in (self.tp, self.fp, self.tp2, self.fp2) if r is not None]
        added = [_floats(column[after] - column[rows]) for column in running]
        return Chunk(rows, self.score[rows], *added[:2], *added[-2:])

    def rises(self) -> Iterator[Rises]:
        """The distinct scores of positives, a block of them at a time."""
        last = 0
        for part in chunks(len(self.rising)):
            at = self.rising[part]
            counts = _gains(self.tp, self.fp, last, at)
            squares = counts[2:]
            if self.tp2 is not None and self.fp2 is not None:
                squares = _gains(self.tp2, self.fp2, last, at)[2:]
            yield Rises(*counts, *squares)
            last = int(at[-1])

    @cached_property
    def rising(self) -> Indices:
        """The rows that have more positives than the one before."""
        return np.flatnonzero(self.tp[1:] > self.tp[:-1]) + 1

    def part(self, rows: slice) -> TiedScores:
        """The ranking of the rows with the distinct scores from one place to another."""
        ends = slice(rows.start, rows.stop + 1)
        tp, fp = (column[ends] - column[rows.start] for column in (self.tp, self.fp))
        squares = (c if c is None else c[ends] - c[rows.start] for c in (self.tp2, self.fp2))
        return TiedScores(self.score[rows], tp, fp, *squares)

    @property
    def tied_pairs(self) -> float:
        """Pairs of a positive and a negative with the same score, or their weight."""
        return math.fsum(float(np.dot(p.positives, p.negatives)) for p in self.chunks())

    @property
    def hull_candidate_count(self) -> int:
        """Every row may rise."""
        return len(self) + 1

    def hull_candidates(self, at: Indices) -> tuple[Indices, Floats, Floats]:
        """The rows, ``fp`` and ``tp``."""
        return at, self.running("fp", at), self.running("tp", at)

    def corners(self) -> Indices:
        """The rows at which the ROC curve turns, and both ends."""
        indices = []
        for rows in chunks(len(self)):
            around = slice(rows.start, rows.stop + 2)
            positives, negatives = (
                np.diff(c[around].astype(np.float64)) for c in (self.tp, self.fp)
            )
            turns = positives[:-1] * negatives[1:] != positives[1:] * negatives[:-1]
            indices.append(rows.start + 1 + np.flatnonzero(turns))
        return ascending([0, len(self)], *indices)

    def with_weight(self) -> TiedScores:
        """The scores that some row has with a weight above 0."""
        if self.tp2 is None or self.fp2 is None:
            return self
        has_weight = np.diff(self.tp) + np.diff(self.fp) > 0
        rows = np.append([True], has_weight)
        return TiedScores(
            self.score[has_weight], *(c[rows] for c in (self.tp, self.fp, self.tp2, self.fp2))
        )


def _gains(tp: Running, fp: Running, last: int, at: Indices) -> tuple[Floats, ...]:
    """Running counts at each of ``at``, positives and negatives there, and negatives between.

    Between one and the one before, of which the first is ``last``.
    """
    before, reached = at - 1, (tp[at], fp[at])
    passed = fp[before]
    between = passed.copy()
    between[:1] -= fp[last]
    between[1:] -= reached[1][:-1]
    gained = reached[0] - tp[before], reached[1] - passed, between
    return tuple(map(_floats, (*reached, *gained)))


def _floats(counts: Running) -> Floats:
    return counts.astype(np.float64)
