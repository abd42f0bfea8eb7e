"""The models of page one as a table: what stands beside the measure."""

from __future__ import annotations

import numpy as np
import polars as pl

from reportgen import evaluate
from reportgen.sections.models_by_rank import OF_COMMON_SETS, models_table
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
    table = models_table(evaluate(SPEC, scored(None)))

    assert [c.label for c in table.columns][-1] == "Cost per row (95\N{NO-BREAK SPACE}% CI)"
    for row in table.rows:
        cost = row.cells["cost"]
        assert float(cost.low) < float(cost.text) < float(cost.high)


def test_a_mean_cost_over_folds_has_none_and_the_table_says_so():
    table = models_table(evaluate({**SPEC, "columns": {"fold": "fold"}}, scored(5)))

    assert [c.label for c in table.columns][-1] == "Cost per row"
    assert "Cost per row: no interval on this basis (means over folds)." in table.notes


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
