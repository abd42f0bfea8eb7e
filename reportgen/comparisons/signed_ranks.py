"""Wilcoxon's signed-rank test and the sign test, over folds or data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from scipy.special import bdtr, ndtr

from reportgen.array_types import Floats, Indices
from reportgen.column_statistics import as_float
from reportgen.comparisons.paired import NOISE, paired_differences
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, Trait, comparison
from reportgen.integer_sort import IntegerKeys, sort_integers
from reportgen.intervals import normal_quantile
from reportgen.tables.comparisons import MEDIAN, PSEUDOMEDIAN

Zeros = Literal["drop", "pratt", "split"]

_FEW = 2**13
"""More whole numbers than these are put in order as integers, with their places behind them."""


class LocationEstimate(NamedTuple):
    """An estimate with its limits, null where the data have none."""

    middle: float
    low: float | None = None
    high: float | None = None

    @property
    def limits(self) -> tuple[float, float] | None:
        """Both limits."""
        return None if self.low is None or self.high is None else (self.low, self.high)


"""An estimate and its limits."""

EXACT = 60
"""Up to so many ranks the distribution is counted out; beyond, it is taken as normal."""

FEW_UNLIKE: tuple[Trait, ...] = ("few unlike rows",)

WALSH = 1000
"""Up to so many differences all their pairwise means are looked at."""


@dataclass(frozen=True)
class RankSums:
    """Sums of the ranks of the absolute differences, by the sign of the difference.

    ``ranks`` are those that count, ``zeros`` the number of differences of 0.
    """

    plus: float
    minus: float
    ranks: pl.Series
    zeros: int

    @property
    def rank_count(self) -> int:
        """Number of ranks that count."""
        return len(self.ranks)

    @property
    def z(self) -> float:
        """(W₊ − W₋)/2 over its standard deviation given the ranks, ties included."""
        return (self.plus - self.minus) / 2 / math.sqrt(self._squares / 4)

    @cached_property
    def _squares(self) -> float:
        return float(self.ranks.dot(self.ranks) or 0.0)

    def normal_p(self, continuity: float = 0.0) -> float:
        """Two-sided p of the normal approximation."""
        distance = max(abs(self.plus - self.minus) / 2 - continuity, 0.0)
        return min(1.0, 2 * float(ndtr(-distance / math.sqrt(self._squares / 4))))

    def exact_p(self) -> float:
        """Two-sided p from all 2ⁿ signs of the ranks."""
        least = min(self.plus, self.minus)
        shares = null_shares(self.ranks)
        return min(1.0, 2 * float(shares[: round(2 * least) + 1].sum()))

    def p(self) -> float:
        """The exact p up to ``EXACT`` ranks, the normal one beyond."""
        return self.exact_p() if self.rank_count <= EXACT else self.normal_p()


def rank_sums(pairs: pl.DataFrame, zeros: Zeros = "drop") -> RankSums:
    """Sums of signed ranks of first minus second; ties get their mean rank.

    Differences of 0 are dropped before ranking, ranked and then dropped
    (``pratt``), or ranked and split between the two sums (``split``), where an
    odd one out is left out of the ranks.
    Wilcoxon (1945), doi:10.2307/3001968; Pratt (1959), doi:10.1080/01621459.1959.10501526;
    Demšar (2006), Journal of Machine Learning Research 7, 1-30.
    """
    return _rank_sums(paired_differences(pairs.drop_nulls(("first", "second"))).steps, zeros)


def _rank_sums(steps: Floats, zeros: Zeros) -> RankSums:
    equal = len(steps) - int(np.count_nonzero(steps))
    if zeros == "drop":
        ranked = steps[steps != 0] if equal else steps
        rank = _mean_ranks(np.abs(ranked))
    else:
        ranked, rank = steps, _mean_ranks(np.abs(steps))
    if zeros == "pratt":
        ranked, rank = ranked[steps != 0], rank[steps != 0]
    # of halves of whole numbers, which have no rounding in any order
    above, below, half = ((rank * k).sum() for k in (ranked > 0, ranked < 0, ranked == 0))
    plus, minus = float(above + half / 2), float(below + half / 2)
    return RankSums(plus, minus, pl.Series(rank), equal)


def _mean_ranks(values: Floats) -> Floats:
    """The rank of each value, a whole number from 0 up; from 1, ties have the mean of theirs."""
    order, ordered = _in_order(values)
    first = _first_of_ties(ordered)
    ranks = np.empty(len(values))
    if len(first) == len(values):
        first += 1
        ranks[order] = first
        return ranks
    number = np.diff(first, append=len(values))
    ranks[order] = np.repeat(first + (number + 1) / 2, number)
    return ranks


def _in_order(values: Floats) -> tuple[Indices, Floats | IntegerKeys]:
    """The places of whole numbers from the least to the greatest, and these in that order."""
    place_bits = len(values).bit_length()
    if len(values) <= _FEW or not values.max() < 2.0 ** (64 - place_bits):
        order = np.argsort(values)
        return order, values[order]
    keys = values.astype(np.uint64)
    keys <<= np.uint64(place_bits)
    keys |= np.arange(len(keys), dtype=np.uint64)
    sort_integers(keys)
    order = (keys & np.uint64(2**place_bits - 1)).view(np.int64)
    keys >>= np.uint64(place_bits)
    return order, keys


def _first_of_ties(ordered: Floats | IntegerKeys) -> Indices:
    """Indices of the values that differ from the one before them."""
    differs = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=differs[1:])
    return np.flatnonzero(differs)


def signed_ranks(pairs: pl.DataFrame) -> pl.Series:
    """Ranks of the absolute differences that are not 0, with their signs; 0 for those that are.

    >>> signed_ranks(pl.DataFrame({"first": [3.0, 1.0, 2.0], "second": [1.0, 2.0, 2.0]})).to_list()
    [2.0, -1.0, 0.0]
    """
    step = pl.Series(paired_differences(pairs).steps).fill_nan(None)
    table = pl.DataFrame({"step": step}).with_columns(
        size=pl.when(pl.col("step") != 0).then(pl.col("step").abs())
    )
    rank = pl.col("size").rank("average") * pl.col("step").sign()
    return table.select(rank.fill_null(0.0)).to_series()


def null_shares(ranks: pl.Series) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Chance of each value of twice the sum of positive ranks, all signs being alike likely."""
    doubled = (2 * ranks).round().cast(pl.Int64).to_list()
    shares = np.zeros(sum(doubled) + 1)
    shares[0] = 1.0
    for step in doubled:
        shares[step:] = (shares[step:] + shares[:-step]) / 2 if step else shares[step:]
        shares[:step] /= 2
    return shares


