"""Modified Wilson limits of a share: the default of every share of counted rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy.special import betainc, betaincinv, gammaincinv

from reportgen.array_types import Floats
from reportgen.clusters import EffectAt
from reportgen.intervals.shapes import (
    ArrayInterval,
    ArrayLimits,
    EstimateArrays,
    FromFrame,
    normal_quantile,
    trials,
)

LARGE = 50
"""Trials from which on three successes are few, not two."""


@dataclass(frozen=True, slots=True)
class ModifiedWilson(ArrayInterval, FromFrame):
    """``modified_wilson`` of a share of the named cells of the confusion table.

    ``cells`` are the denominator and ``counted`` some of them:
    ``ModifiedWilson(("tp", "fp"), ("tp",))`` for precision. Rows with unequal weights are
    worth as many as ``trials`` says, for which it needs the columns ``tp2`` … of squared
    weights; the results then name it "wilson_modified (effective size)".
    """

    cells: tuple[str, ...]
    counted: tuple[str, ...]
    name: str = "wilson_modified"

    @property
    def spread(self) -> pl.Expr:
        """Number of trials."""
        return trials(self.cells, self.counted)

    def inflated(self, spread: Any, effect: EffectAt) -> Any:
        """So many independent trials are worth as much."""
        return spread / effect.inflation

    def ends(self, estimates: EstimateArrays) -> ArrayLimits:
        """Lower and upper limit around the value, NaN where it is."""
        (number,) = estimates.spread
        return modified_wilson(estimates.values, number, estimates.confidence)


def modified_wilson(
    share: Floats, trials: Floats, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Wilson's limits of each share, but none that a tail of the share says is too narrow.

    The lower limit is at most that of a binomial count with error α = 1 − ``confidence`` on
    one side (Clopper and Pearson's), with x ≤ 2 of n ≤ 50 or x ≤ 3 of n > 50 successes at most
    that of a Poisson count, χ²(α, 2x) / 2n; the upper limit alike from the failures. Near 0
    and 1 Wilson's limits miss on one side only, with a probability of up to 0.17, and of few
    trials a lower one of up to 0.08; of these either misses in at most 0.05 of all samples,
    and both cover 0.91 or more of all shares (enumerated for 1 to 1,000 trials). NaN without
    trials.
    Brown, Cai & DasGupta (2001), 4.1.1, doi:10.1214/ss/1009213286; Wilson (1927),
    doi:10.1080/01621459.1927.10502953; Clopper & Pearson (1934), doi:10.1093/biomet/26.4.404.

    >>> low, high = modified_wilson(np.array([0.9, 0.5]), np.array([10.0, 10.0]))
    >>> low.round(4), high.round(4)  # Wilson's: 0.5958 to 0.9821, 0.2366 to 0.7634
    (array([0.5958, 0.2224]), array([0.9949, 0.7776]))
    """
    tail = 1 - confidence
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = _wilson(share, trials, normal_quantile(confidence))
        successes, failures = share * trials, (1 - share) * trials
        low = one_sided(low, successes, trials, tail)
        high = 1 - one_sided(1 - high, failures, trials, tail)
    defined = ~np.isnan(share * trials)
    low = np.where(share <= 0, 0.0, low)
    high = np.where(share >= 1, 1.0, high)
    return np.where(defined, low, np.nan), np.where(defined, high, np.nan)


def one_sided(low: Floats, successes: Floats, trials: Floats, tail: float) -> Floats:
    """The lower limits, or lower ones where so many successes are more probable than ``tail``."""
    few = np.where(trials > LARGE, 3, 2) + 0.5  # weighted counts are not whole
    low = np.where(successes < few, np.minimum(low, gammaincinv(successes, tail) / trials), low)
    narrow = betainc(successes, trials - successes + 1, low) > tail
    if narrow.any():
        x, n = successes[narrow], trials[narrow]
        low[narrow] = np.minimum(low[narrow], betaincinv(x, n - x + 1, tail))
    return low


def _wilson(share: Floats, trials: Floats, z: float) -> tuple[Floats, Floats]:
    spread = z * np.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    centre, scale = share + z**2 / (2 * trials), 1 + z**2 / trials
    return (centre - spread) / scale, (centre + spread) / scale
