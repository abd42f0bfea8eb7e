"""Counting on Dask: real worker processes, one of them killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

from reportgen import ReportgenError, evaluate
from reportgen.errors import SpecError
from tests.engine_data import newly_counted
from tests.engine_tasks import OTHER_TASKS, with_other_tasks
from tests.quick import QUICK

pytest.importorskip("distributed")
# Dask closes what its processes shared when the interpreter does; that is not ours to warn of.
pytestmark = pytest.mark.filterwarnings("default")

PARTS, ROWS = 8, 1_000


@pytest.fixture(scope="module")
def cluster():
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local_cluster:
        yield local_cluster


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", "")


@pytest.fixture
def data(tmp_path):
    random = np.random.default_rng(0)
    for part in range(PARTS):
        truth = random.random(ROWS) < 0.3
        noise = random.normal(size=(2, ROWS))
        a, b = 1 / (1 + np.exp(-(noise + truth)))
        pl.DataFrame({"y": truth, "a": a, "b": b}).write_parquet(tmp_path / f"{part}.parquet")
    return tmp_path / "*.parquet"


def spec(data, engine):
    models = {name: {"score": name} for name in "ab"}
    return {
        "data": str(data),
        "truth": "y",
        "models": models,
        "engine": engine,
        **QUICK,
    }


class KillOne:
    """Kills a worker of a cluster once the first part of the data is counted."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.killed: list[int] = []

    def __call__(self, step: str) -> None:
        if not self.killed and step.startswith("counted 1 "):
            worker = next(iter(self.cluster.workers.values()))
            self.killed.append(worker.pid)
            os.kill(worker.pid, signal.SIGKILL)


def same(results, expected):
    assert results.data["engine"]["leaves"] == PARTS
    assert results.metrics.equals(expected.metrics)
    assert results.comparisons.equals(expected.comparisons)
    assert all(table.equals(expected.curves[name]) for name, table in results.curves.items())


def test_the_numbers_are_those_of_one_process_though_a_worker_is_killed(cluster, data):
    expected = evaluate(spec(data, "streaming"))
    kill_one = KillOne(cluster)

    results = evaluate(spec(data, {"dask": cluster.scheduler_address}), on_step=kill_one)

    assert kill_one.killed
    same(results, expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    "task",
    [pytest.param(t, marks=pytest.mark.slow) if t != "regression" else t for t in OTHER_TASKS],
)
def test_other_tasks_have_the_numbers_of_one_process_though_a_worker_is_killed(cluster, data, task):
    """To the last digit: every sum is made without rounding."""
    with_other_tasks(data.parent)
    kill_one = KillOne(cluster)
    expected = evaluate({**spec(data, "streaming"), **OTHER_TASKS[task]})
    dask = spec(data, {"dask": cluster.scheduler_address})

    results = evaluate({**dask, **OTHER_TASKS[task]}, on_step=kill_one)

    assert kill_one.killed
    same(results, expected)


@pytest.mark.slow
@pytest.mark.parametrize("output", ["score", "estimate"])
def test_models_in_long_form_have_their_numbers_though_a_worker_is_killed(
    cluster, data, monkeypatch, output
):
    """Every part reads all files and keeps the rows of some ids."""
    paths = sorted(data.parent.glob("*.parquet"))
    for k, path in enumerate(paths):
        rows = pl.read_parquet(path).with_columns(id=pl.int_range(pl.len()) + ROWS * k, t="a")
        long = rows.unpivot(["a", "b"], index=["id", "y", "t"], variable_name="m", value_name="v")
        long.write_parquet(path)
    declared = {
        **spec(data, "streaming"),
        "truth": "y" if output == "score" else "t",
        "models": {"column": "m", output: "v"},
        "columns": {"id": "id"},
    }
    expected = evaluate(declared)
    rows_of_a_part = 2 * ROWS * len(paths) // PARTS
    monkeypatch.setattr("reportgen.engines.plan.LEAF_ROWS", rows_of_a_part)
    kill_one = KillOne(cluster)

    results = evaluate(
        {**declared, "engine": {"dask": cluster.scheduler_address}}, on_step=kill_one
    )

    assert kill_one.killed
    same(results, expected)


