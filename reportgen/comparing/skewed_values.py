"""Means over data sets: claims that a bound of the measure may have skewed, and margins."""

from __future__ import annotations

from collections.abc import Iterator

from scipy.special import stdtrit

from reportgen.comparisons import Comparison
from reportgen.intervals.bounded_means import bounded_t
from reportgen.metrics import find


def against_skewed(record: Comparison) -> Iterator[str]:
    """The reason against t-tests over data sets: of a margin, or of what ``bounded_t`` limits hold.

    Values near a bound are skewed away from it, and few data sets may lack those that are far from
    it: the plain test then rejects too often (``tests.simulations.means_over_data_sets``).
    """
    if record.unit == "data sets" and record.comparison in ("equivalence", "non_inferiority"):
        yield (
            "data sets in which one model is far worse are rare and may be missing here. In "
            "simulations with a mean difference equal to the margin the t-test showed it to be "
            "smaller in up to 60 % of the samples. The sign test is about the median, which such "
            "data sets do not move"
        )
    metric, claim, t = find(record.metric), record.against, record.statistic
    if record.comparison != "one_sample_t" or record.unit != "data sets" or metric is None:
        return
    mean, p, df = record.estimate, record.p_value, record.df
    if mean is None or p is None or df is None or claim is None or not t or p >= record.alpha:
        return
    tail = record.alpha / (1 if record.side else 2)
    half_width = float(stdtrit(df, 1 - tail)) * (mean - claim) / t
    low, high = bounded_t(mean, half_width, metric.bounds)
    if low <= claim <= high:
        yield (
            "values of few data sets near a bound of the measure are skewed, and limits that allow "
            "for it do not exclude the claim. In simulations the test refuted up to 30 % of true "
            "claims"
        )
