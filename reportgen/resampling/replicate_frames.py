"""Replicates as long frames: the tables that metrics read, with a ``replicate`` column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import BLOCK, Floats, Indices, chunks
from reportgen.resampling.score_cells import ScoreCells

_BINS = 10


@dataclass(frozen=True)
class Masses:
    """The mass of each class, one row per replicate and one column per cell, strictest first."""

    positive: Floats
    negative: Floats
    cells: ScoreCells

    @cached_property
    def true_positives(self) -> Floats:
        """The mass of the positives down to each cell, from 0."""
        return _running(self.positive)

    @cached_property
    def false_positives(self) -> Floats:
        """The same of the negatives."""
        return _running(self.negative)

    @cached_property
    def vertices(self) -> Indices:
        """The points of the sweeps, through all replicates, that are vertices of their hulls."""
        number, width = self.true_positives.shape
        vertices = [
            part.start * width
            + np.flatnonzero(hull_vertices(self.false_positives[part], self.true_positives[part]))
            for part in chunks(number, max(1, 2 * BLOCK // width))
        ]
        return np.concatenate(vertices)


def counts_frame(masses: Masses) -> pl.DataFrame:
    """Counts of a decision: the first cell is predicted positive, the second negative."""
    return pl.DataFrame(
        {
            "replicate": np.arange(len(masses.positive)),
            "tp": masses.positive[:, 0],
            "fp": masses.negative[:, 0],
            "fn": masses.positive[:, 1],
            "tn": masses.negative[:, 1],
        }
    )


def points_of(masses: Masses) -> Indices:
    """The points of the sweeps, through all replicates.

    Cells that a replicate did not draw are not thresholds of it.
    """
    seen = np.ones(masses.true_positives.shape, dtype=bool)
    seen[:, 1:] = (masses.positive > 0) | (masses.negative > 0)
    return np.flatnonzero(seen)


def sweep_frame(masses: Masses) -> pl.DataFrame:
    """Sweep of each replicate."""
    return _long(masses, points_of(masses))


def hull_frame(masses: Masses) -> pl.DataFrame:
    """Vertices of the convex hull of each replicate's ROC curve."""
    return _long(masses, masses.vertices)


def bins_frame(masses: Masses) -> pl.DataFrame:
    """Calibration bins of each replicate, ten of equal width; no row unless all are forecasts."""
    edges = np.arange(_BINS + 1) / _BINS
    forecast = masses.cells.forecast[::-1]
    at = np.clip(np.searchsorted(edges, forecast, side="right") - 1, 0, _BINS - 1)
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    positive, negative = masses.positive[:, ::-1], masses.negative[:, ::-1]
    probable = ((forecast >= 0) & (forecast <= 1)).all()
    forecast = forecast if probable else np.zeros_like(forecast)
    rows = positive + negative
    parts = (rows, positive, rows * forecast)
    count, true_positives, moment = (np.add.reduceat(part, starts, axis=1) for part in parts)
    occupied = (count > 0) & probable
    replicate, column = np.nonzero(occupied)
    low, high = edges[at[starts]], edges[at[starts] + 1]
    count, true_positives, moment = count[occupied], true_positives[occupied], moment[occupied]
    return pl.DataFrame(
        {
            "replicate": replicate,
            "low": low[column],
            "high": high[column],
            "count": count,
            "positives": true_positives,
            "mean_score": np.clip(moment / count, 0, 1),
            "observed": np.clip(true_positives / count, 0, 1),
        }
    )


FRAMES: dict[str, Callable[[Masses], pl.DataFrame]] = {
    "counts": counts_frame,
    "sweep": sweep_frame,
    "hull": hull_frame,
    "bins": bins_frame,
}
"""What builds the frame that a metric reads."""


def hull_vertices(x: Floats, y: Floats) -> npt.NDArray[np.bool_]:
    """Which points are vertices of the upper hull of each row of points, ordered by ``x``.

    All rows at once: a point on or below the line between its two neighbours is
    no vertex and is taken out, until none is left. Of equal points the first is
    kept. Andrew (1979), doi:10.1016/0020-0190(79)90072-3, takes them one by one.
    """
    apart = np.ones(x.shape, dtype=bool)
    apart[:, 1:] = (x[:, 1:] != x[:, :-1]) | (y[:, 1:] != y[:, :-1])
    at = np.flatnonzero(apart)
    row, x, y = at // x.shape[1], x.ravel().take(at), y.ravel().take(at)
    while True:
        across, up = x[1:-1] - x[:-2], y[1:-1] - y[:-2]
        across *= y[2:] - y[:-2]
        up *= x[2:] - x[:-2]
        vertex = np.ones(len(at), dtype=bool)
        vertex[1:-1] = (across < up) | (row[:-2] != row[2:])
        vertices = np.flatnonzero(vertex)
        if len(vertices) == len(at):
            break
        at, row, x, y = at.take(vertices), row.take(vertices), x.take(vertices), y.take(vertices)
    is_vertex = np.zeros(apart.shape, dtype=bool)
    is_vertex.ravel()[at] = True
    return is_vertex


def _running(mass: Floats) -> Floats:
    cumulative = np.zeros((mass.shape[0], mass.shape[1] + 1))
    np.cumsum(mass, axis=1, out=cumulative[:, 1:])
    return cumulative


def _long(masses: Masses, at: npt.NDArray[np.intp]) -> pl.DataFrame:
    """The sweeps at some of their points, numbered through all replicates."""
    true_positives, false_positives = masses.true_positives, masses.false_positives
    thresholds = np.concatenate([[np.inf], masses.cells.forecast])
    replicate, point = np.divmod(at, true_positives.shape[1])
    tp, fp = true_positives.ravel().take(at), false_positives.ravel().take(at)
    return pl.DataFrame(
        {
            "replicate": replicate,
            "threshold": thresholds.take(point),
            "tp": tp,
            "fp": fp,
            "fn": true_positives[:, -1].take(replicate) - tp,
            "tn": false_positives[:, -1].take(replicate) - fp,
        }
    )
