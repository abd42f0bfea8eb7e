"""The prediction limit and the CUSUM: budget of false alarms, drops, drift."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.history.scale import estimate
from tests.simulations.challenger import Challenge, excluded, fixed_limits_exclude
from tests.simulations.nights import NIGHTS, Year, alarms, episodes

BUDGET = 1.5
"""False alarms a year, at a declared budget of 1."""


def test_a_fault_of_one_night_raises_one_alarm():
    """The prediction limit shows it; a sum that it fills would go on for four nights or more."""
    random = np.random.default_rng(3)
    nights = [Year().nights(random)[:130, 0] for _ in range(8)]
    for values in nights:
        values[100] = 0.6
    alarm = [alarms(values, 1000) for values in nights]

    assert all(one[100] for one in alarm)
    assert sum(one[101:106].sum() for one in alarm) <= 2


def false_alarms(tau: float, years: int, gates: int = 1) -> float:
    """The mean number of alarms a year where nothing happens."""
    random = np.random.default_rng(7)
    result = 0
    for _ in range(years):
        values = Year(tau=tau).nights(random, gates)
        result += sum(episodes(alarms(values[:, g], 1000, gates=gates)) for g in range(gates))
    return result / years


def found_after(year: Year, years: int) -> np.ndarray:
    """Builds from the beginning of a drop to its alarm, in each of some years."""
    random = np.random.default_rng(8)
    nights = []
    for _ in range(years):
        alarm = alarms(year.nights(random)[:, 0], year.rows)[year.since :]
        nights.append(int(np.argmax(alarm)) + 1 if alarm.any() else NIGHTS)
    return np.array(nights)


@pytest.mark.slow
@pytest.mark.parametrize("gates", [1, 10])
@pytest.mark.parametrize("tau", [0.0, 0.002, 0.005, 0.01])
def test_a_year_without_a_change_keeps_the_alarm_budget(tau, gates):
    """300 years of one gate (standard error 0.06), 60 of ten gates."""
    assert false_alarms(tau, 300 // (1 if gates == 1 else 5), gates) <= BUDGET


@pytest.mark.slow
@pytest.mark.parametrize("tau", [0.0, 0.005, 0.01])
def test_a_drop_of_two_points_is_found_in_a_median_of_five_nights(tau):
    after = found_after(Year(tau=tau, drop=0.02), 200)

    assert np.median(after) <= 5
    assert np.mean(after <= 14) > 0.95


@pytest.mark.slow
def test_a_drift_of_three_points_in_a_year_is_found():
    assert np.mean(found_after(Year(drift=0.03, since=14), 100) < NIGHTS - 14) > 0.9


def test_some_years_keep_the_budget_and_find_a_drop():
    assert false_alarms(0.01, 12) <= 2
    assert np.median(found_after(Year(tau=0.01, drop=0.03), 12)) <= 5


def test_a_share_of_one_is_taken_half_a_row_inwards():
    """1,000 of 1,000: Wilson's lower limit is n/(n + z²); half a row is 0.5 of n + z²."""
    z2 = 1.959963984540054**2
    one = estimate(1.0, 1000 / (1000 + z2), 1.0, 0.95, logit=True)

    assert one is not None
    share = 1 / (1 + np.exp(-one.value))
    assert (1 - share) * (1000 + z2) == pytest.approx(0.5)
    none = estimate(0.0, 0.0, z2 / (1000 + z2), 0.95, logit=True)
    assert none is not None
    assert none.value == pytest.approx(-one.value)


def ever_excluded(challenge: Challenge, years: int) -> float:
    """The share of years in which the limits of some night exclude the true difference."""
    random = np.random.default_rng(9)
    nights = (excluded(challenge.year(random), challenge.better) for _ in range(years))
    return float(np.mean([night is not None for night in nights]))


@pytest.mark.slow
@pytest.mark.parametrize("tau", [0.0, 0.005, 0.01])
@pytest.mark.parametrize(("rows", "apart"), [(300, 0.1), (30, 0.1), (100, 0.3), (1000, 0.05)])
def test_limits_of_a_sequence_hold_on_all_nights_of_a_year(rows, apart, tau):
    """400 years at a level of 0.05: standard error 0.011."""
    assert ever_excluded(Challenge(rows=rows, apart=apart, tau=tau), 400) <= 0.05


def test_a_sequence_holds_where_limits_looked_at_each_night_do_not():
    challenge, random = Challenge(), np.random.default_rng(10)
    years = [challenge.year(random) for _ in range(30)]

    assert np.mean([fixed_limits_exclude(year, 0.0) for year in years]) > 0.25
    assert np.mean([excluded(year, 0.0) is not None for year in years]) <= 0.1
    assert np.median([excluded(Challenge(better=0.02).year(random), 0.0) for _ in range(20)]) < 20
