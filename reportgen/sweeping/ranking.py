"""The scores of one model, highest first: what sums over all thresholds read, block by block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import BLOCK, Floats, Indices, chunks
from reportgen.metric_names import CELLS
from reportgen.tables import Sweep


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a ranking: scores, and rows of each class at each.

    ``rows`` counts scores from 0. ``positives2`` and ``negatives2`` are the rows' squared
    weights, the rows themselves without weights.
    """

    rows: slice
    score: Floats
    positives: Floats
    negatives: Floats
    positives2: Floats
    negatives2: Floats


@dataclass(frozen=True, slots=True)
class Rises:
    """A stretch of the scores that positives have, highest first, and the counts at or above each.

    ``gained`` positives and ``tied`` negatives have the score itself, ``between`` negatives one
    between it and the one before. Those with a 2 are the rows' squared weights, the rows
    themselves without weights.
    """

    tp: Floats
    fp: Floats
    gained: Floats
    tied: Floats
    between: Floats
    gained2: Floats
    tied2: Floats
    between2: Floats


class Ranking(ABC):
    """What the columns of a ``Sweep`` follow from, in as little memory as it needs.

    Rows of the sweep are counted from 0, which predicts nothing positive; row k
    predicts the k highest of the distinct scores positive.
    """

    score: Floats
    """The distinct scores, highest first."""

    @property
    @abstractmethod
    def positives(self) -> float:
        """Number of positives, or their weight."""

    @property
    @abstractmethod
    def negatives(self) -> float:
        """Number of negatives, or their weight."""

    @property
    @abstractmethod
    def weighted(self) -> bool:
        """Whether rows have weights, and so sums of squared weights beside the counts."""

    @abstractmethod
    def running(self, name: str, rows: Indices) -> Floats:
        """The running count ``tp`` or ``fp`` (weighted: also ``tp2``, ``fp2``) at ``rows``."""

    @abstractmethod
    def first(self, name: str, counts: npt.ArrayLike) -> Indices:
        """The first row of the sweep whose ``tp`` or ``fp`` is at least each of ``counts``.

        The last row where none is.
        """

    @abstractmethod
    def rows(self, block: slice) -> Floats | float:
        """Rows, or their weight, at each of a block of scores."""

    @abstractmethod
    def chunk(self, rows: slice) -> Chunk:
        """The distinct scores from one place to another."""

    @abstractmethod
    def rises(self) -> Iterator[Rises]:
        """The distinct scores of positives, a block of them at a time."""

    @abstractmethod
    def part(self, rows: slice) -> Ranking:
        """The ranking of the rows with the distinct scores from one place to another."""

    @property
    @abstractmethod
    def tied_pairs(self) -> float:
        """Pairs of a positive and a negative with the same score."""

    @property
    @abstractmethod
    def hull_candidate_count(self) -> int:
        """How many rows of the sweep are enough to find its hull: both ends, and where it rises."""

    @abstractmethod
    def hull_candidates(self, at: Indices) -> tuple[Indices, Floats, Floats]:
        """The rows of the sweep that are ``at`` these places among the rises, ``fp`` and ``tp``."""

    @abstractmethod
    def corners(self) -> Indices:
        """The rows of the sweep at which its ROC curve turns, and both ends."""

    @abstractmethod
    def with_weight(self) -> Ranking:
        """The scores that some row has with a weight above 0."""

    def __len__(self) -> int:
        return len(self.score)

    @property
    def both_classes(self) -> bool:
        """Whether there are positives and negatives."""
        return self.positives > 0 and self.negatives > 0

    @property
    def probabilities(self) -> bool:
        """Whether there are scores, and all lie in the unit interval."""
        return len(self) > 0 and bool(self.score[-1] >= 0 and self.score[0] <= 1)

    @property
    def with_log_odds(self) -> Ranking:
        """The rows whose scores lie strictly between 0 and 1."""
        above = self.count_at_or_above([np.nextafter(0, 1), 1.0])
        return self.part(slice(int(above[1]), int(above[0])))

    @property
    def percentages(self) -> bool:
        """Whether the scores look like percentages."""
        return len(self) > 0 and like_percentages(self.score[-1], self.score[0])

    @cached_property
    def forecasts(self) -> Floats:
        """Sum of the forecasts of the rows in each block of scores."""
        return np.array([(self.score[b] * self.rows(b)).sum() for b in chunks(len(self))])

    def count_at_or_above(self, scores: npt.ArrayLike, origin: float = 0.0) -> Indices:
        """How many of the distinct scores, less ``origin``, are at least each of ``scores``."""
        thresholds = np.asarray(scores, dtype=np.float64)
        return first_index(
            lambda at: self.score[at] - origin >= thresholds, len(self), thresholds.shape
        )

    def threshold_for_count(self, rows: npt.ArrayLike) -> Indices:
        """The first row of the sweep that predicts at least so many rows positive, or the last."""
        counts = np.asarray(rows, dtype=np.float64)
        fewer = first_index(
            lambda at: self.predicted_positives(at + 1) < counts, len(self), counts.shape
        )
        return np.where(counts > 0, np.minimum(fewer + 1, len(self)), 0)

    def predicted_positives(self, rows: npt.ArrayLike) -> Floats:
        """Rows, or their weight, with one of the ``rows`` highest scores."""
        true_positives, false_positives = self.counts(rows, "tp", "fp")
        return true_positives + false_positives

    def counts(self, rows: npt.ArrayLike, *names: str) -> list[Floats]:
        """The named running counts where the ``rows`` highest scores are predicted positive."""
        at = np.asarray(rows, dtype=np.intp)
        return [self.running(name, at) for name in names]

    def through(self, rows: slice) -> tuple[Floats, Floats]:
        """``tp`` and ``fp`` at each of a stretch of the scores, which are counted from 0."""
        true_positives, false_positives = self.counts(
            np.arange(rows.start + 1, rows.stop + 1), "tp", "fp"
        )
        return true_positives, false_positives

    def chunks(self, cuts: Iterable[int] = (), size: int = BLOCK) -> Iterator[Chunk]:
        """All rows in stretches of at most ``size``, none of them across a cut."""
        ends = {*range(0, len(self), size), *(int(c) for c in cuts if 0 < c < len(self)), len(self)}
        for start, stop in pairwise(sorted(ends)):
            yield self.chunk(slice(start, stop))

    def table(self, rows: npt.ArrayLike | None = None) -> DataFrame[Sweep]:
        """The sweep, or the ``rows`` of it: 0 predicts nothing positive, k the k highest scores."""
        at = np.arange(len(self) + 1) if rows is None else np.asarray(rows, dtype=np.intp)
        names = ("tp", "fp", *(["tp2", "fp2"] if self.weighted else []))
        running = dict(zip(names, self.counts(at, *names), strict=True))
        threshold = self.score[np.maximum(at - 1, 0)] if len(self) else np.empty(len(at))
        columns = {
            "threshold": np.where(at > 0, threshold, np.inf),
            "tp": running.pop("tp"),
            "fp": running.pop("fp"),
        }
        columns["fn"] = self.positives - columns["tp"]
        columns["tn"] = self.negatives - columns["fp"]
        return Sweep.validate(pl.DataFrame(columns | running))


