"""Tests of mean ranks by sign flips, whatever the spreads of the models' values are.

Of models that do not differ the ranking of a data set is as likely as its reverse: where they
are alike, and where the values of each vary symmetrically, by as much as they like.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import ceil

import numpy as np
from pandera.typing.polars import DataFrame

from reportgen.array_types import Floats
from reportgen.comparisons.omnibus import TIED
from reportgen.comparisons.permutation import DRAWS, signs
from reportgen.comparisons.rank_pairs import pair_record, pairs_of, undefined_pairs
from reportgen.comparisons.ranks import rank_models, ranks
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.tables import BlockScores

EXACT = 14
"""Up to so many blocks all choices of signs are looked at, beyond ``DRAWS`` random ones."""


@comparison(
    "several",
    "data sets",
    forms=(Form("friedman_sign_flip", "Friedman's test by sign flips", "Friedman (flips)"),),
    needs=Needs(least=6, given="blocks"),
)
def friedman_sign_flip(scores: DataFrame[BlockScores], question: Question) -> Comparison:
    """Friedman's test, its statistic compared with those of reversed rankings.

    Args:
        scores: one row per block and model: ``block``, ``model``, ``value``.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: p-value, effect, and what was assumed.

    Null hypothesis: all models have the same {measure}: in a block a ranking of
        them and its reverse have the same probability
    Formula: χ² of Friedman's test; p = share of all ways to reverse the rankings
        of some of the N blocks with χ² at least as large, beyond 14 blocks (b + 1)/(B + 1)
        of B random ones
    Assumes: independent blocks
    Undefined: all models are tied in every block, or a value is missing
    Reference: Friedman (1937), doi:10.1080/01621459.1937.10503522; Phipson & Smyth
        (2010), doi:10.2202/1544-6115.1585

    >>> import polars as pl
    >>> rows = pl.DataFrame({"block": list("wwwxxxyyyzzz"), "model": list("abc") * 4})
    >>> values = [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5]
    >>> scores = BlockScores.validate(rows.with_columns(value=pl.Series(values)))
    >>> test = friedman_sign_flip(scores, Question(("a", "b", "c"), "auc", unit="data sets"))
    >>> round(test.estimate, 4), round(test.p_value, 4)
    (0.8125, 0.125)
    """
    record = question.record("friedman_sign_flip")
    means = rank_models(scores, question)
    if isinstance(means, str) or means.variation <= 1e-9 * means.squares:
        return record.with_fields(undefined=means if isinstance(means, str) else TIED)
    squares = (_rank_sums(scores, question) ** 2).sum(axis=1)
    return question.record(
        "friedman_sign_flip",
        p_value=float(np.mean(squares >= squares[0])),
        effect="Kendall's W",
        estimate=means.between / means.variation / means.blocks,
        assumptions=(f"{means.k} models on the same {means.blocks} blocks",),
        reachable=1 / len(squares),
    )


@comparison(
    "several",
    "data sets",
    forms=(Form("mean_ranks_sign_flip", "The sign-flip test of mean ranks", "Mean ranks (flips)"),),
    corrects=True,
    needs=Needs(least=6),
)
def mean_ranks_sign_flip(
    scores: DataFrame[BlockScores], question: Question, baseline: str | None = None
) -> list[Comparison]:
    """Sign-flip test of pairs of mean ranks, which controls the family by itself.

    The family is all pairs, or every model against the baseline. The effect is the
    difference of the mean ranks (1 is the best) ± the largest difference of the family that
    reversed rankings exceed in a share α.

    Args:
        scores: one row per block and model: ``block``, ``model``, ``value``.
        question: the models, their measure, and the levels of the test and of its interval.
        baseline: the model that all others are compared with; None for all pairs.

    Returns:
        One record per pair: p-value, difference of the mean ranks with its limits.

    Null hypothesis: the two models have the same expected rank in {measure}
    Formula: p = share of all ways to reverse the rankings of some of the N blocks
        whose difference of mean ranks is at least as large, beyond 14 blocks (b + 1)/(B + 1)
        of B random ones. Adjusted, it is of the largest difference of this pair and of those with
        smaller ones
    Assumes: independent blocks; a ranking of models that do not differ and its reverse
        have the same probability
    Undefined: all models are tied in every block, or a value is missing
    Reference: Westfall & Young (1993), *Resampling-Based Multiple Testing*, algorithm 2.8;
        Demšar (2006), Journal of Machine Learning Research 7, 1-30

    >>> import polars as pl
    >>> rows = pl.DataFrame({"block": list("wwwxxxyyyzzz"), "model": list("abc") * 4})
    >>> values = [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5]
    >>> scores = BlockScores.validate(rows.with_columns(value=pl.Series(values)))
    >>> tests = mean_ranks_sign_flip(scores, Question(("a", "b", "c"), "auc", unit="data sets"))
    >>> [(test.models, test.estimate, test.p_adjusted) for test in tests]
    [(('a', 'b'), -1.25, 0.125), (('a', 'c'), -1.75, 0.125), (('b', 'c'), -0.5, 0.625)]
    """
    name = "mean_ranks_sign_flip"
    means = rank_models(scores, question)
    if isinstance(means, str) or means.variation <= 1e-9 * means.squares:
        reason = means if isinstance(means, str) else TIED
        return undefined_pairs(name, question, reason, baseline)
    sums, pairs = _rank_sums(scores, question), pairs_of(question.models, baseline)
    place = {model: k for k, model in enumerate(question.models)}
    first, second = ([place[pair[end]] for pair in pairs] for end in (0, 1))
    alone, adjusted, largest = flip_p_values(sums, first, second)
    width = least_exceeded(largest, 1 - question.confidence)
    return [
        pair_record(
            name,
            pair,
            question,
            means,
            float(sums[0, a] - sums[0, b]) / means.blocks,
            None if width is None else width / means.blocks,
            None,
            float(p),
            reachable=1 / len(sums),
            p_adjusted=float(p_adjusted),
            correction="westfall_young",
        )
        for pair, a, b, p, p_adjusted in zip(pairs, first, second, alone, adjusted, strict=True)
    ]


def flip_p_values(
    sums: Floats, first: Sequence[int], second: Sequence[int]
) -> tuple[Floats, Floats, Floats]:
    """P of each pair of models, p adjusted by steps, and the largest difference by choice of signs.

    ``sums`` are rank sums by choice of signs and model, the first row observed.
    """
    observed = np.abs(sums[0, first] - sums[0, second])
    ascending = np.argsort(observed, kind="stable")
    largest, alone, adjusted = np.zeros(len(sums)), np.zeros(len(first)), np.zeros(len(first))
    for k in ascending:
        flipped = np.abs(sums[:, first[k]] - sums[:, second[k]])
        np.maximum(largest, flipped, out=largest)
        alone[k], adjusted[k] = (np.mean(d >= observed[k]) for d in (flipped, largest))
    descending = ascending[::-1]
    adjusted[descending] = np.maximum.accumulate(adjusted[descending])
    return alone, adjusted, largest


def _rank_sums(scores: DataFrame[BlockScores], question: Question) -> Floats:
    """Rank sums of the models less their mean, by choice of signs; the first row is observed."""
    table = ranks(scores, question).pivot("model", index="block", values="rank")
    rank = table.select(question.models).to_numpy() - (len(question.models) + 1) / 2
    return choices(len(rank)) @ rank


def choices(blocks: int, draws: int = DRAWS) -> Floats:
    """Signs of the blocks, all of them + in the first row; a choice and its opposite are one."""
    if blocks > EXACT:
        return np.vstack([np.ones((1, blocks)), signs(0, draws, blocks)[0]])
    return np.array([(1.0, *rest) for rest in product((1.0, -1.0), repeat=blocks - 1)])


def least_exceeded(largest: Floats, alpha: float) -> float | None:
    """What a difference must exceed so that its p is below ``alpha``; None if none is."""
    rank = ceil(alpha * len(largest) - 1e-9) - 1
    return float(np.sort(largest)[-1 - rank]) if rank >= 1 else None
