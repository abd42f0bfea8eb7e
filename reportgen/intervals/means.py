"""Intervals of means of rows from their robust variance, on the scale that suits their range."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import Floats
from reportgen.clusters import Effect, EffectAt, t_quantile
from reportgen.intervals.shapes import Estimate, FromFrame, LimitExpressions, cut, wilson, within

MEAN_SPREAD = pl.Struct({"variance": pl.Float64, "upper": pl.Float64, "units": pl.Float64})
"""Variance of a mean for its lower and for its upper limit, and how many units it is the mean of;
null units are many."""


@dataclass(frozen=True, slots=True)
class FromVariances(FromFrame):
    """Limits from the variances of a mean, for its lower and for its upper limit."""

    @property
    def complete(self) -> bool:
        """Not without the rows."""
        return False

    @property
    def spread_type(self) -> pl.DataType:
        """Two variances, and the units."""
        return MEAN_SPREAD

    @property
    def spread(self) -> pl.Expr:
        """The variances, which are not to be had from the frame: null."""
        return pl.lit(None, MEAN_SPREAD)

    def inflated(self, spread: Any, effect: EffectAt) -> Any:
        """Both variances grow."""
        return grown(spread, effect.inflation)


def grown(spread: dict[str, float], factor: float) -> dict[str, float]:
    """A spread whose variances are ``factor`` times as large.

    >>> grown({"variance": 1.0, "upper": 2.0, "units": 10}, 2.0)
    {'variance': 2.0, 'upper': 4.0, 'units': 10}
    """
    return {**spread, **{name: factor * spread[name] for name in ("variance", "upper")}}


STEEPEST = 0.75
"""Relative half width from which the upper limit of a mean grows as a plain one does.

Of 50 to 800 values, lognormal (σ from 1 to 2) or Pareto (index 1.5 and 2.5), the limits cover 0.93
to 0.98 of the means, as they would with r = 1, where the upper one is six times the mean. Of fewer
than ``SKEWNESS_SHOWN`` it is 1: of ten lognormal values (σ = 2) they would cover 0.82, not 0.91.
"""


@dataclass(frozen=True, slots=True)
class MeanOfRows(FromVariances):
    """Limits of a mean, or of a smooth function of means, whose variance is given.

    The range decides the scale. A share of [0, 1]: Wilson's limits at as many
    trials as give the variance, p(1 − p)/v. From 0 up, to 2 or without bound: the
    logarithm, for the upper limit v·exp(r + r²/2 + r³/3), r the relative half width: nearly
    v/(1 − r), as few skewed values vary too little where their mean is too small, and from
    r = ``STEEPEST`` on growing as a plain limit does; a
    ``root`` has the roots of the limits of its square. Up to 1 without a lower bound,
    as R²: the same of 1 − v, whose upper limit is the lower one of v. A correlation:
    Fisher's z. Anything else: plain.
    Null where the variance is null or 0, or the value is at a bound.
    Rao & Scott (1992), doi:10.2307/2532311; Agresti (2013), *Categorical Data
    Analysis*, 3.1; Fisher (1921), Metron 1, 3-32.
    """

    bounds: tuple[float, float]
    root: bool = False
    name: str = "mean of rows"

    @property
    def kind(self) -> Hashable:
        """Those with the same range are alike."""
        return MeanOfRows, self.bounds, self.root

    def scaled(self, values: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Values on the scale of the limits, and its slope at each; not finite outside the range.

        >>> MeanOfRows((0, float("inf"))).scaled([1.0, 2.0])[1].tolist()
        [1.0, 0.5]
        """
        at = np.asarray(values, dtype=np.float64)
        lowest, highest = self.bounds
        with np.errstate(divide="ignore", invalid="ignore"):
            if lowest == 0 and highest != 1:
                return np.log(at), 1 / at
            if lowest == -1 and highest == 1:
                return np.arctanh(at), 1 / (1 - at**2)
            if lowest < 0 and highest == 1:
                return -np.log1p(-at), 1 / (1 - at)
        return at, np.ones_like(at)

    def around(self, estimate: Estimate) -> LimitExpressions:
        """Lower and upper limit around the value."""
        value = estimate.value
        spread = estimate.spread.struct
        plain, upper = (
            Estimate(value, spread.field(name), estimate.confidence)
            for name in ("variance", "upper")
        )
        low, high = self._scaled(plain, upper.half_width, spread.field("units"))
        defined = (plain.spread > 0) & plain.spread.is_finite()
        return pl.when(defined).then(low), pl.when(defined).then(high)

    def _scaled(self, estimate: Estimate, upper: pl.Expr, units: pl.Expr) -> LimitExpressions:
        value, half_width = estimate.value, estimate.half_width
        lowest, highest = self.bounds
        if lowest == 0 and highest == 1:
            inside = (value > 0) & (value < 1)
            trials = value * (1 - value) / estimate.spread
            low, high = wilson(value, trials, estimate.confidence)
        elif lowest == 0:
            inside = value > 0
            power = 2 if self.root else 1
            further = _further_alone if self.root else _further
            of_few, of_many = (
                _bounded(power * upper / value, most, further) for most in (1, STEEPEST)
            )
            factor = pl.when(units < SKEWNESS_SHOWN).then(of_few).otherwise(of_many)
            low, high = value * (-half_width / value).exp(), value * factor ** (1 / power)
        elif lowest == -1 and highest == 1:
            inside = value.abs() < 1
            centre, width = value.arctanh(), half_width / (1 - value**2)
            low, high = (centre - width).tanh(), (centre + width).tanh()
        elif highest == 1:
            inside, complement = value < 1, 1 - value
            low, high = (
                1 - complement * _bounded(upper / complement, 1, _further),
                1 - complement * (-half_width / complement).exp(),
            )
        else:
            return within(self.bounds, estimate)
        low, high = cut(low, self.bounds), cut(high, self.bounds)
        return pl.when(inside).then(low), pl.when(inside).then(high)


