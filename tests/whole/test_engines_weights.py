"""Tests of weighted decisions from counts: rows are counted by their weights where few differ."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import evaluate
from reportgen.engines import counting, partial
from reportgen.measuring.context import WEIGHTS_COUNTED
from tests.engine_data import assert_same_tests, written
from tests.quick import QUICK

CASES = {
    "two classes": {
        "truth": "y",
        "models": {"a": {"label": "y1"}, "b": {"label": "y2"}},
        "costs": {"false_negative": 5, "false_positive": 1},
    },
    "classes": {"truth": "k", "models": {"a": {"label": "k1"}, "b": {"label": "k2"}}},
    "labels": {
        "truth": {"u": "y", "v": "z"},
        "models": {m: {"labels": {"u": f"y{m}", "v": f"z{m}"}} for m in "12"},
    },
}


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", "")


def spec(tmp_path, case: str, engine: str):
    random = np.random.default_rng(4)
    flags = {n: random.random(300) < 0.5 for n in ("y", "z", "y1", "y2", "z1", "z2")}
    classes = {n: random.integers(0, 3, 300).astype(str) for n in ("k", "k1", "k2")}
    frame = pl.DataFrame({**flags, **classes, "w": random.choice([0.0, 0.3, 1.7, 2.5], 300)})
    data = str(written(frame, tmp_path / "p.parquet"))
    task = {"task": "multiclass"} if case == "classes" else {}
    return {
        "data": data,
        "columns": {"weight": "w"},
        "comparisons": {"margin": 0.1},
        "engine": engine,
        **QUICK,
        **task,
        **CASES[case],
    }


@pytest.mark.parametrize("case", CASES)
def test_weighted_decisions_are_tested_from_counts_as_from_rows(tmp_path, case, monkeypatch):
    monkeypatch.setattr("reportgen.engines.partition.BATCH", 400)
    rows, counts = (evaluate(spec(tmp_path, case, e)) for e in ("exact", "streaming"))

    assert rows.comparisons["p_value"].null_count() == 0
    assert_same_tests(rows, counts)


@pytest.mark.parametrize("case", ["two classes", "classes"])
def test_of_many_weights_no_decisions_are_tested(tmp_path, case, monkeypatch):
    """Wherever it is seen that they are many: in a batch, or as counts are added up."""
    for modules in ((counting, partial), (partial,)):
        for module in modules:
            monkeypatch.setattr(module, "MOST_WEIGHED", 5)
        counts = evaluate(spec(tmp_path, case, "streaming"))
        tests = counts.comparisons.filter(comparison="mcnemar_weighted")
        assert tests["undefined"].to_list() == [WEIGHTS_COUNTED]
        monkeypatch.undo()
        monkeypatch.setenv("REPORTGEN_CACHE", "")
