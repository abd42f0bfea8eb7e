"""Intervals of areas under curves: expressions over a sweep, and plain numbers.

A sweep ends with the numbers of positives (tp) and negatives (fp). Rows with
weights count by Kish's effective size, for which the sweep needs ``tp2`` and
``fp2``, the running sums of squared weights.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import EffectAt
from reportgen.intervals.area_scores import AreaLimits, delong_score, score_limits
from reportgen.intervals.shapes import (
    ROUNDING,
    ArrayInterval,
    ArrayLimits,
    Estimate,
    EstimateArrays,
    FromFrame,
    LimitExpressions,
    Logit,
    Wald,
    normal_quantile,
    wilson,
)

AREA_SPREAD = pl.Struct(dict.fromkeys(("variance", "positives", "negatives", "df"), pl.Float64))
"""What the score interval of an area needs: its variance, the two (effective) class sizes and, of
rows in groups, the degrees of freedom."""


@dataclass(frozen=True, slots=True)
class AreaScore(ArrayInterval, FromFrame):
    """Score interval of an area between ``bounds``: see ``delong_score``.

    ``variance`` is that of the AUC itself, null where every limit is to come
    from Newcombe's variance alone.
    """

    name: str
    variance: pl.Expr
    bounds: tuple[float, float] = (0, 1)

    @property
    def kind(self) -> Hashable:
        """Those with the same bounds are alike."""
        return AreaScore, self.bounds

    @property
    def spread_type(self) -> pl.DataType:
        """Three numbers."""
        return AREA_SPREAD

    @property
    def spread(self) -> pl.Expr:
        """Variance of the AUC and sizes of the classes."""
        sizes = effective_size("tp", "tp2"), effective_size("fp", "fp2")
        df = pl.lit(None, pl.Float64)
        return pl.struct(variance=self.variance, positives=sizes[0], negatives=sizes[1], df=df)

    def inflated(self, spread: Any, effect: EffectAt) -> Any:
        """A larger variance, smaller classes, and the degrees of freedom of the groups."""
        variance, sizes = spread["variance"], (spread["positives"], spread["negatives"])
        return {
            "variance": None if variance is None else variance * effect.design,
            "positives": None if sizes[0] is None else sizes[0] / effect.design,
            "negatives": None if sizes[1] is None else sizes[1] / effect.design,
            "df": effect.degrees_of_freedom,
        }

    def ends(self, estimates: EstimateArrays) -> ArrayLimits:
        """Lower and upper limit around the value, NaN where a class has no rows."""
        start, width = self.bounds[0], self.bounds[1] - self.bounds[0]
        *of_area, df = estimates.spread
        area, confidence = (estimates.values - start) / width, estimates.confidence
        limits = score_limits(area, *of_area, confidence=confidence, df=df)
        low, high = (start + width * limit for limit in limits)
        return low, high


def hanley_mcneil_variance(area: pl.Expr, positives: pl.Expr, negatives: pl.Expr) -> pl.Expr:
    """Variance of an AUC from its value and the sizes of the two classes; null without one.

    (A(1 − A) + (P − 1)(Q₁ − A²) + (N − 1)(Q₂ − A²)) / (P·N) with
    Q₁ = A/(2 − A) and Q₂ = 2A²/(1 + A), as if the scores were exponential.
    DeLong's variance reads the scores; this one is for areas of which only the value is known.
    Hanley & McNeil (1982), doi:10.1148/radiology.143.1.7063747.

    >>> variance = hanley_mcneil_variance(pl.lit(0.893), pl.lit(51), pl.lit(58))
    >>> round(pl.select(variance.sqrt()).item(), 4)
    0.0325
    """
    two_positives, two_negatives = area / (2 - area), 2 * area**2 / (1 + area)
    spread = (
        area * (1 - area)
        + (positives - 1) * (two_positives - area**2)
        + (negatives - 1) * (two_negatives - area**2)
    )
    # A perfect ranking leaves rounding noise below zero.
    return pl.when(positives * negatives > 0).then((spread / (positives * negatives)).clip(0))


def effective_size(total: str, squares: str) -> pl.Expr:
    """Kish's size of a class of weighted rows, from the last row of a sweep."""
    weight, square = (pl.col(c).cast(pl.Float64).last() for c in (total, squares))
    return pl.when(square > 0).then(weight**2 / square)


