"""Tests of the confidence of a spec: every interval of a report is at it."""

from __future__ import annotations

import polars as pl

from reportgen import evaluate
from tests.breadth import breadth
from tests.engine_data import ONE, numbers, rows, spec, written
from tests.engine_tasks import OTHER_TASKS, with_other_tasks

TASKS = {name: OTHER_TASKS[name] for name in ("multiclass", "multilabel", "regression")} | {
    "groups": {"models": ONE, "columns": {"group": "g"}}
}


@breadth("task", TASKS, ["multiclass", "groups"])
@breadth("engine", ["exact", "streaming"], 1)
def test_limits_at_a_lower_confidence_are_nearer_to_the_value(tmp_path, task, engine, monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", "")
    frame = rows(120).with_columns(y=pl.col("y") == "ill")
    data = written(frame, tmp_path / "p.parquet")
    with_other_tasks(tmp_path)
    asked = TASKS[task] | {"positive": None}
    usual, lower = (
        numbers(evaluate(spec(data, engine, **asked, confidence=confidence)))
        for confidence in (0.95, 0.8)
    )
    limited = [key for key, row in usual.items() if row["low"] is not None]

    assert limited
    for key in limited:
        wide, narrow = usual[key], lower[key]
        assert narrow["high"] - narrow["low"] < wide["high"] - wide["low"], key
