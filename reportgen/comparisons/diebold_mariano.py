"""Two models on rows in order of time, whose errors depend on the errors before them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import polars as pl
from scipy.special import stdtr, stdtrit

from reportgen.array_types import Floats, Integers
from reportgen.comparisons.paired import NOISE
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, Trait, comparison
from reportgen.metric_names import CORRECT_ROWS, MEAN_ERRORS

FEW = 100
"""Below so many time points the long-run variance is rough."""

MARGIN = 1.5
"""Standard errors that are added to the estimated autocorrelation."""

_CLEAR = 2.0
"""Standard errors above 0 from which an autocorrelation says how slowly they fall."""

LEAST_WORTH = 5
"""Time points that are worth fewer independent ones than this get a caveat."""

TOO_SHORT = "fewer than three time points"

PERSISTENT = 0.97
"""Largest autocorrelation that is allowed for."""

BREAK, LEFT = 0.8, 0.6
"""An autocorrelation of so much, of which one change of level leaves at most this share."""

FEWEST_TO_SEE = 50
"""Time points, below which mere autocorrelation too often seems to be a change of level."""

LONG_RUN = "long-run t"
"""The interval of Diebold and Mariano's test, which allows for autocorrelation."""

_FLAT = 0.05
"""The share of the variance at frequency 0 that the cosine weights may leave out."""


@dataclass(frozen=True, slots=True)
class LongRun:
    """A long-run variance, of so many time points, and the degrees of freedom of its estimate.

    ``how`` it was made; ``correction`` multiplies the standard error; ``drift`` says that the
    numbers have no one mean, or return to it too slowly to tell; ``worth`` how many independent
    points they are worth.
    """

    points: int
    variance: float
    df: float
    correction: float
    how: str
    caveats: tuple[str, ...] = ()
    drift: bool = False
    worth: float | None = None


BY_POINT: tuple[Trait, ...] = ("steady losses", "time points")


@comparison(
    "pair",
    "rows",
    forms=(
        Form("diebold_mariano", "The Diebold–Mariano test", "Diebold–Mariano", "t", BY_POINT),
        Form(
            "diebold_mariano_lags",
            "The Diebold–Mariano test over a fixed number of lags",
            "Diebold–Mariano (fixed lags)",
            "t",
            BY_POINT,
        ),
    ),
    allows=("time",),
    measures=(*CORRECT_ROWS, *MEAN_ERRORS),
    needs=Needs(least=FEW),
)
def diebold_mariano(
    losses: pl.DataFrame, question: Question, *, horizon: int | None = None
) -> list[Comparison]:
    """Diebold and Mariano's test of the difference of two models' losses in order of time.

    ``losses`` has ``first`` and ``second``, one line per time point, oldest
    first; the effect is the mean of first minus second, with the t interval
    that agrees with p. In the form ``diebold_mariano`` the long-run variance is
    the mean of B squared cosine transforms, each over the spectrum that an
    autoregression has there; its autocorrelation is the estimate and one and a
    half standard errors more, and B, at most n^⅔, the largest number over which that
    spectrum falls by 5 % on average. Of losses that depend on one to three before them,
    with an autocorrelation of up to 0.95, it rejects at most 6.7 % of true nulls of 100
    time points or more; of 30 up to 11 %, but 6 % where they depend on one alone,
    with an autocorrelation of up to 0.9.
    ``diebold_mariano_lags`` is γ₀ + 2 Σ wₖγₖ: with a ``horizon`` of h steps over
    h − 1 lags with the correction of Harvey, Leybourne and Newbold, else over
    ⌊n^⅓⌋ lags with Bartlett weights; where losses depend on more lags it rejects
    too often.

    Args:
        losses: one line per time point, oldest first, with ``first`` and ``second``.
        question: the models, their measure, and the levels of the test and of its interval.
        horizon: the steps that a forecast looks ahead, where known.

    Returns:
        One record per form: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same mean loss over time
    Formula: t = mean / √(long-run variance / n) of the differences of the losses in
        order of time; the variance from B cosine transforms over the spectrum of the
        estimated autocorrelation, B df
    Formula of diebold_mariano_lags: t = mean / √(long-run variance / n) of the
        differences of the losses in order of time, n − 1 df; with a horizon over the
        lags below it, else Bartlett weights
    Assumes: differences that are stationary
    Assumes of diebold_mariano_lags: differences that are stationary and do not depend
        on more lags
    Undefined: fewer than three time points, not more of them than the horizon,
        losses that do not differ or differ by a constant, or a long-run variance of 0
        or less
    Reference: Diebold & Mariano (1995), doi:10.1080/07350015.1995.10524599; Lazarus,
        Lewis, Stock & Watson (2018), doi:10.1080/07350015.2018.1506926; Andrews &
        Monahan (1992), doi:10.2307/2951574
    Reference of diebold_mariano_lags: Diebold & Mariano (1995),
        doi:10.1080/07350015.1995.10524599; Harvey, Leybourne & Newbold (1997),
        doi:10.1016/S0169-2070(96)00719-4; Newey & West (1987), doi:10.2307/1913610

    >>> losses = pl.DataFrame(
    ...     {"first": [0.1, 0.3, 0.2, 0.4] * 8, "second": [0.2, 0.3, 0.4, 0.4] * 8}
    ... )
    >>> tests = diebold_mariano(losses, Question(("a", "b"), "mean_absolute_error"))
    >>> [round(test.estimate, 4) for test in tests]
    [-0.075, -0.075]
    """
    rows = losses.select("first", "second").cast(pl.Float64).drop_nulls()
    gaps = (rows["first"] - rows["second"]).to_numpy()
    n = len(gaps)
    mean = float(gaps.mean()) if n else 0.0
    largest = float(rows.select(pl.max_horizontal(pl.all().abs().max())).item() or 0.0)
    if n < 3:
        reason = TOO_SHORT
    elif float(gaps.std()) <= NOISE * largest:
        same = "are all 0" if abs(mean) <= NOISE * largest else "do not vary"
        reason = f"the differences of the losses {same}"
    else:
        centred = gaps - mean
        return [
            _tested("diebold_mariano", question, mean, n, long_run_variance(centred)),
            _tested("diebold_mariano_lags", question, mean, n, _by_lags(centred, horizon)),
        ]
    return question.undefined(reason, "diebold_mariano", "diebold_mariano_lags")