def delong_score_interval(variance: pl.Expr, bounds: tuple[float, float] = (0, 1)) -> AreaScore:
    """Score interval of an area with DeLong's ``variance`` of the AUC; exists at 0 and 1."""
    return AreaScore("delong score", variance, bounds)


def newcombe_area_interval() -> AreaScore:
    """The same from the AUC and the sizes of the classes alone.

    Newcombe (2006), method 5, doi:10.1002/sim.2324.
    """
    return AreaScore("newcombe area", pl.lit(None, pl.Float64), (0, 1))


def delong_logit(variance: pl.Expr) -> Logit:
    """DeLong's interval on the logit scale: for areas near 0 and 1.

    ``variance`` is DeLong's. Null for an area of 0 or 1.
    Qin & Hotilovac (2008), doi:10.1177/0962280207087173.
    """
    return Logit("delong logit", variance)


def hanley_mcneil_interval(area: pl.Expr) -> Wald:
    """Interval of an AUC by Hanley & McNeil's standard error; ``area`` is the AUC's expression."""
    sizes = effective_size("tp", "tp2"), effective_size("fp", "fp2")
    return Wald("hanley-mcneil", hanley_mcneil_variance(area, *sizes))


@dataclass(frozen=True, slots=True)
class PrecisionArea(FromFrame):
    """Interval of an area under a P-R curve, as a share of the positives on the logit scale.

    ln(A/(1 − A)) ± z / √(P·A(1 − A)) with P (effective) positives, turned back;
    for an area of 0 or 1 Wilson's limits of a share of P rows. The lower limit
    rises with A up to (1 + √(P/(P + z²)))/2 and stays there beyond it, where that
    formula falls to 0; the upper limit alike near 0. Null from ``fewer_than``
    positives on, where the bootstrap holds its level.
    Boyd, Eng & Page (2013), doi:10.1007/978-3-642-40994-3_29.

    Negatives of large weight make precision vary too: where they are worth fewer rows than
    rows of their share, P is the geometric mean of the positives and of the positives
    among as many rows as the negatives are worth: between the two sizes, as precision is a share
    of both classes. There is no source: ``docs/coverage.md`` has what it covers ("average
    precision, weighted rows"); with the positives alone 0.83 to 0.88 of 200 samples of 300 rows
    whose negatives weigh five times as much.
    """

    fewer_than: float = math.inf
    name: str = "logit"

    @property
    def kind(self) -> Hashable:
        """Those for as many positives are alike."""
        return PrecisionArea, self.fewer_than

    @property
    def complete(self) -> bool:
        """Whether every value has limits."""
        return math.isinf(self.fewer_than)

    @property
    def spread(self) -> pl.Expr:
        """Number of positives, fewer where negatives weigh more."""
        positives, negatives = effective_size("tp", "tp2"), effective_size("fp", "fp2")
        weights = [pl.col(column).cast(pl.Float64).last() for column in ("tp", "fp")]
        both = _geometric_mean(positives, negatives, weights[0] / weights[1])
        fewer = both < positives * (1 - ROUNDING)
        return pl.when(fewer).then(both).otherwise(positives)

    @staticmethod
    def rows(positives: float, negatives: float, odds: float) -> float:
        """The spread from the effective sizes of the classes, ``odds`` the ratio of their weights.

        >>> PrecisionArea.rows(50.0, 100.0, 0.5), PrecisionArea.rows(50.0, 100.0, 0.08)
        (50.0, 20.0)
        """
        both: float = _geometric_mean(positives, negatives, odds)
        return both if both < positives * (1 - ROUNDING) else positives

    def around(self, estimate: Estimate) -> LimitExpressions:
        """Lower and upper limit around the value."""
        value, positives = estimate.value, estimate.spread
        z = normal_quantile(estimate.confidence)
        most = (1 + (positives / (positives + z**2)).sqrt()) / 2
        inside = [
            Logit(self.name, variance).around(Estimate(at, variance, estimate.confidence))[end]
            for end, at in enumerate((value.clip(upper_bound=most), value.clip(1 - most)))
            for variance in (at * (1 - at) / positives,)
        ]
        at_end = wilson(value, positives, estimate.confidence)
        edge = (value <= 0) | (value >= 1)
        few = positives.is_finite() if self.complete else positives < self.fewer_than
        low, high = (
            pl.when(few).then(pl.when(edge).then(end).otherwise(limit))
            for end, limit in zip(at_end, inside, strict=True)
        )
        return low, high


