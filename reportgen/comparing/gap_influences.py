"""Gaps between two slices in AUC and in errors of estimates, from what each row adds to them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from reportgen.array_types import Flags, Floats
from reportgen.clusters import (
    Groups,
    degrees_of_freedom,
    degrees_of_freedom_of_powers,
    sum_of_squares,
)

ERRORS = {
    "root_mean_squared_error": lambda error: error**2,
    "mean_absolute_error": lambda error: error.abs(),
    "mean_error": lambda error: error,
}
"""Measures that are a mean over the rows, or fixed by one: what is averaged."""

DIFFERENCE = "difference"
"""The difference between two models in a measure, of a slice."""

TESTED = {"auc", *ERRORS}
"""Measures whose gaps are tested by the influences of the rows."""


@dataclass(frozen=True, slots=True)
class SliceInfluence:
    """A value of one slice, and what each row adds to it; ``cell`` is the row's class.

    Where ``Groups`` has counts, each row stands for so many.
    """

    value: float
    influence: Floats
    cell: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Moments:
    """A value of a slice of independent rows, and of each of its classes the number of rows.

    ``second`` and ``fourth`` are sums of powers of what the rows of a class add to the value.
    """

    value: float
    rows: tuple[float, ...]
    second: tuple[float, ...]
    fourth: tuple[float, ...]


def moments_of(part: SliceInfluence) -> Moments:
    """The moments of what single rows add."""
    classes = [part.influence[part.cell == one] for one in np.unique(part.cell)]
    powers = [tuple(float((added**k).sum()) for added in classes) for k in (2, 4)]
    return Moments(part.value, tuple(float(len(added)) for added in classes), *powers)


@dataclass(frozen=True, slots=True)
class GroupSums:
    """A value of a slice, what each group adds to it, and which groups are ``used`` in it."""

    value: float
    sums: Floats
    used: Flags


def sums_of(part: SliceInfluence, groups: Groups) -> GroupSums | None:
    """The sums by group of what rows add; null where a class is in fewer than two groups."""
    factors = _factors(part.cell, groups)
    if factors is None:
        return None
    used = np.zeros(groups.number, np.bool_)
    used[groups.code] = True
    return GroupSums(part.value, groups.sums(part.influence * factors), used)


def p_of_parts(
    metric: str, parts: tuple[SliceInfluence, SliceInfluence], groups: Sequence[Groups]
) -> float | None:
    """``Contrasts.p_value`` of two slices, with the groups of the rows of each."""
    first, second = (sums_of(part, of) for part, of in zip(parts, groups, strict=True))
    return None if first is None or second is None else p_of_sums(metric, first, second)


def p_of_sums(metric: str, first: GroupSums, second: GroupSums) -> float | None:
    """``Contrasts.p_value`` of two slices, from what each group adds to their values."""
    tested = [_p_of(first, second, scale) for scale in _scales(metric)]
    return None if None in tested else max(p for p in tested if p is not None)


def p_of_moments(metric: str, first: Moments, second: Moments) -> float | None:
    """``Contrasts.p_value`` of independent rows, from sums of powers."""
    tested = [_p_of_powers(first, second, scale) for scale in _scales(metric)]
    return None if None in tested else max(p for p in tested if p is not None)


def _p_of_powers(first: Moments, second: Moments, scale: str) -> float | None:
    difference = variance = fourths = 0.0
    for sign, part in ((1, first), (-1, second)):
        at = _scaled(part.value, scale)
        if at is None or min(part.rows) < 2 or not sum(part.second) > 0:
            return None
        difference += sign * at[0]
        for rows, squares, powers in zip(part.rows, part.second, part.fourth, strict=True):
            variance += at[1] ** 2 * squares * rows / (rows - 1)
            fourths += at[1] ** 4 * powers * (rows / (rows - 1)) ** 2
    number = round(sum(first.rows) + sum(second.rows))
    freedom = degrees_of_freedom_of_powers(variance, fourths, number)
    return 2 * float(stdtr(freedom, -abs(difference) / math.sqrt(variance)))


def _scales(metric: str) -> tuple[str, ...]:
    if metric == "auc":
        return ("logit",)
    return ("plain",) if metric in ("mean_error", DIFFERENCE) else ("plain", "log")


def _p_of(first: GroupSums, second: GroupSums, scale: str) -> float | None:
    """Two-sided p of the difference on one scale."""
    difference, sums = 0.0, np.zeros(len(first.sums))
    for sign, part in ((1, first), (-1, second)):
        at = _scaled(part.value, scale)
        if at is None or not part.sums.any():
            return None
        difference += sign * at[0]
        sums += sign * at[1] * part.sums
    error = math.sqrt(sum_of_squares(sums))
    if error == 0:
        return None
    freedom = degrees_of_freedom(sums[first.used | second.used])
    return 2 * float(stdtr(freedom, -abs(difference) / error))


def error_of_part(part: SliceInfluence, groups: Groups) -> tuple[float, float] | None:
    """The standard error of the value of a slice, and degrees of freedom; null without any."""
    of_groups = sums_of(part, groups)
    if of_groups is None:
        return None
    error = math.sqrt(sum_of_squares(of_groups.sums))
    return (error, degrees_of_freedom(of_groups.sums[of_groups.used])) if error > 0 else None


def error_of_moments(part: Moments) -> tuple[float, float] | None:
    """The same of independent rows."""
    if min(part.rows) < 2 or not sum(part.second) > 0:
        return None
    factors = [rows / (rows - 1) for rows in part.rows]
    variance = sum(f * powers for f, powers in zip(factors, part.second, strict=True))
    fourths = sum(f**2 * powers for f, powers in zip(factors, part.fourth, strict=True))
    freedom = degrees_of_freedom_of_powers(variance, fourths, round(sum(part.rows)))
    return math.sqrt(variance), freedom


def _scaled(value: float, scale: str) -> tuple[float, float] | None:
    """The value on a scale and its slope there; null at a bound."""
    if scale == "plain":
        return value, 1.0
    if value <= 0 or (scale == "logit" and value >= 1):
        return None
    if scale == "log":
        return math.log(value), 1 / value
    return math.log(value / (1 - value)), 1 / (value * (1 - value))


def _factors(cell: npt.NDArray[np.int64], groups: Groups) -> Floats | None:
    """What the influence of each row is multiplied by, for the pull of its group (CR3)."""
    factors = np.empty(len(cell))
    for one in np.unique(cell):
        rows = cell == one
        counts = None if groups.counts is None else groups.counts[rows]
        sizes = np.bincount(groups.code[rows], counts, groups.number)
        number = np.count_nonzero(sizes)
        if number < 2:
            return None
        share = sizes[groups.code[rows]] / sizes.sum()
        factors[rows] = math.sqrt(1 - 1 / number) / (1 - share)
    return factors
