"""Which of several models differ? Pairs of mean ranks after Friedman's test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
from pandera.typing.polars import DataFrame
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from reportgen.comparisons.ranks import MeanRanks, rank_models
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.tables import BlockScores
from reportgen.tables.comparisons import RANKS


@comparison(
    "several",
    "data sets",
    forms=(Form("nemenyi", "Nemenyi's test", "Nemenyi", "q"),),
    corrects=True,
    needs=Needs(least=5),
)
def nemenyi(scores: DataFrame[BlockScores], question: Question) -> list[Comparison]:
    """Nemenyi's test of all pairs of mean ranks, which controls the family by itself.

    The effect is the difference of the mean ranks (1 is the best) ± the
    critical difference at the level of confidence; ``critical`` is that at α.

    Args:
        scores: one row per block and model: ``block``, ``model``, ``value``.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record per pair: statistic, p-value, difference of the mean ranks with its limits.

    Null hypothesis: the two models have the same expected rank in {measure}
    Formula: q = √2·|difference of mean ranks| / √(k(k + 1)/6N), studentised range of
        k models; critical difference q/√2·√(k(k + 1)/6N)
    Assumes: independent blocks
    Undefined: a value is missing
    Reference: Zhou (2016), eq. 2.36; Demšar (2006), Journal of Machine Learning
        Research 7, 1-30; Nemenyi (1963), *Distribution-free multiple
        comparisons*, thesis, Princeton

    >>> import polars as pl
    >>> rows = pl.DataFrame({"block": list("wwwxxxyyyzzz"), "model": list("abc") * 4})
    >>> values = [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5]
    >>> scores = BlockScores.validate(rows.with_columns(value=pl.Series(values)))
    >>> tests = nemenyi(scores, Question(("a", "b", "c"), "auc", unit="data sets"))
    >>> [(test.models, round(test.estimate, 4)) for test in tests]
    [(('a', 'b'), -1.25), (('a', 'c'), -1.75), (('b', 'c'), -0.5)]
    """
    from scipy.stats import studentized_range

    means = rank_models(scores, question)
    if isinstance(means, str):
        return undefined_pairs("nemenyi", question, means)
    width = critical_difference(means.k, means.blocks, 1 - question.confidence)
    critical = critical_difference(means.k, means.blocks, question.alpha)
    pairs = list(_differences(means))
    distances = [sqrt(2) * abs(difference) / means.error for _, difference in pairs]
    p_values = np.atleast_1d(studentized_range.sf(distances, means.k, float("inf")))
    records = []
    for (pair, difference), q, p in zip(pairs, distances, p_values, strict=True):
        record = pair_record("nemenyi", pair, question, means, difference, width, q, float(p))
        records.append(
            record.with_fields(critical=critical, p_adjusted=record.p_value, correction="nemenyi")
        )
    return records


def critical_difference(models: int, blocks: int, alpha: float = 0.05) -> float:
    """The least difference of two mean ranks that is significant by Nemenyi's test.

    Demšar (2006), table 5(a) holds its q for α of 0.05 and 0.1.

    >>> round(critical_difference(4, 14, 0.05), 2), round(critical_difference(4, 14, 0.1), 2)
    (1.25, 1.12)
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, models, float("inf"))) / sqrt(2)
    return q * sqrt(models * (models + 1) / (6 * blocks))


