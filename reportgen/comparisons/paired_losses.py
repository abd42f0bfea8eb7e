"""Tests of paired errors and costs: is one model's smaller, row by row?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import polars as pl

from reportgen.comparisons.paired import DIFFERENCE, Mean, mean_difference
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.comparisons.signed_ranks import rank_sums
from reportgen.metric_names import MEAN_ERRORS

SQUARED = "mean_squared_error"
ABSOLUTE = "mean_absolute_error"

OF_ROWS = {"measure": "absolute error"}
"""What the ranks of rows compare: not a mean."""

DIFFERENCES = "differences of the errors"


@comparison(
    "pair",
    "rows",
    forms=(Form("paired_t", "The paired t-test", "Paired t", "t"),),
    tasks=("regression",),
    measures=MEAN_ERRORS,
    needs=Needs(least=10),
)
def paired_errors(
    frame: pl.DataFrame,
    question: Question,
    *,
    truth: str = "truth",
    estimates: tuple[str, str] | None = None,
) -> list[Comparison]:
    """Paired t-tests of the squared and of the absolute errors, and Wilcoxon's of the latter.

    ``estimates`` are the columns, by default those of the models' names. The
    effect of ``paired_t`` is the difference in MSE or in MAE with the t interval, that of
    ``wilcoxon`` the mean difference of the absolute errors. Where the errors of one
    model have far heavier tails, so that their squares have no variance, no number
    of rows makes the t-test of squares hold its level. No test of means does that holds its
    level for all such errors and has power for others (Bahadur & Savage 1956,
    doi:10.1214/aoms/1177728077): what the errors show of their tails is recorded. Few large
    errors weigh far less in the mean of absolute ones.

    Args:
        frame: one row per example: the truth, and an estimate of each model, all numbers.
        question: the models, their measure, and the levels of the test and of its interval.
        truth: the column of the true number.
        estimates: the columns of estimates.

    Returns:
        One record per form: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: t = mean / (s / √n) of the differences of the squared, or absolute, errors,
        n − 1 df
    Assumes: independent rows, and errors of which the rare large ones are in the sample
    Undefined: fewer than two rows, or errors that do not differ or differ by a
        constant
    Reference: Student (1908), doi:10.1093/biomet/6.1.1

    >>> frame = pl.DataFrame(
    ...     {
    ...         "truth": [1.0, 2.0, 3.0, 4.0],
    ...         "a": [1.1, 2.2, 2.9, 4.1],
    ...         "b": [1.5, 1.2, 3.9, 4.4],
    ...     }
    ... )
    >>> tests = paired_errors(frame, Question(("a", "b"), "mean_squared_error"))
    >>> [(test.comparison, round(test.p_value, 4)) for test in tests]
    [('paired_t', 0.0608), ('paired_t', 0.0179), ('wilcoxon', 0.125)]
    """
    a, b = estimates or question.models
    absolute = frame.select(
        first=(pl.col(truth) - pl.col(a)).abs(), second=(pl.col(truth) - pl.col(b)).abs()
    )
    squared, absolutes = (replace(question, metric=name) for name in (SQUARED, ABSOLUTE))
    squares = absolute.select(pl.all() ** 2)
    of_squares, of_sizes = (mean_difference(of, what=DIFFERENCES) for of in (squares, absolute))
    tails = None if of_squares.reason else Tails.of(squares)
    return [
        errors_from(of_squares, tails, squared),
        errors_from(of_sizes, tails and tails.of_models(), absolutes),
        _wilcoxon(absolute, absolutes),
    ]


@dataclass(frozen=True, slots=True)
class Tails:
    """What shows heavy tails of the squared errors of two models.

    ``kurtosis`` is that of their differences, ``variation`` the coefficient of variation of
    the squared errors of each model: √(k − 1) where k is the kurtosis of errors about 0. Of a model
    without any error it is as large as n rows have it, √(n − 1): one of them may have all.
    """

    kurtosis: float | None
    variation: tuple[float, ...]

    @classmethod
    def of(cls, squares: pl.DataFrame) -> Tails:
        """From the squared errors, ``first`` and ``second``, of which some differ.

        >>> Tails.of(pl.DataFrame({"first": [0.0, 2.0], "second": [1.0, 1.0]}))
        Tails(kurtosis=1.0, variation=(1.0, 0.0))
        """
        spread = pl.all().std(ddof=0)
        none = math.sqrt(max(squares.height - 1, 0))
        variation = squares.select(
            pl.when(spread > 0)
            .then(spread / pl.all().mean())
            .otherwise(pl.when(pl.all().max() > 0).then(0.0).otherwise(none))
        )
        kurtosis = squares.select(DIFFERENCE.kurtosis(fisher=False)).item()
        return cls(kurtosis, tuple(map(float, variation.row(0))))

    def of_models(self) -> Tails:
        """What they show of the models' errors alone, not of the differences of their squares."""
        return Tails(None, self.variation)

    def beside(self, test: Comparison) -> Comparison:
        """The test with what shows heavy tails."""
        return test.with_fields(kurtosis=self.kurtosis, group_variation=self.variation)


