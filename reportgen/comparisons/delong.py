"""DeLong's test: do two score models on the same rows differ in AUC?"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.special import ndtr, stdtr

from reportgen.array_types import Floats
from reportgen.clusters import Groups, t_quantile
from reportgen.comparisons.area_covariances import (
    NEARLY,
    NEARLY_ALIKE,
    PERFECT,
    RANKED_ALIKE,
    AreaCovariance,
    area_covariance,
    variance_of_difference,
)
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.comparisons.wording import few_groups
from reportgen.frames import FrameLike
from reportgen.intervals import difference_limits, normal_quantile
from reportgen.intervals.area_scores import hanley_variance

RARE, FAR_FEWER = 200, 3
"""A class of fewer rows, of which the other has so many times as many, decides the variances."""

BY_CHANCE = "one class is rare, and its few scores may vary too little by chance"


@comparison(
    "pair",
    "rows",
    forms=(Form("delong", "DeLong's test", "DeLong", "z"),),
    tasks=("binary",),
    measures=("auc",),
    needs=Needs(least_of_class=10),
)
def delong(
    frame: FrameLike,
    question: Question,
    *,
    scores: tuple[str, str] | None = None,
    truth: str = "truth",
    weight: str | None = None,
) -> Comparison:
    """Two-sided test that two score columns of the same rows have the same AUC.

    ``scores`` are the columns, by default those of the models' names.

    Args:
        frame: one row per example: the truth, and a score of each model.
        question: the models, their measure, and the levels of the test and of its interval.
        scores: the columns of scores.
        truth: the Boolean column of the truth; true is positive.
        weight: the column of weights, at least 0; None where every row counts once.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: z = (AUC₁ − AUC₂) / standard error, with the covariance of the two areas;
        with fewer than 30 rows of a class t with Satterthwaite's df
    Assumes: independent rows
    Undefined: the difference has no variance, or a class has fewer than two rows
    Reference: DeLong et al. (1988), doi:10.2307/2531595; Sun & Xu (2014),
        doi:10.1109/LSP.2014.2337313; Satterthwaite (1946), doi:10.2307/3002019

    >>> import polars as pl
    >>> frame = pl.DataFrame(
    ...     {
    ...         "truth": [True] * 4 + [False] * 4,
    ...         "a": [0.9, 0.8, 0.7, 0.4, 0.6, 0.3, 0.2, 0.1],
    ...         "b": [0.9, 0.3, 0.6, 0.4, 0.7, 0.5, 0.2, 0.1],
    ...     }
    ... )
    >>> test = delong(frame, Question(("a", "b"), "auc"))
    >>> test.estimate, round(test.p_value, 4)
    (0.25, 0.2123)
    """
    columns = scores or question.models
    estimates = area_covariance(frame, columns, truth=truth, weight=weight)
    return delong_pair(estimates, (0, 1), question)


@comparison(
    "pair",
    "rows",
    forms=(
        Form("delong_rare_class", "DeLong's test for a rare class", "DeLong (rare class)", "z"),
    ),
    tasks=("binary",),
    allows=("groups", "repeats"),
    measures=("auc",),
    needs=Needs(least_of_class=10, rare_class=True),
)
def delong_rare_class(
    frame: FrameLike,
    question: Question,
    *,
    scores: tuple[str, str] | None = None,
    truth: str = "truth",
    weight: str | None = None,
    groups: Groups | None = None,
) -> Comparison:
    """As ``delong``, with variances that do not rest on a few scores alone.

    A few rows of a class may lack its lowest, or highest, scores by chance: the model then has
    both a larger AUC and a smaller variance, and DeLong's test rejects too often. Here a variance
    that is below Hanley and McNeil's, of an AUC halfway between the two, goes half of the way to
    it; for rows in groups, Obuchowski's does. Reports make it where a class has fewer than 200
    rows, a third of the other or less.

    Args:
        frame: one row per example: the truth, and a score of each model.
        question: the models, their measure, and the levels of the test and of its interval.
        scores: the columns of scores, by default those of the models' names.
        truth: the Boolean column of the truth; true is positive.
        weight: the column of weights, at least 0; None where every row counts once.
        groups: the group of each row, where rows of one group may depend on each other.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: z = (AUC₁ − AUC₂) / √(v₁ + v₂ − 2r√(v₁v₂)), with r DeLong's correlation of the
        areas and vₖ DeLong's variance or, where that of Hanley and McNeil is larger, the mean of
        both. The error is no smaller than DeLong's. With fewer than 30 rows of a class it is t with
        Satterthwaite's df. For rows in groups it is t with Obuchowski's variances and df
    Assumes: independent rows, or groups
    Undefined: as ``delong``
    Reference: DeLong et al. (1988), doi:10.2307/2531595; Hanley & McNeil (1982),
        doi:10.1148/radiology.143.1.7063747

    >>> import polars as pl
    >>> frame = pl.DataFrame(
    ...     {
    ...         "truth": [True] * 4 + [False] * 4,
    ...         "a": [0.9, 0.8, 0.7, 0.4, 0.6, 0.3, 0.2, 0.1],
    ...         "b": [0.9, 0.3, 0.6, 0.4, 0.7, 0.5, 0.2, 0.1],
    ...     }
    ... )
    >>> test = delong_rare_class(frame, Question(("a", "b"), "auc"))
    >>> test.estimate, round(test.p_value, 4)
    (0.25, 0.2123)
    """
    columns = scores or question.models
    estimates = area_covariance(frame, columns, truth=truth, weight=weight, groups=groups)
    return delong_rare_class_pair(estimates, (0, 1), question)


@comparison(
    "pair",
    "rows",
    forms=(Form("obuchowski", "Obuchowski's test", "Obuchowski", "t"),),
    tasks=("binary",),
    allows=("groups", "repeats"),
    measures=("auc",),
)
def obuchowski(
    frame: FrameLike,
    question: Question,
    groups: Groups,
    *,
    scores: tuple[str, str] | None = None,
    truth: str = "truth",
    weight: str | None = None,
) -> Comparison:
    """Two-sided test that two score columns of the same rows in groups have the same AUC.

    As ``delong``, with the covariance of sums by group; with one row per group
    that is DeLong's.

    Args:
        frame: one row per example: the truth, and a score of each model.
        question: the models, their measure, and the levels of the test and of its interval.
        groups: the group of each row; the rows of different groups are independent.
        scores: the columns of scores, by default those of the models' names.
        truth: the Boolean column of the truth; true is positive.
        weight: the column of weights, at least 0; None where every row counts once.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: t = (AUC₁ − AUC₂) / standard error, with a_g and b_g the sums over the
        positives and the negatives of group g of the difference of the models'
        placements less their means, times (1 − 1/I)/(1 − h), h the share of the group in the
        rows of the class and I the groups of it: error² = I₁₀/(I₁₀ − 1)·Σ a_g²/M² +
        I₀₁/(I₀₁ − 1)·Σ b_g²/N² + 2·G/(G − 1)·Σ a_g·b_g/(M·N), for M positives in I₁₀
        groups and N negatives in I₀₁. It has G − 1 df, fewer (Pan & Wall) where some groups
        carry most of the variance, at most Satterthwaite's of the first two sums and
        2·(min(I₁₀, I₀₁) − 1)
    Assumes: independent groups
    Undefined: the difference has no variance, or a class is in fewer than two groups
    Reference: Obuchowski (1997), doi:10.2307/2533958; Bell & McCaffrey (2002), *Survey
        Methodology* 28, 169-181; Pan & Wall (2002), doi:10.1002/sim.1142; Satterthwaite
        (1946), doi:10.2307/3002019

    >>> import polars as pl
    >>> frame = pl.DataFrame(
    ...     {
    ...         "truth": [True] * 4 + [False] * 4,
    ...         "a": [0.9, 0.8, 0.7, 0.4, 0.6, 0.3, 0.2, 0.1],
    ...         "b": [0.9, 0.3, 0.6, 0.4, 0.7, 0.5, 0.2, 0.1],
    ...     }
    ... )
    >>> groups = Groups.of(pl.Series([1, 2, 3, 4] * 2))
    >>> test = obuchowski(frame, Question(("a", "b"), "auc"), groups)
    >>> test.estimate, round(test.p_value, 4)
    (0.25, 0.2522)
    """
    columns = scores or question.models
    estimates = area_covariance(frame, columns, truth=truth, weight=weight, groups=groups)
    return delong_pair(estimates, (0, 1), question)


def delong_pair(estimates: AreaCovariance, at: tuple[int, int], question: Question) -> Comparison:
    """The test for two of the models of ``estimates``, at positions ``at``.

    Its limits are those of ``difference_limits`` where the class sizes are
    known: they exist for areas of 0 and 1, and cover where those of the test do not.
    A limit that is on the other side of 0 than that of the test gives way to it,
    so that the limits leave out 0 where the test rejects. Of rows in groups it
    is Obuchowski's test, with limits of the same kind.
    """
    return _of_pair("obuchowski" if estimates.grouped else "delong", estimates, at, question)


def _of_pair(
    name: str, estimates: AreaCovariance, at: tuple[int, int], question: Question
) -> Comparison:
    record = pair_of_areas(name, estimates, at, question)
    if estimates.sizes is None or min(estimates.sizes) <= 0:
        return record
    areas = [float(estimates.areas[k]) for k in at]
    covariance = estimates.covariance[np.ix_(at, at)]
    alike = record.undefined and areas[0] == areas[1] and covariance[0, 0] > 0
    if alike or record.undefined == NEARLY_ALIKE:
        return record
    df = estimates.degrees_of_freedom(at)
    limits_at = partial(_limits, record, areas, covariance, estimates.sizes, df)
    low, high = limits_at(question.confidence)
    return replace(
        record,
        estimate=areas[0] - areas[1],
        low=low,
        high=high,
        interval=f"{'rare class' if name == 'delong_rare_class' else 'delong'} score difference",
        limits_at=limits_at,
    )


def _limits(
    record: Comparison,
    areas: list[float],
    covariance: Floats,
    sizes: tuple[float, float],
    df: float,
    confidence: float,
) -> tuple[float, float]:
    """The limits of ``difference_limits``, on the sides of 0 where those of the test are."""
    low, high = difference_limits(areas, covariance, *sizes, confidence=confidence, df=df)
    if record.low is None or record.high is None or record.estimate is None:
        return low, high
    error = math.sqrt(variance_of_difference(covariance))
    away = error * t_quantile(confidence, df)
    return _agreeing(low, record.estimate - away), _agreeing(high, record.estimate + away)


def has_rare_class(estimates: AreaCovariance) -> bool:
    """Whether there are so few rows of one class that they decide the variances.

    >>> area, covariance = np.array([0.9]), np.array([[0.001]])
    >>> [has_rare_class(AreaCovariance(area, covariance, sizes)) for sizes in ((20, 60), (20, 59))]
    [True, False]
    """
    rarer, other = sorted(estimates.sizes or (math.inf, math.inf))
    return rarer < RARE and other >= FAR_FEWER * rarer


def delong_rare_class_pair(
    estimates: AreaCovariance, at: tuple[int, int], question: Question
) -> Comparison:
    """``delong_rare_class`` for two of the models of ``estimates``, at positions ``at``."""
    return _of_pair("delong_rare_class", widened(estimates, at), at, question)


def widened(estimates: AreaCovariance, at: tuple[int, int]) -> AreaCovariance:
    """The estimates with variances of two areas that go halfway to Hanley and McNeil's."""
    covariance, sizes = estimates.covariance.copy(), estimates.sizes
    observed = np.diagonal(covariance)[list(at)]
    if sizes is None or np.isnan(observed).any():
        return estimates
    expected = hanley_variance(estimates.areas[list(at)].mean(), *sizes)
    larger = np.maximum(observed, (observed + expected) / 2)
    product = float(observed.prod())
    shared = float(covariance[at])
    shared *= math.sqrt(float(larger.prod()) / product) if product > 0 else 0.0
    # The difference itself varies no less than DeLong says.
    difference = float(observed.sum()) - 2 * float(covariance[at])
    covariance[at, at] = larger
    covariance[at, at[::-1]] = min(shared, (float(larger.sum()) - difference) / 2)
    return replace(estimates, covariance=covariance)


