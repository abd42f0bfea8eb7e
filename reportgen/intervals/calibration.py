"""Limits of calibration errors and the resolution over bins, which allow for the noise of the bins.

The plain error is never 0, as each bin has noise: of a calibrated model it is the noise
alone, and resampling adds as much again. So it is with the resolution of a model that guesses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import polars as pl
from scipy.special import ndtr

from reportgen.array_types import Floats
from reportgen.intervals.shapes import (
    ArrayLimits,
    ComputedInterval,
    EstimateRows,
    FromFrame,
    normal_quantile,
)

Power = Literal[1, 2]

ROWS_PER_WEIGHT = "rows_per_weight"
"""Column beside those of the bins: effective rows (Kish) for a weight of 1."""

_SCALES = np.concatenate(
    [np.linspace(0, 3, 121), np.geomspace(3.1, 30, 40), np.geomspace(32, 3000, 80)]
)
_ADDED = 0.25
_NO_NOISE = 0.01
"""Below this share of the error that right forecasts have the forecasts are made from the rows."""

_LEAST = 1e-12
MOST_RESOLVED = 0.25
"""The resolution of forecasts that are all right, where half of the rows are positive."""

_COLUMNS = ("count", "mean_score", "observed", ROWS_PER_WEIGHT)


@dataclass(frozen=True, slots=True)
class Miscalibration(ComputedInterval, FromFrame):
    """Limits of a mean distance of forecast and outcome rate, to the ``power`` 1 or 2."""

    power: Power = 1
    name: str = "calibration noise"

    @property
    def kind(self) -> Hashable:
        """Those of one power are alike."""
        return Miscalibration, self.power

    @property
    def spread_type(self) -> pl.DataType:
        """The bins."""
        return pl.List(pl.Struct(dict.fromkeys(_COLUMNS, pl.Float64)))

    @property
    def spread(self) -> pl.Expr:
        """The bins, which need ``ROWS_PER_WEIGHT``."""
        return pl.struct(*_COLUMNS).implode()

    def of_rows(self, estimates: EstimateRows) -> ArrayLimits:
        """Both limits of each value from its bins, NaN without rows."""
        values, spreads, confidence = estimates
        limits = [
            (math.nan, math.nan)
            if value is None or not bins or bins[0][ROWS_PER_WEIGHT] is None
            else self.of_bins(*_of_bins(bins), confidence)
            for value, bins in zip(values, spreads, strict=True)
        ]
        low, high = np.array(limits, dtype=np.float64).reshape(-1, 2).T
        return low, high

    @property
    def of_bins(self) -> Callable[[Floats, Floats, Floats, float], tuple[float, float]]:
        """Limits from the rows, mean forecast and outcome rate of each bin, and the confidence."""
        return partial(miscalibration_limits, power=self.power)


@dataclass(frozen=True, slots=True)
class Resolution(Miscalibration):
    """Limits of the mean squared distance of the bins' outcome rates from the prevalence."""

    power: Power = 2
    name: str = "resolution noise"

    @property
    def kind(self) -> Hashable:
        """All are alike."""
        return Resolution

    @property
    def of_bins(self) -> Callable[[Floats, Floats, Floats, float], tuple[float, float]]:
        """Limits from the rows and outcome rate of each bin."""
        return lambda rows, _, *observed: resolution_limits(rows, *observed)


def _of_bins(bins: Sequence[Mapping[str, float]]) -> tuple[Floats, Floats, Floats]:
    """Rows, mean forecast and outcome rate of each."""
    count, forecast, observed, rows = (np.array([b[name] for b in bins]) for name in _COLUMNS)
    return count * rows, forecast, observed


