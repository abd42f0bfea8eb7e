"""The scale on which values of a measure are compared from build to build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, log, sqrt

from scipy.special import ndtri

HALF = 0.5
"""Rows by which a value at its bound is moved inwards (Haldane 1956, Anscombe 1956)."""


@dataclass(frozen=True, slots=True)
class ScaledEstimate:
    """A value and its standard error, on the scale of its measure."""

    value: float
    error: float


def is_logit(bounds: Sequence[float]) -> bool:
    """Whether a measure is compared on the logit scale: shares and areas, from 0 to 1.

    >>> is_logit((0, 1)), is_logit((-1, 1)), is_logit((0, inf))
    (True, False, False)
    """
    return tuple(bounds) == (0, 1)


def forward(value: float, *, logit: bool) -> float:
    """A value on the scale of its measure."""
    if not logit:
        return value
    if not 0 < value < 1:
        return inf if value >= 1 else -inf
    return log(value / (1 - value))


def back(value: float, *, logit: bool) -> float:
    """The value of the measure itself.

    >>> round(back(forward(0.9, logit=True), logit=True), 12)
    0.9
    """
    if not logit:
        return value
    return 1 / (1 + exp(-value)) if value > -700 else 0.0


def estimate(
    value: float, low: float | None, high: float | None, confidence: float, *, logit: bool
) -> ScaledEstimate | None:
    """Value and standard error on the scale, from a value and its limits.

    The error is the width of the interval on the scale over 2·z. A share of 0 or 1, whose
    logit is infinite, is taken half a row inwards: the limit of Wilson's interval lies
    z² rows inwards, so 1/(2·z²) of the way to it, with the error √2 of such a logit.

    Null where there is no interval, or one of no width.
    Newcombe (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E.

    >>> one = estimate(0.9, 0.8799, 0.9171, 0.95, logit=True)
    >>> round(one.value, 3), round(one.error, 3)
    (2.197, 0.105)
    >>> estimate(0.9, None, None, 0.95, logit=True) is None
    True
    """
    if low is None or high is None or not low < high:
        return None
    z = float(ndtri(0.5 + confidence / 2))
    ends = forward(low, logit=logit), forward(high, logit=logit)
    at = forward(value, logit=logit)
    if isfinite(at) and all(map(isfinite, ends)):
        return ScaledEstimate(at, (ends[1] - ends[0]) / (2 * z))
    if isfinite(at):
        one_sided = ends[1] - at if isfinite(ends[1]) else at - ends[0]
        return ScaledEstimate(at, one_sided / z) if isfinite(one_sided) else None
    inwards = HALF / z**2
    moved = 1 - (1 - low) * inwards if value >= 1 else high * inwards
    at = forward(moved, logit=logit)
    return ScaledEstimate(at, sqrt(2)) if isfinite(at) else None
