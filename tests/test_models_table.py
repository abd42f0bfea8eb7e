"""Tables of models and of their slices: what stands beside a measure, and what is left out."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.sections import summary
from reportgen.sections.models_by_rank import OF_COMMON_SETS, models_table
from reportgen.sections.slices import SlicesSection
from reportgen.translation import translator
from reportgen.translation.names import names_of
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


def forecast(**more):
    """Two forecasts with prediction intervals of 90 %, of which one is too narrow."""
    random = np.random.default_rng(8)
    truth = random.normal(size=120)
    estimate = truth + 0.5 * random.normal(size=120)
    ends = {
        f"{end}{k}": estimate + side * k for end, side in (("low", -1), ("high", 1)) for k in (1, 2)
    }
    frame = pl.DataFrame({"y": truth, "m": estimate, "f": np.arange(120) % 4, **ends})
    models = {
        name: {"estimate": "m", "low": f"low{k}", "high": f"high{k}", "level": 0.9}
        for name, k in (("narrow", 1), ("wide", 2))
    }
    return evaluate({"truth": "y", "models": models, **QUICK, **more}, frame)


@pytest.mark.parametrize(("columns", "basis"), [({}, ""), ({"fold": "f"}, ", all rows")])
def test_page_one_has_coverage_and_width_of_prediction_intervals(columns, basis):
    results = forecast(columns=columns, comparisons={"primary": "winkler_score"})
    table = models_table(results)
    heads = {column.key: column.label for column in table.columns}
    into = translator("zh", names_of(results.to_dict()))
    shares = [row.cells["held"].text for row in table.rows]
    for head in heads.values():
        into.text(head, "th")

    assert (
        heads["held"]
        == f"In interval, nominal 90\N{NO-BREAK SPACE}%{basis} (95\N{NO-BREAK SPACE}% CI)"
    )
    assert heads["width"] == f"Interval width{basis}"
    assert {row.cells["width"].text for row in table.rows} == {"2.000", "4.000"}
    assert len(set(shares)) == 2
    assert "unit" not in heads
    assert not into.missing


def test_unlike_nominal_levels_stand_beside_the_coverage():
    random = np.random.default_rng(8)
    truth = random.normal(size=120)
    levels = {"a": {"level": 0.68}, "b": {"level": 0.95}, "c": {}}
    ends = {
        f"{end}_{name}": np.full(120, side * half)
        for end, side in (("low", -1), ("high", 1))
        for name, half in zip(levels, (1.0, 2.0, 1.9), strict=True)
    }
    frame = pl.DataFrame({"y": truth, "m": 0.5 * truth, **ends})
    models = {
        name: {"estimate": "m", "low": f"low_{name}", "high": f"high_{name}", **level}
        for name, level in levels.items()
    }
    results = evaluate({"truth": "y", "models": models, **QUICK}, frame)
    table = models_table(results)
    heads = {column.key: column.label for column in table.columns}
    summary_text = summary.text(results).replace("\N{NO-BREAK SPACE}", " ")
    into = translator("zh", names_of(results.to_dict()))
    notes = [
        "Nominal levels of the prediction intervals: a 68\N{NO-BREAK SPACE}%, "
        "b 95\N{NO-BREAK SPACE}% and c 95\N{NO-BREAK SPACE}% (not declared).",
        "Winkler scores of intervals of different levels do not rank the models.",
    ]
    for text in (*heads.values(), *notes):
        into.text(text)

    assert heads["nominal"] == "Nominal level"
    assert heads["held"].startswith("In interval (")
    assert [row.cells["nominal"].replace("\N{NO-BREAK SPACE}", " ") for row in table.rows] == [
        "68 %",
        "95 %",
        "95 % (not declared)",
    ]
    assert all(note.replace("\N{NO-BREAK SPACE}", " ") in summary_text for note in notes)
    assert not into.missing


def test_errors_that_decide_leave_the_rmse_beside_the_coverage():
    keys = [column.key for column in models_table(forecast(comparisons={"primary": "mse"})).columns]

    assert {"unit", "held"} <= {*keys}
    assert "width" not in keys


def test_the_summary_has_the_measures_of_intervals_beside_those_of_estimates():
    text = summary.text(forecast()).split("<details>")[0]

    assert all(name in text for name in ("| Interval coverage", "| Interval width", "| Winkler"))
