"""Limits of what a row costs on average where rows have costs of their own."""

from __future__ import annotations

from math import exp, hypot

import numpy as np

from reportgen.array_types import Flags, Floats
from reportgen.intervals import normal_quantile
from reportgen.intervals.proportions import wilson_limits

POSSIBLE_COSTS = "possible costs"
"""The name of these limits."""

_MOST = 50.0
"""An exponent above which a limit says nothing."""


def own_cost_limits(
    possible: Floats,
    wrong: Flags,
    positive: Flags,
    weights: Floats,
    confidence: float = 0.95,
    repeats: float = 1.0,
) -> tuple[float, float]:
    """Limits of the weighted mean cost of a row, which its errors alone do not tell.

    A few costly errors make up most of the cost, and may have been missed or met by chance. The
    cost of every error that could have been is known, though: what a class costs is the mean of
    these, times the share of them that its errors make up.

    Args:
        possible: what a wrong decision about each row costs.
        wrong: whether the decision is wrong.
        positive: the class of each row.
        weights: how much each row counts.
        confidence: of the limits.
        repeats: how often each row returns.

    Formula: over the classes square-and-add, each of a mean A of possible costs over all rows and a
        share q of these that errors cost; q has Wilson's limits of (Σwc)²/Σ(wc)² rows, divided by
        how much costlier errors are than other rows (size-weighted means Σ(wc)²/Σwc), and A
        A·exp(±z·error/A). No limit is inside mean·exp(±z·error/mean)
    Reference: Wilson (1927), doi:10.1080/01621459.1927.10502953; Zou & Donner (2008),
        doi:10.1002/sim.3095

    >>> possible = np.array([50.0, 80.0, 20.0, 5.0, 5.0, 5.0, 5.0, 5.0])
    >>> positive = possible > 5
    >>> none = np.zeros(8, dtype=bool)
    >>> [round(end, 1) for end in own_cost_limits(possible, none, positive, np.ones(8))]
    [0.0, 11.6]
    """
    z, size = normal_quantile(confidence), float(weights.sum())
    lost = np.where(wrong, possible, 0.0)
    mean = float((weights * lost).sum()) / size
    below = above = 0.0
    for of_class in (positive, ~positive):
        low, value, high = _of_class(
            np.where(of_class, possible, 0.0), wrong, weights, (confidence, repeats)
        )
        below, above = hypot(below, value - low), hypot(above, high - value)
    low, high = mean - below, mean + above
    if mean > 0:
        error = float(np.square(weights * (lost - mean)).sum() * repeats) ** 0.5 / size
        relative = min(z * error / mean, _MOST)
        low, high = min(low, mean * exp(-relative)), max(high, mean * exp(relative))
    return max(low, 0.0), high


def _of_class(
    possible: Floats, wrong: Flags, weights: Floats, terms: tuple[float, float]
) -> tuple[float, float, float]:
    """The mean over all rows of what the errors of a class cost, between its limits."""
    confidence, repeats = terms
    size, costs = float(weights.sum()), weights * possible
    total, squares = float(costs.sum()), float(np.square(costs).sum())
    if total <= 0:
        return 0.0, 0.0, 0.0
    of_errors, squares_of_errors = float(costs[wrong].sum()), float(np.square(costs[wrong]).sum())
    mean, share = total / size, min(of_errors / total, 1.0)  # sums in another order
    costlier = squares_of_errors / of_errors * total / squares if of_errors > 0 else 1.0
    worth = total**2 / squares / max(costlier, 1.0) / repeats
    least, most = wilson_limits(share * worth, worth, confidence)
    error = float(np.square(weights * (possible - mean)).sum() * repeats) ** 0.5 / size
    relative = min(normal_quantile(confidence) * error / mean, _MOST)
    below = hypot(mean * (share - least), share * mean * (1 - exp(-relative)))
    above = hypot(mean * (most - share), share * mean * (exp(relative) - 1))
    return mean * share - below, mean * share, mean * share + above
