"""Two models on rows in groups and in order of time: patients over months, machines over days.

Rows of a group may depend on each other whenever they are, and so may all rows of a time
point and of those near it. What the rows add to an effect then varies by as much as the sums by
group and those by time point do together, less what both count: rows of one group and point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from reportgen.array_types import Floats, Integers
from reportgen.clustered_areas import ClassesByGroup
from reportgen.clusters import Groups, variance_of_sum
from reportgen.comparisons.area_covariances import (
    RANKED_ALIKE,
    AreaCovariance,
    placement_shares,
    variance_of_difference,
)
from reportgen.comparisons.areas_in_time import added_by_rows
from reportgen.comparisons.diebold_mariano import (
    TOO_SHORT,
    LongRun,
    autocorrelation,
    cosine_transforms,
    in_time,
    long_run_test,
    spectrum_falls,
    worth_little,
)
from reportgen.comparisons.grouped import mean_difference_in_groups
from reportgen.comparisons.paired import NOISE
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.comparisons.wording import few_groups
from reportgen.metric_names import CORRECT_ROWS, MEAN_ERRORS

LEAST = 90
"""Time points from which the test of losses holds its level."""

MOST = 64
"""Frequencies at which sums by group are transformed, at most: each costs a pass over the rows."""


@dataclass(frozen=True, slots=True)
class Clustered:
    """The variance of an effect where groups are independent, and its degrees of freedom."""

    variance: float
    df: float


@comparison(
    "pair",
    "rows",
    forms=(
        Form(
            "diebold_mariano_groups",
            "The Diebold–Mariano test for clustered rows",
            "Diebold–Mariano (clustered)",
            "t",
            ("steady losses",),
        ),
    ),
    allows=("groups", "time"),
    measures=(*CORRECT_ROWS, *MEAN_ERRORS),
    needs=Needs(least=LEAST),
)
def diebold_mariano_groups(losses: pl.DataFrame, groups: Groups, question: Question) -> Comparison:
    """Diebold and Mariano's test of the mean losses of two models on rows in groups over time.

    ``losses`` has ``point``, the place of each row in time, and ``first`` and ``second``; the
    effect is the mean over the rows of first minus second, with the t interval that agrees with
    p. Of 5 and 12 groups at each of 90 time points it rejects 0 to 4 % of true nulls where rows
    of a group, or of time points near each other, depend on each other, or both; the test
    for clustered rows rejects up to 65 %, that in order of time up to 20 %.

    Args:
        losses: one line per row, with its place in time and both losses.
        groups: the group of each row.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} over groups and time
    Formula: t = d̄ / √(G + max(T − A, 0)) for the differences d of the losses: G the variance of d̄
        that leaves out one group at a time (CR3), T its long-run variance over the number n of time
        points, the mean over B frequencies of nSZ², A that of nS·Σ (z − hZ)²/(1 − Σh²), Z the
        cosine transforms of the sums by point of what rows add to d̄, z those of each group, h its
        share of the rows, S the fall of the spectrum. Where T > 2A the variance is max(G, T, G + T
        − C), C from the sums by group and point. It has as many df as the fewer of those of G and B
    Assumes: groups that are independent of each other but for what they share at a time point, and
        differences that are stationary
    Undefined: fewer than two groups or three time points, or losses that do not differ or
        differ by a constant
    Reference: Thompson (2011), doi:10.1016/j.jfineco.2010.08.016; Cameron, Gelbach & Miller
        (2011), doi:10.1198/jbes.2010.07136; Lazarus, Lewis, Stock & Watson (2018),
        doi:10.1080/07350015.2018.1506926

    >>> rows = pl.DataFrame({"point": range(60), "first": [0.1, 0.3, 0.2] * 20})
    >>> rows = rows.with_columns(second=pl.col("first").reverse() + pl.col("point") % 4 / 20)
    >>> groups = Groups.of(pl.Series(range(60)) % 7)
    >>> test = diebold_mariano_groups(rows, groups, Question(("a", "b"), "mean_absolute_error"))
    >>> round(test.estimate, 4), round(test.df, 2)
    (-0.075, 6.0)
    """
    name = "diebold_mariano_groups"
    first, second = (losses[side].cast(pl.Float64) for side in ("first", "second"))
    known = (first.is_not_null() & second.is_not_null()).to_numpy()
    of_groups = groups.among(known)
    sides = [side.to_numpy()[known] for side in (first, second)]
    mean = mean_difference_in_groups(sides[0], sides[1], of_groups, "differences of the losses")
    if mean.reason or mean.value is None:
        why = mean.reason or "no row has both losses"
        return question.record(name, undefined=why, estimate=mean.value)
    added = (sides[0] - sides[1] - mean.value) / known.sum()
    point = losses["point"].to_numpy()[known]
    clustered = Clustered(mean.error**2, mean.df)
    together = in_panel(added, of_groups, point, clustered)
    return _tested(name, question, mean.value, together, of_groups)


@comparison(
    "pair",
    "rows",
    forms=(
        Form(
            "delong_groups_long_run",
            "DeLong's test for clustered rows with a long-run variance",
            "DeLong (clustered, long-run)",
            "t",
        ),
    ),
    tasks=("binary",),
    allows=("groups", "time"),
    measures=("auc",),
    needs=Needs(least=200, least_of_class=100),
)
def delong_groups_long_run(scores: pl.DataFrame, groups: Groups, question: Question) -> Comparison:
    """Test that two models have the same AUC, of rows in groups and in order of time.

    ``scores`` has ``point``, the place of each row in time, the Boolean ``truth``, and the scores
    ``first`` and ``second``. The variance is Obuchowski's and, of the same components, the
    long-run one, together as in ``diebold_mariano_groups``. With 200 time points or more, 100
    or more rows of the rarer class and 10 groups or more it rejects 1 to 5 % of true nulls where
    scores and classes of a point depend on those before with an autocorrelation of up to 0.8, up
    to 7 % at 0.9.

    Args:
        scores: one line per row, with its place in time, its truth and both scores.
        groups: the group of each row.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} over groups and time
    Formula: t = (AUC₁ − AUC₂) / √max(G, T, G + T − C): G Obuchowski's variance of the difference, T
        its long-run variance over the number of time points, from the sums by point of (V₁ − V₂ −
        AUC₁ + AUC₂) / (rows of its class), V the share of the other class that a row is ranked
        correctly against, C the variance from the sums of these by group and point. It has as many
        df as the fewer of those of G and of T
    Assumes: groups that are independent of each other but for what they share at a time point, and
        scores and truth that are stationary
    Undefined: fewer than three time points, a class in fewer than two groups, or rows ranked
        alike
    Reference: Obuchowski (1997), doi:10.2307/2533958; Thompson (2011),
        doi:10.1016/j.jfineco.2010.08.016; Lazarus, Lewis, Stock & Watson (2018),
        doi:10.1080/07350015.2018.1506926

    >>> rows = pl.DataFrame({"point": range(60), "truth": [True, False, False] * 20})
    >>> of_row = pl.col("point")
    >>> rows = rows.with_columns(first=of_row * 7 % 11, second=of_row * 5 % 13)
    >>> groups = Groups.of(rows["point"] % 7)
    >>> test = delong_groups_long_run(rows, groups, Question(("a", "b"), "auc"))
    >>> round(test.estimate, 4), round(test.df, 2)
    (0.0469, 4.0)
    """
    name = "delong_groups_long_run"
    known = scores.select(pl.all_horizontal(pl.all().is_not_null())).to_series().to_numpy()
    rows, of_groups = scores.filter(known), groups.among(known)
    positive = rows["truth"].to_numpy()
    placed = [
        placement_shares(rows[side].cast(pl.Float64).to_numpy(), positive)
        for side in ("first", "second")
    ]
    first, second = placed
    if first is None or second is None:
        return question.record(name, undefined="a class has no rows")
    shares = np.column_stack([first, second])
    areas = shares[positive].mean(axis=0)
    classes = ClassesByGroup(positive, of_groups)
    together = AreaCovariance.in_groups(areas, shares - areas, classes)
    estimate, variance = float(areas[0] - areas[1]), variance_of_difference(together.covariance)
    if math.isnan(variance):
        return question.record(name, undefined="a class is in fewer than two groups")
    added = added_by_rows(first - second, positive)
    if len(rows) * np.abs(added).max() <= NOISE:
        return question.record(name, undefined=RANKED_ALIKE)
    clustered = Clustered(variance, together.degrees_of_freedom((0, 1)))
    both = in_groups_and_time(added, of_groups, rows["point"].to_numpy(), clustered)
    return _tested(name, question, estimate, both, of_groups, bounds=(-1, 1))


def _tested(
    name: str,
    question: Question,
    estimate: float,
    together: LongRun | None,
    groups: Groups,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Comparison:
    """The test of an effect from its variance over groups and time."""
    if together is None:
        return question.record(name, undefined=TOO_SHORT)
    return described(long_run_test(name, question, estimate, together, bounds), groups)


def described(record: Comparison, groups: Groups) -> Comparison:
    """A test over time, with what it says of the groups."""
    return replace(
        record,
        assumptions=(f"{groups.rows} rows in {groups.number} groups", *record.assumptions),
        few_units=few_groups(groups.number),
    )


def in_groups_and_time(
    added: Floats, groups: Groups, point: Integers, clustered: Clustered
) -> LongRun | None:
    """The variance of a sum of what rows add where groups and time points vary together."""
    long_run = in_time(added, point)
    if long_run is None:
        return None
    of_points = long_run.variance / long_run.points
    places = point.astype(np.int64)
    cells = Groups.of(pl.Series(groups.code * (places.max() + 1) + places))
    both = variance_of_sum(added, cells)
    variance = max(clustered.variance, of_points, clustered.variance + of_points - both)
    return replace(long_run, variance=variance * long_run.points, df=min(clustered.df, long_run.df))


def in_panel(
    added: Floats, groups: Groups, point: Integers, clustered: Clustered
) -> LongRun | None:
    """The variance of a sum where rows of a group, and rows near in time, depend on each other.

    That of independent groups, and what the sums by time point vary by beyond it at each of
    the frequencies of ``long_run_variance``. Groups have a variance there as they have at
    frequency 0, whatever their rows depend on: their own persistence is counted once. Where
    time points add more than groups have there, as ``in_groups_and_time``.
    """
    _, at = np.unique(point, return_inverse=True)
    points = int(at.max()) + 1
    if points < 3:
        return None
    by_point = np.bincount(at, added, points).astype(np.float64)
    rho = autocorrelation(by_point)
    falls = spectrum_falls(points, rho)[:MOST]
    whole = cosine_transforms(by_point, len(falls))
    share = groups.sizes / groups.rows
    own = np.empty(len(falls))
    for k in range(len(falls)):
        cosine = math.sqrt(2 / points) * np.cos(math.pi * (k + 1) * (at + 0.5) / points)
        own[k] = np.square(groups.sums(added * cosine) - share * whole[k]).sum()
    own /= max(1 - float(share @ share), NOISE)
    of_groups = points * float((falls * own).mean())
    shared = max(points * float((falls * np.square(whole)).mean()) - of_groups, 0.0)
    if shared > of_groups:
        return in_groups_and_time(added, groups, point, clustered)
    df = min(clustered.df, len(falls))
    adds = "add to the variance" if shared else "add nothing to the variance between groups"
    how = f", which {adds}; autocorrelation of up to {rho:.2f}, {len(falls)} cosine weights"
    variance = points * (clustered.variance + shared)
    return LongRun(points, variance, df, 1.0, how, worth_little(points, rho) if shared else ())