def errors_from(mean: Mean, tails: Tails | None, question: Question) -> Comparison:
    """The paired t-test of errors from their mean difference, and what shows heavy tails if any."""
    of_squares = _t_test_of("paired_t", mean, question)
    if of_squares.undefined or tails is None:
        return of_squares
    return tails.beside(of_squares)


def undefined_errors(
    question: Question, reason: str, *, grouped: bool, weighted: bool
) -> list[Comparison]:
    """The tests without a value, of rows that are ``grouped`` or ``weighted``."""
    name = "paired_t_groups" if grouped else "paired_t"
    if weighted:
        name = "paired_t_weighted"
    of_both = [replace(question, metric=metric) for metric in (SQUARED, ABSOLUTE)]
    tests = [record for asked in of_both for record in asked.undefined(reason, name)]
    return [*tests, *undefined_ranks(question, reason, grouped=grouped)]


def undefined_ranks(question: Question, reason: str, *, grouped: bool = False) -> list[Comparison]:
    """Wilcoxon's test of the absolute errors without a value."""
    of_ranks = "wilcoxon_groups" if grouped else "wilcoxon"
    return [replace(question, metric=ABSOLUTE).record(of_ranks, undefined=reason, null=OF_ROWS)]


@comparison(
    "pair",
    "rows",
    forms=(Form("paired_cost", "The paired t-test of costs", "Paired t (costs)", "t"),),
    tasks=("binary", "multiclass"),
    measures=("cost_sensitive_error_rate",),
    needs=Needs(least_of_class=10),
)
def paired_costs(losses: pl.DataFrame, question: Question) -> Comparison:
    """Paired t-test of what the decisions of two models cost, row by row.

    ``losses`` has ``first`` and ``second``, what a row costs under either model,
    and may have ``rows``: a line then stands for so many rows. Rows without a
    decision of both models are left out.

    Args:
        losses: what a row costs under either model, ``first`` and ``second``; may have ``rows``.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: a row costs the same on average under the decisions of both
        models
    Formula: t = mean / (s / √n) of the differences of the rows' costs, n − 1 df
    Assumes: independent rows
    Undefined: costs that do not differ, or differ by a constant
    Reference: Student (1908), doi:10.1093/biomet/6.1.1

    >>> losses = pl.DataFrame({"first": [0.0, 1.0, 0.0, 5.0], "second": [1.0, 1.0, 5.0, 5.0]})
    >>> test = paired_costs(losses, Question(("a", "b"), "cost_sensitive_error_rate"))
    >>> test.estimate, round(test.p_value, 4)
    (-1.5, 0.2967)
    """
    costs = losses.select(pl.col("^rows$"), "first", "second").drop_nulls()
    return _t_test("paired_cost", costs, question, "differences of the costs")


def _t_test(test: str, pairs: pl.DataFrame, question: Question, what: str) -> Comparison:
    return _t_test_of(test, mean_difference(pairs, what=what), question)


def _t_test_of(test: str, mean: Mean, question: Question) -> Comparison:
    if mean.reason:
        return question.record(test, undefined=mean.reason)
    n = round(mean.df) + 1
    return question.record(
        test,
        **mean.test(question.confidence),
        few_units=(f"{n} rows; the t distribution is rough below 30",) if n < 30 else (),
    )


def _wilcoxon(absolute: pl.DataFrame, question: Question) -> Comparison:
    sums = rank_sums(absolute)
    if sums.rank_count == 0:
        return undefined_ranks(question, "the absolute errors do not differ")[0]
    return question.record(
        "wilcoxon",
        null=OF_ROWS,
        statistic=min(sums.plus, sums.minus),
        p_value=sums.p(),
        estimate=absolute.select((pl.col("first") - pl.col("second")).mean()).item(),
    )
