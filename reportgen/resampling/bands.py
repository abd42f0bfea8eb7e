"""Vertical bands of a ROC curve: where its recall would lie on other rows, point by point."""

from __future__ import annotations

import numpy as np
import polars as pl
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.curves.ranking import named
from reportgen.resampling.score_cells import cell_ends
from reportgen.sweeping import Ranking, Swept, as_ranking
from reportgen.tables import RocBand

NUMBER = 400
"""Most cells of neighbouring scores that a replicate counts."""


def roc_band(
    sweep: Swept,
    model: str = "model",
    slice: str | None = None,
    *,
    points: int = 101,
    replicates: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> DataFrame[RocBand]:
    """Recall at ``points`` even false-positive rates, with percentile limits at each of them.

    Stratified bootstrap: each class keeps its size, rows are independent and
    unweighted. At each rate the limits hold for that rate alone, so the whole
    curve leaves the band more often than 1 − ``confidence``. A perfect curve
    has a band without width. With more than 400 distinct scores neighbours
    share a cell. No rows when only one class is present, or without replicates.
    Fawcett (2006), section 8.1, doi:10.1016/j.patrec.2005.10.010; Macskassy &
    Provost (2004), ROCAI, 61-70; as ``ci.se`` of Robin et al. (2011),
    doi:10.1186/1471-2105-12-77.
    """
    ranked = as_ranking(sweep)
    at = np.arange(points) / (points - 1)
    if not (ranked.both_classes and replicates > 0):
        return RocBand.validate(_table(model, slice, at[:0], at[:0], at[:0], at[:0]))
    after = ranked.first("fp", np.floor(np.round(at * ranked.negatives, 6)) + 1)
    beside = np.unique(np.concatenate([after - 1, after, [0, len(ranked)]]).clip(0))
    true_positives, false_positives = ranked.counts(beside, "tp", "fp")
    observed = np.interp(at, false_positives / ranked.negatives, true_positives / ranked.positives)
    replicated = _replicates(ranked, at, replicates, np.random.default_rng(seed))
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.quantile(replicated, tails, axis=0, method="weibull")
    return RocBand.validate(_table(model, slice, at, observed, low, high))


def _replicates(
    ranked: Ranking, at: Floats, replicates: int, random: np.random.Generator
) -> Floats:
    """Recall of each replicate at each rate: replicate × rate."""
    ends = cell_ends(ranked, NUMBER)
    rates = [resampled_shares(run, replicates, random) for run in ranked.counts(ends, "tp", "fp")]
    pairs = zip(*rates, strict=True)
    return np.array([np.interp(at, alarm, hit) for hit, alarm in pairs])


def resampled_shares(running: Floats, replicates: int, random: np.random.Generator) -> Floats:
    """Running shares of a class over the cells, from 0, when its rows are resampled."""
    rows = np.diff(running, prepend=0.0)
    occupied = rows > 0
    counts = np.zeros((replicates, len(rows) + 1))
    share = rows[occupied] / running[-1]
    counts[:, 1:][:, occupied] = random.multinomial(round(running[-1]), share, size=replicates)
    shares: Floats = counts.cumsum(axis=1) / running[-1]
    return shares


def _table(model: str, slice_: str | None, *columns: Floats) -> pl.DataFrame:
    names = ("false_positive_rate", "recall", "low", "high")
    values = {n: np.clip(c, 0, 1) for n, c in zip(names, columns, strict=True)}
    return pl.DataFrame(values).select(*named(model, slice_), pl.all())
