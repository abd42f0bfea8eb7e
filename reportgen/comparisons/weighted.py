"""Tests of pairs of models over weighted rows, which a plain test would count."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from reportgen.array_types import Floats
from reportgen.clusters import degrees_of_freedom, degrees_of_freedom_of_powers
from reportgen.comparisons.grouped import with_tails
from reportgen.comparisons.paired import NOISE, Mean
from reportgen.comparisons.paired_losses import ABSOLUTE, SQUARED
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.metric_names import CORRECT_ROWS
from reportgen.sample_design import SampleDesign
from reportgen.tasks import CLASSIFICATION

WEIGHTED_T = "paired_t_weighted"


def weighted_mean_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    design: SampleDesign,
    largest: float | None = None,
) -> Mean:
    """Weighted mean over the rows of first minus second, moved towards 0 by two further rows.

    Args:
        first: What each row counts under the first model.
        second: The same under the second.
        design: Their weights, and the groups of those that depend on each other.
        largest: The largest difference that a row may have; None for the largest observed one.

    The two rows have the largest difference, one for each model, and the weight
    Σw²/Σw: a row that is seldom drawn and heavy may be missing. With equal weights they are
    Bonett and Price's. Sums by group over √(1 − h), h the group's share of the weight, give
    the error.
    Reference: Bonett & Price (2012), doi:10.3102/1076998611411915; Binder (1983),
    *International Statistical Review* 51, 279-292; Bell & McCaffrey (2002), *Survey
    Methodology* 28, 169-181.

    >>> weighted_mean_difference([1, 1, 0, 0], [0, 0, 0, 0], SampleDesign(np.ones(4))).value
    0.3333333333333333
    """
    a, b = (np.asarray(side, dtype=np.float64) for side in (first, second))
    w, groups, counts = design.weight_of(len(a)), design.groups, design.counts
    n = np.ones(len(w)) if counts is None else counts
    apart, total = a - b, float((n * w).sum())
    furthest = float(np.abs(apart).max(initial=0.0))
    largest = furthest if largest is None else largest
    if n.sum() < 2 or not total > 0:
        return Mean(None, 0.0, 0.0, "fewer than two rows")
    if furthest <= NOISE * max(float(np.abs(a).max()), float(np.abs(b).max())):
        return Mean(0.0, 0.0, 0.0, "the models do not differ on any row")
    w = w / total
    heavy = float((n * np.square(w)).sum())
    observed = float((n * w * apart).sum())
    mean = observed / (1 + 2 * heavy)
    rows = w * (apart - mean)
    sums, shares = (rows, w) if groups is None else (groups.sums(rows), groups.sums(w))
    further = heavy * (np.array([largest, -largest]) - mean)
    sums, shares = np.append(sums, further), np.append(shares, [heavy, heavy])
    sums /= (1 + 2 * heavy) * np.sqrt(np.clip(1 - shares / (1 + 2 * heavy), NOISE, 1))
    if counts is not None:
        n = np.append(counts, [1.0, 1.0])
        second, fourth = (float((n * sums**k).sum()) for k in (2, 4))
        df = degrees_of_freedom_of_powers(second, fourth, round(n.sum()))
        return Mean(mean, math.sqrt(second), df, observed=observed)
    error = math.sqrt(float(np.square(sums).sum()))
    return Mean(mean, error, degrees_of_freedom(sums), observed=observed)


def weighted_mean(first: npt.ArrayLike, second: npt.ArrayLike, design: SampleDesign) -> Mean:
    """Weighted mean over the rows of first minus second, such as of squared errors.

    Args:
        first: What each row counts under the first model.
        second: The same under the second.
        design: Their weights, and the groups of those that depend on each other.

    The error is that of sums by group over √(1 − h), h the group's share of the weight; rows
    of equal weight have that of the paired t-test.
    Reference: Binder (1983), *International Statistical Review* 51, 279-292; Bell &
    McCaffrey (2002), *Survey Methodology* 28, 169-181; Pan & Wall (2002), doi:10.1002/sim.1142.

    >>> alike = SampleDesign(np.full(3, 2.0))
    >>> weighted_mean([3.0, 1.0, 2.0], [1.0, 1.0, 1.0], alike).error ** 2 * 3
    1.0
    """
    a, b = (np.asarray(side, dtype=np.float64) for side in (first, second))
    w, groups = design.weight_of(len(a)), design.groups
    if np.count_nonzero(w) < 2:
        return Mean(None, 0.0, 0.0, "fewer than two rows")
    apart, w = a - b, w / w.sum()
    largest = max(float(np.abs(a).max()), float(np.abs(b).max()))
    mean = float((w * apart).sum())
    if float(np.abs(apart - mean).max()) <= NOISE * largest:
        same = "are all 0" if abs(mean) <= NOISE * largest else "do not vary"
        return Mean(mean, 0.0, 0.0, f"the differences of the errors {same}")
    sums, shares = w * (apart - mean), w
    if groups is not None:
        sums, shares = groups.sums(sums), groups.sums(w)
    weighed = shares > 0
    if np.count_nonzero(weighed) < 2:
        return Mean(mean, 0.0, 0.0, "fewer than two groups")
    sums = sums[weighed] / np.sqrt(np.clip(1 - shares[weighed], NOISE, 1))
    return Mean(mean, math.sqrt(float(np.square(sums).sum())), degrees_of_freedom(sums))


@comparison(
    "pair",
    "rows",
    forms=(Form(WEIGHTED_T, "The t-test for weighted rows", "t (weighted)", "t"),),
    tasks=("regression", "multiclass", "multilabel"),
    allows=("groups",),
    needs=Needs(least=20),
)
def weighted_errors(
    absolute: tuple[Floats, Floats], design: SampleDesign, question: Question
) -> list[Comparison]:
    """t-tests of the squared and of the absolute errors of two models on weighted rows.

    Other measures that are means of what rows lose are tested alike (``weighted_losses``).

    Two-sided; the effect is the difference of the weighted means with the t
    interval. Where the errors of one model have far heavier tails, so that their
    squares have no variance, no number of rows makes the test of squares hold its level.

    Args:
        absolute: the absolute errors of either model, by row.
        design: the weight of each row, above 0, and its group where rows are not independent.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record per form: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population that the weights
        stand for
    Formula: t = d̄ / √Σ_g (Σ_{i in g} w_i (d_i − d̄))²/(1 − h_g), with d_i the differences of the
        squared, or absolute, errors, d̄ their weighted mean, w_i the shares of the rows in the
        weight, h_g that of a group, or of a row. It has Pan & Wall's df
    Assumes: independent rows, or independent groups of them, and errors of which the rare large
        ones are in the sample
    Undefined: fewer than two rows or groups, or errors that do not differ or differ by a
        constant
    Reference: Binder (1983), *International Statistical Review* 51, 279-292; Bell &
        McCaffrey (2002), *Survey Methodology* 28, 169-181; Pan & Wall (2002),
        doi:10.1002/sim.1142

    >>> errors = np.array([0.1, 0.2, 0.0, 0.4]), np.array([0.3, 0.2, 0.1, 0.7])
    >>> design = SampleDesign(np.array([1.0, 2.0, 1.0, 1.0]))
    >>> tests = weighted_errors(errors, design, Question(("a", "b"), "mean_squared_error"))
    >>> [round(test.p_value, 4) for test in tests]
    [0.3276, 0.2132]
    """
    squares = (absolute[0] ** 2, absolute[1] ** 2)
    of_squares = _weighted_t(squares, design, replace(question, metric=SQUARED))
    return [
        with_tails(of_squares, squares, design.groups),
        _weighted_t(absolute, design, replace(question, metric=ABSOLUTE)),
    ]


def weighted_losses(
    losses: tuple[Floats, Floats], design: SampleDesign, question: Question
) -> Comparison:
    """The same test of any measure that is a mean of what rows lose, or gain."""
    return with_tails(_weighted_t(losses, design, question), losses, design.groups)


def _weighted_t(
    losses: tuple[Floats, Floats], design: SampleDesign, question: Question
) -> Comparison:
    mean = weighted_mean(*losses, design)
    if mean.reason:
        return question.record(WEIGHTED_T, undefined=mean.reason, estimate=mean.value)
    weights = design.weight_of(len(losses[0]))
    worth = float(weights.sum()) ** 2 / float(np.square(weights).sum())
    notes = (f"{len(weights)} weighted rows, worth {worth:.0f} of equal weight",)
    fields = mean.test(question.confidence)
    return question.record(WEIGHTED_T, **fields, assumptions=notes)


@comparison(
    "pair",
    "rows",
    forms=(
        Form(
            "paired_cost_weighted", "The t-test of costs for weighted rows", "Costs (weighted)", "t"
        ),
    ),
    tasks=("binary", "multiclass"),
    allows=("groups",),
    measures=("cost_sensitive_error_rate",),
    needs=Needs(least_of_class=10),
)
@comparison(
    "pair",
    "rows",
    forms=(
        Form("mcnemar_weighted", "McNemar's test for weighted rows", "McNemar (weighted)", "t"),
    ),
    tasks=CLASSIFICATION,
    allows=("groups",),
    measures=CORRECT_ROWS,
)
def weighted_t(
    sides: tuple[npt.ArrayLike, npt.ArrayLike],
    design: SampleDesign,
    question: Question,
    name: str = "mcnemar_weighted",
) -> Comparison:
    """t-test of what weighted rows count under two models: a correct decision, a cost.

    ``sides`` have a number for each row and model. Two-sided; the effect is the weighted mean
    difference. Its t interval, to which the test belongs, is about a mean with two further rows
    (``weighted_mean_difference``), nearer to 0.

    Args:
        sides: a number for each row and model.
        design: the weight of each row, above 0, and its group where rows are not independent.
        question: the models, their measure, and the levels of the test and of its interval.
        name: the form that the record has.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population that the weights
        stand for
    Formula: t = Σ w_i d_i / √Σ_g (Σ_{i in g} w_i (d_i − d̄))²/(1 − h_g), with d_i the differences
        of the rows and of two further ones, of ± the largest difference and the weight
        Σw²/Σw, d̄ their weighted mean, h_g the share of a group, or of a row, in the weight.
        It has Pan & Wall's df
    Assumes: independent rows, or independent groups of them
    Undefined: the models do not differ on any row, or there are fewer than two
    Reference: Bonett & Price (2012), doi:10.3102/1076998611411915; Binder (1983),
        *International Statistical Review* 51, 279-292; Bell & McCaffrey (2002), *Survey
        Methodology* 28, 169-181; Pan & Wall (2002), doi:10.1002/sim.1142

    >>> correct = [1, 1, 1, 0, 1, 1], [1, 0, 1, 0, 0, 1]
    >>> design = SampleDesign(np.array([1.0, 2.0, 1.0, 1.0, 1.0, 2.0]))
    >>> test = weighted_t(correct, design, Question(("a", "b"), "accuracy"))
    >>> round(test.estimate, 4), round(test.p_value, 4)
    (0.375, 0.3598)
    """
    mean = weighted_mean_difference(*sides, design)
    if mean.reason:
        return question.record(name, undefined=mean.reason, estimate=mean.value)
    w = design.weight_of(len(np.asarray(sides[0])))
    n = np.ones(len(w)) if design.counts is None else design.counts
    effective = float((n * w).sum()) ** 2 / float((n * np.square(w)).sum())
    notes = (f"{round(n.sum())} weighted rows, worth {effective:.0f} of equal weight",)
    return question.record(name, **mean.test(question.confidence), assumptions=notes)
