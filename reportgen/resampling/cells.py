"""Cells of rows with nearly the same score: what a replicate counts instead of rows.

A replicate of a large table is drawn as counts per cell and class. Up to
``CELLS`` distinct scores each is a cell of its own, and nothing is lost.
Beyond that neighbouring scores share a cell, of which each holds at most about
1/500 of the positives and 1/500 of the negatives and none crosses an edge of a
calibration bin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.tables import Sweep

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

CELLS = 1000
"""At most about so many cells of one model."""

_EDGES = np.arange(11) / 10


@dataclass(frozen=True, slots=True)
class Cells:
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
        ascending = self.lowest[::-1]
        found = np.searchsorted(ascending, scores.cast(pl.Float64).to_numpy(), side="right")
        at: Integers = len(ascending) - np.maximum(found, 1)
        return at


DECISIONS = Cells(np.array([1.0, 0.0]), np.array([1.0, 0.0]), 0.0)
"""The cells of a decision: called positive, called negative."""


def score_cells(sweep: DataFrame[Sweep], number: int = CELLS) -> Cells:
    """Cells of the scores of a sweep, at most about ``number``."""
    scores, hits, alarms = (sweep[c].to_numpy()[1:] for c in ("threshold", "tp", "fp"))
    ends = np.arange(len(scores)) if len(scores) <= number else _ends(scores, hits, alarms, number)
    starts = np.concatenate([[0], ends[:-1] + 1])
    new_hits, new_alarms = np.diff(hits, prepend=0.0), np.diff(alarms, prepend=0.0)
    mass = new_hits + new_alarms
    if len(ends) == len(scores):
        return Cells(scores, scores, 0.0)
    whole = np.add.reduceat(mass, starts)
    moment = np.add.reduceat(mass * (scores - scores[ends][_spread(starts, len(scores))]), starts)
    forecast = scores[ends] + moment / np.where(whole > 0, whole, 1)
    pairs = np.add.reduceat(new_hits, starts) * np.add.reduceat(new_alarms, starts)
    tied = float((new_hits * new_alarms).sum())
    every = float(hits[-1] * alarms[-1])
    bound = max(float(pairs.sum()) - tied, 0.0) / (2 * every) if every > 0 else 0.0
    return Cells(scores[ends], np.clip(forecast, scores[ends], scores[starts]), bound)


def _ends(scores: Floats, hits: Floats, alarms: Floats, number: int) -> Integers:
    """Positions of the last score of each cell: quantiles of both classes, and bin edges."""
    share = np.arange(1, max((number - len(_EDGES)) // 2, 1) + 1)
    share = share / share[-1]
    kept = [np.searchsorted(run, share * run[-1]) for run in (hits, alarms) if run[-1] > 0]
    before_edges = len(scores) - np.searchsorted(scores[::-1], _EDGES) - 1
    inside = before_edges[(before_edges >= 0) & (before_edges < len(scores))]
    last = len(scores) - 1
    ends: Integers = np.unique(np.minimum(np.concatenate([*kept, inside, [last]]), last))
    return ends


def _spread(starts: Integers, rows: int) -> Integers:
    """Position of the cell of each score."""
    begins = np.zeros(rows, dtype=np.int64)
    begins[starts[1:]] = 1
    return begins.cumsum()
