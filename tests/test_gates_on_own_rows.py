"""Gates on differences of models that were evaluated on rows of their own."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen.concluding.gate_differences import OwnRows
from reportgen.spec.gates import parse

AUC_OF_TWO_SAMPLES = pl.DataFrame(
    {
        "models": [["a", "b"]],
        "slice": pl.Series([None], dtype=pl.String),
        "unit": ["samples"],
        "metric": ["auc"],
        "recommendation": ["recommended"],
    }
)


@pytest.mark.parametrize(
    ("gate", "unlike", "open_"),
    [
        ("a.auc - b.auc > 0", False, False),
        ("a.auc - b.auc > 0", True, False),
        ("a.f1 - b.f1 > 0", False, False),
        ("a.f1 - b.f1 > 0", True, True),
        ("a.auc - c.auc > 0", False, True),
        ("a.auc > 0.5", True, False),
    ],
)
def test_a_measure_without_a_test_is_open_where_the_truths_of_the_models_are_unlike(
    gate, unlike, open_
):
    """Another mix of classes moves F1, which the test of the AUC says nothing of."""
    pairs = frozenset([frozenset("ab")]) if unlike else frozenset()
    rows = OwnRows(frozenset(), AUC_OF_TWO_SAMPLES, pairs)

    assert (rows.objection(parse(gate)) is not None) is open_
