"""Shapes of an interval: what a metric of the registry carries to have limits.

Each has a ``name``, which the results print, and gives the lower and the upper limit
``around`` an ``Estimate``, the value with its spread, as expressions over the frame that
the value reads. The
spread is an expression over that frame (``FromFrame``), or computed by
evaluating the value itself. ``confidence`` is a share, 0.95 for
95 %. Limits outside the parameter's range are cut to it. Limits of several
values that hold at once are widened (Bonferroni).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
import polars as pl
from scipy.special import ndtri

from reportgen.array_functions import ArrayFunctions
from reportgen.array_types import Floats
from reportgen.clusters import EffectAt

LimitExpressions = tuple[pl.Expr, pl.Expr]
ArrayLimits = tuple[Floats, Floats]
_Values = TypeVar("_Values")
_Spread = TypeVar("_Spread")

LIMITS = pl.Struct({"low": pl.Float64, "high": pl.Float64})

FEW_OF_A_SIDE = 20
"""Of so few rows of equal weight the variance of a weighted share is often too small."""

ROUNDING = 1e-12
"""Weights whose squares differ by less than this share are alike on both sides of a share."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its spread, and the confidence of its limits.

    The spread is what the limits need beside the value: a variance, a number
    of trials, or distances.
    """

    value: pl.Expr
    spread: pl.Expr
    confidence: float

    @property
    def half_width(self) -> pl.Expr:
        """Normal quantile times the standard error, where the spread is a variance."""
        return normal_quantile(self.confidence) * self.spread.sqrt()


class NumericEstimates(NamedTuple, Generic[_Values, _Spread]):
    """The same of numbers: values, their spreads or the parts of them, and the confidence."""

    values: _Values
    spread: Sequence[_Spread]
    confidence: float


EstimateRows = NumericEstimates[Sequence[float | None], Any]
"""With the spread of each value."""

EstimateArrays = NumericEstimates[Floats, Floats]
"""With an array of each part of the spreads."""


class Interval(ABC):
    """What the registry asks of an interval; ``name`` is the method, as the results name it."""

    __slots__ = ()
    name: str

    @property
    def kind(self) -> Hashable:
        """Intervals of one kind differ only in what they are called and in the spread."""
        return type(self)

    @property
    def complete(self) -> bool:
        """Whether it has limits wherever it applies; what it leaves out is resampled."""
        return True

    @property
    def spread_type(self) -> pl.DataType:
        """What the spread is: one number, unless a shape says otherwise."""
        return pl.Float64()

    @property
    def groups_in_spread(self) -> bool:
        """Whether the spread of rows in groups allows for them already."""
        return False

    def estimate(self, value: pl.Expr, confidence: float) -> Estimate:
        """The value with its spread, over the frame that the value reads."""
        return Estimate(value, self.spread_of(value), confidence)

    def spread_of(self, value: pl.Expr) -> pl.Expr:
        """What the limits need beside the value, where the confidence does not change it."""
        raise NotImplementedError(f"{self.name} has no spread of {value}")

    def inflated(self, spread: Any, effect: EffectAt) -> Any:
        """The spread where rows of a group depend on each other: a variance grows."""
        return spread * effect.inflation

    @abstractmethod
    def around(self, estimate: Estimate) -> LimitExpressions:
        """Lower and upper limit around the value, null where there are none."""


class ComputedInterval(Interval):
    """An interval whose limits are computed from numbers, not by an expression."""

    __slots__ = ()

    @abstractmethod
    def of_rows(self, estimates: EstimateRows) -> ArrayLimits:
        """Both limits of each value, from its spread as ``spread_type`` has it in Python.

        NaN where there are none.
        """

    def around(self, estimate: Estimate) -> LimitExpressions:
        """Lower and upper limit around the value."""

        def limits(rows: pl.Series) -> pl.Series:
            value, spread = (rows.struct.field(name).to_list() for name in ("v", "s"))
            low, high = self.of_rows(NumericEstimates(value, spread, estimate.confidence))
            return pl.DataFrame({"low": low, "high": high}).fill_nan(None).to_struct()

        both = pl.struct(v=estimate.value.cast(pl.Float64), s=estimate.spread).map_batches(
            limits, return_dtype=LIMITS, is_elementwise=True
        )
        return both.struct.field("low"), both.struct.field("high")


class ArrayInterval(ComputedInterval):
    """An interval whose limits are computed on arrays of the values and of parts of the spreads."""

    __slots__ = ()
    items: ClassVar[int] = 0
    """Of how many numbers its spread is a list, if it is one."""

    @abstractmethod
    def ends(self, estimates: EstimateArrays) -> ArrayLimits:
        """Both limits of each value, from the parts of its spread; NaN where there are none."""

    def of_rows(self, estimates: EstimateRows) -> ArrayLimits:
        """Both limits of each value, from the parts of its spread."""
        values, spreads, confidence = estimates
        of, parts = self.spread_type, [spreads]
        if (
            keys := [one.name for one in of.fields]
            if isinstance(of, pl.Struct)
            else range(self.items)
        ):
            parts = [[None if s is None else s[key] for s in spreads] for key in keys]
        arrays = [np.array(part, dtype=np.float64) for part in (values, *parts)]  # NaN where None
        return self.ends(NumericEstimates(arrays[0], arrays[1:], confidence))


class FromFrame(Interval):
    """An interval whose spread is read off the frame, whatever the value."""

    __slots__ = ()

    @property
    @abstractmethod
    def spread(self) -> pl.Expr:
        """What the limits need beside the value: a variance, or a number of trials."""

    def spread_of(self, value: pl.Expr) -> pl.Expr:
        """What the frame has."""
        del value
        return self.spread


def normal_quantile(confidence: float) -> float:
    """Two-sided standard normal quantile: 1.959964 for 0.95."""
    return float(ndtri((1 + confidence) / 2))


@dataclass(frozen=True, slots=True)
class Wald(FromFrame):
    """Estimate ± z standard errors, cut to ``bounds``; ``name`` says whose variance it is."""

    name: str
    variance: pl.Expr
    bounds: tuple[float, float] = (0, 1)

    @property
    def kind(self) -> Hashable:
        """Those with the same bounds are alike."""
        return Wald, self.bounds

    @property
    def spread(self) -> pl.Expr:
        """Variance of the value."""
        return self.variance

    def around(self, estimate: Estimate) -> LimitExpressions:
        """Lower and upper limit around the value, null where the variance is."""
        return within(self.bounds, estimate)


@dataclass(frozen=True, slots=True)
class Logit(FromFrame):
    """Wald interval of ln(v / (1 − v)), turned back: it stays inside the unit interval.

    ``variance`` is that of the value itself. Null where the value is 0 or 1,
    or the variance is null or 0.
    Agresti (2013), *Categorical Data Analysis*, 3.1.
    """

    name: str
    variance: pl.Expr

    @property
    def spread(self) -> pl.Expr:
        """Variance of the value."""
        return self.variance

    def around(self, estimate: Estimate) -> LimitExpressions:
        """Lower and upper limit around the value."""
        value = estimate.value
        inside = (value > 0) & (value < 1) & (estimate.spread > 0)
        half_width = estimate.half_width / (value * (1 - value))
        centre = (value / (1 - value)).log()
        low, high = (1 / (1 + (-(centre + side * half_width)).exp()) for side in (-1, 1))
        return pl.when(inside).then(low), pl.when(inside).then(high)


@dataclass(frozen=True, slots=True)
class Log(FromFrame):
    """Wald interval of ln v, turned back: for ratios, which have no upper bound.

    ``variance`` is that of ln v. Null where the value is 0 or the variance is
    null or not finite: a ratio of an empty cell.
    """

    name: str
    variance: pl.Expr

    @property
    def spread(self) -> pl.Expr:
        """Variance of the logarithm of the value."""
        return self.variance

    def around(self, estimate: Estimate) -> LimitExpressions:
        """Lower and upper limit around the value."""
        value, half_width = estimate.value, estimate.half_width
        inside = (value > 0) & half_width.is_finite()
        low, high = value * (-half_width).exp(), value * half_width.exp()
        return pl.when(inside).then(low), pl.when(inside).then(high)


def kish_size(cells: Sequence[str]) -> pl.Expr:
    """Kish's effective number of rows in the cells, null where there are none."""
    squares = _sum([f"{cell}2" for cell in cells])
    return pl.when(squares > 0).then(_sum(cells) ** 2 / squares)


