"""One model against a claim: the binomial test of a rate, and the t-test of a mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypedDict

import polars as pl
from scipy.special import bdtr, bdtrc, gammaln, stdtr, stdtrit, xlog1py, xlogy

from reportgen.comparisons.folds import above_guessing, of_one_repeat
from reportgen.comparisons.paired import NOISE
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.comparisons.wording import plain
from reportgen.intervals import clopper_pearson
from reportgen.tables.comparisons import RefutingSide

Alternative = Literal["two-sided", "greater", "less"]

_NULLS = {"two-sided": "is", "greater": "is at most", "less": "is at least"}
_SIDES: dict[Alternative, RefutingSide | None] = {
    "two-sided": None,
    "greater": "above",
    "less": "below",
}


@comparison(
    "claim",
    "rows",
    forms=(Form("binomial", "The binomial test", "Binomial (exact)", "x"),),
    needs=Needs(paired=False, least=1),
)
def binomial(
    successes: int,
    rows: int,
    claim: float,
    question: Question,
    *,
    alternative: Alternative = "greater",
) -> Comparison:
    """Binomial test of a rate against a claimed one: ``successes`` of ``rows``.

    ``alternative`` is what would refute the claim: a rate that is greater, less,
    or other. For ``greater`` the critical rate is the smallest c/m with
    P(X > c; m, claim) < α: an observed rate above it rejects. The effect is the
    rate with its Clopper–Pearson interval. Raises ValueError unless
    0 ≤ successes ≤ rows and 0 ≤ claim ≤ 1.

    Args:
        successes: how many rows are of the kind that the claim is about.
        rows: how many rows there are.
        claim: the claimed rate, from 0 to 1.
        question: the models, their measure, and the levels of the test and of its interval.
        alternative: what would refute the claim.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: the {measure} {claim}
    Formula: p = P(X ≥ x; m, claim) for a rate that is claimed to be at most so high,
        P(X ≤ x) for one at least so high, else the sum over all outcomes that are no
        likelier. The critical rate is the least c/m with P(X > c) < α
    Assumes: independent rows
    Undefined: no rows
    Reference: Zhou (2016), *Machine Learning*, 2.4.1, solved for c and not for ε;
        Clopper & Pearson (1934), doi:10.1093/biomet/26.4.404

    >>> test = binomial(8, 100, 0.05, Question(("a",), "error_rate"))
    >>> round(test.p_value, 4), test.estimate
    (0.128, 0.08)
    """
    if not (0 <= successes <= rows and 0 <= claim <= 1):
        raise ValueError(f"{successes} of {rows} against {claim} is not a binomial test")
    if rows == 0:
        return question.record("binomial", **claim_fields(claim, alternative), undefined="no rows")
    low, high = clopper_pearson(successes, rows, question.confidence)
    return question.record(
        "binomial",
        **claim_fields(claim, alternative),
        statistic=float(successes),
        p_value=binomial_p(successes, rows, claim, alternative),
        effect="value",
        estimate=successes / rows,
        low=low,
        high=high,
        interval="clopper_pearson",
        critical=critical_rate(rows, claim, question.alpha) if alternative == "greater" else None,
        assumptions=(f"{rows} rows",),
    )


def binomial_p(successes: int, rows: int, claim: float, alternative: Alternative) -> float:
    """The p-value of ``binomial``; the two-sided one sums outcomes at most as likely."""
    if alternative == "greater":
        return _above(successes - 1, rows, claim)
    if alternative == "less":
        return _up_to(successes, rows, claim)
    if claim in (0.0, 1.0):
        return 1.0 if successes == rows * claim else 0.0
    counts = pl.int_range(rows + 1, eager=True).cast(pl.Float64)
    log_coefficient = gammaln(rows + 1.0) - gammaln(counts + 1) - gammaln(rows - counts + 1)
    log = log_coefficient + xlogy(counts, claim) + xlog1py(rows - counts, -claim)
    outcomes = counts.to_frame("c").filter(pl.Series(log <= log[successes] + 1e-7))["c"]
    below, above = (
        outcomes.filter(outcomes <= rows * claim),
        outcomes.filter(outcomes > rows * claim),
    )
    lower = _up_to(int(below[-1]), rows, claim) if len(below) else 0.0
    upper = _above(int(above[0]) - 1, rows, claim) if len(above) else 0.0
    return min(1.0, lower + upper)


def critical_rate(rows: int, claim: float, alpha: float) -> float:
    """The smallest c/m with P(X > c; m, claim) < α.

    >>> critical_rate(10, 0.3, 0.05)
    0.5
    """
    low, high = -1, rows
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _above(middle, rows, claim) < alpha else (middle, high)
    return high / rows


@comparison(
    "claim",
    "repeats",
    "folds",
    forms=(Form("one_sample_t", "The one-sample t-test", "One-sample t", "t"),),
    needs=Needs(paired=False),
)
@comparison(
    "claim",
    "repeats",
    "folds",
    forms=(
        Form(
            "corrected_one_sample_t",
            "The corrected one-sample t-test",
            "One-sample t (corrected)",
            "t",
        ),
    ),
    allows=("overlap",),
    needs=Needs(paired=False),
)
def one_sample_t(
    values: pl.Series,
    claim: float,
    question: Question,
    *,
    alternative: Alternative = "two-sided",
    ratio: float = 0.0,
) -> Comparison:
    """t-test of the values of one model over repeats against a claimed mean.

    The effect is the mean with its t interval. Over folds with overlapping
    training sets ``one_sample_t`` rejects too often; with a ``ratio`` of test rows
    to training rows it is ``corrected_one_sample_t``.

    Args:
        values: the measure in each repeat or fold.
        claim: the claimed mean.
        question: the models, their measure, and the levels of the test and of its interval.
        alternative: what would refute the claim.
        ratio: test rows over training rows of overlapping folds; 0 where values are independent.

    Returns:
        One record: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis: the expected {measure} {claim}
    Formula: t = √k·(mean − claim) / s of the values in k parts, k − 1 df
    Formula of corrected_one_sample_t: t = (mean − claim) / √(s²(test rows/all rows + test
        rows/training rows)), k − 1 df: repeats of the same rows count as one
    Assumes: independent values
    Assumes of corrected_one_sample_t: two folds correlate as test rows / all rows
    Undefined: fewer than two values, values that do not vary, or a missing one
    Reference: Zhou (2016), *Machine Learning*, 2.4.1; Student (1908),
        doi:10.1093/biomet/6.1.1
    Reference of corrected_one_sample_t: Nadeau & Bengio (2003),
        doi:10.1023/A:1024068626366

    >>> test = one_sample_t(pl.Series([0.91, 0.93, 0.90]), 0.9, Question(("a",), "auc"))
    >>> round(test.p_value, 4)
    0.2697
    """
    name = "corrected_one_sample_t" if ratio else "one_sample_t"
    n, mean, spread, empty, largest = (
        values.to_frame("v")
        .select(
            n=pl.len(),
            mean=pl.col("v").mean(),
            spread=pl.col("v").std(),
            empty=pl.col("v").null_count(),
            largest=pl.col("v").abs().max(),
        )
        .row(0)
    )
    reason = _unusable(n, empty, spread, largest)
    if reason:
        return question.record(name, **claim_fields(claim, alternative), undefined=reason)
    overlap = of_one_repeat(ratio, n) if ratio else 0.0
    error, df = spread * (1 / n + overlap) ** 0.5, n - 1.0
    t = (mean - claim) / error
    half_width = float(stdtrit(df, (1 + question.confidence) / 2)) * error
    tails = {"two-sided": 2 * stdtr(df, -abs(t)), "greater": stdtr(df, -t), "less": stdtr(df, t)}
    return question.record(
        name,
        **claim_fields(claim, alternative),
        statistic=t,
        df=df,
        p_value=float(tails[alternative]),
        effect="value",
        estimate=mean,
        low=mean - half_width,
        high=mean + half_width,
        interval="t",
        assumptions=(f"{n} values",),
        **(above_guessing(values.to_frame(), ratio, question.metric) if ratio else {}),
    )


def _unusable(n: int, empty: int, spread: float | None, largest: float | None) -> str | None:
    if empty:
        return f"the measure is undefined in {empty} of {n} repeats"
    if n < 2 or spread is None or largest is None:
        return "fewer than two values"
    return "the values do not vary" if spread <= NOISE * largest else None


class Claim(TypedDict):
    """What the record of a test has of a claim about the measure."""

    null: Mapping[str, str]
    against: float
    side: RefutingSide | None


def claim_fields(claim: float, alternative: Alternative) -> Claim:
    """Fields of the record of a test of a claim, which the alternative would refute.

    >>> question = Question(("a",), "error_rate")
    >>> record = question.record("binomial", **claim_fields(0.05, "greater"))
    >>> record.null_hypothesis, record.against, record.side
    ('the error rate is at most 0.05', 0.05, 'above')
    """
    null = {"claim": f"{_NULLS[alternative]} {plain(claim)}"}
    return {"null": null, "against": claim, "side": _SIDES[alternative]}


def _up_to(k: int, n: int, p: float) -> float:
    return float(bdtr(k, n, p)) if k >= 0 else 0.0


def _above(k: int, n: int, p: float) -> float:
    return float(bdtrc(k, n, p)) if k >= 0 else 1.0
