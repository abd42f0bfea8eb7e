"""Is a difference small enough? Equivalence and non-inferiority against a margin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypedDict

import numpy as np
from pandera.typing.polars import DataFrame
from scipy.special import ndtr, stdtr, stdtrit

from reportgen.comparisons.area_covariances import AreaCovariance, variance_of_difference
from reportgen.comparisons.folds import SIZES_UNKNOWN, WHAT, missing, ratio_of_test_rows
from reportgen.comparisons.mcnemar import Pairs
from reportgen.comparisons.paired import Mean, mean_difference
from reportgen.comparisons.paired_losses import Tails
from reportgen.comparisons.records import Comparison, ComparisonFields, Question, fields_by_name
from reportgen.comparisons.registry import Form, comparison
from reportgen.comparisons.wording import plain
from reportgen.intervals import tango
from reportgen.intervals.area_differences import difference_scores
from reportgen.intervals.differences import tango_score
from reportgen.tables import FoldPairs
from reportgen.tasks import CLASSIFICATION

_SCORE = "_score"
"""What the names of score tests end with."""


@comparison(
    "pair",
    "rows",
    "folds",
    "data sets",
    forms=(
        Form("equivalence", "The two one-sided tests of equivalence", "Equivalence (TOST)", "t"),
    ),
    allows=("overlap", "groups"),
    shows="equivalence",
)
@comparison(
    "pair",
    "rows",
    "folds",
    "data sets",
    forms=(Form("non_inferiority", "The test of non-inferiority", "Non-inferiority", "t"),),
    allows=("overlap", "groups"),
    shows="non_inferiority",
)
def equivalence(mean: Mean, question: Question, margin: float) -> list[Comparison]:
    """Equivalence (TOST) and non-inferiority of a difference with a standard error.

    ``mean`` is a difference with its standard error and degrees of freedom:
    that of folds (``fold_difference``), of areas (``area_difference``), or any
    other. Their statistic is the smaller distance to the margin in standard
    errors. The effect is the difference with its two-sided interval;
    equivalence at α is the 1 − 2α interval within ±margin. Raises ValueError
    unless the margin is positive.

    Args:
        mean: the difference with its standard error and degrees of freedom.
        question: the models, their measure, and the levels of the test and of its interval.
        margin: the largest difference that does not matter, above 0.

    Returns:
        One record per form: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis of equivalence: the two models differ in {measure} by {margin}
        or more
    Null hypothesis of non_inferiority: the first model is worse than the second in
        {measure} by {margin} or more
    Formula of equivalence: t = (margin − |difference|) / standard error; p is the
        larger of the two one-sided ones
    Formula of non_inferiority: t = (margin + difference) / standard error, one-sided,
        the difference positive where the first is better
    Assumes: what the standard error assumes
    Undefined: the difference has no standard error
    Reference: Schuirmann (1987), doi:10.1007/BF01068419; Wellek (2010), *Testing
        Statistical Hypotheses of Equivalence and Noninferiority*,
        doi:10.1201/EBK1439808184

    >>> tests = equivalence(Mean(0.01, 0.004, 9), Question(("a", "b"), "auc"), 0.02)
    >>> [round(test.p_value, 4) for test in tests]
    [0.0169, 0.0]
    """
    if mean.reason or mean.error <= 0:
        reason = mean.reason or "the difference has no variance"
        return undefined_margin(question, margin, reason, mean.value)
    difference = mean.value or 0.0
    half_width = float(stdtrit(mean.df, (1 + question.confidence) / 2)) * mean.error
    below, above = ((margin + side * difference) / mean.error for side in (1, -1))
    return MarginTest(
        question,
        margin,
        (below, above),
        (float(stdtr(mean.df, -below)), float(stdtr(mean.df, -above))),
    ).records(
        df=None if math.isinf(mean.df) else mean.df,
        estimate=mean.estimate,
        low=difference - half_width,
        high=difference + half_width,
        interval="wald" if math.isinf(mean.df) else mean.interval,
    )


def equivalence_of_errors(
    mean: Mean, tails: Tails | None, question: Question, margin: float
) -> list[Comparison]:
    """``equivalence`` of mean squared or absolute errors, with what they show of heavy tails."""
    records = equivalence(mean, question, margin)
    if tails is None:
        return records
    return [tails.beside(record) for record in records]


@comparison(
    "pair",
    "rows",
    forms=(
        Form(
            "equivalence_score",
            "The two one-sided score tests of equivalence",
            "Equivalence (score)",
            "z",
        ),
    ),
    tasks=CLASSIFICATION,
    allows=("groups",),
    shows="equivalence",
)
@comparison(
    "pair",
    "rows",
    forms=(
        Form(
            "non_inferiority_score",
            "The score test of non-inferiority",
            "Non-inferiority (score)",
            "z",
        ),
    ),
    tasks=CLASSIFICATION,
    allows=("groups",),
    shows="non_inferiority",
)
def equivalence_of_shares(pairs: Pairs, question: Question, margin: float) -> list[Comparison]:
    """Equivalence and non-inferiority of two paired shares, by Tango's score test.

    The interval is Tango's. Raises ValueError unless 0 < margin < 1. AUCs have the score tests of
    ``equivalence_of_areas``.

    Args:
        pairs: how many rows both models, one, or neither predicts correctly.
        question: the models, their measure, and the levels of the test and of its interval.
        margin: the largest difference that does not matter, from 0 to 1.

    Returns:
        One record per form: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis of equivalence_score: the two models differ in {measure} by
        {margin} or more
    Null hypothesis of non_inferiority_score: the first model is worse than the second
        in {measure} by {margin} or more
    Formula of equivalence_score: the smaller of the score statistics of differences of
        ± the margin; p is the larger of the two one-sided ones. Of shares they are
        Tango's, of AUCs (difference ± margin) / standard error where that is the
        difference, as in their score limits
    Formula of non_inferiority_score: the score statistic of a difference of − the
        margin, one-sided
    Assumes: independent rows; for AUCs, groups
    Undefined: no rows; for AUCs, a class without rows, or rows that both models rank alike
    Reference: Tango (1998),
        doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B; Liu et
        al. (2002), doi:10.1002/sim.1012; Newcombe (2006), doi:10.1002/sim.2324

    >>> tests = equivalence_of_shares(
    ...     Pairs(900, 30, 35, 35), Question(("a", "b"), "accuracy"), 0.03
    ... )
    >>> [round(test.p_value, 4) for test in tests]
    [0.0018, 0.0018]
    """
    if pairs.rows == 0:
        return undefined_margin(question, margin, "no rows", None, _SCORE)
    cells = (pairs.both_correct, pairs.only_b_wrong, pairs.only_a_wrong, pairs.both_wrong)
    limits_at = partial(tango, *cells)
    low, high = limits_at(question.confidence)
    below, above = tango_score(*cells, -margin), -tango_score(*cells, margin)
    return MarginTest(
        question,
        margin,
        (below, above),
        (float(ndtr(-below)), float(ndtr(-above))),
        _SCORE,
    ).records(
        estimate=(pairs.only_b_wrong - pairs.only_a_wrong) / pairs.rows,
        low=low,
        high=high,
        interval="tango",
        limits_at=limits_at,
        assumptions=(f"{pairs.rows} rows, {pairs.discordant} of them discordant",),
    )


def equivalence_of_areas(
    of_difference: Comparison,
    areas: AreaCovariance,
    question: Question,
    margin: float,
    at: tuple[int, int] = (0, 1),
) -> list[Comparison]:
    """Equivalence and non-inferiority of two AUCs on the same rows, by score tests.

    ``of_difference`` is the test of their difference (``delong_pair``), with the limits that these
    two invert. The standard error is that of a difference of the margin: the observed one is too
    small where an AUC is near 1. Where the class sizes are unknown it is the observed one. Raises
    ValueError unless the margin is positive.

    Newcombe (2006), doi:10.1002/sim.2324; the standard error: ``difference_limits``.
    """
    if areas.sizes is None:
        return equivalence(area_difference(areas, at), question, margin)
    if of_difference.low is None:
        reason = str(of_difference.undefined)
        return undefined_margin(question, margin, reason, of_difference.estimate, _SCORE)
    _checked(margin)
    df = areas.degrees_of_freedom(at)
    both = [float(areas.areas[k]) for k in at]
    below, above = difference_scores(
        both,
        areas.covariance[np.ix_(at, at)],
        *areas.sizes,
        margin,
        confidence=question.confidence,
    )
    return MarginTest(
        question,
        margin,
        (below, above),
        (float(stdtr(df, -below)), float(stdtr(df, -above))),
        _SCORE,
    ).records(
        symbol="z" if math.isinf(df) else "t",
        df=None if math.isinf(df) else df,
        estimate=of_difference.estimate,
        low=of_difference.low,
        high=of_difference.high,
        interval=of_difference.interval,
        limits_at=of_difference.limits_at,
        areas=tuple(both),
    )


def fold_difference(pairs: DataFrame[FoldPairs], ratio: float | None = None) -> Mean:
    """Mean difference over folds with the corrected resampled error."""
    share = ratio_of_test_rows(pairs) if ratio is None else ratio
    if share is None:
        return Mean(None, 0.0, 0.0, SIZES_UNKNOWN)
    if absent := missing(pairs):
        return Mean(None, 0.0, 0.0, absent)
    return mean_difference(pairs, share, WHAT)


def area_difference(estimates: AreaCovariance, at: tuple[int, int] = (0, 1)) -> Mean:
    """Difference of two correlated AUCs with DeLong's error, of rows in groups Obuchowski's."""
    i, j = at
    variance = variance_of_difference(estimates.covariance, at)
    difference = float(estimates.areas[i] - estimates.areas[j])
    if math.isnan(variance):
        units = "groups" if estimates.grouped else "rows"
        return Mean(None, 0.0, math.inf, f"a class has fewer than two {units}")
    return Mean(difference, math.sqrt(max(variance, 0.0)), estimates.degrees_of_freedom(at))


@dataclass(frozen=True, slots=True)
class MarginTest:
    """Both tests from one pair of distances to the margin, the lower end first, and their p."""

    question: Question
    margin: float
    distances: tuple[float, float]
    p_values: tuple[float, float]
    suffix: str = ""

    @fields_by_name(ComparisonFields)
    def records(self, **fields: Any) -> list[Comparison]:
        """That of equivalence and that of non-inferiority, with what both have."""
        _checked(self.margin)
        of_margin = _of_margin(self.margin)
        # Above −margin is what a model of which more is better must be shown to be.
        side = 1 if self.question.lower_is_better else 0
        both = self.question.record(
            f"equivalence{self.suffix}",
            **of_margin,
            **fields,
            statistic=min(self.distances),
            p_value=max(self.p_values),
        )
        one = self.question.record(
            f"non_inferiority{self.suffix}",
            **of_margin,
            **fields,
            statistic=self.distances[side],
            p_value=self.p_values[side],
        )
        return [both, one]


def undefined_margin(
    question: Question, margin: float, reason: str, value: float | None, suffix: str = ""
) -> list[Comparison]:
    """Both tests where there is nothing to test."""
    _checked(margin)
    names = (f"equivalence{suffix}", f"non_inferiority{suffix}")
    fields = _of_margin(margin)
    return [question.record(n, **fields, undefined=reason, estimate=value) for n in names]


class _Margin(TypedDict):
    null: Mapping[str, str]
    against: float


def _of_margin(margin: float) -> _Margin:
    return {"null": {"margin": plain(margin)}, "against": margin}


def _checked(margin: float) -> None:
    if not margin > 0:
        raise ValueError(f"{margin} is not a margin")
