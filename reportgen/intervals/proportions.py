"""Limits of a binomial share as plain numbers: ``(successes, trials, confidence)``.

Wilson's, modified, is the default of a report. Every function raises ValueError where
there are no trials or the successes are not among them: the share then is
undefined. Successes need not be whole, so that weighted counts may enter.
Brown, Cai & DasGupta (2001), doi:10.1214/ss/1009213286, compare them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy.special import betainc, betaincinv

from reportgen.clusters import EffectAt
from reportgen.intervals.modified_wilson import modified_wilson
from reportgen.intervals.shapes import (
    Estimate,
    FromFrame,
    LimitExpressions,
    normal_quantile,
    trials,
)

ShareLimits = tuple[float, float]


def wilson_limits(successes: float, trials: float, confidence: float = 0.95) -> ShareLimits:
    """Score limits of ``successes`` out of ``trials``.

    (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n).
    Wilson (1927), doi:10.1080/01621459.1927.10502953.

    Args:
        successes: How many of the trials are successes; weighted counts need not be whole.
        trials: How many trials there are, more than 0.
        confidence: The confidence level, between 0 and 1.

    Returns:
        The lower and the upper limit, both from 0 to 1.

    Raises:
        ValueError: Without trials, or if the successes are not among them: undefined.

    >>> [round(limit, 4) for limit in wilson_limits(9, 10)]
    [0.5958, 0.9821]
    """
    p, z = _share(successes, trials), normal_quantile(confidence)
    spread = z * math.sqrt(p * (1 - p) / trials + z**2 / (4 * trials**2))
    centre, scale = p + z**2 / (2 * trials), 1 + z**2 / trials
    return _cut((centre - spread) / scale, (centre + spread) / scale, p)


def wilson_modified(successes: float, trials: float, confidence: float = 0.95) -> ShareLimits:
    """Wilson's limits, but for the outer one next to 0 and 1: see ``modified_wilson``.

    Brown, Cai & DasGupta (2001), doi:10.1214/ss/1009213286.

    Args:
        successes: How many of the trials are successes; weighted counts need not be whole.
        trials: How many trials there are, more than 0.
        confidence: The confidence level, between 0 and 1.

    Returns:
        The lower and the upper limit, both from 0 to 1.

    Raises:
        ValueError: Without trials, or if the successes are not among them: undefined.

    >>> [round(limit, 4) for limit in wilson_modified(9, 10)]
    [0.5958, 0.9949]
    """
    share = np.array([_share(successes, trials)])
    low, high = modified_wilson(share, np.array([float(trials)]), confidence)
    return float(low[0]), float(high[0])


def wilson_cc(successes: float, trials: float, confidence: float = 0.95) -> ShareLimits:
    """Score limits with continuity correction 1/2n; that of a share within 1/2n of an end is it.

    Newcombe (1998), method 4,
    doi:10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E.

    Args:
        successes: How many of the trials are successes; weighted counts need not be whole.
        trials: How many trials there are, more than 0.
        confidence: The confidence level, between 0 and 1.

    Returns:
        The lower and the upper limit, both from 0 to 1.

    Raises:
        ValueError: Without trials, or if the successes are not among them: undefined.

    >>> [round(limit, 4) for limit in wilson_cc(9, 10)]
    [0.5412, 0.9948]
    """
    p, z, n = _share(successes, trials), normal_quantile(confidence), trials
    centre, scale = 2 * n * p + z**2, 2 * (n + z**2)
    below = z * math.sqrt(max(z**2 - 2 - 1 / n + 4 * p * (n * (1 - p) + 1), 0))
    above = z * math.sqrt(max(z**2 + 2 - 1 / n + 4 * p * (n * (1 - p) - 1), 0))
    low = 0.0 if successes <= 0.5 else (centre - 1 - below) / scale
    high = 1.0 if trials - successes <= 0.5 else (centre + 1 + above) / scale
    return _cut(low, high, p)


def clopper_pearson(successes: float, trials: float, confidence: float = 0.95) -> ShareLimits:
    """Exact limits: each tail of the binomial holds at most (1 − confidence) / 2.

    Quantiles of Beta(x, n − x + 1) and Beta(x + 1, n − x). Never covers less
    than it says, mostly more.
    Clopper & Pearson (1934), doi:10.1093/biomet/26.4.404.

    Args:
        successes: How many of the trials are successes; weighted counts need not be whole.
        trials: How many trials there are, more than 0.
        confidence: The confidence level, between 0 and 1.

    Returns:
        The lower and the upper limit, both from 0 to 1.

    Raises:
        ValueError: Without trials, or if the successes are not among them: undefined.

    >>> [round(limit, 4) for limit in clopper_pearson(9, 10)]
    [0.555, 0.9975]
    """
    _share(successes, trials)
    failures, tail = trials - successes, (1 - confidence) / 2
    low = float(betaincinv(successes, failures + 1, tail)) if successes > 0 else 0.0
    high = float(betaincinv(successes + 1, failures, 1 - tail)) if failures > 0 else 1.0
    return low, high


def jeffreys(successes: float, trials: float, confidence: float = 0.95) -> ShareLimits:
    """Credible limits under Jeffreys' prior, equal-tailed but for 0 and n, which they hold.

    Quantiles of Beta(x + ½, n − x + ½), 0 where there is no success and 1 where there is
    no failure. Programs that leave the quantiles there (statsmodels) leave the share out.
    Brown, Cai & DasGupta (2001), doi:10.1214/ss/1009213286.

    Args:
        successes: How many of the trials are successes; weighted counts need not be whole.
        trials: How many trials there are, more than 0.
        confidence: The confidence level, between 0 and 1.

    Returns:
        The lower and the upper limit, both from 0 to 1.

    Raises:
        ValueError: Without trials, or if the successes are not among them: undefined.

    >>> [round(limit, 4) for limit in jeffreys(9, 10)]
    [0.6187, 0.989]
    >>> jeffreys(0, 10)[0]
    0.0
    """
    share, tail = _share(successes, trials), (1 - confidence) / 2
    shape = (successes + 0.5, trials - successes + 0.5)
    return _cut(float(betaincinv(*shape, tail)), float(betaincinv(*shape, 1 - tail)), share)


def jeffreys_modified(successes: float, trials: float, confidence: float = 0.95) -> ShareLimits:
    """Jeffreys' limits by the name that distinguishes them from the quantiles alone.

    Brown, Cai & DasGupta (2001), doi:10.1214/ss/1009213286.

    Args:
        successes: How many of the trials are successes; weighted counts need not be whole.
        trials: How many trials there are, more than 0.
        confidence: The confidence level, between 0 and 1.

    Returns:
        The lower and the upper limit, both from 0 to 1.

    Raises:
        ValueError: Without trials, or if the successes are not among them: undefined.

    >>> jeffreys_modified(10, 10)[1]
    1.0
    """
    return jeffreys(successes, trials, confidence)


def agresti_coull(successes: float, trials: float, confidence: float = 0.95) -> ShareLimits:
    """Wald limits after adding z²/2 successes and as many failures.

    p̃ ± z √(p̃(1 − p̃)/ñ) with ñ = n + z², p̃ = (x + z²/2)/ñ.
    Agresti & Coull (1998), doi:10.1080/00031305.1998.10480550.

    Args:
        successes: How many of the trials are successes; weighted counts need not be whole.
        trials: How many trials there are, more than 0.
        confidence: The confidence level, between 0 and 1.

    Returns:
        The lower and the upper limit, both from 0 to 1.

    Raises:
        ValueError: Without trials, or if the successes are not among them: undefined.

    >>> [round(limit, 4) for limit in agresti_coull(9, 10)]
    [0.574, 1.0]
    """
    _share(successes, trials)
    z2 = normal_quantile(confidence) ** 2
    return wald(successes + z2 / 2, trials + z2, confidence)


def wald(successes: float, trials: float, confidence: float = 0.95) -> ShareLimits:
    """Share ± z standard errors: covers far too little near 0 and 1, for comparison only.

    p ± z √(p(1 − p)/n).
    Brown, Cai & DasGupta (2001), doi:10.1214/ss/1009213286.

    Args:
        successes: How many of the trials are successes; weighted counts need not be whole.
        trials: How many trials there are, more than 0.
        confidence: The confidence level, between 0 and 1.

    Returns:
        The lower and the upper limit, both from 0 to 1.

    Raises:
        ValueError: Without trials, or if the successes are not among them: undefined.

    >>> [round(limit, 4) for limit in wald(5, 10)]
    [0.1901, 0.8099]
    """
    p = _share(successes, trials)
    half_width = normal_quantile(confidence) * math.sqrt(p * (1 - p) / trials)
    return max(p - half_width, 0.0), min(p + half_width, 1.0)


def midp(successes: float, trials: float, confidence: float = 0.95) -> ShareLimits:
    """Limits whose tails count the observed number of successes by half.

    The lower limit solves P(X > x) + ½P(X = x) = (1 − confidence)/2, the upper
    one the same for the other tail. Covers the nominal share on average.
    Berry & Armitage (1995), doi:10.2307/2348891.

    Args:
        successes: How many of the trials are successes; weighted counts need not be whole.
        trials: How many trials there are, more than 0.
        confidence: The confidence level, between 0 and 1.

    Returns:
        The lower and the upper limit, both from 0 to 1.

    Raises:
        ValueError: Without trials, or if the successes are not among them: undefined.

    >>> [round(limit, 4) for limit in midp(9, 10)]
    [0.5965, 0.995]
    """
    share, tail = _share(successes, trials), (1 - confidence) / 2

    def above(p: float) -> float:
        return (_at_least(successes, trials, p) + _at_least(successes + 1, trials, p)) / 2

    low = bisected(lambda p: tail - above(p), 0.0, 1.0)
    high = bisected(lambda p: 1 - tail - above(p), 0.0, 1.0)
    return _cut(low, high, share)


PROPORTIONS: dict[str, Callable[[float, float, float], ShareLimits]] = {
    "wilson_modified": wilson_modified,
    "wilson": wilson_limits,
    "wilson_cc": wilson_cc,
    "clopper_pearson": clopper_pearson,
    "jeffreys": jeffreys,
    "jeffreys_modified": jeffreys_modified,
    "agresti_coull": agresti_coull,
    "wald": wald,
    "midp": midp,
}
"""Every interval of a share by its name."""


@dataclass(frozen=True, slots=True)
class Share(FromFrame):
    """Interval of a share of the named cells by any of ``PROPORTIONS``: what a metric carries.

    Weighted rows count by their effective size, as in ``ModifiedWilson``.
    """

    cells: tuple[str, ...]
    counted: tuple[str, ...]
    name: str

    @property
    def kind(self) -> Hashable:
        """Those of one name are alike."""
        return Share, self.name

    @property
    def spread(self) -> pl.Expr:
        """Number of trials."""
        return trials(self.cells, self.counted)

    def inflated(self, spread: Any, effect: EffectAt) -> Any:
        """So many independent trials are worth as much."""
        return spread / effect.inflation

    def around(self, estimate: Estimate) -> LimitExpressions:
        """Lower and upper limit around the value, null where it is null."""
        interval = PROPORTIONS[self.name]

        def ends(rows: pl.Series) -> pl.Series:
            return pl.Series(
                [
                    None if p is None or not n else interval(p * n, n, estimate.confidence)
                    for p, n in rows.struct.unnest().iter_rows()
                ],
                dtype=pl.List(pl.Float64),
            )

        both = pl.struct(p=estimate.value, n=estimate.spread).map_batches(
            ends, return_dtype=pl.List(pl.Float64), is_elementwise=True
        )
        return both.list.get(0), both.list.get(1)


def bisected(falling: Callable[[float], float], low: float, high: float) -> float:
    """Where a falling function crosses zero; the end that is nearest where it does not."""
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2


def _at_least(successes: float, trials: float, p: float) -> float:
    """P(X ≥ successes) of a binomial."""
    if successes <= 0:
        return 1.0
    return float(betainc(successes, trials - successes + 1, p)) if successes <= trials else 0.0


def _share(successes: float, trials: float) -> float:
    if not trials > 0 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials have no share")
    return successes / trials


def _cut(low: float, high: float, share: float) -> ShareLimits:
    """Limits inside the unit interval, at its end where the share is."""
    return (
        0.0 if share <= 0 else max(low, 0.0),
        1.0 if share >= 1 else min(high, 1.0),
    )
