"""Who leads, by which test, and how the others stand: the contest that page one rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from reportgen.concluding.chance import not_better
from reportgen.concluding.conclusion import _ruled_out
from reportgen.concluding.contest import Contest
from reportgen.concluding.leading import ModelValue, _established, _open_margins
from reportgen.concluding.units_needed import units_needed
from reportgen.metric_names import COST
from reportgen.records.decision import AtChance
from reportgen.tables.comparisons import ComparisonRow


def row(first: str, second: str, better: str | None = None, **fields: Any) -> ComparisonRow:
    """The test of a pair, first minus second, in a measure of which more is better."""
    values = {"estimate": 0.02, "simultaneous_low": -0.01, "simultaneous_high": 0.05}
    return ComparisonRow(models=(first, second), better=better, **values | fields)


def contest(values: Mapping[str, float], *rows: ComparisonRow, lower: bool = False) -> Contest:
    return Contest(
        "auc",
        "pooled rows",
        {name: ModelValue(value) for name, value in values.items()},
        {frozenset(r.models): r for r in rows},
        {},
        {},
        lower,
    )


def test_a_difference_has_the_sign_of_the_model_that_is_asked_about():
    between = contest({"a": 0.82, "b": 0.8}, row("a", "b"))
    of_a, of_b = between.difference("a", "b"), between.difference("b", "a")

    assert of_a is not None
    assert of_b is not None
    assert (of_a.estimate, of_a.low, of_a.high) == (0.02, -0.01, 0.05)
    assert (of_b.estimate, of_b.low, of_b.high) == (-0.02, -0.05, 0.01)


@pytest.mark.parametrize("pair", [("a", "b"), ("b", "a")])
def test_a_model_is_ahead_where_the_test_names_it_whatever_its_place_in_the_pair(pair):
    between = contest({"a": 0.9, "b": 0.8}, row(*pair, better="a"))

    assert between.standing("a", "b") == "ahead"
    assert between.standing("b", "a") == "behind"


def test_the_best_value_does_not_lead_where_a_test_puts_it_behind_another_model():
    """Of unlike bases, such as pooled values and differences of folds, the two may disagree."""
    between = contest({"a": 0.9, "b": 0.89, "c": 0.7}, row("a", "b", better="b"))
    assert (between.order[0], between.leader) == ("a", "b")


def test_less_is_better_turns_the_order_around():
    assert contest({"a": 0.3, "b": 0.2}, lower=True).order == ["b", "a"]
    assert contest({"a": 0.3, "b": 0.2}).order == ["a", "b"]


@pytest.mark.parametrize("pair", [("a", "b"), ("b", "a")])
def test_what_is_ruled_out_is_the_farther_of_both_limits(pair):
    wide = row(*pair, simultaneous_low=-0.07, simultaneous_high=0.05)
    assert _ruled_out(contest({"a": 0.82, "b": 0.8}, wide), "a", None) == pytest.approx(0.07)


def test_nothing_is_ruled_out_by_a_test_that_cannot_reject():
    limits = {"simultaneous_low": -0.07, "simultaneous_high": 0.05}
    wide = row("a", "b", reachable=0.5, alpha=0.05, label="McNemar's mid-p test", **limits)
    assert _ruled_out(contest({"a": 0.82, "b": 0.8}, wide), "a", None) is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"reject": False}, False),
        ({"why": "a few errors outweigh all others"}, False),
        ({"recommendation": "avoid"}, False),
        ({"metric": "accuracy"}, False),
        ({"shows": "non_inferiority"}, False),
    ],
)
def test_page_one_rests_on_tests_of_a_margin_that_no_reason_speaks_against(fields, expected):
    given = {"shows": "equivalence", "metric": "auc", "recommendation": "valid", "reject": True}
    test = row("a", "b", **(given | {"why": None} | fields))
    equivalent, _ = _established([test], "auc")
    assert bool(equivalent) is expected
    refuted = "reject" in fields
    assert bool(_open_margins([test], "auc")) is refuted


def test_units_needed_grow_with_the_square_of_detectable_difference_by_margin():
    """A standard error falls with the root of the number of units (Cohen 1988)."""
    data = {"evaluation": {"independent_units": 100}}
    needed = []
    for detectable in (0.15, 0.05):
        values = {"a": 0.82, "b": 0.8}
        between = contest(values, row("a", "b", detectable=detectable))
        needed.append(units_needed(data, between.difference("a", "b"), 0.05, "difference"))
    assert needed == [900, None]


@pytest.mark.parametrize(("value", "worse"), [(-0.23, False), (-0.24, True)])
def test_estimates_are_worse_than_the_mean_where_no_constant_fits_these_rows_so_badly(value, worse):
    """R² is below 0 for every constant: of 20 rows as low as t²/19 = 0.2306 by chance."""
    (guess,) = not_better([AtChance("a", "r2", value, -0.5, -0.01, 0.0)], 0.95, 20)
    assert guess.worse is worse


@pytest.mark.parametrize(
    ("measure", "low", "high", "expected"),
    [
        ("auc", 0.51, 0.7, []),
        ("auc", 0.49, 0.7, [False]),
        ("auc", 0.3, 0.49, [True]),
    ],
)
def test_a_model_is_better_or_worse_than_guessing_by_its_limits(measure, low, high, expected):
    guess = AtChance("a", measure, (low + high) / 2, low, high, 0.5)
    assert [row.worse for row in not_better([guess], 0.95, 100)] == expected


@pytest.mark.parametrize(
    ("saved", "expected"),
    [
        ((0.14, 0.07, 0.25), []),
        ((0.14, -0.01, 0.25), [False]),
        ((-0.2, -0.4, 0.01), [False]),
        ((-0.2, -0.3, -0.1), [True]),
        (None, []),
    ],
)
def test_a_model_is_cheaper_than_guessing_by_its_savings_not_by_its_cost(saved, expected):
    """The cost of guessing comes from the same rows, so that limits of the cost are no test."""
    guess = AtChance("a", COST, 0.45, 0.3, 0.7, 0.5, above=saved)
    assert [row.worse for row in not_better([guess], 0.95, 100)] == expected


def test_a_model_without_limits_that_costs_no_less_than_guessing_is_named():
    assert len(not_better([AtChance("a", COST, 0.5, 0.3, 0.7, 0.5)], 0.95, 100)) == 1


def test_values_that_differ_by_rounding_alone_have_no_leader_between_them():
    """Means over data sets of the same costs, added up in another order."""
    of_sums = contest(
        {"a": (0.1 + 0.2 + 0.3) / 3, "b": (0.3 + 0.2 + 0.1) / 3, "c": 0.1}, lower=True
    )
    assert of_sums.values["a"].value != of_sums.values["b"].value
    of_two = contest({name: of_sums.values[name].value for name in "ab"})
    assert len(of_two.tied) == 1
    assert not of_sums.tied
