"""Whether a series follows a straight line in time, beyond its autocorrelation."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import stdtr

from reportgen.array_types import Floats
from reportgen.comparisons.diebold_mariano import (
    PERSISTENT,
    autocorrelation,
    cosine_transforms,
    spectrum_falls,
    without_curve,
)

FEWEST = 50
"""Time points, below which the test rejects too often (``tests.simulations.breaks``)."""


def trend_p_value(series: Floats) -> float | None:
    """Test a series of one number per time point for a straight line, against either side.

    The cosine transforms of the series at low frequencies, over an autoregression's spectrum, are
    regressed on those of time: about a line they are nearly independent and normal, so that
    t has one degree of freedom less than there are transforms. The autocorrelation is that of the
    residuals about a parabola, corrected for it as well.

    Args:
        series: one number per time point, oldest first.

    Returns:
        The p-value of t; null of fewer than ``FEWEST`` points and of a series that is a parabola.

    Reference: Müller & Watson (2018), doi:10.3982/ECTA15047

    >>> wave = np.tile([0.0, 1.0, 0.0, -1.0], 25)
    >>> round(trend_p_value(wave), 2), trend_p_value(wave + 0.1 * np.arange(100)) < 1e-6
    (0.13, True)
    """
    n = len(series)
    centred = series - series.mean()
    rest = without_curve(centred)
    if n < FEWEST or not float(rest @ rest) > 1e-24 * float(series @ series):
        return None
    left = autocorrelation(rest)
    fall = np.sqrt(spectrum_falls(n, min(left + 3 * (1 + left) / n, PERSISTENT)))
    weights = len(fall)
    time = np.arange(n, dtype=np.float64) - (n - 1) / 2
    of_time = cosine_transforms(time, weights) * fall
    of_series = cosine_transforms(centred, weights) * fall
    squares = float(of_time @ of_time)
    slope = float(of_time @ of_series) / squares
    residuals = of_series - slope * of_time
    error = math.sqrt(float(residuals @ residuals) / (weights - 1) / squares)
    return 2 * float(stdtr(weights - 1, -abs(slope) / error)) if error > 0 else None