def _further(half_width: Any) -> Any:
    """−ln(1 − r) to the third power: the reach of an upper limit whose scale is 1/v."""
    return half_width + half_width**2 / 2 + half_width**3 / 3


def _further_alone(half_width: Any) -> Any:
    """The same of a number alone in its frame and of one among others, to the last digit.

    Polars divides one number by 3, and multiplies many with the inverse; a column divides all.
    """
    three = half_width * 0 + 3 if isinstance(half_width, pl.Expr) else 3
    return half_width + half_width**2 / 2 + half_width**3 / three


def _bounded(
    half_width: pl.Expr, most: float, scale: Callable[[Any], Any] = lambda r: r
) -> pl.Expr:
    """The exponential of a relative half width; above ``most`` it grows as a plain limit does."""
    last = float(np.exp(scale(most)))
    scaled = scale(half_width).exp()
    return pl.when(half_width <= most).then(scaled).otherwise(last - most + half_width)


SKEWNESS_SHOWN = 50
"""Of so few units the other parts of the limits make up for the skewness that is not seen."""


def unseen(units: float) -> float:
    """How many times heavier the tails may be than a sample shows: from 1 of 50 units to 2 of many.

    >>> unseen(30), unseen(100)
    (1.0, 1.5)
    """
    return 2 - min(1.0, SKEWNESS_SHOWN / units)


def skewed_spread(
    variance: float, effect: Effect, skewness: float, units: float, confidence: float
) -> dict[str, float]:
    """The spread of ``MeanOfRows``: the variance, the one for the upper limit, and the units.

    Args:
        variance: Of the mean.
        effect: Its degrees of freedom ν, which the limits are inflated by, too.
        skewness: That of what the units contribute, over the root of their number;
            one below 0 counts as 0.
        units: Groups, or independent rows.
        confidence: That of the limits.

    Formula: upper = variance · (1 + c · skewness · (1 + 2t²)/(6·t_ν))², t with ``units`` − 1
    degrees of freedom: limits farther away where the units are skewed. c is ``unseen``, as
    heavy tails show less of their skewness in a sample than it has in truth.
    Reference: Johnson (1978), doi:10.2307/2286597.

    >>> skewed_spread(1.0, Effect(1.0, 9.0), 0.0, 10, 0.95)
    {'variance': 1.0, 'upper': 1.0, 'units': 10}
    """
    squared = t_quantile(confidence, units - 1) ** 2
    quantile = t_quantile(confidence, effect.degrees_of_freedom)
    correction = 1 + unseen(units) * max(skewness, 0.0) * (1 + 2 * squared) / (6 * quantile)
    return {"variance": variance, "upper": variance * correction * correction, "units": units}


