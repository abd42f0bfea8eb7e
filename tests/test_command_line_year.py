"""Nights through the command line, with kills, bad data, a missing night and two machines."""

from __future__ import annotations

import pytest

from tests.simulations.command_line_year import NAMES, simulate


@pytest.mark.slow
def test_fifteen_nights_lose_nothing_and_find_the_drop(tmp_path):
    year = simulate(tmp_path, 15)

    assert set(year.special.values()) == {"killed", "missing", "bad data", "two machines"}
    assert [len(year.built[name]) for name in NAMES] == [13, 14, 14]
    assert "fail" in year.states["drop"][-6:]
    assert "fail" not in year.states["steady"]
    assert "fail" not in year.states["fixed"]
