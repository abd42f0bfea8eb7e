"""Tables of tests name a better model only where a test does that page one rests on."""

import numpy as np
import polars as pl

import reportgen
from reportgen.sections import lookup
from reportgen.sections.better import NOTE
from reportgen.sections.comparisons import table_of_tests
from reportgen.translation import translator


def evaluated(**columns):
    """A far better second model; all test rows may have been trained on."""
    random = np.random.default_rng(4)
    truth = random.random(300) < 0.4
    scores = {"champion": random.normal(truth * 3.0), "other": random.normal(truth * 0.3)}
    frame = pl.DataFrame({"y": truth, **scores, "id": range(300)})
    if columns:
        roles = [frame.with_columns(role=pl.lit(role)) for role in ("train", "test")]
        frame = pl.concat(roles)
    spec = {
        "truth": "y",
        "models": {name: {"score": name} for name in scores},
        "columns": columns,
        "threshold": 1.0,
    }
    results = reportgen.evaluate(spec, frame)
    table = table_of_tests(results, lookup.compared(results))
    return results, table, {str(row.cells["result"].text) for row in table.rows}


def test_a_test_that_decides_names_the_better_model():
    results, table, shown = evaluated()

    assert results.decision.relation == "ahead"
    assert "champion" in shown
    assert "significant" not in shown or NOTE in table.notes


def test_without_a_conclusion_no_test_names_a_better_model():
    results, table, shown = evaluated(role="role", id="id")

    assert results.decision.relation == "no conclusion"
    assert any(row.reject for row in lookup.compared(results))
    assert "champion" not in shown
    assert "significant" in shown
    assert NOTE in table.notes
    into = translator("zh", set())
    into.text(NOTE, "p")
    assert not into.missing