Swept: TypeAlias = "DataFrame[Sweep] | Ranking"
"""Counts at every threshold, in either form."""


def ascending(*values: npt.ArrayLike) -> Indices:
    """All different integers among ``values``, ascending."""
    # Sorted; without the counts they would be hashed, which takes a hundred times as long.
    return np.unique(np.concatenate(values, dtype=np.intp), return_counts=True)[0]


def first_index(
    holds: Callable[[Indices], npt.NDArray[np.bool_]], places: int, shape: tuple[int, ...]
) -> Indices:
    """How many of ``places`` there are before the first for which something ceases to hold.

    ``holds`` takes a place for each of ``shape`` questions; all are halved at once.
    """
    low, high = np.zeros(shape, np.intp), np.full(shape, places, np.intp)
    while (low < high).any():
        middle = (low + high) // 2
        held = holds(np.minimum(middle, places - 1)) & (low < high)
        low = np.where(held, middle + 1, low)
        high = np.where(held, high, np.minimum(middle, high))
    return low


def with_squares(frame: pl.DataFrame) -> pl.DataFrame:
    """Add the sums of squared weights where there are none: for unit weights, the counts."""
    if "tp2" in frame.columns:
        return frame
    return frame.hstack([frame[c].cast(pl.Float64).alias(f"{c}2") for c in CELLS])


def like_percentages(lowest: float, highest: float) -> bool:
    """Whether scores between these look like percentages: from 0 to 100, and some above 50."""
    return bool(lowest >= 0 and 50 < highest <= 100)
