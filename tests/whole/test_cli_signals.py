"""Builds that are stopped: nothing half made is seen, nothing is left behind."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

import reportgen
from reportgen.resources import EXAMPLES

SPEC = EXAMPLES / "watermelon" / "report.yaml"
NAME = "watermelon"
READING, DRAWING = b"reading and evaluating", b"drawing"
FORMATS = {READING: "json", DRAWING: "html"}  # the PDF takes as long again and adds nothing here


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """An output folder that holds one build."""
    out = tmp_path_factory.mktemp("first") / "out"
    reportgen.build(SPEC, out=out, formats=["json"], date=dt.date(2026, 1, 1))
    return out


@pytest.fixture
def out(first, tmp_path):
    """A copy of it for one test."""
    return Path(shutil.copytree(first, tmp_path / "out", symlinks=True))


def started(out: Path, step: bytes) -> subprocess.Popen[bytes]:
    """A build into a folder of what has such a step, as a process."""
    scratch = out.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "reportgen.cli", "build", str(SPEC), "--out", str(out)]
    command += ["--format", FORMATS[step], "--date", "2026-01-02"]
    command += ["--set", "bootstrap.replicates=0", "--set", "intervals.ratios=delta"]
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, **streams, env=os.environ | {"TMPDIR": str(scratch)})


def run(out: Path, step: bytes = READING, number: int = 0, wait: float = 0) -> int:
    """Build into a folder; return the exit code.

    A signal, if any, is sent some time after the build begins a step. Its
    temporary files go beside its output.
    """
    with started(out, step) as build:
        for line in build.stderr:
            if number and step in line:
                time.sleep(wait)
                build.send_signal(number)
                break
        return build.wait()


def assert_whole(out: Path) -> None:
    """Every build that can be seen, and what ``latest`` names, is all there."""
    folders = (path for path in (out / NAME).iterdir() if path.is_dir())
    builds = [path for path in folders if not path.name.startswith(".")]
    assert out / NAME / "latest" in builds
    for build in builds:
        manifest = json.loads((build / "manifest.json").read_text(encoding="utf-8"))
        names = {output["path"] for output in manifest["outputs"]}
        assert names == {path.name for path in build.iterdir()} - {"manifest.json"}
        for output in manifest["outputs"]:
            data = (build / output["path"]).read_bytes()
            assert hashlib.sha256(data).hexdigest() == output["sha256"]


def leavings(out: Path) -> list[str]:
    hidden = [path.name for path in (out / NAME).iterdir() if path.name.startswith(".building")]
    return hidden + [path.name for path in (out.parent / "scratch").iterdir()]


def helpers(out: Path) -> list[psutil.Process]:
    """Processes that still work for a build in this folder."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if any(str(out) in word for word in process.info["cmdline"] or ())
    ]


@pytest.mark.parametrize(
    ("step", "number", "code"),
    [
        (DRAWING, signal.SIGTERM, 143),
        pytest.param(READING, signal.SIGINT, 130, marks=pytest.mark.slow),
        pytest.param(READING, signal.SIGTERM, 143, marks=pytest.mark.slow),
        pytest.param(DRAWING, signal.SIGINT, 130, marks=pytest.mark.slow),
    ],
)
def test_a_build_that_is_stopped_cleans_up(out, step, number, code):
    before = (out / NAME / "latest").readlink()

    assert run(out, step, number) == code

    assert (out / NAME / "latest").readlink() == before
    assert_whole(out)
    assert leavings(out) == []
    assert helpers(out) == []


def assert_survives_a_kill(out: Path, step: bytes, wait: float) -> None:
    run(out, step, signal.SIGKILL, wait)

    assert_whole(out)
    for _ in range(50):
        if not helpers(out):
            break
        time.sleep(0.1)
    assert helpers(out) == [], "a helper outlives its build"


@pytest.mark.slow
def test_a_build_that_is_killed_leaves_the_previous_one_whole(out):
    assert_survives_a_kill(out, DRAWING, 0.5)

    assert run(out) == 0
    assert_whole(out)
    assert [name for name in leavings(out) if name.startswith(".building")] == []


@pytest.mark.slow
@pytest.mark.parametrize("wait", [tenth / 10 for tenth in range(40)])
def test_a_build_that_is_killed_at_any_moment_leaves_the_previous_one_whole(out, wait):
    assert_survives_a_kill(out, READING, wait)


@pytest.mark.slow
@pytest.mark.parametrize("wait", [moment / 10 for moment in range(30)])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_build_that_is_stopped_at_any_moment_cleans_up(out, wait, number, code):
    assert run(out, READING, number, wait) in (code, 0)

    assert_whole(out)
    assert leavings(out) == []
    assert helpers(out) == []


def test_two_builds_at_once_are_one_build_and_one_refusal(out):
    """The first waits, as it reads, until the second has ended."""
    with started(out, READING) as build:
        next(line for line in build.stderr if READING in line)
        build.send_signal(signal.SIGSTOP)
        refused = run(out)
        build.send_signal(signal.SIGCONT)
        build.stderr.read()

    assert (build.returncode, refused) == (0, 75)
    assert_whole(out)
