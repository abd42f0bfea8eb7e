"""Nights through the command line, with kills, bad data, a missing night and two machines."""

from __future__ import annotations

import pytest

from tests.simulations.command_line_year import KINDS, simulate
from tests.simulations.year_rows import NAMES, Plan


@pytest.mark.slow
def test_some_nights_lose_nothing_and_find_the_drop(tmp_path):
    year = simulate(tmp_path, Plan(24, drop=0.1), every=5, least=5)

    assert set(year.special.values()) == set(KINDS)
    assert {len(year.built[name]) for name in NAMES} == {23, 22}
    assert all(one is not None for one in year.found())
    for name in ("steady-1", "steady-2", "fixed", "relabelled"):
        assert not year.alarms(name)
