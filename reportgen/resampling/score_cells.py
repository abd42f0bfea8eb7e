"""Cells of rows with nearly the same score: what a replicate counts instead of rows.

A replicate of a large table is drawn as counts per cell and class. Up to
``CELLS`` distinct scores each is a cell of its own, and nothing is lost.
Beyond that neighbouring scores share a cell, of which each holds at most about
1/500 of the positives and 1/500 of the negatives and none crosses an edge of a
calibration bin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Flags, Floats, Indices, Integers, SmallIntegers, chunks
from reportgen.resampling.edge_lookup import PART, Placing, edge_lookup
from reportgen.sweeping import Ranking, Swept, as_ranking
from reportgen.sweeping.bins import forecast_sums

CELLS = 1000
"""At most about so many cells of one model."""

_EDGES = np.arange(11) / 10


@dataclass(frozen=True, slots=True)
class ScoreCells:
    """Cells of one model, strictest first.

    ``lowest`` is the lowest score of each cell, ``forecast`` its mean score,
    ``bound`` the greatest error that the cells can make in the AUC: half the
    pairs of both classes that share a cell without being tied, as a share of
    all pairs (0 where every cell is one score).
    """

    lowest: Floats
    forecast: Floats
    bound: float

    def __len__(self) -> int:
        return len(self.lowest)

    def of(self, scores: pl.Series) -> Integers:
        """Position of the cell of each row."""
        return self.lookup(len(scores))(scores.cast(pl.Float64).to_numpy())

    def slots(self, scores: pl.Series, positive: Flags) -> SmallIntegers:
        """The slot of each row: twice the position of its cell, and one more of a positive."""
        position, values = self.lookup(len(scores)), scores.cast(pl.Float64).to_numpy()
        slots = np.empty(len(values), np.int32)
        for part in chunks(len(values), PART):
            slots[part] = 2 * position(values[part]) + positive[part]
        return slots

    def lookup(self, rows: int) -> Placing:
        """What finds the position of the cell of each score, of so many rows."""
        below = edge_lookup(self.lowest[::-1], rows)
        return lambda scores: len(self) - np.maximum(below(scores), 1)


DECISIONS = ScoreCells(np.array([1.0, 0.0]), np.array([1.0, 0.0]), 0.0)
"""The cells of a decision: predicted positive, predicted negative."""


def crossed(
    cells: Sequence[ScoreCells], scores: Sequence[Floats], positive: Flags
) -> tuple[tuple[Integers, ...], Integers]:
    """The kinds of rows of two models, in order, and how many rows are of each.

    A kind is a cell of the first, a class (negatives first) and a cell of the second.
    """
    rows, shape = len(positive), (len(cells[0]), 2, len(cells[1]))
    first, second = (one.lookup(rows) for one in cells)
    number = math.prod(shape)
    few = rows < number
    counts, kinds = np.zeros(0 if few else number, np.int64), []
    for part in chunks(rows, max(PART, number)):
        kind = 2 * first(scores[0][part]) + positive[part]
        kind = kind * shape[2] + second(scores[1][part])
        if few:
            kinds.append(kind)
        else:
            counts += np.bincount(kind, minlength=number)
    if few:
        kind, count = np.unique(np.concatenate(kinds), return_counts=True)
    else:
        kind = np.flatnonzero(counts)
        count = counts[kind]
    return np.unravel_index(kind, shape), count


def cell_ends(sweep: Swept, number: int = CELLS) -> Indices:
    """The rows of a sweep at which its cells end, at most about ``number``."""
    ranked = as_ranking(sweep)
    if len(ranked) <= number:
        return np.arange(1, len(ranked) + 1)
    return _stops(ranked, number)


def score_cells(sweep: Swept, number: int = CELLS) -> ScoreCells:
    """Cells of the scores of a sweep, at most about ``number``."""
    ranked = as_ranking(sweep)
    if len(ranked) <= number:
        return ScoreCells(ranked.score, ranked.score, 0.0)
    stops = _stops(ranked, number)
    starts = np.append(0, stops[:-1])
    lowest, highest = ranked.score[stops - 1], ranked.score[starts]
    positives, negatives = (np.diff(c, prepend=0.0) for c in ranked.counts(stops, "tp", "fp"))
    whole = positives + negatives
    forecast = forecast_sums(ranked, starts) / np.where(whole > 0, whole, 1)
    every = ranked.positives * ranked.negatives
    mixed = max(float((positives * negatives).sum()) - ranked.tied_pairs, 0.0)
    bound = mixed / (2 * every) if every > 0 else 0.0
    return ScoreCells(lowest, np.clip(forecast, lowest, highest), bound)


def _stops(ranked: Ranking, number: int) -> Indices:
    """The rows of the sweep at which cells end: quantiles of both classes, and bin edges."""
    share = np.arange(1, max((number - len(_EDGES)) // 2, 1) + 1)
    share = share / share[-1]
    ends = [("tp", ranked.positives), ("fp", ranked.negatives)]
    quantiles = [ranked.first(name, share * total) for name, total in ends if total > 0]
    rows = np.unique(np.concatenate([*quantiles, ranked.count_at_or_above(_EDGES), [len(ranked)]]))
    return rows[rows > 0]
