"""Two models whose outputs differ in few rows."""

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.quick import QUICK
from tests.test_decision_against_leader import without_chinese


def nearly(rows, **more):
    """Scores of a model, and the same with those of so many high positives reversed."""
    signal = np.random.default_rng(3).normal(size=(2, 300))
    truth, scores = signal.sum(axis=0) > 0, 1 / (1 + np.exp(-1.6 * signal[0]))
    places = np.flatnonzero(truth & (scores > 0.75))[:rows]
    other = scores.copy()
    other[places] = 1 - other[places]
    frame = pl.DataFrame({"y": truth.astype(int), "a": scores, "b": other})
    models = {name: {"score": name} for name in "ab"}
    return evaluate({"truth": "y", "models": models, **QUICK, **more}, frame)


def stated(results):
    return [c.text for c in results.decision.caveats if c.code == "unlike_rows"]


def test_page_one_says_that_the_winner_differs_in_four_rows():
    results = nearly(4)

    assert results.decision.relation == "ahead"
    assert stated(results) == [
        "The outputs of a and b differ in only 4 rows, on which their test rests."
    ]
    assert results.data["unlike_rows"] == [{"models": ["a", "b"], "rows": 4}]
    assert not without_chinese(results, stated(results))


@pytest.mark.parametrize("more", [{"rows": 10}, {"rows": 4, "privacy": {"small_cells": 5}}])
def test_models_that_differ_in_more_rows_or_where_counts_are_withheld_have_no_such_word(more):
    assert not stated(nearly(**more))


def test_a_test_of_decisions_says_itself_how_few_rows_it_rests_on():
    results = nearly(4, comparisons={"primary": "accuracy"})

    assert not stated(results)
    assert "Only 4 rows are predicted correctly" in results.decision.caveats[0].text
