"""Limits of the difference of two shares, a − b, as plain numbers.

Paired ones take the rows that both, only a, only b or neither got right:
``(both, only_a, only_b, neither, confidence)``. Unpaired ones take two
independent samples: ``(successes_a, trials_a, successes_b, trials_b,
confidence)``. All raise ValueError without rows. The defaults are ``midp_paired``
and ``newcombe``.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.special import betainc, ndtri

from reportgen.intervals.proportions import ShareLimits, bisected, wilson_limits
from reportgen.intervals.shapes import normal_quantile


def newcombe_paired(
    both: float, only_a: float, only_b: float, neither: float, confidence: float = 0.95
) -> ShareLimits:
    """Square-and-add on the Wilson limits with a corrected correlation.

    Newcombe (1998), method 10,
    doi:10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C.

    >>> [round(limit, 4) for limit in newcombe_paired(3, 1, 5, 1)]
    [-0.6847, 0.0435]
    """
    n = _rows(both, only_a, only_b, neither)
    share_a, share_b = (both + only_a) / n, (both + only_b) / n
    low_a, high_a = wilson_limits(both + only_a, n, confidence)
    low_b, high_b = wilson_limits(both + only_b, n, confidence)
    phi = _corrected_phi(both, only_a, only_b, neither)
    below = _joined(share_a - low_a, high_b - share_b, phi)
    above = _joined(high_a - share_a, share_b - low_b, phi)
    return _cut(share_a - share_b - below, share_a - share_b + above)


def tango(
    both: float, only_a: float, only_b: float, neither: float, confidence: float = 0.95
) -> ShareLimits:
    """Score limits: the differences δ that a score test of δ would not reject.

    (b − c − nδ)² / (n(2q + δ(1 − δ))) = z², with q the share of only_b that is
    most likely given δ.
    Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B.

    >>> [round(limit, 4) for limit in tango(3, 1, 5, 1)]
    [-0.7201, 0.0873]
    """
    n = _rows(both, only_a, only_b, neither)
    return _score_limits(
        lambda delta: _tango_score(n, only_a, only_b, delta),
        (only_a - only_b) / n,
        normal_quantile(confidence),
    )


def tango_score(
    both: float,
    only_a: float,
    only_b: float,
    neither: float,
    delta: float = 0.0,
    correction: float = 0.0,
) -> float:
    """Tango's score statistic of a difference of ``delta``; McNemar's z where it is 0.

    The continuity ``correction`` brings b − c − nδ nearer to 0 by so many rows.

    >>> round(tango_score(3, 1, 5, 1), 4)
    -1.633
    """
    return _tango_score(_rows(both, only_a, only_b, neither), only_a, only_b, delta, correction)


def _tango_score(
    n: float, only_a: float, only_b: float, delta: float, correction: float = 0.0
) -> float:
    linear = -only_a - only_b + (2 * n - only_a + only_b) * delta
    root = math.sqrt(max(linear**2 + 8 * n * only_b * delta * (1 - delta), 0.0))
    share = (root - linear) / (4 * n)
    distance = only_a - only_b - n * delta
    corrected = math.copysign(max(abs(distance) - correction, 0.0), distance)
    return _standardised(corrected, n * (2 * share + delta * (1 - delta)))


def midp_score(only_a: float, only_b: float) -> float:
    """The normal score of McNemar's mid-p test: Φ of its negative size is the one-sided mid-p.

    >>> round(midp_score(0, 5), 4)  # one-sided mid-p 0.5⁵ / 2
    -2.1539
    """
    return _normal_score(only_a, only_b, 0.5)


def exact_score(only_a: float, only_b: float) -> float:
    """The same of the exact test.

    >>> round(exact_score(0, 5), 4)  # one-sided p 0.5⁵
    -1.8627
    """
    return _normal_score(only_a, only_b, 1.0)


def corrected_score(only_a: float, only_b: float) -> float:
    """(|b − c| − 1) / √(b + c) with the sign of b − c, 0 where that is below 0.

    >>> round(corrected_score(1, 5), 4)
    -1.2247
    """
    gap = only_a - only_b
    return math.copysign(max(abs(gap) - 1, 0.0) / math.sqrt(only_a + only_b), gap) if gap else 0.0


def _normal_score(only_a: float, only_b: float, share: float) -> float:
    """Normal score of P(X < few) + share · P(X = few), X binomial with p = ½."""
    few, discordant, gap = min(only_a, only_b), only_a + only_b, only_a - only_b
    if not gap:
        return 0.0
    up_to = float(betainc(discordant - few, few + 1, 0.5))
    below = float(betainc(discordant - few + 1, few, 0.5)) if few else 0.0
    tail = min(share * up_to + (1 - share) * below, 0.5)
    if tail < 1e-300:  # too small for a float: far from 0 all forms are one
        return gap / math.sqrt(discordant)
    return math.copysign(float(ndtri(tail)), gap)


def midp_paired(
    both: float, only_a: float, only_b: float, neither: float, confidence: float = 0.95
) -> ShareLimits:
    """Score limits that leave 0 out exactly where McNemar's mid-p test rejects it.

    The differences δ with κ'·|z(δ)| ≤ z, where z(δ) is Tango's score and κ the
    normal score of the test over z(0). κ' = 1 + (κ − 1)·min(1, z/|z_test|):
    it is κ where the test does not reject, and goes to 1 where 0 is far off.
    Of few discordant rows those of ``exact_paired`` may be narrower, and then are the limits.
    Enumerated for 20 to 1,000 rows, they cover 0.93 or more.
    Tango (1998), doi:10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B;
    Fagerland, Lydersen & Laake (2013), doi:10.1186/1471-2288-13-91.

    >>> [round(limit, 4) for limit in midp_paired(3, 1, 5, 1)]
    [-0.7342, 0.1204]
    >>> midp_paired(3, 0, 5, 2)[1] < 0 < midp_paired(3, 0, 4, 3)[1]  # p = 0.031 and 0.062
    True
    """
    n, discordant = _rows(both, only_a, only_b, neither), only_a + only_b
    z, a, b = normal_quantile(confidence), only_a, only_b
    while midp_score(a, b) == 0 < min(a, b):  # no ratio: that of the counts beside them
        a, b = (a + 1, b - 1) if a >= b else (a - 1, b + 1)
    scale = 1.0
    if midp_score(a, b):
        scale = midp_score(a, b) * math.sqrt(discordant) / (a - b)
        scale = 1 + (scale - 1) * z / max(abs(midp_score(only_a, only_b)), z)
    limits = _score_limits(
        lambda delta: scale * _tango_score(n, only_a, only_b, delta), (only_a - only_b) / n, z
    )
    exact = exact_paired(both, only_a, only_b, neither, confidence)
    return max(limits[0], exact[0]), min(limits[1], exact[1])


def exact_paired(
    both: float, only_a: float, only_b: float, neither: float, confidence: float = 0.95
) -> ShareLimits:
    """Score limits that leave 0 out exactly where McNemar's exact test rejects it.

    Those of ``corrected_paired``; where they and the test disagree about 0, with the
    continuity correction at which Tango's score of 0 is the normal score of the test.
    Enumerated for 10, 25 and 60 rows, they cover 0.96 or more.

    >>> [round(limit, 4) for limit in exact_paired(3, 1, 5, 1)]
    [-0.7873, 0.1899]
    """
    z, score = normal_quantile(confidence), exact_score(only_a, only_b)
    correction = 1.0
    if (abs(score) >= z) != (abs(corrected_score(only_a, only_b)) >= z):
        correction = abs(only_a - only_b) - abs(score) * math.sqrt(only_a + only_b)
    return _corrected_limits(both, only_a, only_b, neither, z, correction)


def corrected_paired(
    both: float, only_a: float, only_b: float, neither: float, confidence: float = 0.95
) -> ShareLimits:
    """Score limits with a continuity correction of one row, as McNemar's corrected χ².

    (|b − c − nδ| − 1)² / (n(2q + δ(1 − δ))) = z², as ``tango`` otherwise.

    >>> [round(limit, 4) for limit in corrected_paired(3, 1, 5, 1)]
    [-0.7873, 0.1899]
    """
    return _corrected_limits(both, only_a, only_b, neither, normal_quantile(confidence), 1.0)


def _corrected_limits(
    both: float, only_a: float, only_b: float, neither: float, z: float, correction: float
) -> ShareLimits:
    n = _rows(both, only_a, only_b, neither)
    return _score_limits(
        lambda delta: _tango_score(n, only_a, only_b, delta, correction), (only_a - only_b) / n, z
    )


def wald_paired(
    both: float, only_a: float, only_b: float, neither: float, confidence: float = 0.95
) -> ShareLimits:
    """Difference ± z standard errors: covers too little in small samples.

    (b − c)/n ± z √(b + c − (b − c)²/n) / n.
    Fagerland, Lydersen & Laake (2014), doi:10.1002/sim.6148.

    >>> [round(limit, 4) for limit in wald_paired(3, 1, 5, 1)]
    [-0.8111, 0.0111]
    """
    n = _rows(both, only_a, only_b, neither)
    gap, discordant = only_a - only_b, only_a + only_b
    half_width = normal_quantile(confidence) * math.sqrt(discordant - gap**2 / n) / n
    return _cut(gap / n - half_width, gap / n + half_width)


def newcombe(
    successes_a: float,
    trials_a: float,
    successes_b: float,
    trials_b: float,
    confidence: float = 0.95,
) -> ShareLimits:
    """Hybrid score limits: square-and-add on the two Wilson limits.

    Newcombe (1998), method 10,
    doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I.

    >>> [round(limit, 4) for limit in newcombe(12, 12, 3, 15)]
    [0.4504, 0.9295]
    """
    low_a, high_a = wilson_limits(successes_a, trials_a, confidence)
    low_b, high_b = wilson_limits(successes_b, trials_b, confidence)
    a, b = successes_a / trials_a, successes_b / trials_b
    return _cut(
        a - b - math.hypot(a - low_a, high_b - b), a - b + math.hypot(high_a - a, b - low_b)
    )


def agresti_caffo(
    successes_a: float,
    trials_a: float,
    successes_b: float,
    trials_b: float,
    confidence: float = 0.95,
) -> ShareLimits:
    """Wald limits after adding one success and one failure to each sample.

    Agresti & Caffo (2000), doi:10.1080/00031305.2000.10474560.

    >>> [round(limit, 4) for limit in agresti_caffo(12, 12, 3, 15)]
    [0.4507, 0.9359]
    """
    _both(trials_a, trials_b)
    return wald_unpaired(successes_a + 1, trials_a + 2, successes_b + 1, trials_b + 2, confidence)


def wald_unpaired(
    successes_a: float,
    trials_a: float,
    successes_b: float,
    trials_b: float,
    confidence: float = 0.95,
) -> ShareLimits:
    """Difference ± z standard errors: covers too little in small samples.

    p₁ − p₂ ± z √(p₁(1 − p₁)/n₁ + p₂(1 − p₂)/n₂).
    Newcombe (1998), method 1,
    doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I.

    >>> [round(limit, 4) for limit in wald_unpaired(41, 60, 33, 60)]
    [-0.039, 0.3057]
    """
    _both(trials_a, trials_b)
    a, b = successes_a / trials_a, successes_b / trials_b
    variance = a * (1 - a) / trials_a + b * (1 - b) / trials_b
    half_width = normal_quantile(confidence) * math.sqrt(variance)
    return _cut(a - b - half_width, a - b + half_width)


def miettinen_nurminen(
    successes_a: float,
    trials_a: float,
    successes_b: float,
    trials_b: float,
    confidence: float = 0.95,
) -> ShareLimits:
    """Score limits: the differences δ that a score test of δ would not reject.

    (p₁ − p₂ − δ)² = z² N/(N − 1) (r₁(1 − r₁)/n₁ + r₂(1 − r₂)/n₂), with r the
    shares that are most likely given δ.
    Miettinen & Nurminen (1985), doi:10.1002/sim.4780040211.

    >>> [round(limit, 4) for limit in miettinen_nurminen(12, 12, 3, 15)]
    [0.4974, 0.9308]
    """
    _both(trials_a, trials_b)
    difference = successes_a / trials_a - successes_b / trials_b
    n = trials_a + trials_b

    def score(delta: float) -> float:
        b = _restricted(successes_a, trials_a, successes_b, trials_b, delta)
        a = min(max(b + delta, 0.0), 1.0)
        variance = (a * (1 - a) / trials_a + b * (1 - b) / trials_b) * n / (n - 1)
        return _standardised(difference - delta, variance)

    return _score_limits(score, difference, normal_quantile(confidence))


PAIRED: dict[str, Callable[[float, float, float, float, float], ShareLimits]] = {
    "midp_paired": midp_paired,
    "exact_paired": exact_paired,
    "corrected_paired": corrected_paired,
    "newcombe_paired": newcombe_paired,
    "tango": tango,
    "wald_paired": wald_paired,
}
"""Every interval of a paired difference by its name."""

UNPAIRED: dict[str, Callable[[float, float, float, float, float], ShareLimits]] = {
    "newcombe": newcombe,
    "agresti_caffo": agresti_caffo,
    "miettinen_nurminen": miettinen_nurminen,
    "wald": wald_unpaired,
}
"""Every interval of a difference of independent shares by its name."""


def _restricted(x1: float, n1: float, x0: float, n0: float, delta: float) -> float:
    """Most likely share of the second sample given the difference: the root of a cubic."""
    n, x = n1 + n0, x1 + x0
    square = ((n1 + 2 * n0) * delta - n - x) / (3 * n)
    linear = (n0 * delta - n - 2 * x0) * delta + x
    constant = x0 * delta * (1 - delta)
    turn = square**3 - linear * square / (2 * n) + constant / (2 * n)
    radius = math.copysign(math.sqrt(max(square**2 - linear / (3 * n), 0.0)), turn)
    ratio = min(max(turn / radius**3, -1.0), 1.0) if radius else 0.0
    angle = (math.pi + math.acos(ratio)) / 3
    return min(max(2 * radius * math.cos(angle) - square, 0.0, -delta), 1.0, 1.0 - delta)


def _score_limits(score: Callable[[float], float], difference: float, z: float) -> ShareLimits:
    """Where a score statistic, which falls with δ, is z and −z."""
    low = bisected(lambda delta: score(delta) - z, -1.0, difference)
    return low, bisected(lambda delta: score(delta) + z, difference, 1.0)


def _standardised(distance: float, variance: float) -> float:
    if variance > 0:
        return distance / math.sqrt(variance)
    return math.copysign(math.inf, distance) if distance else 0.0


def _joined(left: float, right: float, phi: float) -> float:
    return math.sqrt(max(left**2 - 2 * phi * left * right + right**2, 0.0))


def _corrected_phi(both: float, only_a: float, only_b: float, neither: float) -> float:
    n = both + only_a + only_b + neither
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    if margins == 0:
        return 0.0
    cross = float(both * neither - only_a * only_b)
    if cross > 0:
        cross = max(cross - n / 2, 0)
    return cross / math.sqrt(margins)


def _cut(low: float, high: float) -> ShareLimits:
    return max(low, -1.0), min(high, 1.0)


def _rows(*cells: float) -> float:
    if min(cells) < 0 or not sum(cells) > 0:
        raise ValueError(f"a table of {cells} has no share")
    return sum(cells)


def _both(trials_a: float, trials_b: float) -> None:
    if not (trials_a > 0 and trials_b > 0):
        raise ValueError(f"{trials_a} and {trials_b} trials have no difference of shares")