def _zeros(number: int, whole: int, treatment: Zeros) -> tuple[str, ...]:
    """That differences are zero, and whether the test and its effect leave them out.

    >>> _zeros(1, 14, "drop")[0].removeprefix("the two models have the same value in ")
    '1 of 14 pairs, which the test and its median difference leave out'
    """
    dropped = treatment == "drop"
    left_out = ", which the test and its median difference leave out" if dropped else ""
    return (f"the two models have the same value in {number} of {whole} pairs{left_out}",)


@comparison(
    "pair",
    "rows",
    "data sets",
    "folds",
    forms=(
        Form("wilcoxon", "Wilcoxon's signed-rank test", "Wilcoxon signed-rank", "W", FEW_UNLIKE),
        Form(
            "wilcoxon_folds", "Wilcoxon's signed-rank test over folds", "Wilcoxon over folds", "W"
        ),
    ),
    needs=Needs(least=6),
)
def signed_rank(
    pairs: pl.DataFrame,
    question: Question,
    *,
    name: str = "wilcoxon",
    zeros: Zeros = "drop",
) -> Comparison:
    """Wilcoxon's signed-rank test of paired values, ``first`` and ``second``.

    The effect is the Hodges–Lehmann median of pairwise means of the
    differences that are ranked, with the interval that belongs to the test.

    Args:
        pairs: one row per pair of values, ``first`` and ``second``.
        question: the models, their measure, and the levels of the test and of its interval.
        name: the form that the record has.
        zeros: whether pairs without a difference are dropped, ranked and then dropped
            (``pratt``), or split between the signs.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: the differences in {measure} are symmetric about zero
    Formula: W = the smaller of the sums of the ranks of positive and of negative
        differences, zeros dropped, ties averaged; exact over all signs up to 60
        ranks, else normal
    Assumes: independent pairs, which folds with overlapping training sets are not
    Undefined: no difference other than 0, or a missing value
    Reference: Wilcoxon (1945), doi:10.2307/3001968; Hodges & Lehmann (1963),
        doi:10.1214/aoms/1177704172; Benavoli, Corani & Mangili (2016), Journal
        of Machine Learning Research 17(5), 1-10

    >>> pairs = pl.DataFrame(
    ...     {"first": [0.9, 0.8, 0.85, 0.7, 0.95], "second": [0.8, 0.75, 0.7, 0.72, 0.88]}
    ... )
    >>> test = signed_rank(pairs, Question(("a", "b"), "auc", unit="data sets"))
    >>> round(test.p_value, 4)
    0.125
    """
    values, steps = paired_differences(pairs)
    if reason := _unusable(values, steps):
        return question.record(name, undefined=reason)
    sums = _rank_sums(steps, zeros)
    sample = values[steps != 0] if zeros == "drop" else values
    estimate, low, high = pseudomedian(sample, question.confidence)
    dropped = _zeros(sums.zeros, pairs.height, zeros) if sums.zeros else ()
    return question.record(
        name,
        statistic=min(sums.plus, sums.minus),
        p_value=sums.p(),
        effect=PSEUDOMEDIAN,
        estimate=estimate,
        low=low,
        high=high,
        interval=None if low is None else "signed_rank",
        limits_at=lambda confidence: pseudomedian(sample, confidence).limits,
        assumptions=(f"{pairs.height} pairs",),
        caveats=dropped,
        reachable=0.5 ** (sums.rank_count - 1) if sums.rank_count <= EXACT else None,
    )