def is_outweighed(skewness: float, of_inverse: float, units: float) -> bool:
    """Whether a few of the units have too much of a mean for its limits to hold it.

    Args:
        skewness: That of what the units contribute, over the root of their number.
        of_inverse: That of 1 over the sizes of the truths alone.
        units: Groups, or independent rows.

    Where errors are divided by truths that may be near 0, their mean may have no finite variance
    (``tests.simulations.relative_errors``). Where no truth is near 0 the relative errors are as
    skewed as the errors, whose means have limits.

    >>> is_outweighed(0.3, 0.2, 400), is_outweighed(0.3, 0.1, 400), is_outweighed(0.2, 0.4, 400)
    (True, False, False)
    """
    return bool(min(skewness, 2 * of_inverse) > 0.2 + 0.5 / units**0.5)


MANY = 10_000
"""With more degrees of freedom the forecasts change the variance of a mean loss by too little."""


class LossVariance(NamedTuple):
    """Variance of a mean loss, the one for its upper limit, and the effect of groups on both."""

    variance: float
    upper: float
    effect: Effect

    @classmethod
    def of(cls, variance: float, forecast: Callable[[], float], effect: Effect) -> LossVariance:
        """From the variance of the rows and the one that the forecasts themselves imply.

        Formula: upper = max(v, (ν·v + f)/(ν + 1)), f the ``forecast`` variance, ν the
        degrees of freedom: where few rows carry the loss, as of nearly perfect
        forecasts, most samples lack the rare large loss that the forecasts foresee.
        With very many degrees of freedom f is not computed, and upper is v.

        >>> LossVariance.of(1.0, lambda: 4.0, Effect(1.0, 2.0)).upper
        2.0
        """
        df = effect.degrees_of_freedom
        if not df <= MANY:
            return cls(variance, variance, effect)
        return cls(variance, max(variance, (df * variance + forecast()) / (df + 1)), effect)

    @property
    def spread(self) -> dict[str, float]:
        """Both variances, of independent rows."""
        return {"variance": self.variance, "upper": self.upper}


@dataclass(frozen=True, slots=True)
class MeanLoss(FromVariances):
    """Limits of the mean loss of forecasts, which is from 0 up.

    With s the t standard error over the mean m: from m·exp(−s) to the larger of m·exp(s),
    which above s = 2 grows by m for each 1 of s, and m·(1 + s′/3)³, s′ from the ``upper``
    variance: the cube root of Wilson & Hilferty, as exp(s′) grows out of bounds where
    the forecasts foresee far more than was seen.
    Null where the variance is null or 0, or the mean is 0.
    Cochran (1977), *Sampling Techniques*, 2.6; Wilson & Hilferty (1931),
    doi:10.1073/pnas.17.12.684; Spiegelhalter (1986), doi:10.1002/sim.4780050506.
    """

    bounds: tuple[float, float]
    name: str = "mean loss"

    @property
    def kind(self) -> Hashable:
        """Those with the same range are alike."""
        return MeanLoss, self.bounds

    def around(self, estimate: Estimate) -> LimitExpressions:
        """Lower and upper limit around the value."""
        value = estimate.value
        variance, upper = (estimate.spread.struct.field(name) for name in ("variance", "upper"))
        defined = (variance > 0) & variance.is_finite() & (value > 0)
        half_width, further = (
            Estimate(value, v, estimate.confidence).half_width / value for v in (variance, upper)
        )
        high = value * pl.max_horizontal(_bounded(half_width, 2), (1 + further / 3) ** 3)
        low, high = (cut(end, self.bounds) for end in (value * (-half_width).exp(), high))
        return pl.when(defined).then(low), pl.when(defined).then(high)
