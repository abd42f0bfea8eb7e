"""What page one says of models that every fold ranks alike, though no test over folds decides."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.results import Results, evaluate
from tests.page_text import without_chinese
from tests.quick import QUICK

TEXT = (
    "a is ahead of b in each of 5 folds. With equal models, this happens in about 6\xa0% of cases. "
)


def of_folds(wins: list[int]) -> Results:
    """Two models of 40 rows in each of five folds; a is right in so many more of them."""
    rows = []
    for fold, more in enumerate(wins):
        for row in range(40):
            wrong_of_b = row < 12 + max(more, 0)
            wrong_of_a = row < 12 + max(-more, 0)
            truth = row % 2
            rows.append((fold, truth, truth ^ wrong_of_a, truth ^ wrong_of_b))
    frame = pl.DataFrame(rows, schema=["fold", "y", "a", "b"], orient="row")
    spec = {"truth": "y", "models": {m: {"label": m} for m in "ab"}, "columns": {"fold": "fold"}}
    return evaluate({**spec, "comparisons": {"primary": "accuracy"}, **QUICK}, frame)


@pytest.mark.parametrize(
    ("wins", "stated"), [([1, 5, 1, 9, 3], True), ([1, 5, -1, 9, 3], False), ([1, 9, 2], False)]
)
def test_a_model_ahead_in_every_fold_is_named_where_the_test_does_not_decide(wins, stated):
    results = of_folds(wins)
    sentence = results.decision.sentence

    assert results.decision.relation == "level"
    assert (TEXT in sentence) == stated
    assert not without_chinese(results, [sentence])


def test_nothing_is_said_where_the_test_decides():
    results = of_folds([5, 6, 5, 6, 5])

    assert results.decision.relation == "ahead"
    assert "in each of 5 folds" not in results.decision.sentence


def test_estimates_of_a_number_are_no_classifiers():
    random, fold = np.random.default_rng(0), np.arange(200) % 5
    y = random.normal(size=200)
    frame = pl.DataFrame({"fold": fold, "y": y, "a": y + random.normal(size=200)})
    spec = {"truth": "y", "models": {"a": {"estimate": "a"}}, "columns": {"fold": "fold"}}
    results = evaluate({**spec, **QUICK}, frame)
    [text] = [one.text for one in results.decision.caveats if one.code == "pooled_fits"]

    assert text.endswith("whose training sets overlap. Limits there can be too narrow.")
    assert not without_chinese(results, [text])