def trials(cells: tuple[str, ...], counted: tuple[str, ...]) -> pl.Expr:
    """How many rows of equal weight the rows in the cells are worth, null where there are none.

    For a share of which ``counted`` are one side. Weighted rows are worth p(1 − p) over the
    variance of p, W²·AB / (A₂B² + B₂A²) with A and B the weights of both sides, W their sum,
    A₂ and B₂ the sums of their squares: the weights may go with what is counted. Where a
    side is worth fewer than ``FEW_OF_A_SIDE`` rows that variance is often too small, and the
    rows are worth at most Kish's (Σw)² / Σw², as all are where both sides are weighted alike.
    Kish (1965), *Survey Sampling*, 11.7; Korn & Graubard (1998), *Survey Methodology* 24, 193-201.
    """
    (a, a2), (b, b2) = (
        (_sum(side), _sum([f"{cell}2" for cell in side]))
        for side in (counted, [cell for cell in cells if cell not in counted])
    )
    total, kish = a + b, kish_size(cells)
    share = a / total
    variance = a2 / total**2 * (b / total) ** 2 + b2 / total**2 * share**2
    robust = share * (b / total) / variance
    few = pl.min_horizontal(a**2 / a2, b**2 / b2) < FEW_OF_A_SIDE
    worth = pl.when(few).then(pl.min_horizontal(kish, robust)).otherwise(robust)
    alike = (a <= 0) | (b <= 0) | ((a2 * b - b2 * a).abs() <= ROUNDING * a2 * b)
    return pl.when(alike).then(kish).otherwise(worth)


