"""Counting on Spark: a local master, and a server of Spark Connect. Run by ``make clusters``."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from reportgen import ReportgenError, evaluate
from tests.engine_tasks import OTHER_TASKS, with_other_tasks

pyspark = pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", "")
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")


@pytest.fixture(scope="module")
def connect(tmp_path_factory):
    """The address of a server of Spark Connect with two cores, from PySpark's own files."""
    home = Path(pyspark.__file__).parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [home / "sbin" / "start-connect-server.sh", "--wait", "--master", "local[2,4]"]
    for setting in (f"spark.connect.grpc.binding.port={port}", "spark.ui.enabled=false"):
        command += ["--conf", setting]
    folder = tmp_path_factory.mktemp("connect")
    variables = {
        "SPARK_HOME": str(home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOG_DIR": str(folder),
    }
    paths = os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
    server = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **variables, "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": paths},
        start_new_session=True,
    )
    try:
        _answers(port, server)
        yield f"sc://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def _answers(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        assert server.poll() is None, "the server of Spark Connect has ended"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.4)
    raise TimeoutError("the server of Spark Connect does not answer")


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


@pytest.fixture
def parts(data, monkeypatch):
    """The data by a path that only this process's folder explains; few leaves in one job."""
    monkeypatch.setattr("reportgen.engines.spark.WINDOW", 3)
    monkeypatch.chdir(data.parent)
    return data.name


def same(actual, expected):
    assert actual.data["engine"]["leaves"] == 4
    assert actual.metrics.equals(expected.metrics)
    assert actual.comparisons.equals(expected.comparisons)


def spoil(folder):
    pl.DataFrame({"y": [True], "a": [0.5]}).write_parquet(folder / "1.parquet")


@pytest.mark.parametrize("master", ["local[2,4]", "local[4]"])
def test_the_numbers_are_those_of_one_process(parts, master):
    expected = evaluate(spec(parts, "streaming"))

    same(evaluate(spec(parts, {"spark": master})), expected)


@pytest.mark.parametrize("task", OTHER_TASKS)
def test_other_tasks_have_the_numbers_of_one_process(parts, data, task):
    with_other_tasks(data.parent)
    expected = evaluate({**spec(parts, "streaming"), **OTHER_TASKS[task]})

    same(evaluate({**spec(parts, {"spark": "local[2,4]"}), **OTHER_TASKS[task]}), expected)


def test_a_bad_part_is_named(data):
    spoil(data.parent)

    with pytest.raises(ReportgenError, match=r"1\.parquet"):
        evaluate(spec(data, {"spark": "local[2,4]"}))


def test_a_server_that_does_not_answer_is_named(data, monkeypatch):
    monkeypatch.setattr("reportgen.engines.spark.REACHED", 0.5)

    with pytest.raises(ReportgenError, match=r"Spark at sc://127\.0\.0\.1:9 does not answer"):
        evaluate(spec(data, {"spark": "sc://127.0.0.1:9"}))


# The last one: a process that has spoken to a server cannot start a local master any more.
def test_spark_connect_gives_the_same_and_names_a_bad_part(parts, data, connect):
    expected = evaluate(spec(parts, "streaming"))

    same(evaluate(spec(parts, {"spark": connect})), expected)

    spoil(data.parent)
    with pytest.raises(ReportgenError, match=r"1\.parquet"):
        evaluate(spec(parts, {"spark": connect}))
