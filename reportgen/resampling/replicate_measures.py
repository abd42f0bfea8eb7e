"""A metric's own expression on many replicates at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Indices, chunks
from reportgen.metrics import METRICS, Metric
from reportgen.metrics.row_losses import LOSSES
from reportgen.metrics.settings import MetricSettings
from reportgen.resampling.replicate_frames import FRAMES, Masses, points_of
from reportgen.resampling.score_cells import ScoreCells
from reportgen.resampling.whole_sweeps import WHOLE_SWEEPS, mean_loss

_ROWS = 2**16

_GAINS = "gains"

_NARROW, _BINS = ("counts", "bins"), 10
"""Frames of few rows for each replicate, at most so many."""

_WHOLE = "whole sweeps"

_WIDE = (_GAINS, _WHOLE, "sweep", "hull")
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
            values[:, k] = mean_loss(LOSSES[measure.name], Masses(positive, negative, cells))
        else:
            at[_frame_of(measure)].append(k)
    for frames, width in ((_NARROW, _BINS), (_WIDE, len(cells) + 1)):
        requested = {on: at[on] for on in frames if at[on]}
        for part in chunks(len(positive) if requested else 0, max(1, _ROWS // width)):
            masses = Masses(positive[part], negative[part], cells)
            for on, here in requested.items():
                values[part, here] = _on([measures[k] for k in here], on, masses)
    return values


def _frame_of(measure: ResampledMeasure) -> str:
    """What it is computed from: a frame, or arrays."""
    if measure.name in GAINS:
        return _GAINS
    return _WHOLE if measure.name in WHOLE_SWEEPS else measure.on


def _on(measures: Sequence[ResampledMeasure], on: str, masses: Masses) -> Floats:
    """The same of measures that read one frame of the replicates."""
    if on == _GAINS:
        points = masses.true_positives, masses.false_positives, points_of(masses)
        return values_by_gains([m.name for m in measures], *points)
    if on == _WHOLE:
        return np.column_stack([WHOLE_SWEEPS[m.name](masses) for m in measures])
    expressions = [m.expression for m in measures]
    return by_replicate(FRAMES[on](masses), expressions, len(masses.positive), on == "counts")


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


@dataclass(frozen=True, slots=True)
class Gains:
    """Counts at the points of sweeps where true positives rise, and at the point before each.

    ``positives`` are all of the replicate.
    """

    true_positives: Floats
    predicted_positives: Floats
    true_positives_before: Floats
    predicted_positives_before: Floats
    positives: Floats

    @classmethod
    def of(cls, true_positives: Floats, false_positives: Floats, at: Indices) -> Gains:
        """Those of running counts (replicate × cell, from 0) at these of their points."""
        tp, fp = true_positives.ravel(), false_positives.ravel()
        reached, reached_before = tp.take(at), tp.take(at - 1)
        return cls(
            reached,
            reached + fp.take(at),
            reached_before,
            reached_before + fp.take(at - 1),
            true_positives[:, -1].take(at // true_positives.shape[1]),
        )

    @property
    def new_true_positives(self) -> Floats:
        """By how much true positives rise."""
        return self.true_positives - self.true_positives_before

    @property
    def new_predicted_positives(self) -> Floats:
        """By how much predicted positives do."""
        return self.predicted_positives - self.predicted_positives_before


AddedByGain: TypeAlias = Callable[[Gains], Floats]


def _ratio(part: Floats, whole: Floats) -> Floats:
    """As ``metrics.registry.ratio``, and 0 where that is null: a sum leaves it out."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole != 0)


def average_precision(gains: Gains) -> Floats:
    """What a gain adds to ``metrics.average_precision`` times the positives."""
    return gains.new_true_positives * _ratio(gains.true_positives, gains.predicted_positives)


def pr_auc(gains: Gains) -> Floats:
    """What it adds to ``metrics.pr_auc`` times the positives."""
    new, predicted = gains.new_true_positives, gains.predicted_positives
    before = gains.predicted_positives_before
    share = _ratio(new, gains.new_predicted_positives)
    bend = np.zeros_like(share)
    later = np.flatnonzero(before > 0)
    # Logarithms of Polars, which may differ from those of NumPy in their last digit.
    logarithm = pl.Series(predicted[later] / before[later]).log().to_numpy()
    bend[later] = ((share * predicted - gains.true_positives)[later]) * logarithm
    added: Floats = share * (new - bend)
    return added


def break_even_point(gains: Gains) -> Floats:
    """What it adds to ``metrics.break_even_point`` times the positives."""
    left = gains.positives - gains.predicted_positives_before
    share = np.clip(_ratio(left, gains.new_predicted_positives), 0, 1)
    added: Floats = gains.new_true_positives * share
    return added


GAINS: Mapping[str, AddedByGain] = {
    function.__name__: function for function in (average_precision, pr_auc, break_even_point)
}
"""By the name of the metric, which is their sum over the positives."""

CLIPPED = frozenset({"pr_auc"})
"""Those that are cut to 0 to 1."""


def values_by_gains(
    names: Sequence[str], true_positives: Floats, false_positives: Floats, seen: Indices
) -> Floats:
    """The measures (columns) of each replicate (rows), NaN where there are no positives.

    Of running counts (replicate × cell, from 0); ``seen`` are the points that replicates have.
    Sums are those of Polars over all these points, as for the expression.
    """
    rises = np.flatnonzero(np.diff(true_positives.ravel().take(seen), prepend=0.0) > 0)
    gains = Gains.of(true_positives, false_positives, seen[rises])
    columns = {"replicate": seen // true_positives.shape[1]}
    for name in names:
        columns[name] = np.zeros(len(seen))
        columns[name][rises] = GAINS[name](gains)
    # As in ``evaluation.by_replicate``: with a shift beside it no sum is pieced together.
    whole = pl.col("replicate").shift(1).last().alias("whole")
    sums = (
        pl.LazyFrame(columns)
        .with_columns(pl.col("replicate").set_sorted())
        .group_by("replicate", maintain_order=True)
        .agg(pl.col(*names).sum(), whole)
        .select(*names)
        .collect(engine="in-memory")
        .to_numpy()
    )
    positives = true_positives[:, -1:]
    values: Floats = np.divide(
        sums, positives, out=np.full(sums.shape, np.nan), where=positives > 0
    )
    cut = [name in CLIPPED for name in names]
    values[:, cut] = values[:, cut].clip(0, 1)
    return values


def difference_of(values: Sequence[Floats]) -> Floats:
    """The values of one frame, or by how much those of two differ."""
    return values[0] if len(values) == 1 else values[0] - values[1]
