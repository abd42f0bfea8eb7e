"""Tables of values: some that their measure cannot have are said on page one."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen import evaluate
from tests.page_text import without_chinese


def texts(values: list[float], measure: str) -> list[str]:
    frame = pl.DataFrame({"d": [f"d{k}" for k in range(12)], "p": values, "q": [0.7] * 12})
    columns = {"dataset": "d", "models": ["p", "q"]}
    results = evaluate({"task": "comparison", "measure": measure, "columns": columns}, frame)
    texts = [c.text for c in results.decision.caveats if c.code == "out_of_range"]
    assert not without_chinese(results, texts)
    return [text.replace("\xa0", " ") for text in texts]


def test_an_auc_above_1_among_others_is_named():
    assert texts([0.8] * 11 + [1.7], "auc") == [
        "1 of 24 values lies outside 0 to 1, the range of AUC: the largest is 1.7."
    ]
    assert texts([0.8] * 10 + [-2.0, -0.1], "accuracy") == [
        "2 of 24 values lie outside 0 to 1, the range of accuracy: the smallest is −2."
    ]


@pytest.mark.parametrize(
    ("values", "measure"),
    [([0.8] * 12, "auc"), ([9.0] * 12, "rmse"), ([9.0] * 12, "score")],
)
def test_measures_without_bounds_and_values_inside_are_not(values, measure):
    assert texts(values, measure) == []


def test_percentages_are_not():
    """Most of their values are above 1."""
    frame = pl.DataFrame(
        {"d": [f"d{k}" for k in range(8)], "p": [81.0] * 8, "q": [0.9] + [79.0] * 7}
    )
    columns = {"dataset": "d", "models": ["p", "q"]}
    results = evaluate({"task": "comparison", "measure": "accuracy", "columns": columns}, frame)

    assert not [c for c in results.decision.caveats if c.code == "out_of_range"]
