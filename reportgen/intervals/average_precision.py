"""The interval of areas under the P-R curve by the influence function of average precision."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypedDict

import numpy as np
import polars as pl

from reportgen.array_functions import ArrayFunctions
from reportgen.array_types import Flags, Floats, Indices
from reportgen.clusters import EffectAt, correction, degrees_of_freedom_of_powers, t_quantile
from reportgen.integer_sort import order_of
from reportgen.intervals.areas import AVERAGE_PRECISION, PrecisionArea, effective_size
from reportgen.intervals.shapes import (
    ArrayLimits,
    ComputedInterval,
    Estimate,
    EstimateRows,
    FromFrame,
)
from reportgen.small_queries import once

LEAST = 2.0
"""So many (effective) rows of the rarer class have a variance; fewer have limits by their number
alone."""


LEAST_DISTINCT = 0.5
"""The share of the (effective) rows with a score of their own from which most have one."""


class PrecisionSpread(TypedDict):
    """What the limits of an area under the P-R curve need beside its value.

    ``variance`` is that of the log odds of the average precision, ``concentration`` is Σu⁴/(Σu²)²
    of what the rows add to it, ``trials`` the rows of a share that is as uncertain
    (``PrecisionArea``): the positives, fewer where negatives weigh more; ``rarer`` the same or the
    (effective) negatives, whichever are fewer. ``df`` are the degrees of freedom of groups, null
    of independent rows.
    """

    variance: float | None
    concentration: float | None
    rows: float | None
    rarer: float | None
    trials: float | None
    df: float | None


def precision_spread(  # two sums and what they are of
    second: float,
    fourth: float,
    positives: float,
    negatives: float,
    *,
    odds: float,
    rows: float,
    area: float,
) -> PrecisionSpread:
    """From Σu² and Σu⁴ of what the rows add to the average precision ``area``, and effective sizes.

    ``odds`` is the ratio of the weights of the classes.
    """
    trials = PrecisionArea.rows(positives, negatives, odds)
    rarer = min(negatives, trials)
    varies = rarer >= LEAST and second > 0 and 0 < area < 1
    return {
        "variance": second * correction(rarer) / (area * (1 - area)) ** 2 if varies else None,
        "concentration": fourth / second**2 if varies else None,
        "rows": rows,
        "rarer": rarer,
        "trials": trials,
        "df": None,
    }


@dataclass(frozen=True, slots=True)
class InfluenceLogit(ComputedInterval, FromFrame):
    """Interval on the logit scale by the influence function of the average precision A.

    ln(A/(1 − A)) ± t·s/(A(1 − A)), turned back, with s² = n/(n − 1)·Σu², n the (effective) rows of
    the rarer class, fewer where negatives weigh more. With T and F the positives and negatives at
    or above a score, P all positives and sums over the positives whose score is not higher, a
    positive adds u = (T/(T + F) − A + Σ F/(T + F)²)/P and a negative u = −(Σ T/(T + F)²)/P; of
    weighted rows each count is a sum of weights, and u is that many times larger.
    t has as many degrees of freedom as the fourth powers of u say, at most n − 1: few where A
    rests on a few rows at the top.

    An area B with interpolated precision has limits as far from it on that scale:
    ln(B/(1 − B)) ± t·s/(A(1 − A)). With fewer than two rows of a class, or at 0 and 1, the limits
    are those of ``PrecisionArea``; so they are ``of_distinct`` scores where most rows share
    theirs, as B then hangs on ties as A does not: of two or five levels its limits held it in
    0.72 to 0.93.
    Hampel (1974), doi:10.1080/01621459.1974.10482962; Pan & Wall (2002), doi:10.1002/sim.1142.
    ``docs/coverage.md`` has what it covers ("average precision").
    """

    of_distinct: bool = False
    name: str = "influence logit"

    @property
    def kind(self) -> Hashable:
        """All are alike: where most rows share their scores the spread says so."""
        return InfluenceLogit

    def at(self, spread: PrecisionSpread | None, scores: int) -> PrecisionSpread | None:
        """The spread of so many distinct scores: without a variance where it does not hold."""
        if spread is None or not self.of_distinct:
            return spread
        shared = scores < LEAST_DISTINCT * (spread["rows"] or 0.0)
        return {**spread, "variance": None} if shared else spread

    @property
    def spread_type(self) -> pl.DataType:
        """The numbers of ``PrecisionSpread``."""
        return pl.Struct(dict.fromkeys(PrecisionSpread.__annotations__, pl.Float64))

    @property
    def spread(self) -> pl.Expr:
        """From a sweep that has ``tp2`` and ``fp2``; ``precision_spread`` is the same in floats."""
        tp, fp, tp2, fp2 = (pl.col(c).cast(pl.Float64) for c in ("tp", "fp", "tp2", "fp2"))
        gained, lost, gained2, lost2 = (
            column - column.shift(1, fill_value=0.0) for column in (tp, fp, tp2, fp2)
        )
        predicted = tp + fp
        precision = once(pl.when(predicted > 0).then(tp / predicted).otherwise(0.0))
        shares = [
            once(pl.when(predicted > 0).then(gained * cell / predicted**2).otherwise(0.0))
            for cell in (fp, tp)
        ]
        rising, falling = (share.sum() - share.cum_sum() + share for share in shares)
        area = (gained * precision).sum() / tp.last()
        adds = once(precision - area + rising), once(falling)
        second = sum((s * u**2).sum() for s, u in zip((gained2, lost2), adds, strict=True))
        fourth = sum(
            (_fourth(count, square) * u**4).sum()
            for count, square, u in zip((gained, lost), (gained2, lost2), adds, strict=True)
        )
        rarer = pl.min_horizontal(effective_size("fp", "fp2"), AVERAGE_PRECISION.spread)
        second, fourth = second / tp.last() ** 2, fourth / tp.last() ** 4
        rows = predicted.last() ** 2 / (tp2 + fp2).last()
        varies = (rarer >= LEAST) & (second > 0) & (area > 0) & (area < 1)
        apart = varies & (pl.len() - 1 >= LEAST_DISTINCT * rows) if self.of_distinct else varies
        return pl.struct(
            variance=pl.when(apart).then(second * rarer / (rarer - 1) / (area * (1 - area)) ** 2),
            concentration=pl.when(varies).then(fourth / second**2),
            rows=rows,
            rarer=rarer,
            trials=AVERAGE_PRECISION.spread,
            df=pl.lit(None, pl.Float64),
        )

    def inflated(self, spread: Any, effect: EffectAt) -> Any:
        """A larger variance, fewer rows at the ends, and the degrees of freedom of the groups."""
        fewer = {
            name: None if spread[name] is None else spread[name] / effect.design
            for name in ("rarer", "trials")
        }
        variance = spread["variance"]
        return (
            spread
            | fewer
            | {
                "variance": None if variance is None else variance * effect.design,
                "df": effect.degrees_of_freedom,
            }
        )

    def of_rows(self, estimates: EstimateRows) -> ArrayLimits:
        """Lower and upper limit around each value, NaN where there are none."""
        values, spreads, confidence = estimates
        halves = [
            None if of is None else of[0] * t_quantile(confidence, of[1])
            for of in map(_error, spreads)
        ]
        trials = [None if spread is None else spread["trials"] for spread in spreads]
        low, high = _limits(confidence)(np.array([values, halves, trials], np.float64).T).T
        return low, high


@cache
def _limits(confidence: float) -> ArrayFunctions:
    """Both limits as functions of the value, the half-width of its log odds and the trials."""
    value, half, trials = pl.col("value"), pl.col("half"), pl.col("trials")
    inside = (value > 0) & (value < 1) & half.is_finite()
    centre = (value / (1 - value)).log()
    low, high = (
        pl.when(inside).then(1 / (1 + (side * half - centre).exp())).otherwise(end)
        for side, end in zip(
            (1, -1), AVERAGE_PRECISION.around(Estimate(value, trials, confidence)), strict=True
        )
    )
    return ArrayFunctions({"low": low, "high": high}, ("value", "half", "trials"))


INFLUENCE_LOGIT = InfluenceLogit()
"""The interval of average precision."""

INFLUENCE_LOGIT_INTERPOLATED = InfluenceLogit(of_distinct=True)
"""That of the area with interpolated precision."""


def _fourth(count: pl.Expr, square: pl.Expr) -> pl.Expr:
    """Σw⁴ of rows that share a score, as if they had one weight."""
    return pl.when(count > 0).then(square * (square / count) ** 2).otherwise(0.0)


def _error(spread: PrecisionSpread | None) -> tuple[float, float] | None:
    """Standard error of the log odds and its degrees of freedom; null without a variance."""
    if spread is None or spread["variance"] is None or spread["variance"] <= 0:
        return None
    df = spread["df"]
    if df is None:
        df = degrees_of_freedom(spread)
    return (float(np.sqrt(spread["variance"])), df) if df > 0 else None


def degrees_of_freedom(spread: PrecisionSpread) -> float:
    """Of an average precision of independent rows: Pan & Wall's, at most those of its class."""
    concentration, rows, rarer = spread["concentration"], spread["rows"], spread["rarer"]
    if concentration is None or rows is None or rarer is None:
        return float("nan")
    return min(degrees_of_freedom_of_powers(1.0, concentration, round(rows)), rarer - 1)


