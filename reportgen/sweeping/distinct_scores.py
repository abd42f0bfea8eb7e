"""A ranking in which every row has a score of its own: the scores, and whose are positive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reportgen.array_types import Floats, Indices, chunks
from reportgen.sweeping.ranking import Chunk, Ranking, Rises, ascending, first_index

Places = npt.NDArray[np.uint32] | npt.NDArray[np.int64]

_FEW = 16
"""Of fewer than this part of all places each is searched for; of more all are counted once."""


@dataclass(frozen=True, eq=False)
class DistinctScores(Ranking):
    """All scores, highest first, and the places of the positives among them, from 0.

    So many rows are predicted positive as scores are reached; where k positives
    come before place p, there are p - k negatives before it.
    """

    score: Floats
    places: Places

    @property
    def positives(self) -> float:
        """Number of positives."""
        return float(len(self.places))

    @property
    def negatives(self) -> float:
        """Number of negatives."""
        return float(len(self) - len(self.places))

    @property
    def weighted(self) -> bool:
        """Rows without weights: two of them would need the order of rows to be distinguished."""
        return False

    def true_positives(self, rows: Indices) -> Indices:
        """How many of the ``rows`` highest scores are of positives."""
        if rows.size > len(self) / _FEW:
            return self._cumulated_positives()[rows].astype(np.intp)
        # The integers as they are stored: else all places would be turned into wider ones.
        return np.searchsorted(self.places, rows.astype(self.places.dtype))

    def _cumulated_positives(self) -> Places:
        """The positives among the highest 0, 1, 2, ... scores."""
        true_positives = np.zeros(len(self) + 1, self.places.dtype)
        true_positives[1:][self.places] = 1
        return np.cumsum(true_positives, dtype=true_positives.dtype, out=true_positives)

    def running(self, name: str, rows: Indices) -> Floats:
        """The running count ``tp`` or ``fp`` at ``rows``."""
        true_positives = self.true_positives(rows)
        return (true_positives if name == "tp" else rows - true_positives).astype(np.float64)

    def first(self, name: str, counts: npt.ArrayLike) -> Indices:
        """The first row whose ``tp`` or ``fp`` is at least each of ``counts``, or the last."""
        most = self.positives if name == "tp" else self.negatives
        least_counts = np.ceil(np.asarray(counts, dtype=np.float64))
        least = np.clip(least_counts, 0, most).astype(np.intp)
        if name == "tp":
            rows = np.where(least > 0, self._place(least - 1) + 1, 0)
        else:
            rows = least + self._before(least)
        return np.where(least_counts > most, len(self), rows)

    def _place(self, nth: Indices) -> Indices:
        """The places of positives by their number, 0 where there is none of it."""
        if not len(self.places):
            return np.zeros(nth.shape, np.intp)
        places: Indices = self.places[nth].astype(np.intp)
        return places

    def _before(self, negatives: Indices) -> Indices:
        """How many positives come before the negative that is the ``negatives``-th, from 1."""
        return first_index(
            lambda at: self._place(at) - at < negatives, len(self.places), np.shape(negatives)
        )

    def threshold_for_count(self, rows: npt.ArrayLike) -> Indices:
        """The first row that predicts at least so many rows positive, or the last."""
        first_rows: Indices = np.clip(np.ceil(np.asarray(rows)), 0, len(self)).astype(np.intp)
        return first_rows

    def predicted_positives(self, rows: npt.ArrayLike) -> Floats:
        """Rows with one of the ``rows`` highest scores."""
        return np.asarray(rows, dtype=np.float64)

    def among(self, rows: slice) -> Indices:
        """The places of the positives in a stretch, from its beginning."""
        first, last = self.true_positives(np.array([rows.start, rows.stop]))
        places: Indices = self.places[first:last].astype(np.intp) - rows.start
        return places

    def by_class(self, rows: slice) -> tuple[Floats, Floats]:
        """The scores of the positives and of the negatives in a stretch."""
        score, places = self.score[rows], self.among(rows)
        negative = np.ones(len(score), np.bool_)
        negative[places] = False
        return score[places], score[negative]

    def rows(self, block: slice) -> float:  # noqa: ARG002  # the same at every score
        """One row at each score."""
        return 1.0

    def chunk(self, rows: slice) -> Chunk:
        """The scores from one place to another."""
        positives = np.zeros(rows.stop - rows.start)
        positives[self.among(rows)] = 1
        negatives = 1 - positives
        return Chunk(rows, self.score[rows], positives, negatives, positives, negatives)

    def rises(self) -> Iterator[Rises]:
        """The scores of positives, a block of them at a time."""
        so_far = 0.0
        for part in chunks(len(self.places)):
            nth = np.arange(part.start + 1.0, part.stop + 1.0)
            above, one, none = self.places[part] - (nth - 1), np.ones(len(nth)), np.zeros(len(nth))
            between = np.diff(above, prepend=so_far)
            so_far = above[-1]
            yield Rises(nth, above, one, none, between, one, none, between)

    def part(self, rows: slice) -> DistinctScores:
        """The ranking of the scores from one place to another."""
        return DistinctScores(self.score[rows], self.among(rows))

    @property
    def tied_pairs(self) -> float:
        """None."""
        return 0.0

    @property
    def hull_candidate_count(self) -> int:
        """Positives, and both ends."""
        return len(self.places) + 2

    def hull_candidates(self, at: Indices) -> tuple[Indices, Floats, Floats]:
        """The rows that follow these positives, counted from 1, ``fp`` and ``tp``."""
        true_positives = np.minimum(at, len(self.places))
        rows = np.where(at > 0, self._place(true_positives - 1) + 1, 0)
        rows[at > true_positives] = len(self)
        return rows, (rows - true_positives).astype(np.float64), true_positives.astype(np.float64)

    def corners(self) -> Indices:
        """The rows at which the ROC curve turns, and both ends."""
        places = self.places.astype(np.intp)
        apart = np.diff(places) > 1
        starts, stops = places[1:][apart], places[:-1][apart] + 1
        return ascending([0, len(self)], places[:1], starts, stops, places[-1:] + 1)

    def with_weight(self) -> DistinctScores:
        """Every score has its row."""
        return self