@comparison(
    "pair",
    "data sets",
    "folds",
    forms=(
        Form("sign", "The sign test", "Sign test", "min(w, l)", FEW_UNLIKE),
        Form("sign_folds", "The sign test over folds", "Sign test over folds", "min(w, l)"),
    ),
    needs=Needs(least=6),
)
def sign(pairs: pl.DataFrame, question: Question, *, name: str = "sign") -> Comparison:
    """Sign test of paired values: only who wins is looked at.

    The effect is the median of the differences that are not 0, with its
    order-statistic interval.

    Args:
        pairs: one row per pair of values, ``first`` and ``second``.
        question: the models, their measure, and the levels of the test and of its interval.
        name: the form that the record has.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: a difference in {measure} that is not 0 favours either model
        with probability one half
    Formula: exact binomial test of the number of wins with probability one half
    Assumes: independent pairs
    Undefined: as ``signed_rank``
    Reference: Demšar (2006), Journal of Machine Learning Research 7, 1-30; Conover
        (1999), *Practical Nonparametric Statistics*, 3.4

    >>> pairs = pl.DataFrame(
    ...     {"first": [0.9, 0.8, 0.85, 0.7, 0.95], "second": [0.8, 0.75, 0.7, 0.72, 0.88]}
    ... )
    >>> test = sign(pairs, Question(("a", "b"), "auc", unit="data sets"))
    >>> round(test.p_value, 4)
    0.375
    """
    values, steps = paired_differences(pairs)
    if reason := _unusable(values, steps):
        return question.record(name, undefined=reason)
    wins, losses = int((steps > 0).sum()), int((steps < 0).sum())
    n, least = wins + losses, min(wins, losses)
    sample = values[steps != 0]
    middle, low, high = median_with_limits(sample, question.confidence)
    return question.record(
        name,
        statistic=float(least),
        p_value=min(1.0, 2 * float(bdtr(least, n, 0.5))),
        effect=MEDIAN,
        estimate=middle,
        low=low,
        high=high,
        interval=None if low is None else "order_statistics",
        limits_at=lambda confidence: median_with_limits(sample, confidence).limits,
        assumptions=(f"{wins} wins, {losses} losses and {pairs.height - n} ties",),
        reachable=0.5 ** (n - 1),
    )