@pytest.mark.slow
def test_workers_read_paths_that_the_spec_has_relative(cluster, data, monkeypatch):
    monkeypatch.chdir(data.parent)

    results = evaluate(spec(data.name, {"dask": cluster.scheduler_address}))

    assert results.data["rows"] == PARTS * ROWS
    assert results.data["files"][0]["path"] == "0.parquet"


def test_a_cluster_is_not_needed_where_all_counts_are_known(cluster, data, tmp_path, monkeypatch):
    monkeypatch.setenv("REPORTGEN_CACHE", str(tmp_path / "cache"))
    steps: list[list[str]] = [[], [], []]
    first = evaluate(spec(data, {"dask": cluster.scheduler_address}), on_step=steps[0].append)
    path = data.parent / "5.parquet"

    again = evaluate(spec(data, {"dask": "tcp://127.0.0.1:9"}), on_step=steps[1].append)
    pl.read_parquet(path).head(ROWS - 1000).write_parquet(path)
    changed = evaluate(spec(data, {"dask": cluster.scheduler_address}), on_step=steps[2].append)

    assert list(map(newly_counted, steps)) == [PARTS, 0, 1]
    assert again.metrics.equals(first.metrics)
    assert changed.data["rows"] == PARTS * ROWS - 1000


def test_a_file_that_a_worker_does_not_have_is_named(cluster, data, monkeypatch):
    monkeypatch.setattr("reportgen.engines.dask.WINDOW", 1)  # the last part is not yet handed out
    last = data.parent / f"{PARTS - 1}.parquet"
    steps = []

    def lose_one(step: str) -> None:
        steps.append(step)
        last.unlink(missing_ok=True)

    with pytest.raises(ReportgenError) as caught:
        evaluate(spec(data, {"dask": cluster.scheduler_address}), on_step=lose_one)

    [problem] = caught.value.problems
    assert steps
    assert problem.place.endswith(last.name)
    assert "does not exist" in problem.message


def test_a_bad_part_is_named(cluster, data):
    path = data.parent / "3.parquet"
    frame = pl.read_parquet(path).with_columns(b=pl.lit(None, pl.Float64))
    frame.write_parquet(path)

    with pytest.raises(ReportgenError) as caught:
        evaluate(spec(data, {"dask": cluster.scheduler_address}))

    [problem] = caught.value.problems
    assert "3.parquet" in problem.place
    assert f"{ROWS:,} values are missing" in problem.message


def test_a_scheduler_that_does_not_answer_is_named(data, monkeypatch):
    monkeypatch.setattr("reportgen.engines.dask.PATIENCE", 1)

    with pytest.raises(ReportgenError, match=r"127\.0\.0\.1:9 does not answer"):
        evaluate(spec(data, {"dask": "tcp://127.0.0.1:9"}))


def test_an_encrypted_scheduler_without_certificate_is_named(data):
    with pytest.raises(ReportgenError, match="does not answer") as caught:
        evaluate(spec(data, {"dask": "tls://127.0.0.1:9"}))

    assert "certificates" in caught.value.problems[0].hint


@pytest.mark.slow
def test_a_lack_of_workers_is_told_and_a_lost_scheduler_is_named(data, tmp_path, monkeypatch):
    monkeypatch.setattr("reportgen.engines.dask.PATIENCE", 2)
    scheduler_file = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
    options = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(scheduler_file)]
    scheduler = subprocess.Popen(command + options, stderr=subprocess.DEVNULL)
    steps = []

    def lose(step: str) -> None:
        steps.append(step)
        scheduler.kill()

    try:
        while not scheduler_file.exists():
            assert scheduler.poll() is None
            time.sleep(0.2)
        with pytest.raises(ReportgenError, match="the connection to the Dask scheduler is lost"):
            evaluate(
                spec(data, {"dask": json.loads(scheduler_file.read_text())["address"]}),
                on_step=lose,
            )
    finally:
        scheduler.kill()
        scheduler.wait()

    assert steps == ["waiting for a Dask worker"]


def test_a_worker_with_other_versions_is_refused(cluster, data, monkeypatch):
    monkeypatch.setattr("reportgen.engines.dask.versions", lambda _: {"reportgen": "0"})

    with pytest.raises(SpecError, match=r"this machine has reportgen 0") as caught:
        evaluate(spec(data, {"dask": cluster.scheduler_address}))

    assert len(caught.value.problems) == 1
