"""A metric's own expression on many replicates at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.chunks import chunks
from reportgen.metrics import METRICS, Metric
from reportgen.metrics.row_losses import LOSSES, Loss
from reportgen.metrics.settings import MetricSettings
from reportgen.resampling.gains import GAINS, values_by_gains
from reportgen.resampling.replicate_frames import FRAMES, Masses, points_of
from reportgen.resampling.score_cells import ScoreCells

_ROWS = 2**18

_GAINS = "gains"

_NARROW, _BINS = ("counts", "bins"), 10
"""Frames of few rows for each replicate, at most so many."""

_WIDE = (_GAINS, "sweep", "hull")
"""Those with up to a row for each cell, and one."""


@dataclass(frozen=True, slots=True)
class ResampledMeasure:
    """A metric that is evaluated: its name, the frame it reads, its expression and its range."""

    name: str
    on: str
    expression: pl.Expr
    bounds: tuple[float, float]


def measures(
    metrics: Iterable[str | Metric] | None, settings: MetricSettings | None = None
) -> list[ResampledMeasure]:
    """The metrics by name or as they are; None: every binary one but the counts themselves."""
    chosen = (
        [m for m in METRICS.values() if m.group != "count"]
        if metrics is None
        else [METRICS[m] if isinstance(m, str) else m for m in metrics]
    )
    return [
        ResampledMeasure(m.name, m.on, m.expression(**(settings or {})), m.bounds)
        for m in chosen
        if m.on in FRAMES
    ]


def evaluate_replicates(
    measures: Sequence[ResampledMeasure], positive: Floats, negative: Floats, cells: ScoreCells
) -> Floats:
    """Value of each measure (columns) in each replicate (rows), NaN where it is undefined."""
    values = np.full((len(positive), len(measures)), np.nan)
    at: dict[str, list[int]] = {on: [] for on in (*_NARROW, *_WIDE)}
    for k, measure in enumerate(measures):
        if measure.name in LOSSES:
            values[:, k] = _mean(LOSSES[measure.name], positive, negative, cells)
        else:
            at[_GAINS if measure.name in GAINS else measure.on].append(k)
    for frames, width in ((_NARROW, _BINS), (_WIDE, len(cells) + 1)):
        requested = {on: at[on] for on in frames if at[on]}
        for part in chunks(len(positive) if requested else 0, max(1, _ROWS // width)):
            masses = Masses(positive[part], negative[part], cells)
            for on, here in requested.items():
                values[part, here] = _on([measures[k] for k in here], on, masses)
    return values


def _on(measures: Sequence[ResampledMeasure], on: str, masses: Masses) -> Floats:
    """The same of measures that read one frame of the replicates."""
    if on == _GAINS:
        points = masses.true_positives, masses.false_positives, points_of(masses)
        return values_by_gains([m.name for m in measures], *points)
    expressions = [m.expression for m in measures]
    return by_replicate(FRAMES[on](masses), expressions, len(masses.positive), on == "counts")


def _mean(loss: Loss, positive: Floats, negative: Floats, cells: ScoreCells) -> Floats:
    """The same of a mean over the rows, which follows from what a row of each cell loses."""
    forecast = cells.forecast
    total, rows = np.zeros(len(positive)), positive.sum(axis=1) + negative.sum(axis=1)
    unknown = rows <= 0
    probable = (forecast >= 0) & (forecast <= 1)
    for masses, came in ((negative, 0.0), (positive, 1.0)):
        with np.errstate(divide="ignore", invalid="ignore"):
            lost = loss(np.where(probable, forecast, 0.5), np.full(len(cells), came))
        defined = probable & np.isfinite(lost)
        # Sums of numpy, not of BLAS: the same on any number of threads.
        total += np.einsum("rc,c->r", masses, np.where(defined, lost, 0))
        unknown |= (masses[:, ~defined] > 0).any(axis=1)
    return np.where(unknown, np.nan, total / np.where(unknown, 1, rows))


def by_replicate(
    frame: pl.DataFrame, expressions: Sequence[pl.Expr], replicates: int, rowwise: bool = False
) -> Floats:
    """Value of each expression per ``replicate``, numbered from 0; NaN where it is undefined.

    Every sum runs over one replicate in the order of its rows, so that threads
    leave no trace.
    """
    named = [e.cast(pl.Float64).alias(str(k)) for k, e in enumerate(expressions)]
    lazy = frame.lazy()
    if rowwise:
        values = lazy.select("replicate", *named)
    else:
        sorted_rows = lazy.with_columns(pl.col("replicate").set_sorted())
        # A shift cannot be pieced together from parts of a group: with one beside it no sum is.
        whole = pl.col("replicate").shift(1).last().alias("whole")
        grouped = sorted_rows.group_by("replicate", maintain_order=True).agg(*named, whole)
        values = grouped.drop("whole")
    table = values.collect(engine="in-memory")
    estimates = np.full((replicates, len(expressions)), np.nan)
    estimates[table["replicate"].to_numpy()] = table.drop("replicate").to_numpy()
    return np.where(np.isfinite(estimates), estimates, np.nan)
