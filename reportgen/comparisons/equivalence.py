"""Is a difference small enough? Equivalence and non-inferiority against a margin."""

from __future__ import annotations

import math

from pandera.typing.polars import DataFrame
from scipy.special import ndtr, stdtr, stdtrit

from reportgen.comparisons.delong import AreaCovariance
from reportgen.comparisons.folds import WHAT, missing, test_share
from reportgen.comparisons.kinds import comparison
from reportgen.comparisons.mcnemar import Pairs
from reportgen.comparisons.paired import Mean, mean_difference
from reportgen.comparisons.records import Comparison, Question
from reportgen.comparisons.wording import measure, plain
from reportgen.intervals import tango
from reportgen.intervals.differences import tango_score
from reportgen.tables import FoldPairs


@comparison(
    {
        "equivalence": "The two one-sided tests of equivalence",
        "non_inferiority": "The test of non-inferiority",
    },
    "pair",
    "rows",
    "folds",
    symbol="t",
    separate_training=False,
)
def equivalence(mean: Mean, question: Question, margin: float) -> list[Comparison]:
    """Equivalence (TOST) and non-inferiority of a difference with a standard error.

    ``mean`` is a difference with its standard error and degrees of freedom:
    that of folds (``fold_difference``), of areas (``area_difference``), or any
    other. Equivalence: null hypothesis |δ| ≥ margin; p is the larger of the two
    one-sided ones. Non-inferiority: null hypothesis that the first is worse
    than the second by the margin or more. Their statistic is the smaller
    distance to the margin in standard errors. The effect is the difference
    with its two-sided interval; equivalence at α is the 1 − 2α interval within
    ±margin. Undefined where the difference has no error. Raises ValueError
    unless the margin is positive.
    Schuirmann (1987), doi:10.1007/BF01068419; Wellek (2010), *Testing
    Statistical Hypotheses of Equivalence and Noninferiority*, doi:10.1201/EBK1439808184.
    """
    if mean.reason or mean.error <= 0:
        reason = mean.reason or "the difference has no variance"
        return _undefined(question, margin, reason, mean.value)
    difference = mean.value or 0.0
    reach = float(stdtrit(mean.df, (1 + question.confidence) / 2)) * mean.error
    below, above = ((margin + side * difference) / mean.error for side in (1, -1))
    return _records(
        question,
        margin,
        (below, above),
        (float(stdtr(mean.df, -below)), float(stdtr(mean.df, -above))),
        df=None if math.isinf(mean.df) else mean.df,
        estimate=difference,
        low=difference - reach,
        high=difference + reach,
        interval="wald" if math.isinf(mean.df) else "t",
    )


@comparison(
    {
        "equivalence_score": "The two one-sided score tests of equivalence",
        "non_inferiority_score": "The score test of non-inferiority",
    },
    "pair",
    "rows",
    symbol="z",
)
def equivalence_of_shares(pairs: Pairs, question: Question, margin: float) -> list[Comparison]:
    """Equivalence and non-inferiority of two paired shares, by Tango's score test.

    As ``equivalence``, with the score statistic of δ = ±margin; the interval is
    Tango's. Undefined without rows. Raises ValueError unless 0 < margin < 1.
    Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B;
    Liu et al. (2002), doi:10.1002/sim.1012.
    """
    suffix = "_score"
    if pairs.rows == 0:
        return _undefined(question, margin, "no rows", None, suffix)
    cells = (pairs.both_right, pairs.only_b_wrong, pairs.only_a_wrong, pairs.both_wrong)
    low, high = tango(*cells, question.confidence)
    below, above = tango_score(*cells, -margin), -tango_score(*cells, margin)
    return _records(
        question,
        margin,
        (below, above),
        (float(ndtr(-below)), float(ndtr(-above))),
        suffix,
        estimate=(pairs.only_b_wrong - pairs.only_a_wrong) / pairs.rows,
        low=low,
        high=high,
        interval="tango",
        assumptions=(f"{pairs.rows} rows, {pairs.discordant} of them discordant",),
    )


def fold_difference(pairs: DataFrame[FoldPairs], ratio: float | None = None) -> Mean:
    """Mean difference over folds with the corrected resampled error."""
    share = test_share(pairs) if ratio is None else ratio
    if share is None:
        return Mean(None, 0.0, 0.0, "the sizes of the training parts are not known")
    if absent := missing(pairs):
        return Mean(None, 0.0, 0.0, absent)
    return mean_difference(pairs, share, WHAT)


def area_difference(found: AreaCovariance, at: tuple[int, int] = (0, 1)) -> Mean:
    """Difference of two correlated AUCs with DeLong's error."""
    i, j = at
    v = found.covariance
    variance = float(v[i, i] + v[j, j] - 2 * v[i, j])
    difference = float(found.areas[i] - found.areas[j])
    if math.isnan(variance):
        return Mean(None, 0.0, math.inf, "a class has fewer than two rows")
    return Mean(difference, math.sqrt(max(variance, 0.0)), math.inf)


def _records(  # both tests from one pair of distances
    question: Question,
    margin: float,
    distances: tuple[float, float],
    p_values: tuple[float, float],
    suffix: str = "",
    **facts: object,
) -> list[Comparison]:
    _checked(margin)
    # Above −margin is what a model of which more is better must be shown to be.
    side = 1 if question.falls else 0
    both = question.record(
        f"equivalence{suffix}",
        _null(question, margin),
        statistic=min(distances),
        p_value=max(p_values),
        against=margin,
        **facts,
    )
    one = question.record(
        f"non_inferiority{suffix}",
        _null(question, margin, one_sided=True),
        statistic=distances[side],
        p_value=p_values[side],
        against=margin,
        **facts,
    )
    return [both, one]


def _undefined(
    question: Question, margin: float, reason: str, value: float | None, suffix: str = ""
) -> list[Comparison]:
    _checked(margin)
    nulls = {
        "equivalence": _null(question, margin),
        "non_inferiority": _null(question, margin, one_sided=True),
    }
    return [
        question.record(name + suffix, null, against=margin, estimate=value).undefined_because(
            reason
        )
        for name, null in nulls.items()
    ]


def _null(question: Question, margin: float, *, one_sided: bool = False) -> str:
    what, limit = measure(question.metric), plain(margin)
    if one_sided:
        return f"the first model is worse than the second in {what} by {limit} or more"
    return f"the two models differ in {what} by {limit} or more"


def _checked(margin: float) -> None:
    if not margin > 0:
        raise ValueError(f"a margin of {margin} is none")
