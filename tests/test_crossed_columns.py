"""Columns that cross the declared groups, as items that many users rate."""

import numpy as np
import pytest

from reportgen.clusters import Effect
from reportgen.measuring.crossed_columns import both_ways
from tests.simulations.crossed_columns import rated, report
from tests.test_decision_against_leader import without_chinese


def test_a_win_that_rests_on_the_items_at_hand_is_no_conclusion():
    frame = rated(np.random.default_rng(4), "30 users × 40 items", "estimates", 1.0, 0.5)
    assert report(frame.drop("item"), "estimates").decision.relation == "ahead"

    results = report(frame, "estimates")
    decision = results.decision
    assert decision.relation == "no conclusion"
    assert decision.headline.endswith("with item as a second group it would not reject")
    [caveat] = [c.text for c in decision.caveats if c.code == "undeclared_groups"]
    assert caveat.startswith("item crosses the declared groups, and errors of rows")
    assert "not for other values" in caveat
    texts = [decision.headline, decision.sentence, *(c.text for c in decision.caveats)]
    assert not without_chinese(results, texts)


@pytest.mark.parametrize("task", ["estimates", "scores", "decisions"])
def test_items_without_a_share_in_the_errors_are_not_named(task):
    for seed in range(3):
        frame = rated(np.random.default_rng(seed), "40 users × 12 items", task, 0.0, 1.0)
        assert "undeclared_groups" not in report(frame, task).data


def test_limits_of_both_are_as_wide_as_those_of_the_column_where_groups_do_nothing():
    column, cells = Effect(5.0, 39.0), Effect(1.0, 1199.0)

    assert both_ways(column, Effect(1.0, 29.0), cells) == Effect(5.0, 29.0)
    assert both_ways(column, Effect(0.5, 29.0), cells).design == 5.0
