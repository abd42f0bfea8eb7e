"""Whole reports of data in which nothing differs, and in which much does: the small form.

``python -m tests.simulations.whole_reports 300`` runs all designs.
"""

from __future__ import annotations

import pytest

from tests.simulations.whole_reports import CHANCE, DESIGNS, Counts, counted

QUICK = {"estimates": 1, "graded answers": 2, "labels": 2, "a reference": 1, "data sets": 3}
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


def test_what_is_said_too_often_is_named_and_a_sentence_without_a_difference_is_not():
    counts = Counts(60)
    counts.said.update({"gap by part": 8, "shift": 3, "brier_skill": 30, "winner": 50})

    assert counts.too_often(DESIGNS["two models"], 0.05) == {"gap by part": 8, "winner": 50}
    assert counts.too_often(DESIGNS["much better"], CHANCE) == {}


@pytest.mark.parametrize("name", ["much better estimates", "much better answers"])
def test_a_model_that_is_much_better_is_in_the_headline(name):
    assert counted(DESIGNS[name], 2).said["winner"] == 2
