"""What decides over folds: declared costs, losses of quantiles, scores of prediction intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from reportgen import evaluate
from tests.engine_data import written
from tests.quick import QUICK


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "cache"))


def frame(rows: int = 200) -> pl.DataFrame:
    random = np.random.default_rng(5)
    y, noise = random.normal(size=(2, rows)).round(3)
    grade = np.digitize(y, [-0.5, 0.5])
    return pl.DataFrame(
        {
            "y": y,
            "ill": np.where(y > 0.5, "yes", "no"),
            "grade": np.array(["low", "mid", "top"])[grade],
            "a": 1 / (1 + np.exp(-(y + noise))),
            "b": 1 / (1 + np.exp(-(y - noise * 2))),
            "says_a": np.array(["low", "mid", "top"])[np.digitize(y + noise, [-0.5, 0.5])],
            "says_b": np.array(["low", "mid", "top"])[np.digitize(y - 2 * noise, [-0.5, 0.5])],
            "near": 1.3 + noise / 9,
            "far": 2.6 + noise / 9,
            "centre": np.zeros(rows),
            "fold": np.arange(rows) % 5,
            "w": random.choice([0.5, 1.0, 2.0], rows),
        }
    ).with_columns(near_low=-pl.col("near"), far_low=-pl.col("far"))


def intervals(name: str) -> dict[str, Any]:
    return {"estimate": "centre", "low": f"{name}_low", "high": name, "level": 0.8}


COSTS = {"low": {"mid": 1, "top": 3}, "mid": {"low": 2, "top": 1}, "top": {"low": 9, "mid": 4}}
OUTPUTS: dict[str, tuple[dict[str, Any], str]] = {
    "costs of two classes": (
        {
            "truth": "ill",
            "positive": "yes",
            "models": {m: {"score": m} for m in "ab"},
            "costs": {"false_negative": 5, "false_positive": 1},
        },
        "cost_sensitive_error_rate",
    ),
    "costs of three classes": (
        {
            "task": "multiclass",
            "truth": "grade",
            "models": {m: {"label": f"says_{m}"} for m in "ab"},
            "costs": COSTS,
        },
        "cost_sensitive_error_rate",
    ),
    "quantiles": (
        {"truth": "y", "models": {m: {"estimate": m, "quantile": 0.9} for m in ("near", "far")}},
        "pinball_high",
    ),
    "intervals": (
        {"truth": "y", "models": {m: intervals(m) for m in ("near", "far")}},
        "winkler_score",
    ),
}


@pytest.mark.parametrize("columns", [{"fold": "fold"}, {"fold": "fold", "weight": "w"}], ids=str)
@pytest.mark.parametrize("name", OUTPUTS)
def test_the_corrected_t_test_of_what_is_asked_decides_in_both_engines(tmp_path, name, columns):
    given, measure = OUTPUTS[name]
    data = str(written(frame(), tmp_path / "p.parquet"))
    spec = {"data": data, "columns": columns, **QUICK, **given}

    exact, streaming = (evaluate({**spec, "engine": e}) for e in ("exact", "streaming"))

    assert exact.decision.measure == measure
    assert exact.decision.test == "corrected_resampled_t"
    assert streaming.decision.headline == exact.decision.headline
    measures = streaming.folds["metric"].unique().implode()  # weighted AUCs need single rows
    of_both = exact.folds.filter(pl.col("metric").is_in(measures))
    assert_frame_equal(streaming.folds, of_both, rel_tol=1e-11)


def test_the_cost_of_a_fold_is_the_mean_of_what_its_decisions_cost():
    given, measure = OUTPUTS["costs of two classes"]
    rows = frame()

    results = evaluate({**given, "columns": {"fold": "fold"}, **QUICK}, rows)

    values = results.folds.filter(metric=measure, model="a").sort("fold")["value"].to_list()
    ill, flagged = pl.col("ill") == "yes", pl.col("a") >= 0.5
    cost = 5 * (ill & ~flagged).cast(pl.Float64) + (~ill & flagged).cast(pl.Float64)
    assert values == pytest.approx(
        rows.group_by("fold").agg(cost.mean().alias("cost")).sort("fold")["cost"].to_list()
    )
    test = results.comparisons.filter(metric=measure, comparison="corrected_resampled_t")
    assert test["recommendation"].to_list() == ["recommended"]
