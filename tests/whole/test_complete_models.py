"""Models in long form: one that lacks rows does not keep the others from being compared."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen import predictions as reading
from reportgen.measuring.context import EvaluationContext
from reportgen.measuring.one_vs_rest import with_highest
from reportgen.resources import EXAMPLES
from reportgen.results import Results
from reportgen.results.evaluators import evaluator
from reportgen.sections import differences_table
from reportgen.spec import read
from tests.quick import QUICK

SPEC = {
    "truth": "y",
    "models": {"column": "model", "score": "p"},
    "columns": {"id": "id"},
    "gates": ["one.accuracy - two.accuracy > 0"],
    **QUICK,
}


def rows(lacking: str = "some") -> pl.DataFrame:
    """Three models of 400 examples; one of them lacks a quarter of them."""
    random, size = np.random.default_rng(5), np.arange(400)
    signal = random.normal(size=400)
    truth = signal + random.normal(size=400) > 0
    noise = {"one": 0.2, "two": 1.5, "some": 0.4}
    parts = [
        pl.DataFrame({"id": size, "y": truth, "site": size % 3, "model": model}).with_columns(
            p=pl.Series(1 / (1 + np.exp(-signal - spread * random.normal(size=400))))
        )
        for model, spread in noise.items()
    ]
    return pl.concat(parts).filter((pl.col("model") != lacking) | (pl.col("id") % 4 > 0))


@cache
def together(lacking: str = "some") -> Results:
    return evaluate(SPEC, rows(lacking))


@cache
def alone() -> Results:
    return evaluate(SPEC, rows().filter(pl.col("model") != "some"))


def of_pair(results: Results) -> dict[str, dict]:
    return {
        row["comparison"]: row
        for row in results.comparisons.to_dicts()
        if set(row["models"]) == {"one", "two"} and row["slice"] is None
    }


def test_the_models_that_have_every_row_are_tested_as_if_they_were_alone():
    first, second = of_pair(together()), of_pair(alone())

    assert first.keys() == second.keys()
    for name, row in first.items():
        for key in ("p_value", "low", "high", "estimate", "statistic", "recommendation", "unit"):
            assert row[key] == second[name][key], (name, key)


def test_their_tests_count_in_the_ledger_of_the_report():
    tested = [row for row in of_pair(together()).values() if row["p_report"] is not None]

    assert tested
    assert all(row["p_report"] >= row["p_value"] for row in tested)


def test_their_differences_and_gates_are_paired():
    keys = ["metric", "value", "low", "high", "interval"]
    pair = pl.col("models") == ["one", "two"]
    tables = [results.differences.filter(pair).select(keys) for results in (together(), alone())]

    assert tables[0].equals(tables[1])
    assert together().gates.select("low", "high").equals(alone().gates.select("low", "high"))


@pytest.mark.parametrize(("lacking", "state"), [("some", "inconclusive"), ("none", "pass")])
def test_a_difference_to_a_model_that_lacks_rows_passes_no_gate(lacking, state):
    """The rows that it lacks may be the hardest."""
    (gate,) = evaluate(
        {**SPEC, "gates": ["some.auc - two.auc > 0"]}, rows(lacking)
    ).gates.to_dicts()

    assert gate["low"] > 0
    assert gate["state"] == state
    if state == "inconclusive":
        assert gate["why"] == "nothing shows that some and two were evaluated on equally hard rows"


def test_page_one_says_who_leads_of_these_and_that_the_other_is_not_ranked():
    decision = together().decision
    texts = " ".join(caveat.text for caveat in decision.caveats)

    assert decision.relation == "ahead"
    assert {decision.leader, decision.compared_with} == {"one", "two"}
    assert "Only one and two, which have every row, are compared" in texts
    assert texts.count("some lacks ") == 1


def test_nobody_leads_where_the_best_value_is_of_other_rows():
    """The best model lacks rows: of the others page one says which is ahead."""
    decision = together("one").decision
    texts = " ".join(caveat.text for caveat in decision.caveats)

    assert decision.relation == "no conclusion"
    assert "some is significantly ahead of two in AUC" in texts


@pytest.mark.parametrize(
    ("change", "more"),
    [
        pytest.param(
            {"y": pl.col("y") ^ ((pl.col("model") == "two") & (pl.col("id") == 1))}, {}, id="truth"
        ),
        pytest.param({"day": pl.col("id")}, {"time": "day"}, id="time"),
        pytest.param({"part": pl.col("id") % 4}, {"dataset": "part"}, id="data sets"),
    ],
)
def test_rows_that_are_more_than_examples_are_not_paired(change, more):
    """Nor are models that disagree about the truth of an example."""
    spec = {**SPEC, "columns": {"id": "id", **more}, "gates": []}
    results = evaluate(spec, rows().with_columns(**change))

    assert "paired_models" not in results.data


def test_small_cells_leave_the_models_unpaired():
    assert "paired_models" not in evaluate({**SPEC, "privacy": {"small_cells": 5}}, rows()).data


@pytest.mark.parametrize(
    ("results", "caption"),
    [
        (together, "Differences in key measures"),
        (alone, "Differences in key measures, same rows"),
    ],
)
def test_the_table_of_differences_says_which_are_of_the_same_rows(results, caption):
    """Those of the model that lacks rows are of separate samples."""
    assert differences_table.tables(results())[0].caption == caption


def test_another_measure_decides_for_the_reason_of_the_models_that_are_compared():
    """Not because a third one lacks rows."""
    random = np.random.default_rng(1)
    truth = random.normal(size=200)
    parts = [
        pl.DataFrame({"id": range(200), "y": truth, "model": model})
        .with_columns(p=pl.Series(truth + spread * random.normal(size=200)))
        .filter((pl.col("model") != "some") | (pl.col("id") % 4 > 0))
        for model, spread in (("one", 1.0), ("two", 2.0), ("some", 3.0))
    ]
    models = {"column": "model", "estimate": "p"}
    spec = {**SPEC, "task": "regression", "models": models, "gates": []}
    decision = evaluate(spec, pl.concat(parts)).decision
    (why,) = (caveat.text for caveat in decision.caveats if caveat.code == "measure")

    assert decision.leader == "one"
    assert "200 rows cannot rule out rare large errors" in why


def test_the_reason_against_a_test_of_two_models_names_no_third_one():
    pairs = together().comparisons.filter(pl.col("undefined").is_not_null())
    reasons = {
        row["undefined"]
        for row in pairs.to_dicts()
        if set(row["models"]) == {"some", "two"} and row["unit"] == "rows"
    }

    assert reasons == {"the models were not evaluated on the same rows"}


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "digit_properties", "diabetes"])
def test_models_that_are_only_compared_have_the_same_comparisons_and_no_measures(name):
    spec = read(EXAMPLES / name / "report.yaml")
    few = spec.bootstrap.model_copy(update={"replicates": 200})
    spec = spec.model_copy(update={"bootstrap": few})
    predictions = with_highest(reading.read(spec, *reading.inputs(spec)))
    evaluate_task = evaluator(predictions.task)
    whole = evaluate_task(EvaluationContext(predictions, spec))
    compared = evaluate_task(EvaluationContext(predictions, spec, only_compared=True))
    assert whole.metrics
    assert (compared.metrics, compared.curves) == ([], {})
    assert compared.comparisons == whole.comparisons
    assert compared.differences == whole.differences
    assert compared.models == whole.models
