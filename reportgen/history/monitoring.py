"""One measure of one build against the builds before it: two rules that share an alarm budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from typing import Literal

from reportgen.history.prediction import random_effects
from reportgen.history.scale import ScaledEstimate
from reportgen.roots import root

Rule = Literal["prediction limit", "CUSUM"]

RULES = 2
"""The rules that share the level: half of it each."""


@dataclass(frozen=True, slots=True)
class Monitoring:
    """What the two rules say of a build; ``limit`` is on the scale of the measure.

    ``tau`` is how much builds vary beyond chance, on that scale.
    """

    limit: float
    tau: float
    cusum: float
    cusum_limit: float
    alarms: tuple[Rule, ...]


def alpha_of(alarms_per_year: float, builds_a_year: float, gates: int) -> float:
    """The level of each gate, from the alarms a year that all may give together.

    >>> round(1 / alpha_of(1, 365, 1)), round(1 / alpha_of(2, 52, 3))
    (365, 78)
    """
    return min(0.5, alarms_per_year / (builds_a_year * max(1, gates)))


def monitor(
    earlier: Sequence[ScaledEstimate],
    new: ScaledEstimate,
    *,
    alpha: float,
    window: int,
    previous_sum: float = 0.0,
    sign: int = 1,
) -> Monitoring:
    """Whether a build is worse than those before it; ``sign`` is 1 where more is better, else −1.

    The prediction limit is that of the last ``window`` builds, so that it follows what is
    accepted; the CUSUM takes all of ``earlier``, so that a drift does not become the norm.
    Each has half of α.

    >>> from itertools import cycle, islice
    >>> steady = [ScaledEstimate(v, 0.1) for v in islice(cycle((2.0, 2.1, 2.2)), 20)]
    >>> monitor(steady, ScaledEstimate(2.1, 0.1), alpha=1 / 365, window=120).alarms
    ()
    >>> monitor(steady, ScaledEstimate(1.2, 0.1), alpha=1 / 365, window=120).alarms
    ('prediction limit',)
    """
    level = alpha / RULES
    recent = random_effects(earlier[-window:])
    limit = recent.limit(new.error, level, sign)
    every = recent if len(earlier) <= window else random_effects(earlier)
    cusum_limit = limit_of(level)
    total = next_sum(previous_sum, -sign * every.standardised(new), cusum_limit)
    alarms: list[Rule] = []
    if sign * (new.value - limit) < 0:
        alarms.append("prediction limit")
    if total > cusum_limit:
        alarms.append("CUSUM")
    return Monitoring(limit, recent.tau, total, cusum_limit, tuple(alarms))


REFERENCE = 0.5
"""k: half the shift, in standard deviations, that is detected soonest."""

CEILING = 2.0
"""How far above its limit the sum may stand, so that an alarm ends soon after its cause."""

MOST_EACH = 3.0
"""Standard deviations that one build adds at most: a fault of one night, which the prediction limit
shows, leaves 1.1 nights of alarm, at most 5, in place of 3.8 and 17 (40 simulated years). False
alarms, and the nights until a lasting drop is seen, stay as they are."""


def next_sum(previous: float, deviate: float, limit: float) -> float:
    """The sum after another build; ``deviate`` is positive in the bad direction.

    S = max(0, S' + min(z, 3) − k), at most 2 above its limit. Where the last build was beyond the
    limit and this one is not, the alarm is over, and the sum starts at 0. One build adds no more
    than 3, so that a single outlier is no drift. On robust CUSUMs: Lucas & Crosier (1982),
    doi:10.1080/03610928208828414.

    >>> next_sum(1.0, 2.0, limit=4.0), next_sum(0.2, -1.0, limit=4.0), next_sum(4.2, 0.0, limit=4.0)
    (2.5, 0.0, 0.0)
    """
    value = min(max(0.0, previous + min(deviate, MOST_EACH) - REFERENCE), limit + CEILING)
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
    return root(lambda limit: run_length(limit) - 1 / alpha, 0.0, 60.0, 2e-12)
