"""Simultaneous confidence limits of the differences in a family of tests, which agree with p."""

from __future__ import annotations

from scipy.special import stdtrit

from reportgen.comparisons.records import Comparison
from reportgen.comparisons.registry import TESTS
from reportgen.intervals import normal_quantile
from reportgen.metric_names import parted
from reportgen.metrics import find

OF_T = (
    "t",
    "conover",
    "long-run t",
    "corrected t",
    "delong score difference",
    "rare class score difference",
    "expected_cost",
)
"""Intervals of quantiles of t where there are degrees of freedom; others are of the normal."""

PairLimits = tuple[float, float]


def with_simultaneous(record: Comparison, family: int) -> Comparison:
    """The record with limits that hold together with those of the other ``family`` − 1 tests.

    Bonferroni: each interval at 1 − α/m of m tests, so that all hold their true
    difference with probability 1 − α or more. It is the interval of the test at that
    level where the test has one at any level, as of signed ranks, permutations and shares; else
    its interval, wider on either side by q(1 − α/2m) / q((1 + confidence)/2), with q of t where
    the interval is of t, else of the normal distribution. Tests that correct for the family by
    themselves bring limits that are simultaneous already.

    A stepwise correction rejects more than these limits exclude, and a test may
    rest on another method than its interval. The limits then stop at 0: rejected at
    α and limits on one side of 0 are the same statement, and so are not
    rejected and limits around 0. Limits with ends at 0 hold together with
    probability 1 − 2α or more: those of Bonferroni and the rejections each do with
    1 − α (``tests/simulations/simultaneous_limits.py``: 0.90 to 0.97). For tests of
    equivalence and of non-inferiority it is the margin that takes the place of 0.
    None where the test has no limits, no p-value, or is not of a difference of two models, and
    where so few pairs, or so few permutations, have none at the level of α/m.
    Dunn (1961), doi:10.1080/01621459.1961.10482090;
    Strassburger & Bretz (2008), doi:10.1002/sim.3338.
    """
    if record.low is None or record.high is None or record.estimate is None:
        return record
    if record.reject is None or len(record.models) != 2 or record.probabilities:
        return record
    if TESTS[record.comparison].corrects:
        limits: PairLimits | None = (record.low, record.high)
    else:
        tails = 2 if record.is_of_margin else 1
        confidence = 1 - tails * record.alpha / family
        limits = limits_of(record, confidence)
    if limits is None:
        drawn = "permutations" if record.comparison == "paired_permutation" else "pairs"
        without = f"too few {drawn} for limits at level {record.alpha / family:.2g}"
        return record.with_fields(caveats=(*record.caveats, without))
    low, high = _agreeing(record, record.estimate, *limits)
    return record.with_fields(simultaneous_low=low, simultaneous_high=high)


def limits_of(record: Comparison, confidence: float) -> PairLimits | None:
    """The limits of a difference at any level; none where the record has none at its own."""
    low, high, estimate = record.low, record.high, record.estimate
    if low is None or high is None or estimate is None:
        return None
    if record.limits_at is not None:
        return record.limits_at(confidence)
    factor = _quantile(record, confidence) / _quantile(record, record.confidence)
    return estimate - (estimate - low) * factor, estimate + (high - estimate) * factor


def _quantile(record: Comparison, confidence: float) -> float:
    if record.interval in OF_T and record.df:
        return float(stdtrit(record.df, (1 + confidence) / 2))
    return normal_quantile(confidence)


def difference_range(metric: str) -> PairLimits:
    """The differences of a measure that are possible.

    >>> difference_range("auc")
    (-1, 1)
    """
    info = find(parted(metric)[0])
    width = info.bounds[1] - info.bounds[0] if info else float("inf")
    return -width, width


def possible(metric: str, value: float, low: float, high: float) -> PairLimits:
    """The limits of a difference in a measure, as far as it is possible.

    As they are where the difference itself is beyond, as of values that a table gives.

    >>> possible("auc", 0.8, 0.5, 1.1), possible("auc", 80.0, 50.0, 110.0)
    ((0.5, 1), (50.0, 110.0))
    """
    least, most = difference_range(metric)
    return (max(low, least), min(high, most)) if least <= value <= most else (low, high)


def possible_ends(
    metric: str, value: float | None, low: float | None, high: float | None
) -> tuple[float | None, float | None]:
    """The same of limits that may be missing."""
    if value is None or low is None or high is None:
        return low, high
    return possible(metric, value, low, high)


def with_possible(record: Comparison) -> Comparison:
    """The record of a difference of two models with no limits beyond the possible ones.

    After ``with_simultaneous``, which widens the limits that the test itself has.
    """
    if len(record.models) != 2 or record.effect != "difference" or record.other_unit:
        return record
    name, value = record.metric, record.estimate
    low, high = possible_ends(name, value, record.low, record.high)
    ends = possible_ends(name, value, record.simultaneous_low, record.simultaneous_high)
    return record.with_fields(
        low=low, high=high, simultaneous_low=ends[0], simultaneous_high=ends[1]
    )


def _agreeing(record: Comparison, estimate: float, low: float, high: float) -> PairLimits:
    """The limits, stopped at 0 or at the margin where the test says so."""
    margin = record.against or 0.0
    if record.shows == "equivalence":
        if record.reject:
            return max(low, -margin), min(high, margin)
        outside = low <= -margin or high >= margin
        return (low, high) if outside else _stretched(low, high, margin, estimate)
    if record.shows == "non_inferiority":
        return _not_worse(record, margin, low, high)
    if not record.reject:
        return min(low, 0.0), max(high, 0.0)
    return (max(low, 0.0), high) if estimate > 0 else (low, min(high, 0.0))


def _stretched(low: float, high: float, margin: float, estimate: float) -> PairLimits:
    """The limits, as far as the margin on the side of the estimate."""
    return (low, margin) if estimate > 0 else (-margin, high)


def _not_worse(record: Comparison, margin: float, low: float, high: float) -> PairLimits:
    """One side counts: below −margin is worse, above it where less is better."""
    if record.less_is_better:
        return (low, min(high, margin)) if record.reject else (low, max(high, margin))
    return (max(low, -margin), high) if record.reject else (min(low, -margin), high)
