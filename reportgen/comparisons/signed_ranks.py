"""Wilcoxon's signed-rank test and the sign test, over folds or data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl
from scipy.special import bdtr, ndtr

from reportgen.comparisons.paired import DIFFERENCE, noise_steps
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.comparisons.verdicts import MEDIAN, PSEUDOMEDIAN
from reportgen.intervals import normal_quantile
from reportgen.scalars import as_float

Zeros = Literal["drop", "pratt", "split"]

EXACT = 60
"""Up to so many ranks the distribution is counted out; beyond, it is taken as normal."""

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

    @property
    def z_without_ties(self) -> float:
        """Demšar's z of the smaller sum, without correction for ties."""
        n = self.rank_count
        variance = n * (n + 1) * (2 * n + 1) / 24
        return (min(self.plus, self.minus) - n * (n + 1) / 4) / math.sqrt(variance)

    @cached_property
    def _squares(self) -> float:
        return float((self.ranks**2).sum())

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
    table = pairs.select(step=noise_steps())
    none = int(table.select((pl.col("step") == 0).sum()).item())
    if zeros == "drop":
        table = table.filter(pl.col("step") != 0)
    table = table.select("step", rank=pl.col("step").abs().rank("average"))
    if zeros == "pratt":
        table = table.filter(pl.col("step") != 0)
    sign, rank = pl.col("step").sign(), pl.col("rank")
    plus, minus = table.select(
        ((rank * (1 + sign)) / 2).sum().alias("plus"), ((rank * (1 - sign)) / 2).sum()
    ).row(0)
    return RankSums(plus, minus, table["rank"], none)