@comparison(
    "several",
    "data sets",
    forms=(Form("bonferroni_dunn", "The Bonferroni–Dunn test", "Bonferroni–Dunn", "z"),),
    corrects=True,
)
def bonferroni_dunn(
    scores: DataFrame[BlockScores], question: Question, baseline: str
) -> list[Comparison]:
    """Bonferroni–Dunn test of every model against the baseline.

    ``critical`` is the difference at which the adjusted p is α. The effect is
    that of ``nemenyi``, model minus baseline.

    Args:
        scores: one row per block and model: ``block``, ``model``, ``value``.
        question: the models, their measure, and the levels of the test and of its interval.
        baseline: the model that all others are compared with.

    Returns:
        One record per other model: statistic, p-value, difference of the mean ranks with its
            limits.

    Null hypothesis: the two models have the same expected rank in {measure}
    Formula: z = difference of mean ranks / √(k(k + 1)/6N), p times k − 1
    Assumes: independent blocks
    Undefined: a value is missing
    Reference: Dunn (1961), doi:10.1080/01621459.1961.10482090; Demšar (2006),
        Journal of Machine Learning Research 7, 1-30, table 5(b)

    >>> import polars as pl
    >>> rows = pl.DataFrame({"block": list("wwwxxxyyyzzz"), "model": list("abc") * 4})
    >>> values = [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5]
    >>> scores = BlockScores.validate(rows.with_columns(value=pl.Series(values)))
    >>> tests = bonferroni_dunn(scores, Question(("a", "b", "c"), "auc", unit="data sets"), "c")
    >>> [(test.models, round(test.estimate, 4)) for test in tests]
    [(('a', 'c'), -1.75), (('b', 'c'), -0.5)]
    """
    means = rank_models(scores, question)
    if isinstance(means, str):
        return undefined_pairs("bonferroni_dunn", question, means, baseline)
    tests = means.k - 1
    critical = -float(ndtri(question.alpha / 2 / tests)) * means.error
    return [
        record.with_fields(critical=critical, p_adjusted=min(1.0, tests * (record.p_value or 0.0)))
        for record in _z_tests("bonferroni_dunn", means, question, baseline, tests)
    ]


@comparison(
    "several",
    "data sets",
    forms=(
        Form("mean_ranks", "The z-test of mean ranks", "Mean ranks (z)", "z"),
        Form(
            "mean_ranks_baseline",
            "The z-test of mean ranks against the baseline",
            "Mean ranks against the baseline (z)",
            "z",
        ),
    ),
    needs=Needs(least=5),
)
def mean_ranks(
    scores: DataFrame[BlockScores], question: Question, baseline: str | None = None
) -> list[Comparison]:
    """z-tests of mean ranks: all pairs, or every model against the baseline.

    Uncorrected: the family is corrected afterwards, by Holm's steps by default.

    Args:
        scores: one row per block and model: ``block``, ``model``, ``value``.
        question: the models, their measure, and the levels of the test and of its interval.
        baseline: the model that all others are compared with; None for all pairs.

    Returns:
        One record per pair: statistic, p-value, difference of the mean ranks with its limits.

    Null hypothesis: the two models have the same expected rank in {measure}
    Formula: z = difference of mean ranks / √(k(k + 1)/6N)
    Assumes: independent blocks
    Undefined: a value is missing
    Reference: Demšar (2006), Journal of Machine Learning Research 7, 1-30; Garcia
        & Herrera (2008), Journal of Machine Learning Research 9, 2677-2694

    >>> import polars as pl
    >>> rows = pl.DataFrame({"block": list("wwwxxxyyyzzz"), "model": list("abc") * 4})
    >>> values = [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5]
    >>> scores = BlockScores.validate(rows.with_columns(value=pl.Series(values)))
    >>> tests = mean_ranks(scores, Question(("a", "b", "c"), "auc", unit="data sets"), "c")
    >>> [(test.models, round(test.p_value, 4)) for test in tests]
    [(('a', 'c'), 0.0133), (('b', 'c'), 0.4795)]
    """
    name = "mean_ranks" if baseline is None else "mean_ranks_baseline"
    means = rank_models(scores, question)
    if isinstance(means, str):
        return undefined_pairs(name, question, means, baseline)
    return list(_z_tests(name, means, question, baseline, 1))


