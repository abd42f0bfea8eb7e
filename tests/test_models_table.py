"""Tables of models and of their slices: what stands beside a measure, and what is left out."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen import evaluate
from reportgen.sections.models_by_rank import OF_COMMON_SETS, models_table
from reportgen.sections.slices import SlicesSection
from tests.quick import QUICK


def scored(folds: int | None) -> pl.DataFrame:
    random = np.random.default_rng(4)
    truth = random.integers(0, 2, 200)
    scores = {name: np.clip(0.3 * truth + 0.7 * random.random(200), 0, 1) for name in "ab"}
    fold = {} if folds is None else {"fold": np.arange(200) % folds}
    return pl.DataFrame({"y": truth, **scores, **fold})


SPEC = {
    "truth": "y",
    "models": {"a": {"score": "a"}, "b": {"score": "b"}},
    "costs": {"false_negative": 5, "false_positive": 1},
    **QUICK,
}


def test_the_cost_of_all_rows_has_its_interval():
    table = models_table(evaluate({**SPEC, "comparisons": {"primary": "auc"}}, scored(None)))

    assert [c.label for c in table.columns][-1] == "Cost per row (95\N{NO-BREAK SPACE}% CI)"
    for row in table.rows:
        cost = row.cells["cost"]
        assert float(cost.low) < float(cost.text) < float(cost.high)


def test_where_the_cost_decides_its_column_is_the_cost_per_row():
    heads = [c.label for c in models_table(evaluate(SPEC, scored(None))).columns]

    assert heads[1] == "Cost per row (95\N{NO-BREAK SPACE}% CI)"
    assert heads.count(heads[1]) == 1


def test_a_mean_cost_over_folds_has_limits_and_names_its_basis():
    by_area = {**SPEC, "columns": {"fold": "fold"}, "comparisons": {"primary": "auc"}}
    table = models_table(evaluate(by_area, scored(5)))

    head = "Cost per row, mean over folds (95\N{NO-BREAK SPACE}% CI)"
    assert [c.label for c in table.columns][-1] == head
    assert all(row.cells["cost"].low is not None for row in table.rows)


def test_means_and_median_differences_over_data_sets_have_their_bases_named():
    random = np.random.default_rng(3)
    values = [
        (f"d{d}", m, round(0.7 + 0.05 * k + 0.03 * random.random(), 2))
        for d in range(12)
        for k, m in enumerate("abc")
    ]
    frame = pl.DataFrame(values, schema=["set", "model", "value"], orient="row")
    spec = {
        "task": "comparison",
        "columns": {"dataset": "set", "model": "model", "value": "value"},
        "measure": "auc",
    }
    table = models_table(evaluate(spec, frame))

    assert "Differences between models: median difference (Hodges–Lehmann)." in table.notes
    assert OF_COMMON_SETS in table.notes


def test_a_measure_without_a_value_in_any_slice_has_its_reason_below_the_table():
    random = np.random.default_rng(6)
    truth = random.integers(0, 2, 200)
    label = np.where(random.random(200) < 0.8, truth, 1 - truth)
    frame = pl.DataFrame({"y": truth, "a": label, "part": np.arange(200) % 2})
    spec = {"truth": "y", "models": {"a": {"label": "a"}}, "slices": ["part"], **QUICK}
    (table,) = SlicesSection.from_results(evaluate(spec, frame), []).tables

    assert "AUC is left out: the model gives labels, not scores." in table.notes
    assert {row.group for row in table.rows} >= {"Error rate", "Recall"}
    assert "AUC" not in {row.group for row in table.rows}
