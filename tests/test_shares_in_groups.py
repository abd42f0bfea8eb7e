"""Limits of a share of rows in groups of which few have a failure."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.clusters import Groups
from reportgen.intervals.modified_wilson import modified_wilson
from reportgen.measuring.cell_effects import LEAST_OF_SHARE
from reportgen.measuring.row_shares import share_effect


def limits(correct: np.ndarray, groups: Groups) -> tuple[float, float]:
    effect = share_effect(correct, groups)
    trials = np.array([len(correct) / effect.inflation(0.95)])
    low, high = modified_wilson(np.array([correct.mean()]), trials)
    return float(low[0]), float(high[0])


def test_one_group_with_all_failures_leaves_more_than_one_degree_of_freedom():
    groups = Groups(np.repeat(np.arange(45), 5), 45)
    correct = groups.code != 3
    low, _ = limits(correct, groups)
    assert share_effect(correct, groups).degrees_of_freedom == LEAST_OF_SHARE
    assert 0.75 < low < 0.93


def test_two_groups_have_one_degree_of_freedom():
    groups = Groups(np.repeat(np.arange(2), 5), 2)
    assert share_effect(np.arange(10) > 1, groups).degrees_of_freedom == 1


@pytest.mark.parametrize(("groups", "share"), [(20, 0.9), (45, 0.95)])
def test_limits_of_a_share_in_groups_cover_it(groups, share):
    """Correlation 0.7: failures come in few groups."""
    random, covered = np.random.default_rng(4), 0
    for _ in range(300):
        size = random.integers(1, 9, groups)
        chance = random.beta(share * 3 / 7, (1 - share) * 3 / 7, groups)
        code = np.repeat(np.arange(groups), size)
        correct = random.random(len(code)) < chance[code]
        low, high = limits(correct, Groups(code, groups))
        covered += low <= share <= high
    assert 0.92 <= covered / 300 <= 0.995