def signed_ranks(pairs: pl.DataFrame) -> pl.Series:
    """Ranks of the absolute differences that are not 0, with their signs; 0 for those that are.

    >>> signed_ranks(pl.DataFrame({"first": [3.0, 1.0, 2.0], "second": [1.0, 2.0, 2.0]})).to_list()
    [2.0, -1.0, 0.0]
    """
    step = noise_steps()
    table = pairs.select(step=step).with_columns(
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
    """That differences are zero, and whether the test leaves them out.

    >>> _zeros(1, 14, "drop")
    ('the two models have the same value in 1 of 14 pairs, which the test leaves out',)
    """
    left_out = ", which the test leaves out" if treatment == "drop" else ""
    return (f"the two models have the same value in {number} of {whole} pairs{left_out}",)


@comparison(
    "pair",
    "rows",
    "data sets",
    "folds",
    forms=(
        Form("wilcoxon", "Wilcoxon's signed-rank test", "Wilcoxon signed-rank", "W"),
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

    The effect is the Hodges-Lehmann median of pairwise means of the
    differences that are ranked, with the interval that belongs to the test.

    Null hypothesis: the differences in {measure} are symmetric about zero
    Formula: W = the smaller of the sums of the ranks of positive and of negative
        differences, zeros dropped, ties averaged; exact over all signs up to 60
        ranks, else normal
    Assumes: independent pairs, which folds with overlapping training sets are not
    Undefined: no difference other than 0, or a missing value
    Reference: Wilcoxon (1945), doi:10.2307/3001968; Hodges & Lehmann (1963),
        doi:10.1214/aoms/1177704172; Benavoli, Corani & Mangili (2016), Journal
        of Machine Learning Research 17(5), 1-10
    """
    if reason := _unusable(pairs):
        return question.record(name).undefined_because(reason)
    sums = rank_sums(pairs, zeros)
    sample = pairs.filter(noise_steps() != 0) if zeros == "drop" else pairs
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
        assumptions=(f"{pairs.height} pairs",),
        caveats=dropped,
        reachable=0.5 ** (sums.rank_count - 1) if sums.rank_count <= EXACT else None,
    )


@comparison(
    "pair",
    "data sets",
    "folds",
    forms=(
        Form("sign", "The sign test", "Sign test", "min(w, l)"),
        Form("sign_folds", "The sign test over folds", "Sign test over folds", "min(w, l)"),
    ),
    needs=Needs(least=6),
)
def sign(pairs: pl.DataFrame, question: Question, *, name: str = "sign") -> Comparison:
    """Sign test of paired values: only who wins is looked at.

    The effect is the median of the differences that are not 0, with its
    order-statistic interval.

    Null hypothesis: a difference in {measure} that is not 0 favours either model
        with probability one half
    Formula: exact binomial test of the number of wins with probability one half
    Assumes: independent pairs
    Undefined: as ``signed_rank``
    Reference: Demšar (2006), Journal of Machine Learning Research 7, 1-30; Conover
        (1999), *Practical Nonparametric Statistics*, 3.4
    """
    if reason := _unusable(pairs):
        return question.record(name).undefined_because(reason)
    wins, losses = pairs.select(w=(noise_steps() > 0).sum(), lost=(noise_steps() < 0).sum()).row(0)
    n, least = wins + losses, min(wins, losses)
    middle, low, high = _median(pairs.filter(noise_steps() != 0), question.confidence)
    return question.record(
        name,
        statistic=float(least),
        p_value=min(1.0, 2 * float(bdtr(least, n, 0.5))),
        effect=MEDIAN,
        estimate=middle,
        low=low,
        high=high,
        interval=None if low is None else "order_statistics",
        assumptions=(f"{wins} wins, {losses} losses and {pairs.height - n} ties",),
        reachable=0.5 ** (n - 1),
    )


def pseudomedian(
    pairs: pl.DataFrame, confidence: float = 0.95
) -> tuple[float, float | None, float | None]:
    """Median of the means of all pairs of differences, with the interval of the signed ranks.

    The limits are the (C + 1)th smallest and largest mean, where a sum of
    ranks of C or less has a chance of at most (1 − confidence)/2: counted out up
    to ``EXACT`` differences, from the normal distribution beyond. Null limits
    where the level cannot be reached; beyond ``WALSH`` differences the plain
    median is given alone.
    Hollander, Wolfe & Chicken (2014), *Nonparametric Statistical Methods*, 3.2-3.3.
    """
    differences = pairs.select(d=DIFFERENCE).with_row_index("i")
    n = differences.height
    if n > WALSH:
        return float(differences.select(pl.col("d").median()).item()), None, None
    means = (
        differences.join(differences, how="cross", suffix="2")
        .filter(pl.col("i") <= pl.col("i2"))
        .select(m=((pl.col("d") + pl.col("d2")) / 2).sort())["m"]
    )
    middle = as_float(means.median())
    cut = _critical_sum(n, (1 - confidence) / 2)
    if cut < 0:
        return middle, None, None
    return middle, float(means[cut]), float(means[-1 - cut])


def _critical_sum(n: int, tail: float) -> int:
    """The largest sum of ranks whose lower tail has at most this chance; −1 where none has."""
    if n > EXACT:
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return math.floor(n * (n + 1) / 4 - normal_quantile(1 - 2 * tail) * spread)
    shares = null_shares(pl.int_range(1, n + 1, eager=True))[::2]
    return int(np.searchsorted(shares.cumsum(), tail * (1 + 1e-12), side="right")) - 1


def _median(pairs: pl.DataFrame, confidence: float) -> tuple[float, float | None, float | None]:
    ordered = pairs.select(d=DIFFERENCE.sort())["d"]
    n, tail = len(ordered), (1 - confidence) / 2
    middle = as_float(ordered.median())
    cut = int(np.searchsorted(bdtr(np.arange(n), n, 0.5), tail, side="right")) - 1
    return (middle, None, None) if cut < 0 else (middle, ordered[cut], ordered[-1 - cut])


def _unusable(pairs: pl.DataFrame) -> str | None:
    """Why there is nothing to rank."""
    empty: int = pairs.select(pl.any_horizontal(pl.col("first", "second").is_null()).sum()).item()
    if empty:
        return f"a value is missing in {empty} of {pairs.height} pairs"
    if pairs.is_empty():
        return "there are no pairs"
    if not pairs.select((noise_steps() != 0).any()).item():
        return "all differences are 0"
    return None
