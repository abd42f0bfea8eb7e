"""Is a difference over data sets small enough? Sign tests against a margin."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.special import bdtrc

from reportgen.comparisons.equivalence import MarginTest, undefined_margin
from reportgen.comparisons.paired import NOISE, mean_difference, paired_differences
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.registry import Form, Needs, comparison
from reportgen.comparisons.signed_ranks import median_with_limits, missing_values
from reportgen.comparisons.wording import bounded
from reportgen.tables.comparisons import MEDIAN
from reportgen.text.numbers import plural

SUFFIX = "_sign"
"""What the names of these tests end with."""


@comparison(
    "pair",
    "data sets",
    forms=(
        Form(
            "equivalence_sign",
            "The two one-sided sign tests of equivalence",
            "Equivalence (sign)",
            "w",
        ),
    ),
    needs=Needs(least=5),
    shows="equivalence",
)
@comparison(
    "pair",
    "data sets",
    forms=(
        Form(
            "non_inferiority_sign",
            "The sign test of non-inferiority",
            "Non-inferiority (sign)",
            "w",
        ),
    ),
    needs=Needs(least=5),
    shows="non_inferiority",
)
def equivalence_by_signs(
    pairs: pl.DataFrame, question: Question, margin: float
) -> list[Comparison]:
    """Equivalence and non-inferiority of a median difference over data sets, by sign tests.

    They count the data sets in which the difference is within the margin, and hold their level
    whatever the differences are distributed like: those that are rare and large, of which few data
    sets have none, do not change the median. The effect is the median difference with its
    order-statistic interval. Raises ValueError unless the margin is positive.

    Args:
        pairs: one row per data set, ``first`` and ``second``.
        question: the models, their measure, and the levels of the test and of its interval.
        margin: the largest difference that does not matter, above 0.

    Returns:
        One record per form: statistic, p-value, effect with its limits, and what was assumed.

    Null hypothesis of equivalence_sign: the median difference of the two models in {measure}
        is {margin} or more
    Null hypothesis of non_inferiority_sign: the first model is worse than the second in
        {measure} by a median of {margin} or more
    Formula of equivalence_sign: w = the smaller of the numbers of differences above −δ and below
        δ, with δ the margin; exact binomial with probability one half, p the larger of the two
        one-sided ones
    Formula of non_inferiority_sign: w = the number of differences above −δ, of losses below δ,
        with δ the margin; exact binomial with probability one half, one-sided
    Assumes: independent data sets
    Undefined: no data sets, or a missing value
    Reference: Wellek (2010), *Testing Statistical Hypotheses of Equivalence and Noninferiority*,
        doi:10.1201/EBK1439808184; Conover (1999), *Practical Nonparametric Statistics*, 3.4

    >>> pairs = pl.DataFrame({"first": [0.9, 0.81, 0.85, 0.7, 0.95], "second": 0.0})
    >>> pairs = pairs.with_columns(second=pl.col("first") + 0.002)
    >>> tests = equivalence_by_signs(pairs, Question(("a", "b"), "auc", unit="data sets"), 0.01)
    >>> [(test.statistic, round(test.p_value, 4)) for test in tests]
    [(5.0, 0.0312), (5.0, 0.0312)]
    """
    values, _ = paired_differences(pairs)
    if reason := missing_values(values):
        return undefined_margin(question, margin, reason, None, SUFFIX)
    near = NOISE * float(np.abs(pairs.select("first", "second").to_numpy()).max(initial=margin))
    above, below = (int((side * values > near - margin).sum()) for side in (1, -1))
    n, (middle, low, high) = len(values), median_with_limits(values, question.confidence)
    a, b = map(bounded, question.models)
    outside = n - int((np.abs(values) < margin - near).sum())
    worse = n - (below if question.lower_is_better else above)
    least, most = _limits_of_mean(pairs, question)
    exceeds = (max(-least, most) >= margin - near, least <= near - margin)
    beyond = (
        f"in {outside} of {n} data sets {a} − {b} is not within the margin",
        f"in {worse} of {n} data sets {a} is worse than {b} by the margin or more",
    )
    both = MarginTest(
        question,
        margin,
        (float(above), float(below)),
        (_upper_tail(above, n), _upper_tail(below, n)),
        SUFFIX,
    ).records(
        effect=MEDIAN,
        estimate=middle,
        low=low,
        high=high,
        interval=None if low is None else "order_statistics",
        limits_at=lambda confidence: median_with_limits(values, confidence).limits,
        assumptions=(plural(n, "data set"),),
        reachable=0.5**n,
    )
    return [
        record.with_fields(
            caveats=(*record.caveats, text) if count else record.caveats, mean_beyond=bool(by_mean)
        )
        for record, count, text, by_mean in zip(
            both, (outside, worse), beyond, exceeds, strict=True
        )
    ]


def _limits_of_mean(pairs: pl.DataFrame, question: Question) -> tuple[float, float]:
    """The limits of the mean gain of the first model that two one-sided t-tests at α read."""
    mean = mean_difference(pairs)
    if mean.reason:  # all differences are equal, or there is one
        low = high = mean.value or 0.0
    else:
        low, high = mean.limits(1 - 2 * question.alpha)
    return (-high, -low) if question.lower_is_better else (low, high)


def _upper_tail(wins: int, n: int) -> float:
    """The chance of so many heads, or more, of n fair coins."""
    return float(bdtrc(wins - 1, n, 0.5)) if wins else 1.0
