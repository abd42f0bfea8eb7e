"""Thresholds of several labels: one for each, chosen by itself."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.measuring.thresholds import chosen
from reportgen.results import Results, evaluate
from reportgen.sections.decisions import Decisions
from reportgen.spec import from_dict
from reportgen.sweeping import sweep
from tests.quick import QUICK

LABELS = ("rare", "common")


def rows(size: int = 300) -> pl.DataFrame:
    random = np.random.default_rng(0)
    truth = random.random((size, 2)) < [0.1, 0.6]
    score = 0.4 * truth + 0.6 * random.random((size, 2)) * [0.5, 1.0]
    columns = {f"is_{n}": truth[:, k] for k, n in enumerate(LABELS)}
    columns |= {f"p_{n}": score[:, k].round(3) for k, n in enumerate(LABELS)}
    even = pl.int_range(size) % 2 == 0
    validation, test = pl.lit("validation"), pl.lit("test")
    return pl.DataFrame(columns).with_columns(role=pl.when(even).then(validation).otherwise(test))


def evaluated(tmp_path, **more: object) -> Results:
    rows().write_parquet(tmp_path / "rows.parquet")
    spec = {
        "data": "rows.parquet",
        "truth": {n: f"is_{n}" for n in LABELS},
        "models": {"m": {"scores": {n: f"p_{n}" for n in LABELS}}},
        "bootstrap": {"replicates": 100},
        **more,
    }
    return evaluate(from_dict(spec, tmp_path))


@pytest.mark.parametrize(("columns", "role"), [({"role": "role"}, "validation"), ({}, "same rows")])
def test_each_label_has_the_threshold_that_is_best_for_it(tmp_path, columns, role):
    built = evaluated(tmp_path, threshold={"maximise": "f1"}, columns=columns)
    (model,) = built.data["models"]
    basis = rows().filter(role="validation") if columns else rows()
    test_rows = rows().filter(role="test") if columns else rows()
    assert model["threshold_role"] == role
    for name, one in zip(LABELS, model["thresholds"], strict=True):
        at, _ = chosen(sweep(basis, truth=f"is_{name}", score=f"p_{name}"), "f1", maximise=True)
        assert (one["class"], one["threshold"]) == (name, at)
        assert one["threshold_choice"]["certainty"]["loosest"] <= at
        count = test_rows.filter(pl.col(f"p_{name}") >= at, f"is_{name}").height
        true_positives = built.metrics.filter(pl.col("class") == name, metric="tp")
        assert true_positives["value"].to_list() == [count]
    section = Decisions.from_results(built, [])
    (table,) = (t for t in section.tables if t.id == "threshold_choice")
    assert [row.cells["model"] for row in table.rows] == list(LABELS)
    assert bool(section.warnings) == (role == "same rows")
    assert "its own threshold, which maximises F1" in section.rules[0]


def test_a_number_is_the_threshold_of_every_label(tmp_path):
    (model,) = evaluated(tmp_path, threshold=0.3).data["models"]
    assert (model["threshold"], model["thresholds"]) == (0.3, [])


def test_a_label_without_positives_does_not_keep_the_others_from_a_threshold():
    random = np.random.default_rng(2)
    truth = random.random(200) < 0.5
    frame = pl.DataFrame({"a": truth, "b": np.zeros(200, bool)}).with_columns(
        pa=pl.Series(random.random(200) / 2 + truth / 2), pb=pl.Series(random.random(200))
    )
    models = {"m": {"scores": {"a": "pa", "b": "pb"}}}
    spec = {"truth": {"a": "a", "b": "b"}, "models": models, "threshold": {"maximise": "f1"}}

    assert evaluate(spec | QUICK, frame).data["models"][0]["thresholds"]


@pytest.mark.parametrize("primary", [None, "subset_accuracy"])
def test_thresholds_of_validation_rows_name_no_winner_in_a_measure_that_nobody_asked_for(primary):
    random = np.random.default_rng(0)
    size = 500
    truth = random.random((size, 2)) < 0.4
    shift = {"a": 0.5, "b": 0.2}
    columns = {f"is_{n}": truth[:, k] for k, n in enumerate(LABELS)}
    for model, apart in shift.items():
        score = apart * truth + (1 - apart) * random.random((size, 2))
        columns |= {f"{model}_{n}": score[:, k] for k, n in enumerate(LABELS)}
    role = np.where(np.arange(size) % 5 == 0, "validation", "test")
    spec = {
        "truth": {n: f"is_{n}" for n in LABELS},
        "models": {m: {"scores": {n: f"{m}_{n}" for n in LABELS}} for m in shift},
        "threshold": {"maximise": "f1"},
        "columns": {"role": "role"},
        "comparisons": {} if primary is None else {"primary": primary},
        **QUICK,
    }
    decision = evaluate(spec, pl.DataFrame(columns | {"role": role})).decision

    if primary is None:
        assert decision.relation == "no conclusion"
        assert "thresholds of the labels were chosen on validation rows" in decision.headline
    else:
        assert (decision.relation, decision.leader) == ("ahead", "a")
