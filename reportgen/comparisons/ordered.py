"""Two models on rows in order of time, whose errors depend on the errors before them."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import stdtr, stdtrit

from reportgen.comparisons.paired import NOISE
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, comparison

Floats = npt.NDArray[np.float64]

FEW = 30
"""Below so many points of time the long-run variance is told to be rough."""


@comparison(
    "pair",
    "rows",
    forms=(Form("diebold_mariano", "The Diebold-Mariano test", "Diebold–Mariano", "t"),),
    allows=("time",),
)
def diebold_mariano(
    losses: pl.DataFrame, question: Question, *, horizon: int | None = None
) -> Comparison:
    """Diebold and Mariano's test of the difference of two models' losses in order of time.

    ``losses`` has ``first`` and ``second``, one line per point of time, oldest
    first; the effect is the mean of first minus second with its t interval. With a
    ``horizon`` of h steps the errors of an optimal forecast depend on the h − 1
    before them: the long-run variance is γ₀ + 2 Σ γₖ over these, and the
    statistic has the correction of Harvey, Leybourne and Newbold. Without one
    it is Newey and West's with Bartlett weights over ⌊n^⅓⌋ lags, which is never
    negative.

    Null hypothesis: both models lose the same on average over time
    Formula: t = mean / √(long-run variance / n) of the differences of the losses in
        order of time, n − 1 df; with a horizon over the lags below it, else Bartlett
        weights
    Assumes: differences that are stationary
    Undefined: fewer than three points of time, not more of them than the horizon,
        losses that do not differ or differ by a constant, or a long-run variance of 0
        or less
    Reference: Diebold & Mariano (1995), doi:10.1080/07350015.1995.10524599; Harvey,
        Leybourne & Newbold (1997), doi:10.1016/S0169-2070(96)00719-4; Newey & West
        (1987), doi:10.2307/1913610
    """
    record = question.record("diebold_mariano")
    rows = losses.select("first", "second").cast(pl.Float64).drop_nulls()
    gaps = (rows["first"] - rows["second"]).to_numpy()
    n = len(gaps)
    if n < 3:
        return record.undefined_because("fewer than three points of time")
    if horizon is not None and horizon >= n:
        return record.undefined_because("the horizon is as long as the rows go on")
    mean = float(gaps.mean())
    largest = float(rows.select(pl.max_horizontal(pl.all().abs().max())).item())
    if float(gaps.std()) <= NOISE * largest:
        same = "are all 0" if abs(mean) <= NOISE * largest else "do not vary"
        return record.undefined_because(f"the differences of the losses {same}")
    lags = int(n ** (1 / 3) + 1e-9) if horizon is None else horizon - 1
    variance = _long_run(gaps - mean, lags, tapered=horizon is None)
    if variance <= 0:
        return record.undefined_because("the long-run variance comes out at 0 or less")
    error = math.sqrt(variance / n)
    if horizon is not None:
        error /= math.sqrt((n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n)
    reach = float(stdtrit(n - 1, (1 + question.confidence) / 2)) * error
    weights = f"over {lags} lag{'' if lags == 1 else 's'}"
    told = f"{n} points of time; long-run variance {weights}" if lags else f"{n} points of time"
    return question.record(
        "diebold_mariano",
        statistic=mean / error,
        df=n - 1.0,
        p_value=2 * float(stdtr(n - 1, -abs(mean) / error)),
        estimate=mean,
        low=mean - reach,
        high=mean + reach,
        interval="long-run t",
        assumptions=(told,),
        caveats=(f"{n} points of time; the long-run variance is rough below {FEW}",)
        if n < FEW
        else (),
    )


def _long_run(centred: Floats, lags: int, *, tapered: bool) -> float:
    """γ₀ + 2 Σ wₖγₖ, the weights 1 or falling to 0 beyond the last lag (Bartlett)."""
    n = len(centred)
    total = float(centred @ centred) / n
    for lag in range(1, lags + 1):
        weight = 1 - lag / (lags + 1) if tapered else 1.0
        total += 2 * weight * float(centred[lag:] @ centred[:-lag]) / n
    return total
