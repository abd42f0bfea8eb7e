"""Gates on differences of models that were fitted once per fold."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.engine_data import rows, spec, written
from tests.page_text import without_chinese
from tests.simulations.gates_over_folds import DESIGNS, passed

SCORES = {"models": {name: {"score": name} for name in "ab"}}


@pytest.mark.parametrize("engine", ["exact", "streaming"])
def test_two_folds_decide_no_gate_on_a_difference(tmp_path, monkeypatch, engine):
    """Limits of pooled rows take both fits as one model; a test over folds needs three."""
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "cache"))
    frame = rows(60).select("y", "a", "b", fold=pl.int_range(60) % 2)
    gates = [f"a.{name} - b.{name} > -0.9" for name in ("accuracy", "auc", "brier_score")]
    more = {**SCORES, "columns": {"fold": "fold"}, "gates": gates}
    of = evaluate(spec(written(frame, tmp_path / "p.parquet"), engine, **more))

    assert of.gates["state"].to_list() == ["inconclusive"] * 3
    assert not without_chinese(of, of.gates["why"].to_list())


def test_pooled_limits_decide_no_difference_that_the_test_over_folds_leaves_open():
    """A model at chance makes the corrected t-test reject too often; DeLong's limits exclude 0."""
    random = np.random.default_rng(2)
    positive = random.random(200) < 0.5
    frame = pl.DataFrame(
        {
            "y": positive,
            "fold": np.arange(200) % 5,
            "a": 1.0 * positive + random.normal(size=200),
            "b": random.normal(size=200),
        }
    )
    gates = ["a.auc - b.auc > 0", "b.auc - a.auc > 0"]
    of = evaluate({"truth": "y", "columns": {"fold": "fold"}, "gates": gates, **SCORES}, frame)
    over_folds = of.comparisons.filter(unit="folds", metric="auc", shows="difference")

    assert "recommended" not in over_folds["recommendation"]
    assert min(of.gates["low"].max(), -of.gates["high"].min()) > 0
    assert of.gates["state"].to_list() == ["inconclusive", "fail"]
    assert "holds its level only from" in of.gates["why"][0]
    assert set(of.gates["basis"]) == {"mean over folds"}
    assert of.decision.basis == "mean over folds"
    assert not without_chinese(of, of.gates["why"][:1].to_list())


def test_a_difference_passes_no_gate_where_the_test_of_its_measure_is_refused():
    """Rare large errors that 200 rows may lack; the mean absolute error is tested."""
    random = np.random.default_rng(2)
    truth = random.normal(size=200)
    large = random.random(200) < 0.005
    errors = {"a": random.normal(size=200), "b": np.where(large, 10, 0.7) * random.normal(size=200)}
    frame = pl.DataFrame({"y": truth, **{name: truth + error for name, error in errors.items()}})
    names = ("mse", "rmse", "r_squared", "mae")
    gates = [f"b.{name} - a.{name} {'>' if name == 'r_squared' else '<'} 0" for name in names]
    models = {name: {"estimate": name} for name in "ab"}
    of = evaluate({"truth": "y", "task": "regression", "models": models, "gates": gates}, frame)

    assert of.decision.measure == "mean_absolute_error"
    assert of.gates["state"].to_list() == ["inconclusive"] * 3 + ["pass"]
    assert of.gates["high"][0] < 0
    assert "200 rows cannot rule out rare large errors" in of.gates["why"][0]


def test_a_measure_that_says_little_of_the_models_keeps_its_gates():
    """Absolute errors favour the median of skewed truths, but their limits hold."""
    random = np.random.default_rng(1)
    level = random.normal(size=2000)
    truth = level + random.lognormal(0, 1, 2000)
    frame = pl.DataFrame({"y": truth, "a": level + 1, "b": level + np.exp(0.5)})
    models = {name: {"estimate": name} for name in "ab"}
    more = {"task": "regression", "gates": ["a.mae - b.mae < 0"]}
    of = evaluate({"truth": "y", "models": models, **more}, frame)
    [test] = of.comparisons.filter(metric="mean_absolute_error", comparison="paired_t").to_dicts()

    assert (test["recommendation"], test["doubt"]) == ("valid", "measure")
    assert of.gates["state"].to_list() == ["pass"]


def test_gates_on_like_learners_over_folds_hardly_ever_pass():
    assert max(passed(DESIGNS[0], 15).values()) <= 0.2


def test_a_recommended_test_decides_a_gate_whatever_speaks_against_the_others():
    """The plain t-test over folds is refused for its level; the corrected one stands."""
    random = np.random.default_rng(4)
    positive = random.random(400) < 0.5
    scores = {name: s * positive + random.normal(size=400) for name, s in {"a": 3, "b": 1}.items()}
    frame = pl.DataFrame({"y": positive, "fold": np.arange(400) % 10, **scores})
    gates = ["a.auc - b.auc > 0"]
    of = evaluate({"truth": "y", "columns": {"fold": "fold"}, "gates": gates, **SCORES}, frame)
    tests = of.comparisons.filter(unit="folds", metric="auc", shows="difference")

    assert {"recommended", "avoid"} <= set(tests["recommendation"])
    assert of.gates.select("state", "why").row(0) == ("pass", None)
