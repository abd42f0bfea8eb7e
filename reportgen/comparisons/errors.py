"""Tests of paired errors and costs: is one model's smaller, row by row?"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from reportgen.comparisons.kinds import comparison
from reportgen.comparisons.paired import mean_difference
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.signed_ranks import rank_sums

_T_NULL = "the two models have the same mean squared error in the population"
_COST_NULL = "a row costs the same on average under the decisions of both models"
_W_NULL = "the differences of the absolute errors are distributed evenly about zero"


@comparison({"paired_t": "The paired t-test"}, "pair", "rows", symbol="t")
def paired_errors(
    frame: pl.DataFrame,
    a: str,
    b: str,
    models: tuple[str, str] | None = None,
    *,
    truth: str = "truth",
    alpha: float = 0.05,
    confidence: float = 0.95,
    caveats: tuple[str, ...] = (),
) -> list[Comparison]:
    """Paired t-test of the squared errors and Wilcoxon's test of the absolute errors.

    Both two-sided, for independent rows. ``paired_t``: t with n − 1 degrees of
    freedom on the differences of squared errors, its effect the difference in
    MSE with the t interval; recommended. ``wilcoxon``: signed ranks, zeros
    dropped, normal approximation with correction for ties; its effect is the
    mean difference of the absolute errors. Undefined when the errors do not
    differ or differ by a constant.
    Student (1908), doi:10.1093/biomet/6.1.1; Wilcoxon (1945), doi:10.2307/3001968.
    """
    absolute = frame.select(
        first=(pl.col(truth) - pl.col(a)).abs(), second=(pl.col(truth) - pl.col(b)).abs()
    )
    names = models or (a, b)
    question = Question(names, "mean_squared_error", alpha, confidence, caveats=caveats)
    return [
        _t_test(
            "paired_t",
            _T_NULL,
            absolute.select(pl.all() ** 2),
            question,
            "differences of the errors",
        ),
        _wilcoxon(absolute, replace(question, metric="mean_absolute_error")),
    ]


def undefined_errors(models: tuple[str, str], reason: str, alpha: float) -> list[Comparison]:
    """The two tests without a value."""
    kinds = (
        ("paired_t", "mean_squared_error", _T_NULL),
        ("wilcoxon", "mean_absolute_error", _W_NULL),
    )
    return [
        Question(models, metric, alpha).record(test, null).undefined_because(reason)
        for test, metric, null in kinds
    ]


@comparison({"paired_cost": "The paired t-test of costs"}, "pair", "rows", symbol="t")
def paired_costs(
    frame: pl.DataFrame,
    a: pl.Expr,
    b: pl.Expr,
    models: tuple[str, str],
    *,
    alpha: float = 0.05,
    confidence: float = 0.95,
    caveats: tuple[str, ...] = (),
) -> Comparison:
    """Paired t-test of what the decisions of two models cost, from an expression per row.

    Where the frame has a column ``rows``, a line of it stands for so many rows.

    Null hypothesis: the mean cost of a row is the same. Two-sided, for
    independent rows; rows without a decision of both models are left out.
    Undefined when the costs do not differ, or differ by a constant.
    Student (1908), doi:10.1093/biomet/6.1.1.
    """
    costs = frame.select(pl.col("^rows$"), first=a, second=b).drop_nulls()
    question = Question(models, "cost_sensitive_error_rate", alpha, confidence, caveats=caveats)
    return _t_test("paired_cost", _COST_NULL, costs, question, "differences of the costs")


def undefined_costs(models: tuple[str, str], reason: str, alpha: float) -> Comparison:
    """The test of costs without a value."""
    question = Question(models, "cost_sensitive_error_rate", alpha)
    return question.record("paired_cost", _COST_NULL).undefined_because(reason)


def _t_test(test: str, null: str, pairs: pl.DataFrame, question: Question, what: str) -> Comparison:
    mean = mean_difference(pairs, what=what)
    if mean.reason:
        return question.record(test, null).undefined_because(mean.reason)
    n = round(mean.df) + 1
    return question.record(
        test,
        null,
        **mean.test(question.confidence),
        standing="recommended",
        caveats=(f"{n} rows; the t distribution is rough below 30",) if n < 30 else (),
    )


def _wilcoxon(absolute: pl.DataFrame, question: Question) -> Comparison:
    sums = rank_sums(absolute)
    if sums.ranked == 0:
        record = question.record("wilcoxon", _W_NULL)
        return record.undefined_because("the absolute errors do not differ")
    return question.record(
        "wilcoxon",
        _W_NULL,
        statistic=min(sums.plus, sums.minus),
        p_value=sums.normal_p(),
        estimate=absolute.select((pl.col("first") - pl.col("second")).mean()).item(),
    )
