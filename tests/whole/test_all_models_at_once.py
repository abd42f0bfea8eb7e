"""Page one says one thing of models over data sets where pairs differ and all of them do not."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen.results import evaluate
from tests.page_text import without_chinese


def test_pairs_that_differ_do_not_stand_beside_no_difference_among_all():
    """The omnibus test is of ranks, the pairs of graded items of means: its p is 0.064 here."""
    random = np.random.default_rng(20)
    grades = [0, 0.5, 1]
    frame = pl.DataFrame(
        {
            "item": [f"q{k}" for k in range(200)],
            "a": random.choice(grades, 200, p=[0.2, 0.3, 0.5]),
            "b": random.choice(grades, 200, p=[0.25, 0.3, 0.45]),
            "c": random.choice(grades, 200),
        }
    )
    columns = {"dataset": "item", "models": [*"abc"]}
    spec = {"data": "x", "task": "comparison", "unit": "item", "columns": columns}
    results = evaluate({**spec, "measure": "score", "better": "higher"}, frame)
    decision = results.decision

    assert "significantly ahead of c" in decision.headline
    assert "No significant difference in score among" not in decision.sentence
    first = decision.sentence.split("; ")[0]
    assert first == (
        "The test of all models at once does not reject (Friedman's test by sign flips, p = 0.064)"
    )
    assert not without_chinese(results, [decision.sentence])
