"""Replicates as long frames: the tables that metrics read, with a ``replicate`` column.

``positive`` and ``negative`` hold the mass of each class, one row per
replicate and one column per cell, strictest first.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.resampling.cells import Cells

Floats = npt.NDArray[np.float64]

_BINS = 10


def counts_frame(positive: Floats, negative: Floats, cells: Cells) -> pl.DataFrame:  # noqa: ARG001
    """Counts of a decision: the first cell is called positive, the second negative."""
    return pl.DataFrame(
        {
            "replicate": np.arange(len(positive)),
            "tp": positive[:, 0],
            "fp": negative[:, 0],
            "fn": positive[:, 1],
            "tn": negative[:, 1],
        }
    )


def sweep_frame(positive: Floats, negative: Floats, cells: Cells) -> pl.DataFrame:
    """Sweep of each replicate; cells that it did not draw are not thresholds of it."""
    hits, alarms = _running(positive), _running(negative)
    seen = np.ones(hits.shape, dtype=bool)
    seen[:, 1:] = (positive > 0) | (negative > 0)
    return _long(hits, alarms, seen, cells)


def hull_frame(positive: Floats, negative: Floats, cells: Cells) -> pl.DataFrame:
    """Vertices of the convex hull of each replicate's ROC curve."""
    hits, alarms = _running(positive), _running(negative)
    return _long(hits, alarms, hull_vertices(alarms, hits), cells)


def bins_frame(positive: Floats, negative: Floats, cells: Cells) -> pl.DataFrame:
    """Calibration bins of each replicate, ten of equal width; no row unless all are forecasts."""
    edges = np.arange(_BINS + 1) / _BINS
    forecast = cells.forecast[::-1]
    at = np.clip(np.searchsorted(edges, forecast, side="right") - 1, 0, _BINS - 1)
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    positive, negative = positive[:, ::-1], negative[:, ::-1]
    parts = (positive + negative, positive, (positive + negative) * forecast)
    count, hits, moment = (np.add.reduceat(part, starts, axis=1) for part in parts)
    kept = count > 0
    if not ((forecast >= 0) & (forecast <= 1)).all():
        kept[:] = False
    replicate, column = np.nonzero(kept)
    low, high = edges[at[starts]], edges[at[starts] + 1]
    count, hits, moment = count[kept], hits[kept], moment[kept]
    return pl.DataFrame(
        {
            "replicate": replicate,
            "low": low[column],
            "high": high[column],
            "count": count,
            "positives": hits,
            "mean_score": np.clip(moment / count, 0, 1),
            "observed": np.clip(hits / count, 0, 1),
        }
    )


FRAMES: dict[str, Callable[[Floats, Floats, Cells], pl.DataFrame]] = {
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
    apart[:, 1:] = (np.diff(x, axis=1) != 0) | (np.diff(y, axis=1) != 0)
    at = np.flatnonzero(apart)
    row, x, y = at // x.shape[1], x.ravel()[at], y.ravel()[at]
    vertex = np.zeros(len(at), dtype=bool)
    while not vertex.all():
        to_x, to_y, past_x, past_y = (
            x[1:-1] - x[:-2],
            y[1:-1] - y[:-2],
            x[2:] - x[:-2],
            y[2:] - y[:-2],
        )
        vertex = np.ones(len(at), dtype=bool)
        vertex[1:-1] = (to_x * past_y < to_y * past_x) | (row[:-2] != row[2:])
        at, row, x, y = at[vertex], row[vertex], x[vertex], y[vertex]
    found = np.zeros(apart.shape, dtype=bool)
    found.ravel()[at] = True
    return found


def _running(mass: Floats) -> Floats:
    found = np.zeros((mass.shape[0], mass.shape[1] + 1))
    np.cumsum(mass, axis=1, out=found[:, 1:])
    return found


def _long(hits: Floats, alarms: Floats, kept: npt.NDArray[np.bool_], cells: Cells) -> pl.DataFrame:
    thresholds = np.concatenate([[np.inf], cells.forecast])
    replicate, point = np.nonzero(kept)
    return pl.DataFrame(
        {
            "replicate": replicate,
            "threshold": thresholds[point],
            "tp": hits[kept],
            "fp": alarms[kept],
            "fn": (hits[:, -1:] - hits)[kept],
            "tn": (alarms[:, -1:] - alarms)[kept],
        }
    )