class Influences(NamedTuple):
    """An average precision and what each row adds to it, with weights that many times: sum 0."""

    value: float
    adds: Floats


def influences(score: Floats, positive: Flags, weight: Floats | None = None) -> Influences:
    """The average precision of rows of both classes, and what each of them adds to it.

    >>> of = influences(np.array([0.9, 0.6, 0.4]), np.array([True, False, True]))
    >>> round(of.value, 4), of.adds.round(4).tolist()
    (0.8333, [0.1389, -0.1111, -0.0278])
    """
    order = _order(score)
    ranked = score[order]
    first, side = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1])), positive[order]
    del ranked
    places = step = np.flatnonzero(side)
    if len(first) < len(score):  # scores tie: several rows are one step
        step = np.searchsorted(first, places, "right") - 1  # which rises: nothing is to be sorted
    runs = np.flatnonzero(np.append(True, step[1:] != step[:-1]))
    at, counts = step[runs], np.diff(runs, append=len(step))
    steps, starts = len(first), first[at]  # of those that have positives: others add nothing
    if weight is None:
        predicted, gained = (len(score) - starts).astype(np.float64), counts.astype(np.float64)
    else:
        predicted = np.add.reduceat(weight[order], first)[::-1].cumsum()[::-1][at]
        gained = np.add.reduceat((weight * positive)[order], first)[at]
    del first
    tp = gained[::-1].cumsum()[::-1]
    precision, total = tp / predicted, tp[0]
    rising = gained * precision
    of_steps = np.zeros(steps)
    of_steps[at] = rising
    area = float(of_steps.sum() / total)
    del of_steps
    square = predicted**2
    predicted -= tp
    precision -= area
    _accumulate(gained, predicted, square, rising)
    rising += precision
    falling = predicted
    _accumulate(gained, tp, square, falling)
    lengths = np.diff(starts, prepend=0, append=len(score))
    of_order = np.repeat(-np.append(0.0, falling), lengths)
    of_order[places] = np.repeat(rising, counts)
    of_order /= total
    adds = of_order
    if not isinstance(order, slice):
        adds = np.empty(len(score))
        adds[order] = of_order
    return Influences(area, adds if weight is None else adds * weight)


def _order(score: Floats) -> Indices | slice:
    """What puts rows in ascending order of their scores, as a stable sort; all where they are."""
    if (score[1:] >= score[:-1]).all():
        return slice(None)
    return order_of(score) if np.isfinite(score).all() else np.argsort(score, kind="stable")


def _accumulate(gained: Floats, part: Floats, square: Floats, out: Floats) -> None:
    """Σ gained · part / square up to each step."""
    np.multiply(gained, part, out=out)
    out /= square
    np.cumsum(out, out=out)
