"""Columns that cross the declared groups, as items that many users rate."""

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.clusters import Effect
from reportgen.measuring.crossed_columns import both_ways
from tests.page_text import without_chinese
from tests.simulations.crossed_columns import rated, report

RIGHT = {"a": (0.95, 0.9, 0.6, 0.55), "b": (0.9, 0.85, 0.55, 0.5)}
"""How often a model is right on the readings of each of four readers."""


def test_a_win_that_rests_on_the_items_at_hand_is_no_conclusion():
    frame = rated(np.random.default_rng(4), "30 users × 40 items", "estimates", 1.0, 0.5)
    assert report(frame.drop("item"), "estimates").decision.relation == "ahead"

    results = report(frame, "estimates")
    decision = results.decision
    assert decision.relation == "no conclusion"
    assert decision.headline.endswith("with item as a second group it would not reject")
    [caveat] = [c.text for c in decision.caveats if c.code == "undeclared_groups"]
    assert caveat.startswith("item crosses the declared groups, and rows with the same")
    assert "not for other values" in caveat
    texts = [decision.headline, decision.sentence, *(c.text for c in decision.caveats)]
    assert not without_chinese(results, texts)


@pytest.mark.parametrize(
    "way", [{"columns": {"group": "user", "id": "item"}}, {"privacy": {"show": ["item"]}}]
)
def test_items_that_are_ids_or_are_only_shown_undo_a_win_too(way):
    frame = rated(np.random.default_rng(4), "30 users × 40 items", "estimates", 1.0, 0.5)
    decision = report(frame, "estimates", **way).decision

    assert decision.relation == "no conclusion"
    assert decision.headline.endswith("with item as a second group it would not reject")
    assert {"undeclared_groups", "crossed"} & {c.code for c in decision.caveats} == {
        "undeclared_groups"
    }


def test_a_win_with_the_items_as_slices_stays_and_is_said_to_hold_for_these_items():
    frame = rated(np.random.default_rng(4), "30 users × 40 items", "estimates", 1.0, 0.5)
    results = report(frame, "estimates", slices=["item"])

    assert results.decision.relation == "ahead"
    [text] = [c.text for c in results.decision.caveats if c.code == "grouping_slice"]
    assert "of the slice item have similar errors, so limits hold for these 40 values alone" in text
    assert text.endswith(" With item as a second group the deciding test would not reject.")
    assert not without_chinese(results, [text])
    of_number = report(frame.rename({"item": "tone"}), "estimates", slices=["tone"])
    assert "grouping_slices" not in of_number.data


def test_few_readers_of_cases_are_said_to_be_all_that_limits_hold_for():
    random, rows = np.random.default_rng(3), 600
    case, reader = np.arange(rows) % 150, np.repeat(np.arange(4), 150)
    truth = random.random(150)[case] < 0.5
    right = {m: random.random(rows) < np.array(of)[reader] for m, of in RIGHT.items()}
    frame = pl.DataFrame(
        {
            "y": truth.astype(int),
            "case": [f"c{k}" for k in case],
            "reader": [f"r{k}" for k in reader],
            **{m: np.where(of, truth, ~truth).astype(int) for m, of in right.items()},
        }
    )
    spec = {
        "truth": "y",
        "positive": 1,
        "models": {m: {"label": m} for m in "ab"},
        "columns": {"group": "case"},
        "slices": ["reader"],
    }
    results = reportgen.evaluate(spec, frame)

    [text] = [c.text for c in results.decision.caveats if c.code == "grouping_slice"]
    assert "these 4 values alone" in text
    assert not without_chinese(results, [text])


@pytest.mark.parametrize("task", ["estimates", "scores", "decisions"])
def test_items_without_a_share_in_the_errors_are_not_named(task):
    for seed in range(3):
        frame = rated(np.random.default_rng(seed), "40 users × 12 items", task, 0.0, 1.0)
        assert "undeclared_groups" not in report(frame, task).data


def test_limits_of_both_are_as_wide_as_those_of_the_column_where_groups_do_nothing():
    column, cells = Effect(5.0, 39.0), Effect(1.0, 1199.0)

    assert both_ways(column, Effect(1.0, 29.0), cells) == Effect(5.0, 29.0)
    assert both_ways(column, Effect(0.5, 29.0), cells).design == 5.0