def _geometric_mean(positives: Any, negatives: Any, odds: Any) -> Any:
    """Of the positives and of those among as many rows as the negatives are worth."""
    return (positives * negatives * odds) ** 0.5


AVERAGE_PRECISION = PrecisionArea()
"""The interval of an area under a P-R curve whatever the number of positives."""

FEW_POSITIVES = PrecisionArea(fewer_than=100)
"""The same below 100 positives, where the bootstrap covers too little or has no limits."""


NAME = "partial area score"


class ClassMasses(NamedTuple):
    """The rows of a class, or their weight, at each score, and the sums of squared weights."""

    rows: Floats
    squares: Floats

    @property
    def size(self) -> float:
        """Kish's effective number of rows."""
        return float(self.rows.sum() ** 2 / self.squares.sum())


def partial_area_limits(
    across: ClassMasses, upward: ClassMasses, share: float, confidence: float = 0.95
) -> AreaLimits:
    """Limits of the mean height of a curve of shares over its first ``share``.

    The curve goes across by the rows of one class and up by those of the other, in the
    order of the masses: with negatives across and scores falling, the mean recall up to a
    false-positive rate. It is the AUC of the rows upward against the first ``share`` of the
    rows across: its limits are those of ``delong_score`` for so many rows, with the
    variance of the area from the influence of each row on it and on where it ends.
    McClish (1989), doi:10.1177/0272989X8900900307; Newcombe (2006), doi:10.1002/sim.2324.

    >>> masses = ClassMasses(np.array([0.0, 10.0]), np.array([0.0, 10.0]))
    >>> perfect = partial_area_limits(masses, ClassMasses(*(m[::-1] for m in masses)), 0.2)
    >>> [round(limit, 3) for limit in perfect]
    [0.546, 1.0]
    """
    width, height = (masses.rows / masses.rows.sum() for masses in (across, upward))
    right, top = width.cumsum(), height.cumsum()
    left, bottom = right - width, top - height
    some = width > 0
    inside = np.clip(right, 0, share) - np.clip(left, 0, share)
    part = np.divide(inside, width, out=np.zeros_like(width), where=some)
    middle = bottom + part * height / 2  # of the part that is inside
    area = float((inside * middle).sum())
    end = int(np.searchsorted(right, share - 1e-12).clip(0, len(right) - 1))
    at_end = float(bottom[end] + part[end] * height[end])
    # What lies right of a row upward; rows that are level with it lie evenly around it.
    beyond = np.maximum(share - right, 0) + part * inside / 2
    variance = _mean_square(upward, beyond, area)
    variance += _mean_square(across, part * (middle - at_end), area - share * at_end)
    return delong_score(
        area / share,
        None if np.isnan(variance) else variance / share**2,
        upward.size,
        across.size * share,
        confidence,
    )


def _mean_square(masses: ClassMasses, influence: Floats, mean: float) -> float:
    """The variance of a mean over the rows of a class; NaN with fewer than two."""
    size, whole = masses.size, float(masses.rows.sum())
    if size <= 1 + 1e-9:
        return float("nan")
    squares = float((masses.squares * (influence - mean) ** 2).sum()) / whole**2
    return squares * size / (size - 1)