def pseudomedian(differences: Floats, confidence: float = 0.95) -> LocationEstimate:
    """Median of the means of all pairs of differences, with the interval of the signed ranks.

    The limits are the (C + 1)th smallest and largest mean, where a sum of
    ranks of C or less has a chance of at most (1 − confidence)/2: counted out up
    to ``EXACT`` differences, from the normal distribution beyond. Null limits
    where the level cannot be reached; beyond ``WALSH`` differences the plain
    median is given alone.
    Hollander, Wolfe & Chicken (2014), *Nonparametric Statistical Methods*, 3.2-3.3.
    """
    n = len(differences)
    if n > WALSH:
        return LocationEstimate(_middle(differences))
    first, second = _pairs_of(n)
    means = np.sort((differences[first] + differences[second]) / 2)
    middle, cut = _middle(means), _critical_sum(n, (1 - confidence) / 2)
    if abs(middle) <= NOISE * float(np.abs(differences).max()):
        middle = 0.0
    if cut < 0:
        return LocationEstimate(middle)
    return LocationEstimate(middle, float(means[cut]), float(means[-1 - cut]))


def _middle(values: Floats) -> float:
    return as_float(pl.Series(values).median())


@lru_cache(maxsize=1)
def _pairs_of(n: int) -> tuple[Indices, Indices]:
    """Every pair of n values, each with itself too."""
    first, second = np.triu_indices(n)
    return first, second


@lru_cache(maxsize=64)
def _critical_sum(n: int, tail: float) -> int:
    """The largest sum of ranks whose lower tail has at most this chance; −1 where none has."""
    if n > EXACT:
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return math.floor(n * (n + 1) / 4 - normal_quantile(1 - 2 * tail) * spread)
    shares = null_shares(pl.int_range(1, n + 1, eager=True))[::2]
    return int(np.searchsorted(shares.cumsum(), tail * (1 + 1e-12), side="right")) - 1


def median_with_limits(values: Floats, confidence: float) -> LocationEstimate:
    """Median of differences with its order-statistic interval; null limits where it has none."""
    ordered, n = np.sort(values), len(values)
    cut = _critical_wins(n, (1 - confidence) / 2)
    middle = _middle(ordered)
    if cut < 0:
        return LocationEstimate(middle)
    return LocationEstimate(middle, float(ordered[cut]), float(ordered[-1 - cut]))


@lru_cache(maxsize=64)
def _critical_wins(n: int, tail: float) -> int:
    """The largest number of wins whose lower tail has at most this chance; −1 where none has."""
    return int(np.searchsorted(bdtr(np.arange(n), n, 0.5), tail, side="right")) - 1


def _unusable(values: Floats, steps: Floats) -> str | None:
    """Why there is nothing to rank."""
    return missing_values(values) or (None if steps.any() else "all differences are 0")


def missing_values(values: Floats) -> str | None:
    """Why differences cannot be counted."""
    empty = int(np.isnan(values).sum())
    if empty:
        return f"a value is missing in {empty} of {len(values)} pairs"
    return None if len(values) else "there are no pairs"