def long_run_test(
    name: str,
    question: Question,
    estimate: float,
    long_run: LongRun,
    bounds: tuple[float, float],
) -> Comparison:
    """The test of an effect within ``bounds`` from its long-run variance."""
    record = _tested(name, question, estimate, long_run.points, long_run)
    if record.low is None or record.high is None:
        return record
    return replace(record, low=max(record.low, bounds[0]), high=min(record.high, bounds[1]))


def _tested(
    name: str, question: Question, mean: float, n: int, long_run: LongRun | str
) -> Comparison:
    if isinstance(long_run, str) or long_run.variance <= 0:
        reason = long_run if isinstance(long_run, str) else "the long-run variance is 0 or less"
        return question.record(name, undefined=reason)
    error = math.sqrt(long_run.variance / n) * long_run.correction
    half_width = float(stdtrit(long_run.df, (1 + question.confidence) / 2)) * error
    few = (rough_below(n),) if n < FEW else ()
    return question.record(
        name,
        statistic=mean / error,
        df=long_run.df,
        p_value=2 * float(stdtr(long_run.df, -abs(mean) / error)),
        estimate=mean,
        low=mean - half_width,
        high=mean + half_width,
        interval=LONG_RUN,
        observations=n,
        assumptions=(f"{n} time points{long_run.how}",),
        caveats=(*few, *long_run.caveats),
        drift=long_run.drift,
        worth=long_run.worth,
    )


def long_run_variance(centred: Floats) -> LongRun:
    """Of a mean of one number per time point: cosine transforms over an autoregression.

    ``centred`` are the numbers less their mean, oldest first. The variance of the mean is this
    over the number of points.
    """
    n = len(centred)
    rho = autocorrelation(centred)
    falls = spectrum_falls(n, rho)
    weights = len(falls)
    squares = np.square(cosine_transforms(centred, weights))
    change = after_break(centred, rho)
    return LongRun(
        n,
        float((squares * falls).mean()),
        float(weights),
        1.0,
        f"; autocorrelation of up to {rho:.2f}, {weights} cosine weights",
        change or worth_little(n, rho),
        bool(change) or (rho >= PERSISTENT and n >= FEWEST_TO_SEE),
        _worth(n, rho),
    )


def after_break(centred: Floats, rho: float) -> tuple[str, ...]:
    """The caveat where one change of level, or a steady one, makes most of an autocorrelation.

    The differences then have no one mean, and the variance of theirs is the wider the fewer
    time points there are. Of autoregressions without either it came in at most 0.03 of the
    series (``python -m tests.simulations.breaks``).
    """
    if rho < BREAK or len(centred) < FEWEST_TO_SEE:
        return ()
    left = {
        what: autocorrelation(rest)
        for what, rest in (
            ("one change of level", _without_break(centred)),
            ("a steady change", without_curve(centred)),
        )
    }
    what = min(left, key=lambda name: left[name])
    if left[what] > LEFT * rho:
        return ()
    break_first = what == "one change of level"
    return (
        f"{what} explains most of the autocorrelation (up to {rho:.2f}, {left[what]:.2f} without "
        f"it). {'After such a break' if break_first else 'Where models change in this way'} the "
        "limits are too wide, especially with few time points. Compare the models "
        f"{'before and after it' if break_first else 'on the latest time points'}",
    )