def effective_trials(part: Floats, other: Floats, part2: Floats, other2: Floats) -> Floats:
    """``trials`` of arrays: the weights of both sides and the sums of their squares."""
    sides = np.broadcast_arrays(part, other, part2, other2)
    return _worth()(np.column_stack([side.ravel() for side in sides])).reshape(sides[0].shape)


@cache
def _worth() -> ArrayFunctions:
    return ArrayFunctions({"worth": trials(("a", "b"), ("a",))}, ("a", "b", "a2", "b2"))


def _sum(names: Sequence[str]) -> pl.Expr:
    return pl.sum_horizontal(*names).cast(pl.Float64)


def within(bounds: tuple[float, float], estimate: Estimate) -> LimitExpressions:
    """Value ± z standard errors, cut to ``bounds``."""
    value, half_width = estimate.value, estimate.half_width
    return cut(value - half_width, bounds), cut(value + half_width, bounds)


def cut(limit: pl.Expr, bounds: tuple[float, float]) -> pl.Expr:
    """The limit, or the bound that it is beyond."""
    lowest, highest = (bound if math.isfinite(bound) else None for bound in bounds)
    return limit if lowest is highest is None else limit.clip(lowest, highest)


def wilson(share: pl.Expr, trials: pl.Expr, confidence: float = 0.95) -> LimitExpressions:
    """Score limits of a binomial share seen in ``trials`` trials.

    (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n).
    Wilson (1927), doi:10.1080/01621459.1927.10502953.

    >>> low, high = wilson(pl.lit(0.9), pl.lit(10.0))
    >>> pl.select(low=low.round(4), high=high.round(4)).row(0)
    (0.5958, 0.9821)
    """
    z = normal_quantile(confidence)
    spread = z * (share * (1 - share) / trials + z**2 / (4 * trials**2)).sqrt()
    centre, scale = share + z**2 / (2 * trials), 1 + z**2 / trials
    low = (
        pl.when((share <= 0) & trials.is_not_null())
        .then(0.0 * share)
        .otherwise((centre - spread) / scale)
    )
    high = (
        pl.when((share >= 1) & trials.is_not_null())
        .then(share)
        .otherwise((centre + spread) / scale)
    )
    return low.clip(0, 1), high.clip(0, 1)


def widening(count: float, confidence: float) -> float:
    """By how much limits move away from their value to hold for ``count`` values at once.

    >>> widening(1, 0.95), round(widening(50, 0.95), 2)
    (1.0, 1.68)
    """
    tail = (1 - confidence) / 2
    return float(ndtri(tail / max(count, 1)) / ndtri(tail))


def simultaneous_limit(value: float, limit: float, count: float, confidence: float) -> float:
    """The limit of one of ``count`` values that hold at once, from the limit of the value alone.

    >>> simultaneous_limit(0.6, 0.5, 1, 0.95), round(simultaneous_limit(0.6, 0.5, 2, 0.95), 3)
    (0.5, 0.486)
    """
    return value + widening(count, confidence) * (limit - value)