def miscalibration_limits(
    rows: Floats, forecast: Floats, observed: Floats, confidence: float = 0.95, power: Power = 1
) -> tuple[float, float]:
    """Limits of Σ nₖ|oₖ − p̄ₖ|ᵖ / n from the ``rows``, mean forecast and outcome rate of each bin.

    Were the true distance in each bin s times the observed one, the error would
    have mean μ(s) and standard deviation σ(s), from normal outcome rates with
    binomial variances at the forecast plus that distance (¼ added to each
    kind of row) and from the rows' spread over the bins. The limits are sᵖ
    times the error for the smallest and the largest s with
    |error − μ(s)| ≤ z·σ(s); 0 where no s is small enough, and never such that
    they leave the error itself out. Where the error is 0 the noise stands for
    the distances. The lower limit of a calibrated model is 0. NaN where no s is small enough for
    an error that is next to 0, as that of forecasts which are calibrated on these rows.
    Moments of folded normals: Leone, Nelson & Nottingham (1961),
    doi:10.1080/00401706.1961.10489974.

    >>> rows, forecast = np.array([50.0, 50.0]), np.array([0.2, 0.8])
    >>> limits = miscalibration_limits(rows, forecast, np.array([0.24, 0.78]))
    >>> [round(limit, 3) for limit in limits]
    [0.0, 0.108]
    """
    share, gap = rows / rows.sum(), observed - forecast
    error = float((share * np.abs(gap) ** power).sum())
    if error <= _LEAST:  # no direction of its own: that of the noise
        gap = _noise(rows, forecast)
    unit = float((share * np.abs(gap) ** power).sum())
    moved = _SCALES[:, None] * gap
    noise = _noise(rows, np.clip(forecast + moved, 0, 1))
    if power == 1:
        distance = np.abs(moved)
        excess = noise * math.sqrt(2 / math.pi) * np.exp(-((moved / noise) ** 2) / 2)
        excess -= 2 * distance * ndtr(-distance / noise)
        mean = distance + excess
        variance = noise**2 - excess * (2 * distance + excess)  # without large squares
    else:
        mean, variance = _of_squares(moved, noise)
    true = np.abs(moved) ** power
    away = (error - (share * mean).sum(axis=1)) / _deviation(rows, variance, true)
    z = normal_quantile(confidence)
    if error < _NO_NOISE * (share * mean[0]).sum() and not (away > -z).any():
        return math.nan, math.nan
    if away[-1] > -z:
        return math.nan, math.nan
    low, high = _crossing(away - z), _crossing(away + z)
    return min(low**power * unit, error), min(max(high**power * unit, error), 1.0)


def resolution_limits(
    rows: Floats, observed: Floats, confidence: float = 0.95
) -> tuple[float, float]:
    """Limits of Σ nₖ(oₖ − π)² / n from the ``rows`` and the outcome rate of each bin.

    Those of the squared calibration error with the prevalence π in place of the forecasts, which
    is that of the same rows: its variance is part of the noise of the bins and not of what is
    expected of their distances from it. At most ¼, which is the upper limit where no s is large
    enough. NaN of a single bin.

    >>> rows, observed = np.array([50.0, 50.0]), np.array([0.2, 0.6])
    >>> [round(limit, 3) for limit in resolution_limits(rows, observed)]
    [0.014, 0.084]
    """
    if len(rows) < 2:
        return math.nan, math.nan
    share = rows / rows.sum()
    base = float((share * observed).sum())
    gap = observed - base
    resolution = float((share * gap**2).sum())
    if resolution <= _LEAST:
        gap = _noise(rows, np.full(len(rows), base))
    unit = float((share * gap**2).sum())
    moved = _SCALES[:, None] * gap
    noise = _noise(rows, np.clip(base + moved, 0, 1))
    mean, variance = _of_squares(moved, noise)
    expected = (share * mean - (share * noise) ** 2).sum(axis=1)
    away = (resolution - expected) / _deviation(rows, variance, moved**2)
    z = normal_quantile(confidence)
    low = _crossing(away - z) ** 2 * unit
    high = MOST_RESOLVED if away[-1] > -z else _crossing(away + z) ** 2 * unit
    return min(low, resolution), min(max(high, resolution), MOST_RESOLVED)


def _of_squares(moved: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of the squared distance in each bin."""
    return moved**2 + noise**2, 2 * noise**4 + 4 * (moved * noise) ** 2


def _deviation(rows: Floats, variance: Floats, true: Floats) -> Floats:
    """Standard deviation of the mean over bins: of each bin, and of the rows' spread over them."""
    share = rows / rows.sum()
    spread = ((share * true**2).sum(axis=1) - (share * true).sum(axis=1) ** 2) / rows.sum()
    deviation: Floats = np.sqrt((share**2 * variance).sum(axis=1) + spread)
    return deviation


def _noise(rows: Floats, rate: Floats) -> Floats:
    """Standard deviation of the outcome rate of each bin."""
    among = (rows * rate + _ADDED) / (rows + 2 * _ADDED)
    deviation: Floats = np.sqrt(among * (1 - among) / rows)
    return deviation


def _crossing(falling: Floats) -> float:
    """The largest scale before which the function is positive; 0 where it is nowhere."""
    above = np.flatnonzero(falling > 0)
    if not len(above):
        return 0.0
    last = int(above[-1])
    share = falling[last] / (falling[last] - falling[last + 1])
    return float(_SCALES[last] + share * (_SCALES[last + 1] - _SCALES[last]))