def _without_break(centred: Floats) -> Floats:
    """A series less its means before and after the largest change of level."""
    n = len(centred)
    at = np.arange(1, n)
    size = np.abs(np.cumsum(centred)[:-1]) / np.sqrt(at * (n - at))
    edge = max(n // 10, 1)
    k = edge + int(np.argmax(size[edge - 1 : n - edge]))
    rest: Floats = centred - np.repeat([centred[:k].mean(), centred[k:].mean()], [k, n - k])
    return rest


def without_curve(centred: Floats) -> Floats:
    """A series of mean 0 less its parabola in time, by least squares.

    >>> without_curve(np.array([1.0, -1.0, 1.0, -1.0])).round(6).tolist()
    [0.4, -1.2, 1.2, -0.4]
    """
    time = np.linspace(-1, 1, len(centred))
    basis = np.linalg.qr(np.column_stack([np.ones_like(time), time, time**2]))[0]
    rest: Floats = centred - basis @ (basis.T @ centred)
    return rest


def in_time(added: Floats, point: Integers) -> LongRun | None:
    """The long-run variance of a sum of what rows at time points add, of sum 0.

    None of fewer than three points. The variance is that of the sum times their number.
    """
    _, at = np.unique(point, return_inverse=True)
    points = int(at.max()) + 1
    if points < 3:
        return None
    return long_run_variance(points * np.bincount(at, added, points).astype(np.float64))


def spectrum_falls(n: int, rho: float) -> Floats:
    """By how much an autoregression's spectrum falls from 0 to each of the B first cosines.

    B, at most n^⅔ and at least 4, is the largest number over which it falls by 5 % on average.
    """
    most = min(max(int(n ** (2 / 3) + 1e-9), 4), n - 1)
    falls = spectrum(n, rho, most)
    left_out = 1 - np.cumsum(1 / falls) / np.arange(1, most + 1)
    weights = min(max(int((left_out <= _FLAT).sum()), 4), most)
    chosen: Floats = falls[:weights]
    return chosen


def spectrum(n: int, rho: float, number: int) -> Floats:
    """An autoregression's spectrum at frequency 0 over that at each of so many cosines."""
    falls: Floats = 1 + 2 * rho / (1 - rho) ** 2 * (
        1 - np.cos(np.pi * np.arange(1, number + 1) / n)
    )
    return falls


def cosine_transforms(centred: Floats, number: int) -> Floats:
    """The first cosine transforms of a series, or of each column, whose mean is 0."""
    from scipy.fft import dct

    transforms: Floats = dct(centred, type=2, norm="ortho", axis=0)[1 : number + 1]
    return transforms


def rough_below(n: int) -> str:
    """The caveat of few time points."""
    return f"{n} time points; the long-run variance is rough below {FEW}"


def worth_little(n: int, rho: float) -> tuple[str, ...]:
    """The caveat where time points are worth few independent ones."""
    if _worth(n, rho) >= LEAST_WORTH:
        return ()
    return (
        f"autocorrelation of up to {rho:.2f}: these {n} time points are worth fewer than "
        f"{LEAST_WORTH} independent ones. In simulations of errors that hardly return to their "
        "mean (autocorrelation above 0.98) the test rejected up to half of true nulls",
    )


def _worth(n: int, rho: float) -> float:
    """How many independent points have a mean of this precision, under an autoregression."""
    return n * (1 - rho) / (1 + rho)


def autocorrelation(centred: Floats) -> float:
    """The first autocorrelation, corrected for its bias, and a margin; from 0 to 0.97.

    Or how slowly they fall, the ratio of the second to the first and of the third to
    the second, or the root of the second less a standard error, where that is
    more: losses that depend on several before them. Marriott & Pope (1954),
    doi:10.1093/biomet/41.3-4.390.
    """
    n, whole = len(centred), float(centred @ centred)
    if not whole:
        return 0.0
    error = 1 / math.sqrt(n)
    first, *others = (float(centred[k:] @ centred[:-k]) / whole for k in (1, 2, 3))
    first += (1 + 3 * first) / n
    at = [first, *(r + (1 + 4 * max(r, 0.0)) / n for r in others)]
    bounds = [
        0.0,
        first + MARGIN * math.sqrt(max(1 - first**2, 0.05) / n),
        math.sqrt(max(at[1] - error, 0.0)),
    ]
    for before, after in pairwise(at):
        if min(before, after) <= _CLEAR * error:
            break
        bounds.append(after / before)
    return min(max(bounds), PERSISTENT)


def _by_lags(centred: Floats, horizon: int | None) -> LongRun | str:
    """γ₀ + 2 Σ wₖγₖ, the weights 1 below the horizon, or falling to 0 (Bartlett) without one."""
    n = len(centred)
    if horizon is not None and horizon >= n:
        return "the horizon is as long as the series"
    lags = int(n ** (1 / 3) + 1e-9) if horizon is None else horizon - 1
    variance = float(centred @ centred) / n
    for lag in range(1, lags + 1):
        weight = 1 - lag / (lags + 1) if horizon is None else 1.0
        variance += 2 * weight * float(centred[lag:] @ centred[:-lag]) / n
    correction = 1.0
    if horizon is not None:
        correction /= math.sqrt((n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n)
    over = f"; long-run variance over {lags} lag{'' if lags == 1 else 's'}" if lags else ""
    return LongRun(n, variance, n - 1.0, correction, over)
