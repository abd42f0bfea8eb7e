"""Tests over rows in groups of one model against a claim, and of several models at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from reportgen.array_types import Floats
from reportgen.clusters import (
    Groups,
    correction,
    covariance_of_sum,
    degrees_of_freedom,
    t_quantile,
    variance_of_sum,
)
from reportgen.comparisons.claims import Alternative, claim_fields
from reportgen.comparisons.grouped import GroupFields, group_fields
from reportgen.comparisons.hotelling import hotelling
from reportgen.comparisons.paired import NOISE
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.intervals import normal_quantile
from reportgen.intervals.proportions import wilson_limits
from reportgen.leverage import (
    effective_groups,
    jackknife_sums,
    satterthwaite,
    skewness_of_mean,
    without_skewness,
)
from reportgen.metric_names import CORRECT_ROWS
from reportgen.sample_design import SampleDesign
from reportgen.tasks import CLASSIFICATION


def rao_scott_form(points: int | None, *, weighted: bool) -> str:
    """The form of the Rao–Scott test: of groups, of so many time points, of weighted rows."""
    if weighted:
        return "rao_scott_weighted"
    return "rao_scott" if points is None else "rao_scott_blocks"


@comparison(
    "claim",
    "rows",
    forms=(
        Form(
            "rao_scott_weighted",
            "The Rao–Scott test for weighted rows",
            "Rao–Scott (weighted)",
            "t",
        ),
    ),
    allows=("groups",),
    needs=Needs(paired=False),
)
@comparison(
    "claim",
    "rows",
    forms=(
        Form(
            "rao_scott_blocks",
            "The Rao–Scott test of blocks of time",
            "Rao–Scott (blocks of time)",
            "t",
        ),
    ),
    allows=("time",),
    needs=Needs(paired=False, least=1000),
)
@comparison(
    "claim",
    "rows",
    forms=(Form("rao_scott", "The Rao–Scott test of a proportion", "Rao–Scott", "t"),),
    allows=("groups",),
    needs=Needs(paired=False),
)
def rao_scott(
    counted: npt.ArrayLike,
    design: SampleDesign,
    claim: float,
    question: Question,
    *,
    alternative: Alternative = "greater",
    points: int | None = None,
) -> Comparison:
    """Test of a share of rows in groups against a claimed one.

    ``counted`` says of each row whether it is of the kind that the claim is
    about; ``alternative`` is what would refute the claim; ``points`` is the number of
    time points where the groups are blocks of these. The rows are taken
    as n/D independent ones, with D the design effect: the jackknife variance
    over groups, as large groups pull the share towards themselves. Where few
    groups have most of the rarer kind, a share that misses them has too small
    a variance: the skewness of the groups beyond that of n/D rows corrects it.
    The effect is the share with Wilson's interval of n/D rows and the quantile
    of t. Raises ValueError unless 0 ≤ claim ≤ 1.

    Args:
        counted: whether each row is of the kind that the claim is about.
        design: the group of each row, of which those of different groups are independent, and its
            weight, above 0.
        claim: the claimed share, from 0 to 1.
        question: the models, their measure, and the levels of the test and of its interval.
        alternative: what would refute the claim.
        points: the number of time points where groups are blocks of these.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: the {measure} {claim}
    Formula: t + γ/6 + γt²/3 + γ²t³/27, t = (share − claim) / √(claim·(1 − claim)·D/n),
        with D the jackknife variance of the share over that of n independent rows, γ the
        skewness of the share by groups less that of n/D rows. It has G − 1 df, fewer (Bell &
        McCaffrey; Pan & Wall) where some groups carry most of the variance
    Formula of rao_scott_weighted: the same of the weighted share, with n the rows of equal
        weight that the rows are worth, and the share of a group in the weight for that in the rows
    Assumes: independent groups
    Assumes of rao_scott_blocks: blocks of consecutive time points that are nearly
        independent: an autocorrelation of at most 0.8
    Undefined: fewer than two groups, or all rows or none are counted, as then nothing
        shows how much the rows of a group depend on each other
    Reference: Rao & Scott (1992), doi:10.2307/2532311; Bell & McCaffrey (2002),
        *Survey Methodology* 28, 169-181; Hall (1992), *Journal of the Royal Statistical
        Society B* 54, 221-228; Pan & Wall (2002), doi:10.1002/sim.1142; Korn & Graubard
        (1998), *Survey Methodology* 24, 193-201

    >>> import polars as pl
    >>> design = SampleDesign(groups=Groups.of(pl.Series([1, 1, 2, 2, 3, 3, 4, 4])))
    >>> test = rao_scott([1, 1, 1, 0, 1, 1, 1, 0], design, 0.5, Question(("a",), "accuracy"))
    >>> test.estimate, round(test.p_value, 4)
    (0.75, 0.0702)
    """
    if not 0 <= claim <= 1:
        raise ValueError(f"{claim} is not a proportion")
    successes = np.asarray(counted, dtype=np.float64)
    w, groups = design.weight_of(len(successes)), design.units_of(len(successes))
    name = rao_scott_form(points, weighted=design.weights is not None)
    share = _share(successes, groups, w)
    influence = w * (successes - share)
    if reason := _unclear(successes, influence, groups):
        estimate = None if math.isnan(share) else share
        of_claim = claim_fields(claim, alternative)
        return question.record(
            name, **of_claim, undefined=reason, effect="value", estimate=estimate
        )
    sums = jackknife_sums(groups.sums(influence), groups.sums(w) / groups.total(w))
    df = min(degrees_of_freedom(sums), satterthwaite(groups.sums(w)))
    rows = _independent_rows(share, sums, w, groups)
    t = _statistic(share, claim, rows, sums)
    tails = {"two-sided": 2 * stdtr(df, -abs(t)), "greater": stdtr(df, -t), "less": stdtr(df, t)}
    # Wilson's limits know the quantile over √rows alone: that of t for that of the normal.
    rows *= (normal_quantile(question.confidence) / t_quantile(question.confidence, df)) ** 2
    low, high = wilson_limits(share * rows, rows, question.confidence)
    return question.record(
        name,
        **claim_fields(claim, alternative),
        statistic=None if math.isinf(t) else t,
        df=df,
        p_value=float(tails[alternative]),
        effect="value",
        estimate=share,
        low=low,
        high=high,
        interval="wilson",
        **_dependence(groups, points, design.weights),
    )


def _share(successes: Floats, groups: Groups, weights: Floats) -> float:
    if not len(successes):
        return math.nan
    if groups.counts is None:
        return float(np.average(successes, weights=weights))
    return groups.total(successes * weights) / groups.total(weights)


def _independent_rows(share: float, sums: Floats, weights: Floats, groups: Groups) -> float:
    """How many independent rows the rows are worth: n over the design effect.

    ``sums`` are the jackknife's of the groups.
    """
    whole = groups.total(weights)
    variance = float(np.square(sums).sum()) * (1 - 1 / len(sums)) / whole**2
    effective = whole**2 / groups.total(np.square(weights))
    return share * (1 - share) / variance * correction(effective)


def _statistic(share: float, claim: float, rows: float, sums: Floats) -> float:
    """The t statistic without the skewness of the groups beyond that of independent rows.

    Infinite against a claim of 0 or 1, which any other share refutes.
    """
    error = math.sqrt(claim * (1 - claim) / rows)
    if not error > 0:
        return math.copysign(math.inf, share - claim)
    independent = (1 - 2 * share) / math.sqrt(rows * share * (1 - share))
    return without_skewness((share - claim) / error, skewness_of_mean(sums) - independent)


def _dependence(groups: Groups, points: int | None, weights: Floats | None) -> GroupFields:
    """What the record says of the groups, of the blocks of time, or of the weights."""
    if weights is not None:
        worth = effective_groups(weights)
        note = f"{groups.rows} weighted rows, worth {worth:.0f} of equal weight"
        return {"effective_groups": effective_groups(groups.sums(weights)), "assumptions": (note,)}
    if points is None:
        return {**group_fields(groups), "effective_groups": effective_groups(groups.sizes)}
    blocks = f"{groups.rows} rows in {groups.number} blocks of time"
    return {"observations": points, "assumptions": (blocks,)}


def _unclear(successes: Floats, influence: Floats, groups: Groups) -> str | None:
    """Why a share has no robust variance."""
    if not len(successes):
        return "no rows"
    if groups.number < 2:
        return "fewer than two groups"
    if successes.min() == successes.max():
        return "the proportion is 0 or 1"
    independent = groups.total(np.square(influence)) * correction(groups.rows)
    still = variance_of_sum(influence, groups) <= NOISE * independent
    return "the proportion is the same in every group" if still else None


@comparison(
    "several",
    "rows",
    forms=(
        Form(
            "cochran_groups",
            "Hotelling's test of several accuracies",
            "Hotelling (accuracies)",
            "F",
        ),
    ),
    tasks=CLASSIFICATION,
    allows=("groups", "repeats"),
    measures=CORRECT_ROWS,
)
def cochran_groups(
    correct: Sequence[npt.ArrayLike], groups: Groups, question: Question
) -> Comparison:
    """Are several models correct on equally many of the same rows, or rows in groups?

    Of independent rows each is a group of its own. Unlike Cochran's Q the test allows for models of
    which some are more alike than others. ``correct`` says of each model whether it is correct on a
    row. Hotelling's test of the sums by group of the differences from the last model; of two models
    it is the t-test of group sums. Which pairs differ, ``mcnemar_groups``
    says.

    Args:
        correct: whether each model is correct on each row.
        groups: the group of each row; the rows of different groups are independent.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: all models have the same {measure} in the population
    Formula: F = (G − L + 1)/((G − 1)(L − 1))·T², T² = δ′V⁻¹δ of the L − 1 differences
        δ of the shares, with V = (G − 1)/G·Σ s_g s_g′ of the sums s_g by group of what the
        rows add to them, over 1 − h_g, h_g the share of the group in the rows. It has
        L − 1 and G − L + 1 df, G one more than the mean degrees of freedom (Pan & Wall) of the
        pairs of models where some groups carry most of the variance
    Assumes: independent groups
    Undefined: all models are correct on the same rows, or the models differ alike in all
        groups, or there are not more groups than models
    Reference: Hotelling (1931), doi:10.1214/aoms/1177732979; Bell & McCaffrey (2002),
        *Survey Methodology* 28, 169-181; Pan & Wall (2002), doi:10.1002/sim.1142

    >>> import polars as pl
    >>> groups = Groups.of(pl.Series([1, 1, 2, 2, 3, 3, 4, 4]))
    >>> correct = [[1, 1, 1, 0, 1, 1, 1, 1], [1, 0, 1, 0, 0, 1, 1, 0], [0, 0, 1, 0, 0, 1, 0, 1]]
    >>> test = cochran_groups(correct, groups, Question(("a", "b", "c"), "accuracy"))
    >>> round(test.p_value, 4)
    0.25
    """
    table = np.column_stack([np.asarray(side, dtype=np.float64) for side in correct])
    models, apart = table.shape[1], table[:, :-1] - table[:, -1:]
    del table  # of many models as large as the differences
    if not apart.any():
        return question.record(
            "cochran_groups", undefined="all models are correct on the same rows"
        )
    reason = "the differences are equal in all groups, or there are too few groups"
    if groups.number <= models:
        return question.record("cochran_groups", undefined=reason)
    effect = np.average(apart, axis=0, weights=groups.counts)
    shares = groups.sizes / groups.rows
    apart -= effect
    sums = jackknife_sums(groups.sums(apart) / groups.rows, shares[:, None])
    sums *= 1 - 1 / groups.number
    covariance = covariance_of_sum(sums)
    of_model = np.column_stack([sums, np.zeros(len(sums))])
    freedom = [degrees_of_freedom(a - b) for a, b in combinations(of_model.T, 2)]
    test = hotelling(effect, covariance, float(np.mean(freedom)))
    if test is None:
        return question.record("cochran_groups", undefined=reason)
    return question.record(
        "cochran_groups",
        **test.test(),
        **group_fields(groups),
    )