def _agreeing(limit: float, of_test: float) -> float:
    """The limit, if it is on the same side of 0 as that of the test; else that one."""
    return limit if (limit > 0) == (of_test > 0) and (limit < 0) == (of_test < 0) else of_test


def pair_of_areas(
    name: str,
    estimates: AreaCovariance,
    at: tuple[int, int],
    question: Question,
) -> Comparison:
    """The z or t test of the difference of two areas."""
    i, j = at
    difference = float(estimates.areas[i] - estimates.areas[j])
    v = estimates.covariance
    variance = variance_of_difference(v, at)
    record = question.record(name)
    if math.isnan(variance):
        units = "groups" if estimates.grouped else "rows"
        return record.with_fields(undefined=f"a class has fewer than two {units}")
    # Exactly equal rankings leave rounding noise far below one part in a million of a row.
    if variance <= 1e-14 * max(float(v[i, i] + v[j, j]), 1e-300):
        perfect = estimates.areas[i] == estimates.areas[j] == 1
        alike = PERFECT if perfect else RANKED_ALIKE
        varies = difference == 0 or float(v[i, i] + v[j, j]) > 0
        constant = "the difference has no variance, as neither area varies"
        return record.with_fields(undefined=alike if varies else constant, estimate=difference)
    if variance <= NEARLY * float(v[i, i] + v[j, j]):
        return record.with_fields(undefined=NEARLY_ALIKE, estimate=difference)
    error, df = math.sqrt(variance), estimates.degrees_of_freedom(at)
    distance, normal = abs(difference) / error, math.isinf(df)
    half_width = error * (
        normal_quantile(question.confidence) if normal else t_quantile(question.confidence, df)
    )
    return question.record(
        name,
        statistic=difference / error,
        symbol="z" if normal else "t",
        df=None if normal else df,
        p_value=2 * float(ndtr(-distance) if normal else stdtr(df, -distance)),
        estimate=difference,
        low=max(difference - half_width, -1.0),
        high=min(difference + half_width, 1.0),
        interval="t" if estimates.grouped else name,
        few_units=() if estimates.sums is None else few_groups(len(estimates.sums)),
    )