@comparison(
    "several",
    "data sets",
    forms=(Form("conover", "Conover's test", "Conover", "t"),),
    needs=Needs(least=5),
)
def conover(scores: DataFrame[BlockScores], question: Question) -> list[Comparison]:
    """Conover's t-tests of all pairs after Friedman's test, uncorrected.

    Its error is what the data show, so that it is more powerful than the
    z-test and rests on Friedman's test having rejected.

    Args:
        scores: one row per block and model: ``block``, ``model``, ``value``.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record per pair: statistic, p-value, difference of the mean ranks with its limits.

    Null hypothesis: the two models have the same expected rank in {measure}
    Formula: t = difference of rank sums / √(2(NΣr² − ΣR²)/((N − 1)(k − 1))),
        (N − 1)(k − 1) df; R: rank sums, r: single ranks
    Assumes: independent blocks, and that Friedman's test rejects
    Undefined: a value is missing, or every block ranks the models identically
    Reference: Conover (1999), *Practical Nonparametric Statistics*, 5.8

    >>> import polars as pl
    >>> rows = pl.DataFrame({"block": list("wwwxxxyyyzzz"), "model": list("abc") * 4})
    >>> values = [0.9, 0.8, 0.7, 0.8, 0.7, 0.6, 0.9, 0.7, 0.8, 0.7, 0.6, 0.5]
    >>> scores = BlockScores.validate(rows.with_columns(value=pl.Series(values)))
    >>> tests = conover(scores, Question(("a", "b", "c"), "auc", unit="data sets"))
    >>> [(test.models, round(test.estimate, 4)) for test in tests]
    [(('a', 'b'), -1.25), (('a', 'c'), -1.75), (('b', 'c'), -0.5)]
    """
    means = rank_models(scores, question)
    if isinstance(means, str):
        return undefined_pairs("conover", question, means)
    n, df = means.blocks, (means.blocks - 1.0) * (means.k - 1)
    residual = n * means.squares - sum((n * m) ** 2 for m in means.mean)
    if residual <= 1e-9 * n * means.squares:
        return undefined_pairs("conover", question, "every block ranks the models identically")
    error = sqrt(2 * residual / df) / n
    width = float(stdtrit(df, (1 + question.confidence) / 2)) * error
    caveat = "interpret only if Friedman's test rejects"
    return [
        pair_record(
            "conover",
            pair,
            question,
            means,
            difference,
            width,
            difference / error,
            2 * float(stdtr(df, -abs(difference) / error)),
            df=df,
            caveats=(caveat,),
        )
        for pair, difference in _differences(means)
    ]


def _differences(
    means: MeanRanks, baseline: str | None = None
) -> Iterator[tuple[tuple[str, str], float]]:
    """The pairs and their differences of mean rank; the baseline comes second."""
    rank = dict(zip(means.models, means.mean, strict=True))
    for pair in pairs_of(means.models, baseline):
        yield pair, rank[pair[0]] - rank[pair[1]]


def pairs_of(models: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    """All pairs, or every model with the baseline, which comes second."""
    if baseline is None:
        return list(combinations(models, 2))
    return [(model, baseline) for model in models if model != baseline]


def _z_tests(
    name: str, means: MeanRanks, question: Question, baseline: str | None, tests: int
) -> Iterator[Comparison]:
    """Uncorrected z-tests, their intervals wide enough for so many tests."""
    width = -float(ndtri((1 - question.confidence) / 2 / tests)) * means.error
    for pair, difference in _differences(means, baseline):
        z = difference / means.error
        p = 2 * float(ndtr(-abs(z)))
        record = pair_record(name, pair, question, means, difference, width, z, p)
        yield record.with_fields(correction="bonferroni") if tests > 1 else record


def pair_record(
    name: str,
    pair: tuple[str, str],
    question: Question,
    means: MeanRanks,
    difference: float,
    width: float | None,
    statistic: float | None,
    p: float,
    **fields: Any,
) -> Comparison:
    """The record of a pair of mean ranks, its limits so far from the difference.

    None is beyond the difference of the best and the worst rank.
    """
    most = means.k - 1
    return replace(question, models=pair).record(
        name,
        statistic=statistic,
        p_value=min(p, 1.0),
        effect=RANKS,
        estimate=difference,
        low=None if width is None else max(difference - width, -most),
        high=None if width is None else min(difference + width, most),
        interval=None if width is None else name,
        less_is_better=True,
        assumptions=(f"{means.k} models on the same {means.blocks} blocks",),
        **fields,
    )


def undefined_pairs(
    name: str, question: Question, reason: str, baseline: str | None = None
) -> list[Comparison]:
    """The records of all pairs of a test that has no value."""
    return [
        replace(question, models=pair)
        .record(name, effect=RANKS, less_is_better=True)
        .with_fields(undefined=reason)
        for pair in pairs_of(question.models, baseline)
    ]
