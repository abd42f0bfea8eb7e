"""Region of shares: limits of any function of counts, from a joint region of its three shares.

Square-and-add takes a value for nearly linear in each share. Where it has a kink
(a maximum of two shares), its largest value inside (an entropy) or its least (a divergence),
the least and the largest value over the region are what the shares allow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy.special import betainc, chdtrc

from reportgen.array_functions import ArrayFunctions
from reportgen.array_types import Floats, Integers
from reportgen.intervals.proportions import bisected
from reportgen.intervals.shapes import effective_trials

NAME = "region of shares"

_SPHERE = 96
"""So many directions are tried first, at three distances."""

_STEPS = 10
"""So often the best point found is moved, each time by half as much."""

_FIRST = 0.3
_CORNERS: Floats = np.array([p for p in product((-1.0, 0.0, 1.0), repeat=3) if any(p)])
_BISECTIONS = 50


def region_limits(
    functions: ArrayFunctions,
    counts: Floats,
    squares: Floats,
    confidence: float | Floats = 0.95,
    *,
    fixed_prevalence: bool = False,
) -> tuple[Floats, Floats]:
    """Lower and upper limits of several functions of counts: table × function, NaN where undefined.

    The least and the largest value over a region of prevalence (unless that is fixed by
    design), recall and specificity: with u in the unit ball, each share is moved by |u_k|
    of the way to its lower or upper mid-p limit. For a function that is linear in the
    shares these are the limits of square-and-add. A side without rows has any share.

    ``counts`` has a row per table and the cells tp, fp, fn, tn, ``squares`` the sums of squared
    weights, of every function where it is table × function × cell, and ``confidence`` may have a
    value of every function too; ``functions`` are those of the four cells.
    Newcombe (1998), method 10,
    doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I;
    Zou & Donner (2008), doi:10.1002/sim.3095; Berry & Armitage (1995), doi:10.2307/2348891.

    >>> import polars as pl
    >>> from reportgen.intervals.delta import evaluating
    >>> most = pl.max_horizontal(pl.col("tp") + pl.col("fn"), pl.col("fp") + pl.col("tn")) / 100
    >>> table = np.array([[25.0, 20.0, 25.0, 30.0]])
    >>> low, high = region_limits(evaluating({"most": most}), table, table)
    >>> round(low.item(), 3), round(high.item(), 3)
    (0.5, 0.597)
    """
    value = functions(counts)
    tails = np.broadcast_to((1 - np.asarray(confidence, float)) / 2, value.shape[1])
    region = _Regions.of(counts, squares, tails)
    if fixed_prevalence:
        region = region.with_prevalence()
    low, high = (np.where(np.isnan(value), np.nan, end) for end in _ends(functions, region, value))
    return low, high


@dataclass(frozen=True)
class _Regions:
    """Shares of the tables, and their limits in each of the different regions.

    ``centre`` is table × share, ``low`` and ``high`` are region × table × share, ``rows`` those of
    each table; ``of_function`` is the region of each function.
    """

    centre: Floats
    low: Floats
    high: Floats
    rows: Floats
    of_function: Integers

    @classmethod
    def of(cls, counts: Floats, squares: Floats, tails: Floats) -> _Regions:
        functions = len(tails)
        if squares.ndim == 2:
            squares = np.broadcast_to(squares[:, None], (len(counts), functions, 4))
        different, first, of_function = np.unique(
            np.vstack([squares.transpose(0, 2, 1).reshape(-1, functions), tails]),
            axis=1,
            return_index=True,
            return_inverse=True,
        )
        centre, lows, highs = [], [], []
        for (part, other), (part2, other2) in zip(
            _parts(counts), _parts(squares[:, first].transpose(1, 0, 2)), strict=True
        ):
            whole = part + other
            some = whole > 0
            share = np.divide(part, whole, where=some, out=np.full_like(whole, 0.5))
            trials = np.where(some, effective_trials(part, other, part2, other2), 1.0)
            low, high = midp_limits(share, trials, different[-1][:, None])
            centre.append(share)
            lows.append(np.where(some, low, 0.0))
            highs.append(np.where(some, high, 1.0))
        share, low, high = (np.stack(columns, axis=-1) for columns in (centre, lows, highs))
        return cls(share, low, high, counts.sum(axis=1), of_function.reshape(-1))

    def with_prevalence(self) -> _Regions:
        """The same where the prevalence is known."""
        fixed = np.array([True, False, False])
        low, high = (np.where(fixed, self.centre, end) for end in (self.low, self.high))
        return replace(self, low=low, high=high)

    def tables(self, at: Floats, regions: Integers | int) -> Floats:
        """Counts at points of the unit ball: … × region × table × 3 becomes … × 4."""
        end = np.where(at > 0, self.high[regions], self.low[regions])
        return self._counts(self.centre + np.abs(at) * (end - self.centre))

    def of_equal_classes(self) -> Floats:
        """Counts with as many positives as negatives, or nearly so: region × table × 4.

        Where a function has its kink, which the search only comes near.
        """
        shares = np.broadcast_to(self.centre, self.low.shape).copy()
        shares[..., 0] = np.clip(0.5, self.low[..., 0], self.high[..., 0])
        return self._counts(shares)

    def _counts(self, at: Floats) -> Floats:
        """Counts of shares."""
        prevalence, recall, specificity = np.moveaxis(at, -1, 0)
        shares = (
            prevalence * recall,
            (1 - prevalence) * (1 - specificity),
            prevalence * (1 - recall),
            (1 - prevalence) * specificity,
        )
        tables: Floats = np.stack(shares, axis=-1) * self.rows[:, None]
        return tables


def _parts(cells: Floats) -> list[tuple[Floats, Floats]]:
    """What prevalence, recall and specificity are the share of, and the rest of it."""
    tp, fp, fn, tn = np.moveaxis(cells, -1, 0)
    return [(tp + fn, fp + tn), (tp, fn), (tn, fp)]


def _ends(functions: ArrayFunctions, regions: _Regions, value: Floats) -> Floats:
    """The least and the largest value of each function over its region: end × table × function."""
    tables, number = value.shape
    sign = np.array([1.0, -1.0])[:, None, None]
    start = np.broadcast_to(_ball()[:, None], (len(_ball()), tables, 3))
    first = np.empty((len(_ball()), tables, number))
    for region in range(len(regions.low)):
        here = np.flatnonzero(regions.of_function == region)
        values = functions.of(regions.tables(start, region).reshape(-1, 4), here)
        first[:, :, here] = values.reshape(len(_ball()), tables, -1)
    tried = _inf(sign * first[:, None])  # point × end × table × function
    best, at = tried.min(axis=0), _ball()[tried.argmin(axis=0)]
    end, table, function = np.ogrid[:2, :tables, :number]
    for step in range(_STEPS):
        # point × end × function × table × share
        points = at.transpose(0, 2, 1, 3) + _FIRST / 2**step * _CORNERS[:, None, None, None]
        points /= np.maximum(np.linalg.norm(points, axis=-1, keepdims=True), 1.0)
        own = np.moveaxis(regions.tables(points, regions.of_function), 2, 0)
        moved = functions.each(own.reshape(number, -1, 4)).reshape(own.shape[:-1])
        moved = _inf(sign * moved.transpose(1, 2, 3, 0))  # point × end × table × function
        chosen, least = moved.argmin(axis=0), moved.min(axis=0)
        better, there = least < best, points[chosen, end, function, table]
        best, at = np.where(better, least, best), np.where(better[..., None], there, at)
    equal = functions(regions.of_equal_classes().reshape(-1, 4)).reshape(-1, tables, number)
    equal = equal[regions.of_function, :, np.arange(number)].T
    ends: Floats = sign * np.minimum(np.minimum(best, _inf(sign * equal)), sign * value)
    return ends


def _inf(values: Floats) -> Floats:
    """Undefined values as the largest."""
    return np.where(np.isnan(values), np.inf, values)


def _ball() -> Floats:
    """Points on three spheres, spread by the golden angle, and the ends of the axes."""
    place = np.arange(_SPHERE) + 0.5
    height, turn = 1 - 2 * place / _SPHERE, np.pi * (1 + 5**0.5) * place
    around = np.sqrt(1 - height**2)
    sphere = np.column_stack([around * np.cos(turn), around * np.sin(turn), height])
    return np.concatenate([sphere, sphere * 2 / 3, sphere / 3, np.eye(3), -np.eye(3)])


def confidence_at_kink(confidence: float) -> float:
    """The confidence of the shares' limits for a value that is largest where shares are equal.

    Such a value exceeds all that the region has where its distance to one point on a line,
    not to a plane, is too large: half of a chi-squared of one and half of two degrees of freedom.
    Self & Liang (1987), doi:10.1080/01621459.1987.10478472.

    >>> round(confidence_at_kink(0.95), 4)
    0.9766
    """

    def missed(distance: float) -> float:
        return float(chdtrc(1, distance**2) + chdtrc(2, distance**2)) / 2 - (1 - confidence)

    return 1 - float(chdtrc(1, bisected(missed, 0.0, 40.0) ** 2))


def midp_limits(
    share: Floats, trials: Floats, tail: float | Floats = 0.025
) -> tuple[Floats, Floats]:
    """Mid-p limits of several shares, each with this error: those of ``proportions.midp``.

    Berry & Armitage (1995), doi:10.2307/2348891.

    >>> [round(float(end[0]), 4) for end in midp_limits(np.array([0.9]), np.array([10.0]))]
    [0.5965, 0.995]
    """
    return _lower(share, trials, tail), 1 - _lower(1 - share, trials, tail)


def _lower(share: Floats, trials: Floats, tail: float | Floats) -> Floats:
    successes, failures = share * trials, (1 - share) * trials
    none, all_ = successes <= 0, failures <= 0
    low, high = np.zeros_like(successes), np.broadcast_to(share, successes.shape)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        least = betainc(np.where(none, 1, successes), failures + 1, middle)
        more = betainc(successes + 1, np.where(all_, 1, failures), middle)
        above = (least + np.where(all_, 0.0, more)) / 2
        low, high = np.where(above < tail, middle, low), np.where(above < tail, high, middle)
    return np.where(none, 0.0, (low + high) / 2)
