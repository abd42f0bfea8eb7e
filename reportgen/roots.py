"""Where a function crosses zero: SciPy has it too, in a package that takes long to import."""

from __future__ import annotations

import math
from collections.abc import Callable

STEPS = 100
"""So often a better point is sought; the best one is returned even where it is not near enough."""

NEAREST = 4 * math.ulp(1.0)
"""A root is never sought more closely than to this share of itself."""


def root(function: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """Where a continuous function crosses zero, by Brent's method.

    A secant or an inverse quadratic through the last points where that goes on quickly
    enough, else the middle. The numbers are those of SciPy's ``brentq``, to the last digit.

    Args:
        function: has different signs at both ends, or is 0 at one of them.
        low: one end.
        high: the other end.
        tolerance: how far off the root may be, beside ``NEAREST``.

    Raises:
        ValueError: the function has one sign at both ends.

    Reference: Brent (1973), *Algorithms for Minimization Without Derivatives*, chapter 4.

    >>> round(root(lambda x: x**3 - 2, 0.0, 2.0, 1e-12), 9)
    1.25992105
    """
    before, f_before = low, function(low)
    here, f_here = high, function(high)
    if f_before == 0:
        return before
    if f_here != 0 and (f_before < 0) == (f_here < 0):
        raise ValueError(f"no change of sign between {low} and {high}")
    across = f_across = last_step = step = 0.0
    for _ in range(STEPS):
        if f_before != 0 and f_here != 0 and (f_before < 0) != (f_here < 0):
            across, f_across = before, f_before
            last_step = step = here - before
        if abs(f_across) < abs(f_here):
            before, here, across = here, across, here
            f_before, f_here, f_across = f_here, f_across, f_here
        least = (tolerance + NEAREST * abs(here)) / 2
        half = (across - here) / 2
        if f_here == 0 or abs(half) < least:
            break
        trial = math.inf
        if abs(last_step) > least and abs(f_here) < abs(f_before):
            trial = _interpolated((before, f_before), (here, f_here), (across, f_across))
        if 2 * abs(trial) < min(abs(last_step), 3 * abs(half) - least):
            last_step, step = step, trial
        else:
            last_step = step = half
        before, f_before = here, f_here
        here += step if abs(step) > least else math.copysign(least, half)
        f_here = function(here)
    return here


_Point = tuple[float, float]


def _interpolated(before: _Point, here: _Point, across: _Point) -> float:
    """The step from ``here`` to where a curve through the points is zero; a line through two."""
    (x, f), (x0, f0), (x1, f1) = here, before, across
    if x0 == x1:
        return -f * (x - x0) / (f - f0)
    slope0, slope1 = (f0 - f) / (x0 - x), (f1 - f) / (x1 - x)
    return -f * (f1 * slope1 - f0 * slope0) / (slope1 * slope0 * (f1 - f0))
