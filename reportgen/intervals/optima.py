"""Intervals of what is best over thresholds: limits from thresholds tried on other rows."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial

import polars as pl
from scipy.special import betaincinv, kolmogi, stdtrit

from reportgen.intervals.shapes import LIMITS, Estimate, FromFrame, LimitExpressions

Rates = tuple[float, float]
"""Recall and false-positive rate."""

LARGEST_COST = 0.5
"""The most that a row can cost over all P(+)cost: ∫ x dx from 0 to 1."""

UNSEEN = 0.5
"""So many more rows of each class are supposed to cost the most that a row can."""


@dataclass(frozen=True, slots=True)
class CrossFitted(FromFrame):
    """Limits that whoever has the ranking sets as the spread: see ``measuring.optima``.

    Where nobody does, as where only thresholds are known, the bootstrap has to.
    """

    name: str

    @property
    def kind(self) -> Hashable:
        """All are alike: the limits are known."""
        return CrossFitted

    @property
    def complete(self) -> bool:
        """Not without the ranking."""
        return False

    @property
    def spread_type(self) -> pl.DataType:
        """The limits."""
        return LIMITS

    @property
    def groups_in_spread(self) -> bool:
        """The limits allow for groups already."""
        return True

    @property
    def spread(self) -> pl.Expr:
        """Null: a frame of thresholds does not have it."""
        return pl.lit(None, LIMITS)

    def around(self, estimate: Estimate) -> LimitExpressions:
        """The limits, stretched to hold the value; null without any."""
        value = estimate.value
        low, high = (estimate.spread.struct.field(end) for end in ("low", "high"))
        return (
            pl.when(low.is_not_null()).then(pl.min_horizontal(low, value)),
            pl.when(high.is_not_null()).then(pl.max_horizontal(high, value)),
        )


EXPECTED_COST = CrossFitted("cross-fitted costs of rows")
DISTANCE = CrossFitted("cross-fitted square-and-add")


def with_unseen(variance: float, rows: float, mean: float) -> float:
    """The variance of a mean cost of ``rows`` rows of a class, with ``UNSEEN`` more that cost most.

    Without errors among few rows the variance is 0, which the cost is not known to be.
    """
    return variance * (rows - 1) / rows + UNSEEN * (LARGEST_COST - mean) ** 2 / (rows * (rows + 1))


def cost_limits(
    estimate: float, variance: float, df: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Limits of an area under the cost curve: the estimate ± t standard errors, cut to [0, 0.25].

    >>> low, high = cost_limits(0.1, 0.0004, 30)
    >>> round(low, 4), round(high, 4)
    (0.0592, 0.1408)
    """
    half_width = float(stdtrit(df, (1 + confidence) / 2)) * math.sqrt(variance)
    return max(estimate - half_width, 0.0), min(estimate + half_width, 0.25)


def distance_limits(
    chosen: Rates, tried: Rates, sizes: tuple[float, float], confidence: float = 0.95
) -> tuple[float, float]:
    """Limits of the greatest distance of recall and false-positive rate over all thresholds.

    ``chosen`` are the rates at the best threshold of the rows, ``tried`` those that hold for
    rows that did not choose it, ``sizes`` the (effective) numbers of positives and of negatives.
    Square-and-add on Jeffreys' limits: the upper one from the rates of the best
    threshold, the lower one from the others. The lower limit is 0 where the test of
    Kolmogorov & Smirnov does not reject that the classes have the same scores.
    Zou & Donner (2008), doi:10.1002/sim.3095; Brown, Cai & DasGupta (2001),
    doi:10.1214/ss/1009213286; Massey (1951), doi:10.1080/01621459.1951.10500769.

    >>> low, high = distance_limits((0.8, 0.2), (0.78, 0.22), (50, 100))
    >>> round(low, 3), round(high, 3)
    (0.404, 0.715)
    """
    positives, negatives = sizes
    critical = float(kolmogi(1 - confidence)) * math.sqrt(1 / positives + 1 / negatives)
    of_share, low = partial(_jeffreys, tails=((1 - confidence) / 2, (1 + confidence) / 2)), 0.0
    if chosen[0] - chosen[1] > critical:
        down, up = map(of_share, tried, sizes)
        low = tried[0] - tried[1] - math.hypot(tried[0] - down[0], up[1] - tried[1])
    up, down = map(of_share, chosen, sizes)
    high = chosen[0] - chosen[1] + math.hypot(up[1] - chosen[0], chosen[1] - down[0])
    return max(low, 0.0), min(high, 1.0)


def _jeffreys(rate: float, rows: float, tails: tuple[float, float]) -> Rates:
    """Jeffreys' limits of a share, which may be of no whole number of rows."""
    rate = min(max(rate, 0.0), 1.0)
    shape = rate * rows + 0.5, (1 - rate) * rows + 0.5
    low, high = (float(betaincinv(*shape, tail)) for tail in tails)
    return (0.0 if rate <= 0 else min(low, rate)), (1.0 if rate >= 1 else max(high, rate))
