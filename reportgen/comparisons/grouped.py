"""Tests of pairs of models over rows in groups that depend on each other.

All rest on sums by group of what a row contributes to the difference: groups
are independent, their rows need not be. A t statistic has as many degrees of
freedom as the sums leave it, at most the number of groups less one.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypedDict

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import ndtr

from reportgen.array_types import Floats
from reportgen.clusters import Groups, degrees_of_freedom
from reportgen.comparisons.paired import NOISE, Mean
from reportgen.comparisons.paired_losses import ABSOLUTE, SQUARED, Tails
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, comparison
from reportgen.comparisons.signed_ranks import signed_ranks
from reportgen.comparisons.wording import DECIDED_ALIKE, few_groups
from reportgen.leverage import jackknife_sums
from reportgen.metric_names import CORRECT_ROWS, MEAN_ERRORS
from reportgen.tasks import CLASSIFICATION


def mean_difference_in_groups(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    groups: Groups,
    what: str = "differences",
    weights: Floats | None = None,
) -> Mean:
    """Mean over the rows of first minus second, with the error that groups of rows leave it.

    Formula: error² = (G − 1)/G·Σ_g (Σ_{i in g} (d_i − d̄))² / (n − m_g)², m_g the rows of
    group g: the variance of the means that leave out one group each about d̄ (CR3), and the
    paired t-test's s²/n where groups are of one size. Of weighted rows w_i(d_i − d̄), and
    weights for rows.
    Reference: Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181; MacKinnon, Nielsen &
    Webb (2023), doi:10.1002/jae.2969.

    >>> groups = Groups.of(pl.Series(["a", "a", "b", "b"]))
    >>> round(mean_difference_in_groups([1, 1, 0, 0], [0, 0, 0, 0], groups).error, 9)
    0.5
    """
    a, b = (np.asarray(side, dtype=np.float64) for side in (first, second))
    if groups.number < 2:
        mean = groups.mean(a - b) if len(a) else None
        return Mean(mean, 0.0, 0.0, "fewer than two groups")
    largest = max(float(np.abs(side).max()) for side in (a, b))
    apart = a - b
    sizes, rows = np.asarray(groups.sizes, dtype=np.float64), float(groups.rows)
    if weights is None:
        mean = groups.mean(apart)
        apart -= mean
    else:
        weights = weights * (groups.rows / groups.total(weights))
        sizes, mean = groups.sums(weights), groups.total(weights * apart) / rows
        apart = weights * (apart - mean)
    number = groups.number
    sums = jackknife_sums(groups.sums(apart), sizes / rows) * (1 - 1 / number)
    # Of one row per group √Σs² is the spread of n rows, which ``mean_from`` takes for noise alike.
    spread = math.sqrt(float(np.square(sums).sum()) / (number - 1))
    if spread <= NOISE * largest:
        same = "are all 0" if abs(mean) <= NOISE * largest else "do not vary between groups"
        return Mean(mean, 0.0, number - 1.0, f"the {what} {same}")
    error = spread * math.sqrt(number) / rows
    return Mean(mean, error, degrees_of_freedom(sums))


class GroupFields(TypedDict, total=False):
    """Fields of a comparison that rests on groups, or on rows that depend on each other."""

    assumptions: tuple[str, ...]
    few_units: tuple[str, ...]
    effective_groups: float
    observations: int


def group_fields(groups: Groups) -> GroupFields:
    """What a record says of the groups that it rests on: fields of the record."""
    return {
        "assumptions": (f"{groups.rows} rows in {groups.number} groups",),
        "few_units": few_groups(groups.number),
    }


@comparison(
    "pair",
    "rows",
    forms=(
        Form("mcnemar_groups", "McNemar's test for clustered rows", "McNemar (clustered)", "t"),
    ),
    tasks=CLASSIFICATION,
    allows=("groups", "repeats"),
    measures=CORRECT_ROWS,
)
def mcnemar_groups(
    correct: tuple[npt.ArrayLike, npt.ArrayLike], groups: Groups, question: Question
) -> Comparison:
    """McNemar's test of rows in groups: are two models correct on equally many rows?

    ``correct`` says of each model whether it is correct on a row. Two-sided;
    the effect is the difference of the two shares with the t interval that
    belongs to the test. With one row per group it is the paired t-test of the
    n correct and wrong decisions, and n·t²/(n − 1 + t²) is McNemar's χ² without
    continuity correction, which takes the variance about no difference.

    Args:
        correct: whether each model is correct on each row.
        groups: the group of each row; the rows of different groups are independent.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: t = d̄ / √((G − 1)/G·Σ ((d_g − m_g·d̄)/(n − m_g))²), with d_g the rows of group g that
        only the first model predicts correctly less those that only the second does, m_g of its n =
        Σ m_g rows, d̄ = Σ d_g / n. It has G − 1 df, fewer (Pan & Wall) where some groups carry most
        of the variance
    Assumes: independent groups
    Undefined: both models are correct on the same rows, or the differences are the
        same in every group
    Reference: Durkalski, Palesch, Lipsitz & Rust (2003), doi:10.1002/sim.1438, with
        the jackknife variance of Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181;
        Pan & Wall (2002), doi:10.1002/sim.1142

    >>> groups = Groups.of(pl.Series([1, 1, 2, 2, 3, 3, 4, 4]))
    >>> correct = [1, 1, 1, 0, 1, 1, 1, 1], [1, 0, 1, 0, 0, 1, 1, 0]
    >>> test = mcnemar_groups(correct, groups, Question(("a", "b"), "accuracy"))
    >>> test.estimate, round(test.p_value, 4)
    (0.375, 0.0577)
    """
    a, b = (np.asarray(side, dtype=bool) for side in correct)
    if (a == b).all():
        reason = DECIDED_ALIKE if len(a) else "no rows"
        return question.record("mcnemar_groups", undefined=reason)
    mean = mean_difference_in_groups(a, b, groups)
    return _t_test("mcnemar_groups", mean, groups, question)


@comparison(
    "pair",
    "rows",
    forms=(Form("paired_t_groups", "The t-test for clustered rows", "t (clustered)", "t"),),
    tasks=("regression",),
    allows=("groups", "repeats"),
    measures=MEAN_ERRORS,
)
@comparison(
    "pair",
    "rows",
    forms=(
        Form(
            "paired_cost_groups", "The t-test of costs for clustered rows", "Costs (clustered)", "t"
        ),
    ),
    tasks=("binary", "multiclass"),
    allows=("groups", "repeats"),
    measures=("cost_sensitive_error_rate",),
)
def paired_t_groups(
    losses: tuple[npt.ArrayLike, npt.ArrayLike],
    groups: Groups,
    question: Question,
    name: str = "paired_t_groups",
) -> Comparison:
    """t-test of what each row of groups loses under two models: its error, or a cost.

    Two-sided; the effect is the mean difference with the t interval. With one
    row per group it is the paired t-test.

    Args:
        losses: what each row loses under either model.
        groups: the group of each row; the rows of different groups are independent.
        question: the models, their measure, and the levels of the test and of its interval.
        name: the form that the record has.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Null hypothesis of paired_cost_groups: a row costs the same on average under the
        decisions of both models
    Formula: t = d̄ / √((G − 1)/G·Σ ((d_g − m_g·d̄)/(n − m_g))²), with d_g the sum of the
        differences of the losses in group g, m_g of its n = Σ m_g rows, d̄ = Σ d_g / n.
        It has G − 1 df, fewer (Pan & Wall) where some groups carry most of the variance
    Assumes: independent groups
    Undefined: fewer than two groups, or differences that do not vary between them
    Reference: Bell & McCaffrey (2002), *Survey Methodology* 28, 169-181; Pan & Wall (2002),
        doi:10.1002/sim.1142

    >>> groups = Groups.of(pl.Series([1, 1, 2, 2, 3, 3, 4, 4]))
    >>> losses = (
    ...     [0.1, 0.2, 0.0, 0.4, 0.1, 0.3, 0.2, 0.1],
    ...     [0.3, 0.2, 0.1, 0.7, 0.5, 0.3, 0.4, 0.2],
    ... )
    >>> test = paired_t_groups(losses, groups, Question(("a", "b"), "mean_absolute_error"))
    >>> round(test.estimate, 4), round(test.p_value, 4)
    (-0.1625, 0.0065)
    """
    what = (
        "differences of the costs" if name == "paired_cost_groups" else "differences of the errors"
    )
    return _t_test(name, mean_difference_in_groups(*losses, groups, what), groups, question)


@comparison(
    "pair",
    "rows",
    forms=(
        Form(
            "wilcoxon_groups",
            "Wilcoxon's signed-rank test for clustered rows",
            "Wilcoxon (clustered)",
            "z",
        ),
    ),
    tasks=("regression",),
    allows=("groups", "repeats"),
    measures=("mean_absolute_error",),
)
def wilcoxon_groups(
    first: npt.ArrayLike, second: npt.ArrayLike, groups: Groups, question: Question
) -> Comparison:
    """Wilcoxon's signed-rank test of paired values of rows in groups.

    All differences other than 0 are ranked together; the signs of a group
    change together under the null hypothesis. Two-sided; the effect is the mean
    difference. With one row per group it is the plain test in its normal form,
    ties included.

    Args:
        first: the values of the rows under the first model.
        second: those under the second one.
        groups: the group of each row; the rows of different groups are independent.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: the differences are distributed evenly about zero, the signs of
        a group together
    Formula: z = Σ S_g / √(Σ S_g²), with S_g the sum of the signed ranks of group g
    Assumes: independent groups
    Undefined: the values do not differ, or there are fewer than two groups
    Reference: Rosner, Glynn & Lee (2006), doi:10.1111/j.1541-0420.2005.00389.x

    >>> groups = Groups.of(pl.Series([1, 1, 2, 2, 3, 3, 4, 4]))
    >>> first, second = (
    ...     [0.1, 0.2, 0.0, 0.4, 0.1, 0.3, 0.2, 0.1],
    ...     [0.3, 0.2, 0.1, 0.7, 0.5, 0.3, 0.4, 0.2],
    ... )
    >>> test = wilcoxon_groups(
    ...     first, second, groups, Question(("a", "b"), "mean_absolute_error")
    ... )
    >>> round(test.estimate, 4), round(test.p_value, 4)
    (-0.1625, 0.0507)
    """
    a, b = (np.asarray(side, dtype=np.float64) for side in (first, second))
    if len(groups.sizes) < 2:
        return question.record("wilcoxon_groups", undefined="fewer than two groups")
    sums = groups.sums(signed_ranks(pl.DataFrame({"first": a, "second": b})).to_numpy())
    spread = math.sqrt(float(np.square(sums).sum()))
    if spread == 0:
        return question.record("wilcoxon_groups", undefined="the absolute errors do not differ")
    z = float(sums.sum()) / spread
    return question.record(
        "wilcoxon_groups",
        statistic=z,
        p_value=2 * float(ndtr(-abs(z))),
        estimate=float((a - b).mean()),
        **group_fields(groups),
    )


def errors_in_groups(
    absolute: pl.DataFrame, groups: Groups, question: Question
) -> list[Comparison]:
    """The tests of the errors of two models on rows in groups: of squares, of sizes, of ranks.

    ``absolute`` has the absolute errors, ``first`` and ``second``.
    """
    first, second = (absolute[side].to_numpy() for side in ("first", "second"))
    squares = (first**2, second**2)
    absolutes = replace(question, metric=ABSOLUTE)
    return [
        *mean_errors_in_groups(squares, (first, second), groups, question),
        wilcoxon_groups(first, second, groups, absolutes),
    ]


def mean_errors_in_groups(
    squares: tuple[Floats, Floats],
    absolute: tuple[Floats, Floats],
    groups: Groups,
    question: Question,
    kurtosis: float | None = None,
) -> list[Comparison]:
    """The first two of these tests; ``kurtosis`` is that of rows, where ``groups`` has counts."""
    of_squares = paired_t_groups(squares, groups, replace(question, metric=SQUARED))
    return [
        with_tails(of_squares, squares, groups, kurtosis),
        paired_t_groups(absolute, groups, replace(question, metric=ABSOLUTE)),
    ]


def with_tails(
    record: Comparison,
    squares: tuple[Floats, Floats],
    groups: Groups | None,
    kurtosis: float | None = None,
) -> Comparison:
    """The test of squared errors with what shows heavy tails, of groups or else of rows."""
    if record.undefined is not None:
        return record
    return tails_of(squares, groups, kurtosis).beside(record)


def tails_of(
    losses: tuple[Floats, Floats], groups: Groups | None, kurtosis: float | None = None
) -> Tails:
    """What the losses of two models show of heavy tails, of groups or else of rows.

    The kurtosis is given where they are means of groups.
    """
    if kurtosis is None:
        kurtosis = pl.Series(losses[0] - losses[1]).kurtosis(fisher=False)
    units = groups or Groups(np.arange(len(losses[0])), len(losses[0]))
    return Tails(kurtosis, tuple(_variation_between(units, side) for side in losses))


def _variation_between(groups: Groups, losses: Floats) -> float:
    """Coefficient of variation of the mean loss of a group; 0 where all losses are 0."""
    means = groups.sums(losses) / groups.sizes
    mean = float(means.mean())
    return float(means.std(ddof=1)) / mean if mean > 0 else 0.0


def _t_test(name: str, mean: Mean, groups: Groups, question: Question) -> Comparison:
    if mean.reason:
        return question.record(name, undefined=mean.reason, estimate=mean.value)
    return question.record(name, **mean.test(question.confidence), **group_fields(groups))
