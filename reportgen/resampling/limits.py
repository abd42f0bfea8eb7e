"""From replicates to limits: percentile, basic, BCa, and one for optima over thresholds."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from reportgen.array_types import Floats

Method = Literal["percentile", "basic", "bca", "optimum", "biased", "smoothed"]

LEAST_DEFINED = 0.9
"""With a smaller share of replicates that have a value there are no limits."""


OPTIMISM = 2 ** (2 / 3) - 1
"""Share of the optimism of an optimum over thresholds that its replicates show."""


def limits(
    replicates: Floats,
    value: float,
    confidence: float,
    method: Method = "percentile",
    *,
    acceleration: float = 0.0,
    drawn: int | None = None,
    scale: float = 0.0,
) -> tuple[float, float] | None:
    """Limits of a value from its replicates (NaN, or missing of ``drawn``: undefined there).

    - percentile: the (1 ∓ confidence)/2 quantiles of the replicates;
    - basic: the same, mirrored at the value;
    - bca: the quantiles Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))), z₀ from the share of
      replicates below the value (ties half), a the acceleration;
    - optimum: value − bias ± z standard deviations of the replicates, for what is
      best over thresholds, stretched to hold the value. The bias is what the mean of the
      replicates differs from the value, over 2^⅔ − 1: near its optimum such a value gains
      as the variance to the power ⅔, and a replicate has twice the variance of the rows.

    - biased: for what sampling moves one way, as an entropy or a divergence: the outer ones of
      the percentiles less twice the bias, which is what the mean of the replicates
      differs from the value, and of value − bias ± z standard deviations; stretched to
      hold the value;
    - smoothed: the same of replicates of a smoothed table around its own value.

    Quantile q is the order statistic (B + 1)q, interpolated. None where the
    value is undefined, fewer than nine in ten replicates have a value, they
    are all the same, or percentiles that nearly all are (to 1e-12 of the value, of the largest
    replicate or of ``scale``), the limits do not hold the value (replicates of a biased statistic),
    or the acceleration or z₀ of BCa is not finite.
    Davison & Hinkley (1997), *Bootstrap Methods*, 5.2-5.3,
    doi:10.1017/CBO9780511802843; Efron (1987), doi:10.1080/01621459.1987.10478410;
    the rate: Kim & Pollard (1990), doi:10.1214/aos/1176347498.

    >>> [round(limit) for limit in limits(np.arange(1.0, 100.0), 50.0, 0.9)]
    [5, 95]
    """
    seen = replicates[~np.isnan(replicates)]
    if np.isnan(value) or len(seen) < max(LEAST_DEFINED * (drawn or len(replicates)), 2):
        return None
    noise = 1e-12 * max(abs(value), scale, float(np.abs(seen).max()))
    seen = np.where(np.abs(seen - value) <= noise, value, seen)
    if np.ptp(seen) <= noise:
        return None
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if method == "optimum":
        return _of_optimum(seen, value, tails)
    if method in ("biased", "smoothed"):
        return _of_biased(seen, value, tails)
    if method == "bca":
        adjusted_tails = _adjusted(tails, seen - value, noise, acceleration)
        if adjusted_tails is None:
            return None
        tails = adjusted_tails
    low, high = (float(q) for q in np.quantile(seen, tails, method="weibull"))
    if method == "basic":
        low, high = 2 * value - high, 2 * value - low
    wide = method != "percentile" or high - low > noise
    return (low, high) if wide and low - noise <= value <= high + noise else None


def _of_optimum(seen: Floats, value: float, tails: Floats) -> tuple[float, float]:
    """Limits around the value less its optimism."""
    centre = value - (seen.mean() - value) / OPTIMISM
    low, high = centre + ndtri(tails) * deviation(seen)
    return min(float(low), value), max(float(high), value)


def _of_biased(seen: Floats, value: float, tails: Floats) -> tuple[float, float]:
    """Limits around the value less its bias."""
    bias, spread = float(seen.mean()) - value, ndtri(tails) * deviation(seen)
    quantiles = np.quantile(seen, tails, method="weibull")
    low, high = (
        (float(q) - 2 * bias, value - bias + float(s))
        for q, s in zip(quantiles, spread, strict=True)
    )
    return min(*low, value), max(*high, value)


def biased_by(seen: Floats, value: float) -> float:
    """What the mean of the replicates differs from the value, in their standard deviations."""
    spread = deviation(seen)
    return abs(float(seen.mean()) - value) / spread if spread > 0 else 0.0


def _adjusted(tails: Floats, above: Floats, noise: float, acceleration: float) -> Floats | None:
    """The quantiles that BCa takes, from the distances of the replicates to the value."""
    below = float(np.mean(np.where(np.abs(above) <= noise, 0.5, above < 0)))
    bias = float(ndtri(below))
    if not np.isfinite([bias, acceleration]).all():
        return None
    moved = bias + ndtri(tails)
    scale = 1 - acceleration * moved
    if (scale <= 0).any():
        return None
    adjusted: Floats = ndtr(bias + moved / scale)
    return adjusted


def deviation(seen: Floats) -> float:
    """Standard deviation of values whose squares may be beyond the range of floats.

    >>> deviation(np.array([1e200, 3e200])) == 2**0.5 * 1e200
    True
    """
    size = _power_of_two(seen)
    return float((seen / size).std(ddof=1)) * size


def _power_of_two(values: Floats) -> float:
    """A power of two of the size of the largest value: dividing by it rounds nothing."""
    return float(np.ldexp(1.0, np.frexp(np.abs(values).max(initial=0.0))[1] - 1))


def acceleration(influence: Floats, count: Floats, stratum: npt.NDArray[np.int64]) -> float:
    """Acceleration of BCa from what each unit adds to the value.

    Σ n l³ / (6 (Σ n l²)^1.5), with l the influence of a unit less the mean of
    its stratum and n its rows. NaN without any influence.
    Davison & Hinkley (1997), eq. 5.22 and 5.23, doi:10.1017/CBO9780511802843.

    >>> round(acceleration(np.array([0.0, 0.0, 3.0]), np.ones(3), np.zeros(3, dtype=int)), 4)
    0.068
    """
    if not np.isfinite(influence).all():
        return float("nan")
    # The scale cancels, and a third power may leave the range of floats.
    influence = influence / _power_of_two(influence)
    centred = np.zeros(len(influence))
    for one in np.unique(stratum):
        here = stratum == one
        rows = count[here].sum()
        mean = (count[here] * influence[here]).sum() / rows
        centred[here] = (influence[here] - mean) * (rows - 1) / rows
    second, third = ((count * centred**power).sum() for power in (2, 3))
    return float(third / (6 * second**1.5)) if second > 0 else float("nan")
