"""Limits of a calibration error over bins."""

import numpy as np
import pytest

from reportgen import intervals


def test_a_calibration_error_that_is_noise_has_a_lower_limit_of_0():
    rows, forecast = np.full(10, 30.0), np.linspace(0.05, 0.95, 10)
    observed = np.random.default_rng(1).binomial(30, forecast) / 30
    low, high = intervals.miscalibration_limits(rows, forecast, observed)
    assert low == 0
    assert high > np.abs(observed - forecast).mean()
    off = intervals.miscalibration_limits(rows, forecast, np.clip(forecast + 0.3, 0, 1))
    assert off[0] > 0.15


def test_forecasts_that_are_calibrated_on_these_rows_have_no_limits_of_their_error():
    """Isotonic ones have an error of next to 0, which is below any that noise would leave."""
    rows, forecast = np.full(10, 30.0), np.linspace(0.05, 0.95, 10)
    for observed in (forecast, forecast + 1e-6):
        assert np.isnan(intervals.miscalibration_limits(rows, forecast, observed)).all()


def test_a_calibration_error_that_a_row_carries_has_no_limits():
    """Any multiple of its distances explains the error: there is no largest one."""
    bins = np.array([[2302.0, 95.0, 2.0, 1.0], [0.037, 0.129, 0.253, 0.311], [0.035, 0.158, 0, 1]])

    assert np.isnan(intervals.miscalibration_limits(*bins, power=2)).all()


def test_a_small_distance_in_a_noisy_bin_has_an_upper_limit_of_its_noise():
    _, high = intervals.miscalibration_limits(*np.array([[30], [0.5], [0.501]]))

    assert 0.1 < high < 0.2


def test_limits_of_a_calibration_error_widen_with_every_step_of_the_confidence():
    """They are read between the points of a grid."""
    rows, forecast = np.full(10, 30.0), np.linspace(0.05, 0.95, 10)
    observed = np.clip(forecast + np.where(np.arange(10) % 2, 0.2, -0.1), 0, 1)
    steps = np.linspace(0.5, 0.99, 100)
    limits = np.array(
        [intervals.miscalibration_limits(rows, forecast, observed, confidence=c) for c in steps]
    )

    assert (np.diff(limits[:, 0]) < 0).all()
    assert (np.diff(limits[:, 1]) > 0).all()


@pytest.mark.parametrize("forecast", [0.0, 1e-9, 0.5])
def test_limits_of_a_calibration_error_of_very_many_rows_lose_no_digits(forecast):
    low, high = intervals.miscalibration_limits(*np.array([[7e7], [forecast], [1.0]]))

    assert (1 - forecast) * 0.9999 < low < 1 - forecast <= high
