"""Differences of all rows over folds whose training parts overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from reportgen.clusters import degrees_of_freedom, t_quantile
from reportgen.results import Results, evaluate
from tests.quick import QUICK

ROWS, FOLDS = 200, 10


def rows(repeats: int = 1) -> pl.DataFrame:
    random = np.random.default_rng(8)
    truth = np.tile(np.arange(ROWS) % 2, repeats)
    near = 0.25 + 0.5 * truth
    scores = {m: np.clip(near + 0.3 * random.normal(size=len(truth)), 0.01, 0.99) for m in "ab"}
    folds = np.concatenate([random.permutation(ROWS) % FOLDS for _ in range(repeats)])
    keys = {"id": np.tile(np.arange(ROWS), repeats), "repeat": np.repeat(range(repeats), ROWS)}
    return pl.DataFrame({"truth": truth, **scores, **keys, "fold": folds})


def results(frame: pl.DataFrame, *columns: str, **more: Any) -> Results:
    spec = {"data": "frame", "truth": "truth", "models": {m: {"score": m} for m in "ab"}}
    named = {name: name for name in columns}
    return evaluate({**spec, "columns": named, **QUICK, **more}, frame)


def test_a_mean_of_rows_has_the_variance_of_the_corrected_resampled_t_test():
    """s²(1/J + n₂/n₁) of the differences by fold; folds of one size."""
    frame = rows()
    lost = ((frame["b"] - frame["truth"]) ** 2 - (frame["a"] - frame["truth"]) ** 2).to_numpy()
    by_fold = np.array([lost[frame["fold"] == k].mean() for k in range(FOLDS)])
    error = np.sqrt(by_fold.var(ddof=1) * (1 / FOLDS + 1 / (FOLDS - 1)))
    half_width = error * t_quantile(0.95, degrees_of_freedom(by_fold - by_fold.mean()))

    [row] = results(frame, "id", "fold").differences.filter(metric="brier_score").to_dicts()

    assert row["interval"] == "corrected t"
    sign = 1 if row["models"] == ["b", "a"] else -1  # the leader is first
    assert row["value"] == pytest.approx(sign * lost.mean())
    assert (row["high"] - row["low"]) / 2 == pytest.approx(half_width)


def test_limits_of_decisions_allow_for_training_parts_that_overlap():
    frame, metrics = rows(), ("mcc", "f1", "balanced_accuracy", "precision")
    widths = [
        report.differences.filter(pl.col("metric").is_in(metrics)).select(
            width=pl.col("high") - pl.col("low")
        )["width"]
        for report in (results(frame, "id", "fold"), results(frame, "id"))
    ]

    assert len(widths[0]) == len(metrics)
    assert (widths[0] > 1.2 * widths[1]).all()


def test_repeated_folds_have_limits_that_a_gate_reads():
    gate = "a.f1 - b.f1 > -0.5"
    report = results(rows(repeats=3), "id", "repeat", "fold", gates=[gate])
    [row] = report.differences.filter(metric="f1").to_dicts()
    [state] = report.gates.to_dicts()

    assert row["interval"] == "corrected t"
    sign = 1 if row["models"] == ["a", "b"] else -1
    limits = sorted((sign * row["low"], sign * row["high"]))
    assert [state["low"], state["high"]] == pytest.approx(limits)
