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


def test_a_leader_by_the_sizes_of_differences_is_not_said_to_rank_best():
    """b is a little better in 55 % of the data sets, c far better in the others."""
    random = np.random.default_rng(3)
    b = random.uniform(0.4, 0.6, 60)
    near = np.arange(60) < 33
    c = np.where(near, b - 0.015 * random.random(60), b + 0.2 * random.random(60))
    frame = pl.DataFrame({"set": [f"s{k}" for k in range(60)], "b": b, "c": c})
    columns = {"dataset": "set", "models": ["b", "c"]}
    spec = {"data": "x", "task": "comparison", "columns": columns, "better": "higher"}
    results = evaluate({**spec, "measure": "score"}, frame)

    assert results.decision.headline == (
        "c leads in score over 60 data sets, though b has the better mean rank (1.45 against "
        "1.55); significantly ahead of b"
    )
    assert not without_chinese(results, [results.decision.headline])
