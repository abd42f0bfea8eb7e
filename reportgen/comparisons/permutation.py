"""Permutation tests: what would be seen if the two models, or samples, could change places."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, comb, inf

import numpy as np
import numpy.typing as npt
import polars as pl

from reportgen.array_types import Floats
from reportgen.comparisons.paired import NOISE
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison

EXACT = 1 << 20
"""Up to so many permutations all are looked at."""

DRAWS = 9_999
"""Beyond that, so many are drawn; p is then (b + 1)/(B + 1)."""

_NEAR = 1e-9
"""A level may be off by rounding."""


@comparison(
    "pair",
    "data sets",
    "folds",
    forms=(
        Form("sign_flip", "The paired permutation test of the mean", "Permutation of the mean"),
    ),
    needs=Needs(least=6),
)
def sign_flip(
    pairs: pl.DataFrame, question: Question, *, draws: int = DRAWS, seed: int = 0
) -> Comparison:
    """Permutation test of the mean difference of paired values: signs are flipped.

    The effect is the mean difference, over data sets with the limits that the test does not reject;
    fewer than six have none at 95 %.

    Args:
        pairs: one row per pair of values, ``first`` and ``second``.
        question: the models, their measure, and the levels of the test and of its interval.
        draws: how many flips are tried where there are too many for all.
        seed: of the random numbers.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: the differences in {measure} are symmetric about zero
    Formula: p = share of all 2ⁿ choices of signs whose mean lies at least as far
        from 0, up to n = 20; beyond, (b + 1)/(B + 1) of B random choices
    Assumes: independent pairs
    Undefined: no difference other than 0, or a missing value
    Reference: Phipson & Smyth (2010), doi:10.2202/1544-6115.1585; Fisher (1935),
        *The Design of Experiments*, 21; Hartigan (1969), Journal of the American Statistical
        Association 64, 1303-1317

    >>> pairs = pl.DataFrame(
    ...     {
    ...         "first": [0.9, 0.8, 0.85, 0.7, 0.95, 0.9],
    ...         "second": [0.8, 0.75, 0.7, 0.72, 0.88, 0.81],
    ...     }
    ... )
    >>> test = sign_flip(pairs, Question(("a", "b"), "auc", unit="data sets"))
    >>> round(test.p_value, 4), round(test.low, 4), round(test.high, 4)
    (0.0625, -0.02, 0.15)
    """
    d = pairs["first"] - pairs["second"]
    record = question.record("sign_flip")
    if d.null_count():
        return record.with_fields(undefined=f"a value is missing in {d.null_count()} pairs")
    values = d.to_numpy()
    noise = NOISE * max(float(np.abs(values).sum()), 1e-300)
    if not len(values) or np.abs(values).max() <= noise:
        return record.with_fields(undefined="all differences are 0")
    unequal = int((np.abs(values) > noise).sum())
    flips = _Flips.of(values, draws, seed)
    far = int((np.abs(flips.sums) >= abs(float(values.sum())) - noise).sum())
    record = question.record(
        "sign_flip",
        p_value=(far + flips.drawn) / (len(flips.sums) + flips.drawn),
        estimate=float(values.mean()),
        assumptions=(f"{len(values)} pairs",),
        reachable=max(0.5 ** (unequal - 1), 1 / (draws + 1) if flips.drawn else 0.0),
    )
    limits = flips.limits(question.confidence) if question.unit == "data sets" else None
    if limits is None:
        return record

    def limits_at(confidence: float) -> tuple[float, float] | None:
        if _place(confidence, len(values), draws) < 0:
            return None
        return _Flips.of(values, draws, seed).limits(confidence)  # a million choices are not kept

    low, high = limits
    return record.with_fields(low=low, high=high, interval="sign_flips", limits_at=limits_at)


def _place(confidence: float, size: int, draws: int) -> int:
    """Where limits stand among those of all choices of signs; negative where so few have none."""
    drawn = 1 << size > EXACT
    counted = draws + 1 if drawn else 1 << size
    return ceil((1 - confidence) * counted - _NEAR) - drawn - 1


@dataclass(frozen=True, slots=True)
class _Flips:
    """What differences add up to under all choices of signs, or ``drawn`` ones.

    ``lengths`` are the sums of the signs: what a difference of 1 in each pair would add up to.
    """

    values: Floats
    sums: Floats
    lengths: Floats
    drawn: bool

    @classmethod
    def of(cls, values: Floats, draws: int, seed: int) -> _Flips:
        """All choices where there are few, else so many that are drawn."""
        if 1 << len(values) > EXACT:
            drawn, lengths = signs(seed, draws, len(values))
            return cls(values, np.einsum("dn,n->d", drawn, values), lengths, drawn=True)
        sums = lengths = np.zeros(1)
        for value in values:
            sums = np.concatenate([sums + value, sums - value])
            lengths = np.concatenate([lengths + 1, lengths - 1])
        return cls(values, sums, lengths, drawn=False)

    def limits(self, confidence: float) -> tuple[float, float] | None:
        """The mean differences that the test does not reject; None where so few reject none.

        Less a difference δ from each, a choice of signs lies as far from 0 as the values do from
        the lesser of two means on, of the values whose signs it flips and of the others.
        """
        number, total = len(self.values), float(self.values.sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            flipped = (total - self.sums) / (number - self.lengths)
            unflipped = (total + self.sums) / (number + self.lengths)
        all_alike = np.abs(self.lengths) == number
        place = _place(confidence, number, len(self.sums))
        if place < int(all_alike.sum()):
            return None
        low = np.partition(np.where(all_alike, -inf, np.minimum(flipped, unflipped)), place)[place]
        most = np.where(all_alike, inf, np.maximum(flipped, unflipped))
        high = np.partition(most, len(most) - 1 - place)[len(most) - 1 - place]
        return float(low), float(high)


@lru_cache(maxsize=1)
def signs(seed: int, draws: int, size: int) -> tuple[Floats, Floats]:
    """The drawn signs, which are the same for every pair, and their sums."""
    of_all = np.where(np.random.default_rng(seed).integers(0, 2, (draws, size)) == 1, 1.0, -1.0)
    return of_all, of_all.sum(axis=1)


@comparison(
    "pair",
    "samples",
    forms=(
        Form("permuted_means", "The permutation test of two means", "Permutation of two means"),
        Form("mann_whitney", "The Mann–Whitney test", "Mann–Whitney", "U"),
    ),
    needs=Needs(paired=False),
)
def permuted_samples(
    first: pl.Series, second: pl.Series, question: Question, *, draws: int = DRAWS, seed: int = 0
) -> list[Comparison]:
    """Permutation tests of two independent samples: of the means, and of the mean ranks.

    The effects are the difference of the means, and of the shares of pairs in
    which either is larger, P(X > Y) − P(X < Y). Of more than a million ways
    to deal the values out ``draws`` are tried, p is then (b + 1)/(B + 1).

    Args:
        first: the values of one sample.
        second: those of the other one.
        question: the models, their measure, and the levels of the test and of its interval.
        draws: how many permutations are tried where there are too many for all.
        seed: of the random numbers.

    Returns:
        One record per form: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both samples come from one distribution of {measure}
    Formula of permuted_means: p = share of all ways to deal the values out whose
        difference of means lies at least as far from what is expected
    Formula of mann_whitney: U = rank sum − n(n + 1)/2, ties their mean; p = share
        of all ways to deal the ranks out that lie at least as far from what is expected
    Assumes: independent values
    Undefined: all values are the same, one is missing or a sample is empty
    Reference of permuted_means: Fisher (1935), *The Design of Experiments*
    Reference of mann_whitney: Mann & Whitney (1947), doi:10.1214/aoms/1177730491

    >>> first, second = pl.Series([0.9, 0.8, 0.85, 0.87]), pl.Series([0.8, 0.75, 0.7, 0.72])
    >>> tests = permuted_samples(first, second, Question(("a", "b"), "auc", unit="samples"))
    >>> [round(test.p_value, 4) for test in tests]
    [0.0571, 0.0571]
    """
    both = pl.concat([first, second])
    values, n = both.to_numpy(), len(first)
    reason = None
    if both.null_count():
        reason = "a value is missing"
    elif min(n, len(second)) == 0:
        reason = "a sample without values"
    elif np.ptp(values) <= NOISE * np.abs(values).max():
        reason = "all values are the same"
    if reason:
        names = ("permuted_means", "mann_whitney")
        return question.undefined(reason, *names)
    ranks = both.rank("average").to_numpy()
    m = len(second)
    u = float(ranks[:n].sum()) - n * (n + 1) / 2
    chosen = _deals(n + m, n, draws, seed)
    every = comb(n + m, n) <= EXACT // 4
    return [
        question.record(
            name,
            statistic=statistic,
            p_value=_share(scores, chosen, n, every=every),
            effect=effect,
            estimate=estimate,
            assumptions=(f"{n} and {m} independent values",),
        )
        for name, scores, statistic, effect, estimate in (
            ("permuted_means", values, None, "difference", _gap(values, n)),
            ("mann_whitney", ranks, u, "share of pairs won less lost", 2 * u / (n * m) - 1),
        )
    ]


def _gap(values: Floats, n: int) -> float:
    return float(values[:n].mean() - values[n:].mean())


def _deals(size: int, n: int, draws: int, seed: int) -> npt.NDArray[np.bool_]:
    """Which values go to the first sample: all ways where they are few, else drawn ones."""
    if comb(size, n) <= EXACT // 4:
        deals = np.zeros((1, 0), dtype=bool)
        taken = np.zeros(1, dtype=np.int64)
        for i in range(size):
            left = size - i
            may, must = taken < n, n - taken >= left
            take, leave = np.flatnonzero(may), np.flatnonzero(~must)
            deals = np.concatenate(
                [
                    np.column_stack([deals[take], np.ones(len(take), dtype=bool)]),
                    np.column_stack([deals[leave], np.zeros(len(leave), dtype=bool)]),
                ]
            )
            taken = np.concatenate([taken[take] + 1, taken[leave]])
        return deals
    order = np.argsort(np.random.default_rng(seed).random((draws, size)), axis=1)
    return order < n


def _share(scores: Floats, chosen: npt.NDArray[np.bool_], n: int, *, every: bool) -> float:
    """Share of the deals whose sum lies at least as far from its expectation as the first n's."""
    centre = n * scores.mean()
    distance = np.abs(chosen @ scores - centre)
    observed = abs(float(scores[:n].sum() - centre))
    far = int((distance >= observed - NOISE * float(np.abs(scores).sum())).sum())
    return far / len(distance) if every else (far + 1) / (len(distance) + 1)
