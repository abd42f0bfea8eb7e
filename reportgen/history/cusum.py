"""The cumulative sum beside the prediction limit: small lasting changes, found by adding up.

A limit sees one build. The sum of deviates beyond k = ½ sees a shift of one standard
deviation after some ten builds, and a slow drift. Page (1954), doi:10.1093/biomet/41.1-2.100.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp

REFERENCE = 0.5
"""k: half the shift, in standard deviations, that is found soonest."""

CEILING = 2.0
"""How far above its limit the sum may stand, so that an alarm ends soon after its cause."""


def next_sum(previous: float, deviate: float, limit: float) -> float:
    """The sum after another build; ``deviate`` is positive in the bad direction.

    S = max(0, S' + z − k), at most 2 above its limit. Where the last build was beyond the
    limit and this one is not, the alarm is over, and the sum starts at 0.

    >>> next_sum(1.0, 2.0, limit=4.0), next_sum(0.2, -1.0, limit=4.0), next_sum(4.2, 0.0, limit=4.0)
    (2.5, 0.0, 0.0)
    """
    value = min(max(0.0, previous + deviate - REFERENCE), limit + CEILING)
    return 0.0 if previous > limit >= value else value


def run_length(limit: float) -> float:
    """The mean number of builds until a false alarm of a one-sided CUSUM with k = ½.

    (e^{2kb} − 2kb − 1)/(2k²), b = h + 1.166. Siegmund (1985), *Sequential Analysis*,
    doi:10.1007/978-1-4757-1862-1, section 2.6.

    >>> round(run_length(4.07)), round(run_length(7.03))
    (363, 7234)
    """
    b = 2 * REFERENCE * (limit + 1.166)
    return (exp(b) - b - 1) / (2 * REFERENCE**2)


@lru_cache(maxsize=256)
def limit_of(alpha: float) -> float:
    """The limit h at which a build of an unchanged process raises an alarm with probability α.

    >>> round(limit_of(1 / 365), 1), round(limit_of(1 / 7300), 1)
    (4.1, 7.0)
    """
    from scipy.optimize import brentq

    return float(brentq(lambda limit: run_length(limit) - 1 / alpha, 0.0, 60.0))
