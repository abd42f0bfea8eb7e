"""Thresholds: chosen, given, and how sure a choice is."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.errors import UndefinedError
from reportgen.measuring.thresholds import chosen
from reportgen.sections.decisions import choices
from reportgen.sweeping import sweep
from tests.quick import QUICK
from tests.results_data import evaluated, metric, predictions


def test_a_threshold_is_chosen_on_the_validation_rows_and_judged_on_the_test_rows(tmp_path):
    frame = predictions(600)
    built = evaluated(
        frame, tmp_path, columns={"role": "role"}, threshold={"maximise": "informedness"}
    )
    validation = frame.filter(role="validation")
    steps = sweep(validation.with_columns(truth=pl.col("y") == "yes"), score="a")
    threshold, _ = chosen(steps, "informedness", maximise=True)
    model = built.data["models"][0]
    assert model["threshold"] == threshold
    assert model["threshold_role"] == "validation"
    assert metric(built, "n")["value"] == frame.filter(role="test").height


def test_a_threshold_chosen_on_the_judged_rows_is_said_to_be(tmp_path):
    built = evaluated(predictions(), tmp_path, threshold={"minimise": "cost"})
    assert built.data["models"][0]["threshold_role"] == "same rows"


def test_a_constraint_is_kept_by_the_chosen_threshold(tmp_path):
    choice = {"maximise": "precision", "subject to": {"recall": ">= 0.9"}}
    built = evaluated(predictions(), tmp_path, threshold=choice)
    assert metric(built, "recall")["value"] >= 0.9


def test_a_threshold_that_cannot_be_chosen_is_an_error(tmp_path):
    choice = {"maximise": "precision", "subject to": {"accuracy": "<= 0.01"}}
    with pytest.raises(UndefinedError, match="no threshold"):
        evaluated(predictions(), tmp_path, threshold=choice)


def test_calling_nothing_positive_is_a_finite_threshold_above_every_score():
    frame = pl.DataFrame({"truth": [False, False, True], "score": [0.9, 0.8, 0.1]})
    threshold, _ = chosen(
        sweep(frame), "cost", maximise=False, false_negative=0.1, false_positive=9.0
    )
    assert 0.9 < threshold < 0.9000001


def test_a_chosen_threshold_says_how_sure_it_is(tmp_path):
    rule = {"maximise": "f1", "subject to": {"recall": ">= 0.5"}}
    built = evaluated(predictions(), tmp_path, threshold=rule, bootstrap={"replicates": 100})
    for model in built.data["models"]:
        choice = model["threshold_choice"]
        sure = choice["certainty"]
        assert choice["metric"] == "f1"
        assert choice["value"] == pytest.approx(metric(built, "f1", model["name"])["value"])
        assert sure["corrected"] == pytest.approx(choice["value"] - sure["optimism"])
        assert sure["loosest"] <= model["threshold"]
    grouped = predictions().with_columns(g=pl.int_range(200) // 2)
    built = evaluated(grouped, tmp_path, threshold=rule, columns={"group": "g"})
    choice = built.data["models"][0]["threshold_choice"]
    assert choice["certainty"] is None
    assert choice["uncertain"] == "rows come in groups"
    table = choices(built)
    assert table is not None
    assert "n/a: rows come in groups." in table.notes
    assert all(row.cells["limits"] == "n/a" for row in table.rows)
    fixed = evaluated(predictions(), tmp_path)
    assert fixed.data["models"][0]["threshold_choice"] is None


def test_a_threshold_chosen_on_the_judged_rows_speaks_against_tests_of_decisions(tmp_path):
    built = evaluated(predictions(), tmp_path, threshold={"maximise": "f1"})
    why = {r["comparison"]: r["why"] or "" for r in built.comparisons.to_dicts()}
    assert why["mcnemar_exact"].startswith("thresholds were chosen on the evaluation data")
    assert "chosen" not in why["delong"]
    assert "chosen_threshold" in {caveat.code for caveat in built.decision.caveats}


def test_rows_of_one_class_choose_no_threshold_by_a_measure_that_none_changes():
    """Without a positive the F1 is 0 at every threshold: the first one would only look chosen."""
    random = np.random.default_rng(4)
    truth = random.random(200) < 0.5
    role = np.where(np.arange(200) < 80, "validation", "test")
    frame = pl.DataFrame(
        {"y": truth & (role == "test"), "p": truth + random.normal(size=200), "role": role}
    )
    spec = {"truth": "y", "models": {"m": {"score": "p"}}, "columns": {"role": "role"}, **QUICK}

    with pytest.raises(UndefinedError, match="no threshold of 'm' is better than another: the F1"):
        evaluate({**spec, "threshold": {"maximise": "f1"}}, frame)
    assert evaluate({**spec, "threshold": {"minimise": "cost"}}, frame).data["models"]
