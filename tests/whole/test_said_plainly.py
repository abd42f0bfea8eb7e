"""What page one says of models that do not rank rows, of ties by rounding, and of missing ids."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.results import Results
from tests.page_text import without_chinese
from tests.quick import QUICK


def compared(scores: dict[str, Any], truth: Any, **more: Any) -> Results:
    models = {name: {"score": name} for name in scores}
    return evaluate({"truth": "y", "models": models, **QUICK, **more}, {"y": truth, **scores})


def texts(results: Results, code: str) -> list[str]:
    return [caveat.text for caveat in results.decision.caveats if caveat.code == code]


def signal(rows: int) -> tuple[Any, Any]:
    random = np.random.default_rng(4)
    truth = np.arange(rows) % 2
    return truth, truth + random.normal(size=rows)


def test_a_model_that_gives_every_row_the_same_score_is_said_to():
    truth, score = signal(300)
    results = compared({"a": score, "one": np.full(300, 0.3)}, truth)
    [row] = results.metrics.filter(metric="auc", model="one").to_dicts()
    stated = [
        "one gives every row the same score (AUC 0.500).",
        f"No interval: {row['no_interval']}.",
    ]

    assert texts(results, "constant") == stated[:1]
    assert not [text for text in texts(results, "at_chance") if "AUC" in text]
    assert row["no_interval"] == "all scores are equal"
    assert not without_chinese(results, stated)


def test_models_that_are_first_but_for_rounding_are_first_together():
    truth, score = signal(400)
    other = score.copy()
    for label in (0, 1):  # permuted within the class: the same AUC
        rows = np.flatnonzero(truth == label)
        other[rows] = np.random.default_rng(label).permutation(other[rows])
    order = np.argsort(other)
    unlike = np.flatnonzero(np.diff(truth[order]))[0]
    first, second = order[unlike], order[unlike + 1]
    other[first], other[second] = other[second], other[first]
    results = compared({"a": score, "b": other}, truth, comparisons={"primary": "auc"})
    headline = results.decision.headline.split("; ")[0]

    assert len({*results.metrics.filter(metric="auc")["value"]}) == 2
    assert headline.endswith(", without a significant difference")
    assert headline.startswith(
        ("a and b have the highest AUC, 0.", "b and a have the highest AUC, 0.")
    )
    assert not without_chinese(results, [headline])


def test_a_model_that_is_worse_by_more_than_the_margin_is_not_said_to_be_behind_as_well():
    truth, score = signal(600)
    near = score + 0.02 * np.random.default_rng(1).normal(size=600)
    cheap = score + 2 * np.random.default_rng(2).normal(size=600)
    scores = {"old": score, "new": near, "cheap": cheap}
    results = compared(scores, truth, baseline="old", comparisons={"margin": 0.02})
    sentence = results.decision.sentence

    assert "cheap is worse than old by more than the margin of 0.02." in sentence
    assert "cheap is significantly behind old" not in sentence


def test_without_a_baseline_too_a_model_is_worse_by_more_than_the_margin():
    truth, score = signal(600)
    near = score + 0.4 * np.random.default_rng(1).normal(size=600)
    cheap = score + 2 * np.random.default_rng(2).normal(size=600)
    scores = {"first": score, "near": near, "cheap": cheap}
    results = compared(scores, truth, comparisons={"margin": 0.01})
    sentence = results.decision.sentence

    assert "cheap is worse than first by more than the margin of 0.01." in sentence
    assert "significantly ahead of cheap" not in sentence
    assert "Equivalence of first and near in AUC within 0.01 is not established" in sentence
    assert "cheap to first" not in sentence


def test_models_that_rank_alike_but_for_rounding_have_no_first_one_below_the_headline():
    truth, score = signal(300)
    given = 1 / (1 + np.exp(-score))
    over = np.round(1 / (1 + np.exp(-1.8 * score)), 4)
    decision = compared({"a": np.round(given, 4), "b": over}, truth, threshold=0.5).decision

    assert " rank the rows and decide alike (AUC 0." in decision.headline
    assert decision.sentence == ""


def test_models_without_an_id_have_one_reason_and_what_to_declare():
    truth, score = signal(200)
    frame = {"y": np.tile(truth, 2), "m": np.repeat(["a", "b"], 200)}
    frame["s"] = np.concatenate([score, score + np.random.default_rng(3).normal(size=200)])
    spec = {"truth": "y", "models": {"column": "m", "score": "s"}, **QUICK}
    results = evaluate(spec, pl.DataFrame(frame))
    [text] = texts(results, "no_valid_test")

    assert results.decision.headline == (
        "No conclusion on which model is better: no id column is declared"
    )
    assert results.decision.sentence.startswith("No test ranks the models: AUC a 0.")
    assert text.endswith(" Declare the column that identifies a row as columns.id.")
    assert not texts(results, "unpaired")
    assert not without_chinese(results, [results.decision.headline, text])


@pytest.mark.parametrize(
    ("folds", "more"), [(30, ""), (10, "; means over folds may differ from these values")]
)
def test_rows_of_leave_one_out_have_no_means_over_folds(folds, more):
    from reportgen.sections.metric_table import MetricTable

    truth, score = signal(30)
    fold = np.arange(30) % folds
    frame = pl.DataFrame({"y": truth, "a": score, "fold": fold})
    spec = {"truth": "y", "models": {"a": {"score": "a"}}, "columns": {"fold": "fold"}, **QUICK}
    results = evaluate(spec, frame)
    notes = list(MetricTable.of(results).pooled)

    assert notes == [f"Rows of {folds} fits are pooled{more}."]
    assert not without_chinese(results, notes)
