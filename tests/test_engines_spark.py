"""Counting on Spark, by its own local executors."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen import ReportgenError, evaluate

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", "")
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")


@pytest.fixture
def data(tmp_path):
    random = np.random.default_rng(0)
    for part in range(4):
        truth = random.random(5000) < 0.3
        a, b = 1 / (1 + np.exp(-(random.normal(size=(2, 5000)) + truth)))
        pl.DataFrame({"y": truth, "a": a, "b": b}).write_parquet(tmp_path / f"{part}.parquet")
    return tmp_path / "*.parquet"


def spec(data, engine):
    models = {name: {"score": name} for name in "ab"}
    return {"data": str(data), "truth": "y", "models": models, "engine": engine}


def test_the_numbers_are_those_of_one_process(data):
    wanted = evaluate(spec(data, "streaming"))

    found = evaluate(spec(data, {"spark": "local[2,4]"}))

    assert found.data["engine"]["counted"] == 4
    assert found.metrics.equals(wanted.metrics)
    assert found.comparisons.equals(wanted.comparisons)


def test_a_bad_part_is_named(data):
    pl.DataFrame({"y": [True], "a": [0.5]}).write_parquet(data.parent / "1.parquet")

    with pytest.raises(ReportgenError, match=r"1\.parquet"):
        evaluate(spec(data, {"spark": "local[2,4]"}))
