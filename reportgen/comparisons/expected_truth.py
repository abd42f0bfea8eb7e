"""The truth of some rows against what a model predicts of it: events, and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv, ndtr, ndtri, stdtr

from reportgen.array_types import Floats
from reportgen.clusters import correction, degrees_of_freedom, t_quantile
from reportgen.comparisons.registry import Form, comparison
from reportgen.intervals import normal_quantile
from reportgen.leverage import (
    groups_needed,
    jackknife_sums,
    satterthwaite,
    skewness_of_mean,
    without_skewness,
)
from reportgen.roots import root
from reportgen.sample_design import INDEPENDENT_ROWS, SampleDesign

RatioLimits = tuple[float, float]

EVENTS, ERRORS = "events_against_expected", "errors_against_zero"
"""The tests of two classes, and of estimates."""


@dataclass(frozen=True, slots=True)
class AgainstPrediction:
    """How truth and prediction of some rows differ: ``value``, its two-sided p, and its limits.

    ``limits`` at a confidence leave the null value out where p is below 1 − confidence.
    ``observed`` and ``expected`` are events, null of numbers; ``spread`` is the standard
    deviation of the errors of numbers, null of events.
    """

    value: float
    p_value: float
    limits: Callable[[float], RatioLimits]
    observed: float | None = None
    expected: float | None = None
    spread: float | None = None


@dataclass(frozen=True, slots=True)
class _Sums:
    """What the rows, or groups of them, add to an estimate: its variance and degrees of freedom."""

    by_unit: Floats
    variance: float
    freedom: float


@comparison(
    "claim",
    "rows",
    forms=(Form(EVENTS, "The mid-p Poisson test", "Observed/expected (mid-p)", "o"),),
    tasks=("binary",),
    measures=("observed_expected",),
    allows=("groups",),
)
def events_against_expected(
    truth: Floats, forecast: Floats, design: SampleDesign = INDEPENDENT_ROWS
) -> AgainstPrediction | None:
    """Test of the number of events against the sum of their predicted probabilities.

    The mid-p test of a Poisson number, of the rarer of events and non-events. Numbers are
    scaled such that their variance is V, the larger one of what the probabilities say,
    v(p) = Σw²p(1 − p), and of what the rows, or their groups, show: Σ_g s_g²·G/(G − 1), with s_g
    the sum of w(y − pO/E) over a group, or row, of groups over 1 − their share in E; the latter
    times f = v(p)/v(pO/E), if f < 1 where O > E, and if f > 1 where O < E. Of groups and of
    weighted rows the normal quantile of p is one of t, with G − 1 df or fewer.

    Args:
        truth: 1 for an event and 0 for none, by row.
        forecast: the predicted probability of an event, by row.
        design: the weights of the rows, and the groups of those that depend on each other.

    Returns:
        Observed/expected, its p-value and its limits at a confidence; null where undefined.

    Null hypothesis: in a slice Σw·y has the mean E = Σw·p
    Formula: p = 2·min(P(X > o) + ½P(X = o), P(X < o) + ½P(X = o)), X Poisson with mean E²/V and
        o = OE/V, V the larger of Σw²p(1 − p) and the variance of Σw(y − pO/E) by row or group
    Assumes: independent rows, or groups
    Undefined: no event is expected or all are, or too few groups of equal size
    Reference: Fay & Feuer (1997), *Statistics in Medicine* 16, 791-801; Rao & Scott (1992),
        doi:10.2307/2532311; Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181

    >>> test = events_against_expected(np.repeat([1.0, 0.0], [26, 974]), np.full(1000, 0.05))
    >>> round(test.value, 2), round(test.p_value, 6)
    (0.52, 0.000146)
    >>> [round(limit, 2) for limit in test.limits(0.95)]
    [0.35, 0.74]
    """
    w = design.weight_of(len(truth))
    total, observed, expected = (float((w * one).sum()) for one in (1.0, truth, forecast))
    if not 0 < expected < total:
        return None
    rarer = expected <= total / 2
    y, p = (truth, forecast) if rarer else (1 - truth, 1 - forecast)
    events, mean = (observed, expected) if rarer else (total - observed, total - expected)
    ratio = events / mean
    sums = _sums(w * (y - ratio * p), w * p, design)
    if sums is None:
        return None
    independent = float((w**2 * p * (1 - p)).sum())
    variance = max(independent, sums.variance * _to_expected(ratio, w, p, independent))
    if not variance > 0:
        return None
    freedom = math.inf if design.simple else sums.freedom
    scale = mean / variance

    def limits(confidence: float) -> RatioLimits:
        normal = math.isinf(freedom)
        quantile = normal_quantile(confidence) if normal else t_quantile(confidence, freedom)
        tail = float(ndtr(-quantile))
        low, high = (end / (scale * mean) for end in _poisson_limits(scale * events, tail))
        if rarer:
            return low, high
        return (total - high * mean) / expected, (total - low * mean) / expected

    z = float(ndtri(max(min(map(float, _tails(scale * events, scale * mean))), 1e-300)))
    p_value = min(2 * float(ndtr(z) if math.isinf(freedom) else stdtr(freedom, z)), 1.0)
    return AgainstPrediction(observed / expected, p_value, limits, observed, expected)


@comparison(
    "claim",
    "rows",
    forms=(Form(ERRORS, "The skewness-corrected t-test", "Mean error (t)", "t"),),
    tasks=("regression",),
    measures=("mean_error",),
    allows=("groups",),
)
def errors_against_zero(
    error: Floats, design: SampleDesign = INDEPENDENT_ROWS
) -> AgainstPrediction | None:
    """Test of the mean of errors, truth minus estimate, against 0, whose skewness is allowed for.

    Args:
        error: truth minus estimate, by row, in the unit of both.
        design: the weights of the rows, and the groups of those that depend on each other.

    Returns:
        The mean error, its p-value and its limits at a confidence; null where undefined.

    Null hypothesis: in a slice the errors have the mean 0
    Formula: t + γ/6 + γt²/3 + γ²t³/27, t = mean / √V, γ the skewness of the mean. V is
        Σ_g s_g²·G/(G − 1) with s_g the sum over a group, or row, of what its errors add to the
        mean, of groups over 1 − their share in the rows. t has G − 1 degrees of freedom or fewer
    Assumes: independent rows, or groups
    Undefined: errors that do not vary, or too few groups of equal size
    Reference: Hall (1992), *Journal of the Royal Statistical Society B* 54, 221-228; Bell &
        McCaffrey (2002), *Survey Methodology* 28, 169-181

    >>> test = errors_against_zero(np.array([1.0, 2.0, 3.0, 2.0]))
    >>> test.value, round(test.p_value, 4)
    (2.0, 0.0163)
    """
    w = design.weight_of(len(error))
    total = float(w.sum())
    mean = float((w * error).sum()) / total
    away = error - mean
    sums = _sums(w * away / total, w / total, design)
    if sums is None or not sums.variance > (1e-12 * np.abs(error).max()) ** 2:
        return None
    deviation, skewness = math.sqrt(sums.variance), skewness_of_mean(sums.by_unit)

    def limits(confidence: float) -> RatioLimits:
        q = t_quantile(confidence, sums.freedom)
        low, high = (mean - deviation * _with_skewness(end, skewness) for end in (q, -q))
        return low, high

    t = without_skewness(mean / deviation, skewness)
    p_value = min(2 * float(stdtr(sums.freedom, -abs(t))), 1.0)
    spread = math.sqrt(float((w * away**2).sum()) / total)
    return AgainstPrediction(mean, p_value, limits, spread=spread)


def _to_expected(ratio: float, w: Floats, p: Floats, independent: float) -> float:
    """By what a variance at the observed number of events changes to one at the expected number.

    As that of independent rows does, if that brings it nearer: fewer events vary less.
    """
    forecast = np.minimum(ratio * p, 1.0)
    observed = float((w**2 * forecast * (1 - forecast)).sum())
    factor = independent / observed if observed > 0 else 1.0
    return min(factor, 1.0) if ratio > 1 else max(factor, 1.0)


def _sums(influence: Floats, share: Floats, design: SampleDesign) -> _Sums | None:
    """What rows or groups add to an estimate; null where there are too few for a variance."""
    groups, weighted = design.groups, design.weights is not None
    if groups is None:
        rows = len(influence)
        if rows < 2:
            return None
        variance = float((influence**2).sum()) * correction(rows)
        return _Sums(influence, variance, _freedom(influence) if weighted else rows - 1.0)
    sizes = groups.sums(share)
    worth = sizes.sum() ** 2 / (sizes**2).sum()
    if groups.number < 2 or groups_needed(worth, groups.number, weighted=weighted) is not None:
        return None
    sums = jackknife_sums(groups.sums(influence), sizes / sizes.sum())
    variance = float((sums**2).sum()) * (1 - 1 / groups.number)
    return _Sums(sums, variance, min(_freedom(sums), satterthwaite(sizes)))


def _freedom(sums: Floats) -> float:
    return degrees_of_freedom(sums) if sums.any() else len(sums) - 1.0


def _tails(count: float, mean: float) -> tuple[float, float]:
    """Mid-p of as many Poisson events or more, and of as many or fewer."""
    above = 1.0 if count <= 0 else float(gammainc(count, mean))
    below = 0.0 if count <= 0 else float(gammaincc(count, mean))
    above += float(gammainc(count + 1, mean))
    below += float(gammaincc(count + 1, mean))
    return above / 2, below / 2


def _poisson_limits(count: float, tail: float) -> RatioLimits:
    """The means whose mid-p on either side of ``count`` events is ``tail``."""
    low = 0.0
    if count > 0:
        first, last = (float(gammaincinv(n, tail)) for n in (count, count + 1))
        low = root(lambda mean: _tails(count, mean)[0] - tail, first, last, 2e-12)
    first, last = (float(gammainccinv(n, tail)) if n > 0 else 0.0 for n in (count, count + 1))
    return low, root(lambda mean: _tails(count, mean)[1] - tail, first, last, 2e-12)


def _with_skewness(t: float, skewness: float) -> float:
    """The statistic that ``without_skewness`` makes ``t``."""
    if abs(skewness) < 1e-9:
        return t
    return float(3 / skewness * (np.cbrt(1 + skewness * (t - skewness / 6)) - 1))
