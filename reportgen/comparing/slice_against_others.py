"""Each slice against all others together, in shares of rows and AUCs.

Lowest against highest of many slices hides one that is unlike all others. Errors of estimates are
not tested so: few rows often lack the largest losses, and lowest against highest sees as much.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr

from reportgen.array_types import Floats
from reportgen.clusters import Groups
from reportgen.comparing.gap_influences import (
    GroupSums,
    Moments,
    SliceInfluence,
    p_of_moments,
    p_of_sums,
    sums_of,
)
from reportgen.comparisons import fisher_p, pooled_z

GroupedInfluence = tuple[SliceInfluence, Groups]
"""What the rows of a slice add to its value, and their groups."""

CountsBySlice = Mapping[str, tuple[float, float]]
"""Of each slice the rows that a share counts, and all that it is of."""


@dataclass(frozen=True, slots=True)
class AgainstOthers:
    """A slice, its value and that of the others, and the two-sided p of their difference."""

    slice: str
    value: float
    others: float
    p_value: float


def of_shares(
    counts: CountsBySlice, designs: Mapping[str, tuple[float, float]] | None = None
) -> Iterator[AgainstOthers]:
    """A share of each slice against that of the rows of the others.

    Null hypothesis: the share is the same in all slices
    Formula: Fisher's exact test. ``designs`` has the design effect and the degrees of freedom of
        the slices where rows are in groups: then p is the larger one of the z-test with t
        and of Fisher's test, both of as many rows less
    Assumes: independent rows, or independent groups of them, which may have rows in all slices
    Undefined: all rows or none are counted; a slice without a design effect
    Reference: Fisher (1935), doi:10.2307/2342435; Rao & Scott (1992), doi:10.2307/2532311

    >>> [round(one.p_value, 4) for one in of_shares({"a": (1, 9), "b": (9, 10), "c": (8, 11)})]
    [0.0006, 0.0235, 0.4425]
    """
    counted, whole = (sum(pair[k] for pair in counts.values()) for k in range(2))
    if not 0 < counted < whole:
        return
    for label, (own, size) in counts.items():
        if not 0 < size < whole:
            continue
        successes, rows = (own, counted - own), (size, whole - size)
        p_value = None
        if designs is None:
            p_value = fisher_p(_whole(successes), _whole(rows))
        elif label in designs:
            p_value = _p_in_groups(successes, rows, *designs[label])
        if p_value is not None:
            yield AgainstOthers(label, own / size, successes[1] / rows[1], p_value)


def _p_in_groups(
    successes: tuple[float, float], rows: tuple[float, float], design: float, freedom: float
) -> float | None:
    fewer = max(design, 1.0)
    less = [(one / fewer, other / fewer) for one, other in (successes, rows)]
    tested = pooled_z(
        (successes[0] / design, successes[1] / design), (rows[0] / design, rows[1] / design)
    )
    if tested is None:
        return None
    by_t = 2 * float(stdtr(freedom, -abs(tested.z)))
    return max(by_t, fisher_p(_whole(less[0]), _whole(less[1])))


def _whole(pair: tuple[float, float]) -> tuple[int, int]:
    return round(pair[0]), round(pair[1])


def of_rows(
    parts: Mapping[str, Moments], off: Mapping[str, float] | None = None, metric: str = "auc"
) -> Iterator[AgainstOthers]:
    """The AUC, or the difference of two models, of each slice of independent rows.

    Null hypothesis: the value is the same in all slices
    Formula: the test of the gap between two slices; the value of the others is the mean of those
        of the slices with weights M·N/(M + N), of M positives and N negatives, as pairs of rows of
        two slices say nothing of either; without classes by rows
    Assumes: independent rows; an AUC may be ``off`` by so much in a slice
    Undefined: an AUC that is 0 or 1, or does not vary
    Reference: DeLong et al. (1988), doi:10.2307/2531595
    """
    for label, part in parts.items():
        others = {name: one for name, one in parts.items() if name != label}
        if others:
            shares = _shares({name: one.rows for name, one in others.items()})
            together = _mean(others, shares)
            moved = _nearer(part.value, together.value, _slack(label, shares, off))
            p_value = p_of_moments(metric, replace(part, value=moved), together)
            if p_value is not None:
                yield AgainstOthers(label, part.value, together.value, p_value)


def _mean(parts: Mapping[str, Moments], shares: Mapping[str, float]) -> Moments:
    return Moments(
        sum(shares[name] * part.value for name, part in parts.items()),
        tuple(rows for part in parts.values() for rows in part.rows),
        tuple(shares[name] ** 2 * p for name, part in parts.items() for p in part.second),
        tuple(shares[name] ** 4 * p for name, part in parts.items() for p in part.fourth),
    )


def _shares(rows: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """What each slice counts in a mean, from the rows of its classes."""
    weights = {name: math.prod(of_class) / _divisor(of_class) for name, of_class in rows.items()}
    whole = sum(weights.values())
    return {name: weight / whole for name, weight in weights.items()}


def _divisor(of_class: Sequence[float]) -> float:
    return sum(of_class) if len(of_class) > 1 else 1.0


def _slack(label: str, shares: Mapping[str, float], off: Mapping[str, float] | None) -> float:
    """How far off the difference of a slice from the others may be."""
    if off is None:
        return 0.0
    return off[label] + sum(share * off[name] for name, share in shares.items())


def _nearer(value: float, to: float, by: float) -> float:
    return to if abs(value - to) <= by else value - by if value > to else value + by


def of_groups(
    parts: Mapping[str, GroupedInfluence],
    off: Mapping[str, float] | None = None,
    metric: str = "auc",
) -> Iterator[AgainstOthers]:
    """``of_rows`` of rows in groups, which may have rows in several slices."""
    known = {label: sums_of(*one) for label, one in parts.items()}
    sums = {label: one for label, one in known.items() if one is not None}
    if len(sums) < len(parts) or len(sums) < 2:
        return
    weights = _shares({label: _sizes(*one) for label, one in parts.items()})
    together = sum(weights[label] * one.sums for label, one in sums.items())
    used = np.logical_or.reduce([one.used for one in sums.values()])
    for label, one in sums.items():
        shares = _among_others(weights, label)
        value = sum(share * sums[name].value for name, share in shares.items())
        rest = (together - weights[label] * one.sums) / (1 - weights[label])
        moved = _nearer(one.value, value, _slack(label, shares, off))
        p_value = p_of_sums(metric, replace(one, value=moved), GroupSums(value, rest, used))
        if p_value is not None:
            yield AgainstOthers(label, one.value, value, p_value)


def _among_others(weights: Mapping[str, float], label: str) -> dict[str, float]:
    """The weights of the other slices, which add up to 1."""
    whole = sum(weight for name, weight in weights.items() if name != label)
    return {name: weight / whole for name, weight in weights.items() if name != label}


def _counts(groups: Groups) -> Floats:
    return np.ones(len(groups.code)) if groups.counts is None else groups.counts


def _sizes(part: SliceInfluence, groups: Groups) -> list[float]:
    """The rows of each class."""
    return [float(rows) for rows in np.bincount(part.cell, _counts(groups))]
