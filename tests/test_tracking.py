"""Copies of a build: in a folder, on an MLflow server, in an object store.

The servers are real; ``make servers`` installs them in an environment of its own.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import polars as pl
import pytest

from reportgen.builds import build
from reportgen.delivery.tracking import log
from reportgen.errors import DataError, OutputError, SpecError

needs_mlflow = pytest.mark.skipif(find_spec("mlflow") is None, reason="make servers installs it")
needs_objects = pytest.mark.skipif(
    find_spec("obstore") is None or find_spec("moto") is None, reason="make servers installs it"
)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    rows = {"y": ["a", "b"] * 40, "p": [0.2, 0.7, 0.6, 0.4] * 20}
    pl.DataFrame(rows).write_csv(folder / "rows.csv")
    (folder / "report.yaml").write_text(
        "name: night\ndata: rows.csv\ntruth: y\npositive: b\nmodels: {m&n: {score: p}}\n"
        "gates: [m&n.accuracy >= 0.9]\nbootstrap: {replicates: 100}\n"
        "intervals: {ratios: delta}\n"
    )
    return build(folder / "report.yaml", formats=["json", "markdown"]).path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_gets_every_file_once(published: Path, tmp_path: Path) -> None:
    place = log(published, str(tmp_path / "kept"))
    assert Path(place) == tmp_path / "kept" / "night" / published.name
    assert contents(Path(place)) == contents(published)
    times = {path: path.stat().st_mtime_ns for path in Path(place).iterdir()}
    assert log(published, str(tmp_path / "kept")) == place
    assert times == {path: path.stat().st_mtime_ns for path in Path(place).iterdir()}
    assert [path.name for path in (tmp_path / "kept" / "night").iterdir()] == [published.name]


@pytest.mark.parametrize("to", ["", " ", "{}", "{}/inside"])
def test_a_build_is_not_copied_into_itself_or_nowhere(published: Path, to: str) -> None:
    before = sorted(published.rglob("*"))
    with pytest.raises(OutputError, match=r"own folder|no destination is named"):
        log(published, to.format(published))

    assert sorted(published.rglob("*")) == before


def test_what_is_no_build_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not the folder of a build"):
        log(tmp_path, str(tmp_path / "kept"))


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "[" * 100_000,
        '{"name": 1, "date": "2026-01-01"}',
        '{"name": "../a", "date": "2026"}',
        '{"name": "..", "date": "2026"}',
    ],
    ids=["list", "deep", "number", "elsewhere", "above"],
)
def test_a_build_with_another_manifest_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(DataError, match="not the folder of a build"):
        log(tmp_path, str(tmp_path / "kept"))
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.json"]


@pytest.mark.skipif(find_spec("mlflow") is not None, reason="mlflow is installed")
def test_a_missing_library_is_named(published: Path) -> None:
    with pytest.raises(SpecError, match=r"reportgen-eval\[mlflow\]"):
        log(published, "mlflow")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def serving(*command: str, url: str, folder: Path) -> Iterator[None]:
    """Run a server until it is no longer needed."""
    with (folder / "server.log").open("w") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=folder,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            for _ in range(600):
                try:
                    urlopen(url, timeout=1).close()
                    break
                except (URLError, OSError):
                    assert server.poll() is None, (folder / "server.log").read_text()
                    time.sleep(0.1)
            yield
        finally:
            os.killpg(server.pid, signal.SIGKILL)  # with the workers that it has started
            server.wait()


@needs_mlflow
@pytest.mark.slow
def test_mlflow_gets_one_run_with_numbers_limits_and_files(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow.tracking import MlflowClient

    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    store = ["--backend-store-uri", f"sqlite:///{tmp_path}/runs.db", "--workers", "1"]
    place = ["--port", str(port), "--artifacts-destination", str(tmp_path / "files")]
    with serving("mlflow", "server", *store, *place, url=url, folder=tmp_path):
        monkeypatch.setenv("MLFLOW_TRACKING_URI", url)
        run_id = log(published, "mlflow")
        assert log(published, "mlflow") == run_id
        client = MlflowClient()
        run = client.get_run(run_id)
        stored = json.loads((published / "results.json").read_text())
        row = next(r for r in stored["metrics"] if r["metric"] == "auc" and r["slice"] is None)
        assert [run.data.metrics[f"m_n.auc{end}"] for end in ("", ".low", ".high")] == [
            row["value"],
            row["low"],
            row["high"],
        ]
        assert run.data.tags["reportgen.state"] == "fail"
        files = {file.path for file in client.list_artifacts(run_id)}
        assert files == set(contents(published))
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with pytest.raises(OutputError, match="MLflow did not accept"):
        log(published, "mlflow")


@needs_objects
@pytest.mark.slow
def test_an_object_store_gets_every_file(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from urllib.request import Request

    from obstore.store import S3Store

    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    for name, value in {
        "AWS_ENDPOINT": url,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setitem(os.environ, name, value)
    with serving("moto.server", "-p", str(port), url=url, folder=tmp_path):
        with pytest.raises(OutputError, match="not accepted"):
            log(published, "s3://reports/nightly")
        urlopen(Request(f"{url}/reports", method="PUT")).close()
        place = log(published, "s3://reports/nightly")
        assert place == f"s3://reports/nightly/night/{published.name}"
        store = S3Store.from_url(place)
        for name, content in contents(published).items():
            assert bytes(store.get(name).bytes()) == content
