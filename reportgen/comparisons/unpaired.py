"""Two models that were evaluated on rows of their own: nothing is paired."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, TypedDict

import numpy as np
import polars as pl
from scipy.special import gammaln, ndtr

from reportgen.comparisons.paired import NOISE, Mean
from reportgen.comparisons.records import Comparison, LimitsAt, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.intervals import newcombe, normal_quantile
from reportgen.metric_names import CORRECT_ROWS
from reportgen.tasks import CLASSIFICATION

LEAST_EXPECTED = 5
"""Below so many expected rows of either kind the normal approximation is rough."""


class ShareEffect(TypedDict):
    """Fields of a comparison of two proportions: their difference and its interval."""

    estimate: float
    low: float
    high: float
    interval: str
    limits_at: LimitsAt
    assumptions: tuple[str, ...]


@comparison(
    "pair",
    "samples",
    forms=(
        Form("two_proportions", "The two-proportion z-test", "Two proportions (z)", "z"),
        Form("fisher", "Fisher's exact test", "Fisher (exact)"),
    ),
    tasks=CLASSIFICATION,
    measures=CORRECT_ROWS,
    needs=Needs(paired=False),
)
def two_proportions(
    successes: tuple[int, int], rows: tuple[int, int], question: Question
) -> list[Comparison]:
    """Pooled z-test and Fisher's exact test of two shares from independent samples.

    The effect is p₁ − p₂ with Newcombe's interval. Not for two models on the
    same rows: pair those. Raises ValueError unless 0 ≤ successes ≤ rows.

    Args:
        successes: the number of successes in either sample.
        rows: the number of rows of either sample.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record per form: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: z = (p₁ − p₂) / √(p(1 − p)(1/n₁ + 1/n₂)) of two samples, p the pooled share
    Formula of fisher: p = sum of the probabilities of all tables with these margins
        that are no likelier
    Assumes: independent rows, and no example in both samples
    Undefined: a sample without rows; the z-test where both shares are 0 or both 1
    Reference: Fleiss, Levin & Paik (2003), *Statistical Methods for Rates and
        Proportions*, 3.1, doi:10.1002/0471445428
    Reference of fisher: Fisher (1935), doi:10.2307/2342435

    >>> tests = two_proportions(
    ...     (90, 80), (100, 100), Question(("a", "b"), "accuracy", unit="samples")
    ... )
    >>> [round(test.p_value, 4) for test in tests]
    [0.0477, 0.0734]
    """
    if not all(0 <= x <= n for x, n in zip(successes, rows, strict=True)):
        raise ValueError(f"{successes} of {rows} are not proportions")
    if min(rows) == 0:
        return question.undefined("a sample without rows", "two_proportions", "fisher")
    limits_at = partial(newcombe, successes[0], rows[0], successes[1], rows[1])
    low, high = limits_at(question.confidence)
    difference = successes[0] / rows[0] - successes[1] / rows[1]
    effect: ShareEffect = {
        "estimate": difference,
        "low": low,
        "high": high,
        "interval": "newcombe",
        "limits_at": limits_at,
        "assumptions": (f"{rows[0]} and {rows[1]} independent rows",),
    }
    tested = pooled_z(successes, rows)
    exact = question.record("fisher", p_value=fisher_p(successes, rows), **effect)
    if tested is None:
        reason = "both proportions are 0, or both are 1"
        record = question.record("two_proportions", **effect)
        return [record.with_fields(undefined=reason), exact]
    rough = ("fewer than 5 expected in a cell: use Fisher's test",)
    return [
        question.record(
            "two_proportions",
            statistic=tested.z,
            p_value=tested.p_value,
            caveats=rough if tested.rough else (),
            **effect,
        ),
        exact,
    ]


@dataclass(frozen=True, slots=True)
class PooledZ:
    """The pooled z-test of two shares: two-sided p, and whether the approximation is rough."""

    z: float
    p_value: float
    rough: bool


def pooled_z(successes: tuple[float, float], rows: tuple[float, float]) -> PooledZ | None:
    """Z = (p₁ − p₂)/√(p(1 − p)(1/n₁ + 1/n₂)) of two shares from independent rows.

    p is the pooled share. Rough where fewer than 5 rows of either kind are
    expected in a sample. None where a sample has no rows, or the shares are
    both 0 or both 1. Agresti (2013), *Categorical Data Analysis*, 3.2.

    >>> tested = pooled_z((15, 30), (50, 50))
    >>> round(tested.p_value, 6), tested.rough
    (0.002569, False)
    >>> pooled_z((0, 0), (50, 40)) is None
    True
    """
    if min(rows) <= 0 or sum(successes) in {0, sum(rows)}:
        return None
    pooled = sum(successes) / sum(rows)
    error = math.sqrt(pooled * (1 - pooled) * (1 / rows[0] + 1 / rows[1]))
    z = (successes[0] / rows[0] - successes[1] / rows[1]) / error
    rough = min(min(pooled, 1 - pooled) * n for n in rows) < LEAST_EXPECTED
    return PooledZ(z, 2 * float(ndtr(-abs(z))), rough)


@comparison(
    "pair",
    "samples",
    forms=(Form("two_aucs", "The test of two independent AUCs", "Two independent AUCs (z)", "z"),),
    tasks=("binary",),
    measures=("auc",),
    needs=Needs(paired=False),
)
def two_aucs(
    areas: tuple[float, float], variances: tuple[float, float], question: Question
) -> Comparison:
    """z-test of two AUCs from independent samples, with DeLong's variance of each.

    Not for two models on the same rows: ``delong`` uses their covariance.

    Args:
        areas: the AUC of either sample.
        variances: the variance of either AUC.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same {measure} in the population
    Formula: z = (AUC₁ − AUC₂) / √(V₁ + V₂), with DeLong's variance of each sample
    Assumes: independent rows, and no example in both samples
    Undefined: neither AUC has a variance, or a class has fewer than two rows
    Reference: Hanley & McNeil (1982), doi:10.1148/radiology.143.1.7063747; DeLong
        et al. (1988), doi:10.2307/2531595

    >>> test = two_aucs(
    ...     (0.9, 0.8), (0.0004, 0.0009), Question(("a", "b"), "auc", unit="samples")
    ... )
    >>> round(test.p_value, 4)
    0.0055
    """
    difference, variance = areas[0] - areas[1], sum(variances)
    record = question.record("two_aucs")
    if math.isnan(variance):
        return record.with_fields(undefined="a class has fewer than two rows")
    if variance <= 0:
        return record.with_fields(undefined="neither AUC varies", estimate=difference)
    error = math.sqrt(variance)
    half_width = normal_quantile(question.confidence) * error
    return question.record(
        "two_aucs",
        statistic=difference / error,
        p_value=2 * float(ndtr(-abs(difference) / error)),
        estimate=difference,
        low=max(difference - half_width, -1.0),
        high=min(difference + half_width, 1.0),
        interval="delong",
    )


@comparison(
    "pair",
    "samples",
    forms=(
        Form("welch_t", "Welch's two-sample t-test", "Welch t (two samples)", "t"),
        Form("two_sample_t", "The two-sample t-test", "Student t (two samples)", "t"),
    ),
    measures=("mean_squared_error",),
    needs=Needs(paired=False),
)
def two_sample_t(first: pl.Series, second: pl.Series, question: Question) -> list[Comparison]:
    """t-tests of two independent samples of values, such as repeats with different seeds.

    The effect is the difference of the means with the t interval.

    Args:
        first: the values of one sample.
        second: those of the other one.
        question: the models, their measure, and the levels of the test and of its interval.

    Returns:
        One record per form: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: both models have the same expected {measure}
    Formula: t = difference of means / √(s₁²/n₁ + s₂²/n₂), Satterthwaite's df
    Formula of two_sample_t: t = difference of means / √(s²(1/n₁ + 1/n₂)), s² pooled,
        n₁ + n₂ − 2 df
    Assumes: independent values, and no example in both samples
    Undefined: fewer than two values in a sample, a missing one, or samples that do
        not vary
    Reference: Welch (1947), doi:10.1093/biomet/34.1-2.28
    Reference of two_sample_t: Student (1908), doi:10.1093/biomet/6.1.1

    >>> first, second = pl.Series([0.9, 0.8, 0.85, 0.87]), pl.Series([0.8, 0.75, 0.7, 0.72])
    >>> tests = two_sample_t(first, second, Question(("a", "b"), "auc", unit="samples"))
    >>> [(test.comparison, round(test.p_value, 4)) for test in tests]
    [('welch_t', 0.0099), ('two_sample_t', 0.0099)]
    """
    parts = [_moments(sample) for sample in (first, second)]
    if reason := _unusable(*parts):
        return question.undefined(reason, "welch_t", "two_sample_t")
    a, b = parts
    each = a.variance / a.n, b.variance / b.n
    welch = sum(each) ** 2 / (each[0] ** 2 / (a.n - 1) + each[1] ** 2 / (b.n - 1))
    df = a.n + b.n - 2.0
    pooled = ((a.n - 1) * a.variance + (b.n - 1) * b.variance) / df
    common = math.sqrt(pooled * (1 / a.n + 1 / b.n))
    forms = {
        "welch_t": Mean(a.mean - b.mean, math.sqrt(sum(each)), welch),
        "two_sample_t": Mean(a.mean - b.mean, common, df),
    }
    seen = (f"{a.n} and {b.n} independent values",)
    return [
        question.record(name, **mean.test(question.confidence), assumptions=seen)
        for name, mean in forms.items()
    ]


@dataclass(frozen=True, slots=True)
class _Moments:
    n: int
    empty: int
    mean: float
    variance: float
    largest: float


def _moments(sample: pl.Series) -> _Moments:
    value = pl.col("v")
    moments = sample.to_frame("v").select(
        pl.len(),
        value.null_count().alias("empty"),
        m=value.mean(),
        v=value.var(),
        largest=value.abs().max(),
    )
    return _Moments(*moments.row(0))


def _unusable(a: _Moments, b: _Moments) -> str | None:
    if a.empty or b.empty:
        return "a value is missing"
    if min(a.n, b.n) < 2:
        return "fewer than two values in a sample"
    still = max(a.variance, b.variance) <= (NOISE * max(a.largest, b.largest)) ** 2
    return "neither sample varies" if still else None


def fisher_p(successes: tuple[int, int], rows: tuple[int, int]) -> float:
    """Two-sided p of Fisher's exact test: all tables with the same margins that are no likelier."""
    total, (n1, n2) = sum(successes), rows
    x = np.arange(max(0, total - n2), min(total, n1) + 1, dtype=np.float64)

    def chosen(n: int, k: np.ndarray[Any, np.dtype[np.float64]] | float) -> Any:
        return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)

    log = chosen(n1, x) + chosen(n2, total - x) - chosen(n1 + n2, float(total))
    seen = log[successes[0] - int(x[0])]
    return min(1.0, float(np.exp(log[log <= seen + 1e-7]).sum()))
