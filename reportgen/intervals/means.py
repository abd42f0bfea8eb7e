"""Intervals of means of rows from their robust variance, on the scale that suits their range."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import Floats
from reportgen.intervals.shapes import Estimate, FromFrame, Limits, wilson, within


@dataclass(frozen=True, slots=True)
class MeanOfRows(FromFrame):
    """Limits of a mean, or of a smooth function of means, whose variance is given.

    The range decides the scale. A share of [0, 1]: Wilson's limits at as many
    trials as give the variance, p(1 − p)/v. From 0 up, to 2 or without bound, and of a
    ``loss`` whatever its bound: the logarithm; up to 1 without a lower bound, as
    R²: the logarithm of 1 − v. A correlation: Fisher's z. Anything else: plain.
    Null where the variance is null or 0, or the value is at a bound.
    Rao & Scott (1992), doi:10.2307/2532311; Agresti (2013), *Categorical Data
    Analysis*, 3.1; Fisher (1921), Metron 1, 3-32.
    """

    bounds: tuple[float, float]
    loss: bool = False
    name: str = "mean of rows"

    @property
    def kind(self) -> Hashable:
        """Those with the same range are alike."""
        return MeanOfRows, self.bounds, self.loss

    @property
    def complete(self) -> bool:
        """Not without the rows."""
        return False

    @property
    def spread(self) -> pl.Expr:
        """The variance, which is not to be had from the frame: null."""
        return pl.lit(None, pl.Float64)

    def scaled(self, values: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Values on the scale of the limits, and its slope at each; not finite outside the range.

        >>> MeanOfRows((0, float("inf"))).scaled([1.0, 2.0])[1].tolist()
        [1.0, 0.5]
        """
        at = np.asarray(values, dtype=np.float64)
        lowest, highest = self.bounds
        with np.errstate(divide="ignore", invalid="ignore"):
            if lowest == 0 and (highest != 1 or self.loss):
                return np.log(at), 1 / at
            if lowest == -1 and highest == 1:
                return np.arctanh(at), 1 / (1 - at**2)
            if lowest < 0 and highest == 1:
                return -np.log1p(-at), 1 / (1 - at)
        return at, np.ones_like(at)

    def around(self, estimate: Estimate) -> Limits:
        """Lower and upper limit around the value."""
        low, high = self._scaled(estimate)
        defined = (estimate.spread > 0) & estimate.spread.is_finite()
        return pl.when(defined).then(low), pl.when(defined).then(high)

    def _scaled(self, estimate: Estimate) -> Limits:
        value, reach = estimate.value, estimate.half_width
        lowest, highest = self.bounds
        if lowest == 0 and highest == 1 and not self.loss:
            inside = (value > 0) & (value < 1)
            trials = value * (1 - value) / estimate.spread
            low, high = wilson(value, trials, estimate.confidence)
        elif lowest == 0:
            inside = value > 0
            low, high = value * (-reach / value).exp(), value * (reach / value).exp()
        elif lowest == -1 and highest == 1:
            inside = value.abs() < 1
            centre, width = value.arctanh(), reach / (1 - value**2)
            low, high = (centre - width).tanh(), (centre + width).tanh()
        elif highest == 1:
            inside, complement = value < 1, 1 - value
            low, high = (
                1 - complement * (reach / complement).exp(),
                1 - complement * (-reach / complement).exp(),
            )
        else:
            return within(self.bounds, estimate)
        low, high = low.clip(*self.bounds), high.clip(*self.bounds)
        return pl.when(inside).then(low), pl.when(inside).then(high)
