"""Limits of one value, widened until those of several values all hold at once (Bonferroni)."""

from __future__ import annotations

from scipy.special import ndtri


def widening(count: int, confidence: float) -> float:
    """By how much limits move away from their value to hold for ``count`` values at once.

    >>> widening(1, 0.95), round(widening(50, 0.95), 2)
    (1.0, 1.68)
    """
    tail = (1 - confidence) / 2
    return float(ndtri(tail / max(count, 1)) / ndtri(tail))


def simultaneous_limit(value: float, limit: float, count: int, confidence: float) -> float:
    """The limit of one of ``count`` values that hold at once, from the limit of the value alone.

    >>> simultaneous_limit(0.6, 0.5, 1, 0.95), round(simultaneous_limit(0.6, 0.5, 2, 0.95), 3)
    (0.5, 0.486)
    """
    return value + widening(count, confidence) * (limit - value)
