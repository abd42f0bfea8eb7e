"""Whole reports of data in which nothing differs, and in which much does: the small form.

``python -m tests.simulations.whole_reports 300`` runs all designs.
"""

from __future__ import annotations

import pytest

from tests.simulations.whole_reports import DESIGNS, counted

CHANCE = 1e-3
"""How rarely chance alone may show what is allowed at most."""

QUICK = {"estimates": 3, "graded answers": 4, "labels": 3, "a reference": 2, "data sets": 5}
"""Designs that are fast, and how many reports of each."""


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        *QUICK.items(),
        *(
            pytest.param(name, 100, marks=pytest.mark.slow)
            for name in DESIGNS
            if not name.startswith("much better")
        ),
    ],
)
def test_nothing_is_said_to_differ_more_often_than_the_level_where_nothing_does(name, runs):
    counts = counted(DESIGNS[name], runs)

    assert not counts.too_often(DESIGNS[name], CHANCE)
    assert "winner" in counts.said or name == "claims"


@pytest.mark.parametrize("name", ["much better estimates", "much better answers"])
def test_a_model_that_is_much_better_is_in_the_headline(name):
    assert counted(DESIGNS[name], 2).said["winner"] == 2
