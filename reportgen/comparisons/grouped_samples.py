"""Two models on rows of their own, in groups that depend on each other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reportgen.array_types import Floats
from reportgen.clusters import Groups, covariance_of_sum, degrees_of_freedom
from reportgen.comparisons.paired import NOISE, Mean
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.leverage import jackknife_sums


@dataclass(frozen=True, slots=True)
class GroupedMean:
    """A value from rows in groups: its robust variance, and the sums of the rows' influences.

    ``sums`` has one entry per group of both samples, 0 where a group has no row.
    """

    value: float
    variance: float
    sums: Floats


def mean_in_groups(values: npt.ArrayLike, groups: Groups) -> GroupedMean:
    """The mean of values of rows whose ``groups`` count those of another sample too.

    >>> mean_in_groups([1.0, 1.0, 0.0, 0.0], Groups(np.array([0, 0, 1, 1]), 3)).variance
    0.25
    """
    column = np.asarray(values, dtype=np.float64)
    if not len(column):
        return GroupedMean(math.nan, math.nan, np.zeros(groups.number))
    mean = float(column.mean())
    present = int((groups.sizes > 0).sum())
    sums = jackknife_sums(groups.sums(column - mean) / len(column), groups.sizes / len(column))
    sums *= 1 - 1 / present
    return GroupedMean(mean, covariance_of_sum(sums[:, None], present).item(), sums)


@comparison(
    "pair",
    "samples",
    forms=(
        Form(
            "two_samples_groups",
            "The two-sample t-test for clustered rows",
            "Two samples (clustered)",
            "t",
        ),
    ),
    allows=("groups",),
    measures=("accuracy", "auc", "mean_squared_error", "subset_accuracy"),
    needs=Needs(paired=False),
)
def two_samples_groups(
    first: GroupedMean, second: GroupedMean, question: Question, widest: float = math.inf
) -> Comparison:
    """t-test of a share, a mean or an AUC on two samples of rows in groups.

    A group may have rows in both samples. The effect is the difference, at most
    ``widest``, with the t interval. Not for two models on the same rows: pair those.

    Args:
        first: the value of one sample, its variance and the sums of its groups.
        second: that of the other sample; both count the same groups.
        question: the models, their measure, and the levels of the test and of its interval.
        widest: the largest difference that there can be.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: t = (m₁ − m₂) / √(v₁ + v₂ − 2·G/(G − 1)·Σ s₁g·s₂g), with v the robust variance of
        either value and s_g what the rows of group g add to it. It has G − 1 df, fewer (Pan & Wall)
        where some groups carry most of the variance
    Assumes: independent groups, and no example in both samples
    Undefined: a sample without rows or in fewer than two groups, or without variance
    Reference: Liang & Zeger (1986), doi:10.1093/biomet/73.1.13; Obuchowski (1997),
        doi:10.2307/2533958; Pan & Wall (2002), doi:10.1002/sim.1142

    >>> one = mean_in_groups([1.0, 1.0, 0.0, 1.0], Groups(np.array([0, 0, 1, 2]), 6))
    >>> two = mean_in_groups([0.0, 1.0, 0.0, 0.0], Groups(np.array([3, 3, 4, 5]), 6))
    >>> test = two_samples_groups(one, two, Question(("a", "b"), "accuracy", unit="samples"))
    >>> test.estimate, round(test.p_value, 4)
    (0.5, 0.2374)
    """
    name, number = "two_samples_groups", len(first.sums)
    if math.isnan(first.variance + second.variance):
        return question.record(name, undefined="a sample or class in fewer than two groups")
    shared = float((first.sums * second.sums).sum()) * number / (number - 1)
    variance = first.variance + second.variance - 2 * shared
    difference = first.value - second.value
    if variance <= NOISE**2 * max(abs(first.value), abs(second.value)) ** 2:
        reason = "neither sample varies between groups"
        return question.record(name, undefined=reason, estimate=difference)
    freedom = degrees_of_freedom(first.sums - second.sums)
    fields = Mean(difference, math.sqrt(variance), freedom).test(question.confidence)
    fields["low"], fields["high"] = max(fields["low"], -widest), min(fields["high"], widest)
    return question.record(
        name, **fields, assumptions=(f"{number} groups in either sample or both",)
    )
