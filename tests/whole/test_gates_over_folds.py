"""Gates on differences of models that were fitted once per fold."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from tests.engine_data import rows, spec, written
from tests.page_text import without_chinese

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
    assert of.gates.filter(pl.col("gate").str.contains("auc"))["why"].to_list() == [
        "there are only 2 folds, and the corrected resampled t-test needs at least 3"
    ]
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
    assert of.gates["state"].to_list() == ["inconclusive"] * 2
    assert "holds its level only from" in of.gates["why"][0]
    assert not without_chinese(of, of.gates["why"].to_list())
