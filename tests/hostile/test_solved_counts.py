"""No small count follows from all that results print, by an integer program over random rows."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from reportgen.errors import EmptyError
from tests.hostile.solved_counts import followed
from tests.hostile.solved_further import DESIGNS
from tests.small_counts import LEAST

SLICES = (["site"], ["land"], ["site", "land"])


def spec_of(draw: random.Random) -> dict[str, object]:
    return {
        "slices": draw.choice(SLICES),
        "measures": draw.choice(("core", "core", "all")),
        **draw.choice(({}, {"columns": {"group": "group"}})),
    }


def solved(numbers: range) -> tuple[int, dict[int, list[str]]]:
    small, wrong = 0, {}
    for number in numbers:
        draw = random.Random(number)
        try:
            count, texts = followed(draw, spec_of(draw))
        except EmptyError:  # a class has few rows: nothing is published
            continue
        small += count
        wrong |= {number: texts} if texts else {}
    return small, wrong


def test_small_counts_cannot_be_worked_out():
    small, wrong = solved(range(4))

    assert wrong == {}
    assert small > 10


def test_without_privacy_they_follow():
    """So the equations are those that tell them."""
    draw = random.Random(0)
    small, texts = followed(draw, {"slices": ["site"], "privacy": {}})

    assert small > 0
    assert len([text for text in texts if "from" in text]) == small


@pytest.mark.slow
def test_small_counts_of_many_rows_cannot_be_worked_out():
    small, wrong = solved(range(4, 104))

    assert wrong == {}
    assert small > 500


WITHHELD = {"privacy": {"small_cells": LEAST}, "bootstrap": {"replicates": 0}}
TOLD = {"bootstrap": {"replicates": 0}}


@pytest.mark.parametrize("name", DESIGNS)
def test_small_counts_of_other_tasks_cannot_be_worked_out(name):
    small, texts = DESIGNS[name](random.Random(1), WITHHELD)

    assert texts == []
    assert small > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_without_privacy_those_of_other_tasks_follow(name):
    assert DESIGNS[name](random.Random(1), TOLD)[1] != []


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_small_counts_of_many_designs_cannot_be_worked_out(name):
    small, follow = 0, {}
    for number in range(2, 42):
        with suppress(EmptyError):  # a class has few rows: nothing is published
            count, texts = DESIGNS[name](random.Random(number), WITHHELD)
            small += count
            follow |= {number: texts} if texts else {}

    assert follow == {}
    assert small > 50
