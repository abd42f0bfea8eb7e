"""Page one: the models are drawn, gates read what it prints, and whose a number is is said."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

import reportgen
from reportgen.charts import figures, key_metrics
from reportgen.charts.leaders import SECTION
from reportgen.records.model import Results
from reportgen.sections import sections
from reportgen.sections.verdict import Verdict
from reportgen.text import numbers
from tests.quick import QUICK

RNG = np.random.default_rng(20)
ROWS = 200
TRUTH = RNG.random(ROWS) < 0.4
FRAME = pl.DataFrame(
    {
        "id": range(ROWS),
        "y": TRUTH,
        "fold": np.arange(ROWS) % 10,
        "strong": TRUTH + RNG.normal(0, 0.6, ROWS),
        "weak": TRUTH + RNG.normal(0, 1.5, ROWS),
        "coin": RNG.random(ROWS),
        "dice": RNG.random(ROWS),
    }
)
AUC_OVER_FOLDS = "strong.auc.low >= 0.5"


@cache
def evaluated(models: str, *gates: str, folds: bool = False, costs: bool = False) -> Results:
    spec: dict[str, Any] = {
        "data": "p",
        "truth": "y",
        "models": {name: {"score": name} for name in models.split()},
        "threshold": 0.5,
        "gates": list(gates),
        "columns": {"id": "id", "fold": "fold"} if folds else {"id": "id"},
        **QUICK,
    }
    if costs:
        spec["costs"] = {"false_negative": 3, "false_positive": 1}
    return reportgen.evaluate(spec, FRAME)


def test_the_figure_of_page_one_has_the_numbers_of_the_decision():
    results = evaluated("strong weak")
    figure = figures(results)[0]
    first, second = results.decision.models

    assert (figure.id, figure.section) == ("leaders", SECTION)
    assert figure.table["Value"].to_list() == [first.value, second.value]
    assert figure.table["Difference"].to_list() == [None, second.difference]
    assert figure.table["Low of difference"][1] == second.difference_low


def test_a_difference_is_filled_only_where_the_test_rejects():
    """The fill of each mark, in the datasets of the chart, follows the record."""
    significant, level = evaluated("strong weak"), evaluated("coin dice")

    assert significant.decision.models[1].significant is True
    assert level.decision.models[1].significant is False
    fills = [row.get("fill") for data in _data(level) for row in data if "fill" in row]
    assert "white" in fills
    assert "white" not in [row.get("fill") for data in _data(significant) for row in data]


def _data(results: Results) -> list[list[dict[str, Any]]]:
    return list(figures(results)[0].chart["datasets"].values())


def test_page_one_shows_the_values_of_the_folds_where_it_prints_their_means():
    placed = [f.id for f in figures(evaluated("strong weak", folds=True)) if f.section == SECTION]

    assert placed == ["leaders", "folds"]


def test_one_model_has_its_key_numbers_on_page_one():
    placed = [f.id for f in figures(evaluated("strong")) if f.section == SECTION]

    assert placed == ["key_metrics"]


def test_a_page_one_with_little_room_has_the_first_key_numbers():
    frame = FRAME.with_columns(pl.col("strong", "weak") > 0.5)
    models = {name: {"label": name} for name in ("strong", "weak")}
    spec = {"data": "p", "truth": "y", "models": models, "gates": ["strong.recall >= 0.1"]}
    results = reportgen.evaluate(spec | QUICK, frame)
    placed = {f.id: f for f in figures(results) if f.section == SECTION}
    [every] = key_metrics.figures(results)

    assert list(placed) == ["leaders", "key_metrics"]
    assert placed["key_metrics"].table.height < every.table.height
    assert every.table["Measure"][0] == placed["key_metrics"].table["Measure"][0]


def test_a_crowded_page_one_leaves_out_what_has_no_room():
    gates = [f"weak.auc >= {limit / 100}" for limit in range(1, 26)]
    placed = [f.id for f in figures(evaluated("strong weak", *gates)) if f.section == SECTION]

    assert placed == []


def test_a_gate_reads_the_mean_over_folds_that_page_one_prints():
    results = evaluated("strong weak", AUC_OVER_FOLDS, "weak.recall > 0", folds=True)
    leader = results.decision.models[0]
    auc, recall = results.gates.to_dicts()

    assert (auc["basis"], auc["gate"]) == ("mean over folds", AUC_OVER_FOLDS)
    assert auc["observed"] == leader.low
    assert recall["basis"] == "mean over folds"


def test_without_folds_a_gate_reads_all_rows():
    assert evaluated("strong weak", AUC_OVER_FOLDS).gates["basis"].to_list() == ["pooled rows"]


def test_the_cost_on_page_one_is_a_mean_over_folds_where_the_measure_is():
    results = evaluated("strong weak", folds=True, costs=True)
    wrong = pl.col("y") != (pl.col("strong") >= 0.5)
    cost = pl.when(wrong).then(pl.when("y").then(3.0).otherwise(1.0)).otherwise(0.0)
    by_fold = FRAME.group_by("fold").agg(cost.mean().alias("cost"))["cost"]

    assert results.decision.models[0].model == "strong"
    assert results.decision.models[0].cost == pytest.approx(by_fold.mean(), abs=1e-12)


def test_the_headline_at_chance_says_whose_each_value_is():
    headline = evaluated("coin dice").decision.headline

    assert "better than chance in AUC: coin 0." in headline
    assert " and dice 0." in headline


def test_models_that_tie_share_the_best_value():
    frame = FRAME.with_columns(copy=(pl.col("strong") + 0.5) / 2)
    spec = {"data": "p", "truth": "y", "models": {"strong": {"score": "strong"}}}
    spec["models"]["copy"] = {"score": "copy"}
    decision = reportgen.evaluate(spec | QUICK, frame).decision

    assert decision.headline.startswith("strong and copy rank the rows and decide alike (AUC 0.")
    assert decision.sentence.startswith("strong and copy have the same AUC, ")


def test_every_cell_of_page_one_has_its_column_for_a_phone():
    section = Verdict.from_results(evaluated("strong weak"), [])
    keys = {column.key for column in section.models.columns}

    assert all(set(row.cells) >= keys for row in section.models.rows)


def test_long_names_are_cut_but_in_the_table_of_models_and_told_apart():
    names = [f"{'gradient_boosting_with_monotone_constraints_' * 2}v{k}" for k in "12"]
    frame = FRAME.rename({"strong": names[0], "weak": names[1]})
    models = {name: {"score": name} for name in names}
    spec = {"truth": "y", "models": models, "baseline": names[0]}
    results = reportgen.evaluate(spec | QUICK, frame)
    parts = {part.id: part for part in sections(results)}

    [models] = [fact.value for fact in parts["data"].facts if fact.name == "Models"]
    whole = models.split(" and ")
    cut = [column.label for column in parts["key_numbers"].tables[0].columns[1:]]
    head = json.dumps(figures(results)[0].chart, ensure_ascii=False)
    assert [len(name) for name in whole] == [80, 80]
    assert cut == ["…monotone_constraints_v1", "…monotone_constraints_v2"]
    assert len(set(whole)) == 2
    assert re.search(r"Model − …monotone_constraints_v1\"", head)
    assert results.decision.headline.startswith("…monotone_constraints_v")


@pytest.mark.parametrize(("baseline", "head"), [("model", "Other model − model"), (None, "")])
def test_a_model_that_is_named_model_is_not_subtracted_from_itself(baseline, head):
    frame = FRAME.rename({"strong": "model"})
    models = {name: {"score": name} for name in ("model", "weak")}
    spec = {"truth": "y", "models": models} | ({"baseline": baseline} if baseline else {})
    results = reportgen.evaluate(spec | QUICK, frame)
    chart = json.dumps(figures(results)[0].chart, ensure_ascii=False)

    assert results.decision.leader == "model"
    assert (head or "model − other model") in chart


def test_thresholds_of_validation_rows_stand_on_page_one():
    role = pl.Series(["validation", "test"] * len(FRAME))[: len(FRAME)]
    spec = {"truth": "y", "models": {"strong": {"score": "strong"}}, "columns": {"role": "role"}}
    results = reportgen.evaluate(
        spec | QUICK | {"threshold": {"maximise": "f1"}}, FRAME.with_columns(role=role)
    )
    [model] = results.data["models"]

    line = f"threshold chosen on validation rows: {numbers.threshold(model['threshold'])} (strong)"
    assert Verdict.from_results(results, []).facts.endswith(line)
