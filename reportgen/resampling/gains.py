"""Measures that only the gains in true positives add to: what each gain adds, in NumPy.

Most cells of a sweep of a rare class have no positives, where such a measure adds 0: a
sixth of the time that its expression takes. A property test holds each to its expression,
to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Indices


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
