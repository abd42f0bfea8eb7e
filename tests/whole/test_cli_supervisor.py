"""Builds that hang, grow, are killed, or cannot print: each ends by itself with its exit code."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import psutil
import pytest

from reportgen.cli import dispatch, supervisor
from reportgen.cli.supervisor import Supervisor
from reportgen.cli.unused_libraries import LEAST
from reportgen.resources import EXAMPLES
from tests.breadth import breadth

SPEC = EXAMPLES / "watermelon" / "report.yaml"
NAME = "watermelon"
COMMAND = [sys.executable, "-m", "reportgen.cli"]
JSON = ("--format", "json")


def command(out: Path, *words: str) -> list[str]:
    fast = ("--set", "bootstrap.replicates=0", "--set", "intervals.ratios=delta")
    return [*COMMAND, "build", str(SPEC), "--out", str(out), *JSON, *fast, *words]


@contextlib.contextmanager
def building(out: Path, *words: str):
    """A build that has begun to evaluate, and the process that works for it."""
    with subprocess.Popen(
        command(out, *words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as build:
        first = build.stderr.readline()
        assert "reading and evaluating" in first
        workers = psutil.Process(build.pid).children()
        assert len(workers) == 1
        yield build, workers[0]


def ended(build: subprocess.Popen, out: Path) -> tuple[int, str, float]:
    """The exit code, the last words and the seconds until the end; the folder is left clean."""
    before = time.monotonic()
    messages = build.stderr.read()
    code = build.wait(timeout=30)
    assert not (out / NAME).exists()
    return code, messages, time.monotonic() - before


def test_a_build_that_hangs_is_ended_at_its_limit(tmp_path):
    with building(tmp_path, "--set", "limits.seconds=1") as (build, worker):
        worker.suspend()  # as deaf as native code that spins
        code, messages, seconds = ended(build, tmp_path)

    assert (code, seconds < 6) == (7, True)
    assert "the run took more than 1 second" in messages
    assert not worker.is_running()


@breadth(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], 1)
def test_a_build_that_hangs_can_be_stopped(number, code, tmp_path):
    with building(tmp_path) as (build, worker):
        worker.suspend()
        build.send_signal(number)
        left, messages, seconds = ended(build, tmp_path)

    assert (left, seconds < 8) == (code, True)
    assert "nothing incomplete was published" in messages
    assert not worker.is_running()


ENDINGS = [
    (signal.SIGKILL, 7, "most likely because the system ran out of memory"),
    (signal.SIGBUS, 3, "truncated while it was read"),  # what was mapped is gone
    (signal.SIGSEGV, 70, "native code ended with SIGSEGV"),
    (signal.SIGXCPU, 7, "its limit of CPU time (ulimit -t)"),
]


@pytest.mark.parametrize(("number", "code", "message"), ENDINGS)
def test_a_worker_that_dies_is_told_by_its_signal(number, code, message, monkeypatch, capsys):
    start = psutil.Popen
    words = [sys.executable, "-S", "-c", f"import os; os.kill(os.getpid(), {number:d})"]
    monkeypatch.setattr(psutil, "Popen", lambda _words, **options: start(words, **options))

    assert dispatch.run(["build", str(SPEC)]) == code
    assert message in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code", "message"), ENDINGS)
def test_a_build_whose_worker_dies_leaves_a_clean_folder(number, code, message, tmp_path):
    with building(tmp_path, "--error-format", "json") as (build, worker):
        worker.send_signal(number)
        left, messages, _ = ended(build, tmp_path)

    assert left == code
    assert message in json.loads(messages.splitlines()[-1])["problems"][0]["message"]


def test_a_build_beyond_its_memory_is_ended(tmp_path):
    done = subprocess.run(
        command(tmp_path, "--max-megabytes", "60"), check=False, capture_output=True, text=True
    )

    assert done.returncode == 7
    assert "60 megabytes of memory" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("others", [2, 28])
def test_a_limit_of_memory_holds_beside_processes_that_load_the_machine(others, tmp_path):
    """How long it took is printed: it depends on what else the machine does."""
    with contextlib.ExitStack() as stack:
        for _ in range(others):
            load = subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
            stack.callback(load.wait)
            stack.callback(load.kill)
        began = time.monotonic()
        words = command(tmp_path, "--max-megabytes", "120")
        done = subprocess.run(words, check=False, capture_output=True, text=True)
    print(f"beside {others} processes: ended after {time.monotonic() - began:.1f} s")

    assert done.returncode == 7
    assert "120 megabytes of memory" in done.stderr
    assert not list(tmp_path.rglob("results.json"))


@pytest.mark.parametrize(
    "megabytes",
    [300, *(pytest.param(n, marks=pytest.mark.slow) for n in range(200, 2600, 100))],
)
def test_a_build_in_too_little_address_space_is_ended(megabytes, tmp_path):
    """Whether the allocator aborts, exits, raises, or tries again forever."""

    def confined() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 10**6, megabytes * 10**6))

    done = subprocess.run(
        command(tmp_path),
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=confined,
        timeout=60,
    )

    # Each thread takes address space: on one processor a build fits into what its libraries take.
    assert done.returncode in ({7} if megabytes < LEAST else {0, 7})
    published = list(tmp_path.rglob("results.json"))
    assert len(published) == (done.returncode == 0)
    assert done.returncode == 0 or len(done.stderr.splitlines()) <= 4


@pytest.mark.slow
@pytest.mark.parametrize("hard", [True, False], ids=["SIGKILL", "SIGXCPU"])
@pytest.mark.parametrize("drawing", [True, False])
def test_a_build_beyond_its_cpu_time_is_ended(drawing, hard, tmp_path):
    """Whether the process that evaluates or the one that draws reaches the limit."""
    seconds = 2 if drawing else 1
    limits = (seconds, seconds if hard else resource.RLIM_INFINITY)
    words = command(tmp_path, "--format", "html", "--format", "pdf")
    if not drawing:
        rows = [f"{i % 2},{i * 7919 % 99991}" for i in range(200_000)]
        (tmp_path / "rows.csv").write_text("\n".join(["y,p", *rows]))
        spec = tmp_path / "report.yaml"
        spec.write_text("data: rows.csv\ntruth: y\npositive: 1\nmodels: {a: {score: p}}\n")
        words = [*COMMAND, "build", str(spec), "--out", str(tmp_path), *JSON]

    def confined() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, limits)

    done = subprocess.run(words, check=False, capture_output=True, text=True, preexec_fn=confined)

    assert done.returncode == 7
    assert "its limit of CPU time (ulimit -t)\n  hint: allow more: ulimit -t" in done.stderr
    assert not list(tmp_path.rglob("results.json"))


@pytest.mark.slow
@pytest.mark.parametrize("files", range(8, 40))
def test_a_build_with_few_open_files_succeeds_or_is_ended(files, tmp_path):
    def confined() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    done = subprocess.run(
        [*COMMAND, "build", str(SPEC), "--out", str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=confined,
        timeout=60,
    )

    assert done.returncode in (0, 7), done.stderr


@pytest.mark.parametrize(
    ("number", "message"),
    [(errno.EMFILE, "too many files are open"), (errno.ENOEXEC, "no process")],
)
def test_a_worker_that_cannot_be_started_is_told(number, message, monkeypatch, capsys):
    """Not by exit code 1, which says that a gate failed."""

    def unstarted(*_words: object, **_options: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(supervisor.psutil, "Popen", unstarted)

    assert dispatch.run(["build", str(SPEC)]) == 7
    assert message in capsys.readouterr().err


STREAMS = {
    "stdout full": (">/dev/full", 8),
    "stdout closed": (">&-", 0),
    "stderr full": ("2>/dev/full", 0),
    "stderr closed": ("2>&-", 0),
    "both full": (">/dev/full 2>&1", 8),
    "all closed": ("<&- >&- 2>&-", 0),
}


@breadth("name", STREAMS, ["stdout full"])
def test_a_build_that_cannot_print_is_published_and_never_a_failed_gate(name, tmp_path):
    redirection, code = STREAMS[name]
    shell = f'exec "$@" {redirection}'
    done = subprocess.run(["/bin/sh", "-c", shell, "sh", *command(tmp_path)], check=False)

    assert done.returncode == code
    assert (tmp_path / NAME / "latest" / "results.json").is_file()


def test_a_result_that_nobody_reads_is_no_failed_gate(tmp_path):
    """`reportgen build report.yaml | head` in a shell with `pipefail`."""
    for words in (command(tmp_path), [*COMMAND, "catalogue"], [*COMMAND, "--help"]):
        done = subprocess.Popen(words, stdout=subprocess.PIPE)
        done.stdout.close()

        assert done.wait() == 8
    assert (tmp_path / NAME / "latest" / "results.json").is_file()


REDIRECTIONS = (">/dev/full", "2>/dev/full", ">&- 2>&-")


@breadth(
    ("words", "redirection"),
    [
        *product((["--help"], ["catalogue"], ["oops"]), REDIRECTIONS),
        (["check", "none.yaml"], REDIRECTIONS[0]),
        *((["check", "none.yaml"], redirection) for redirection in REDIRECTIONS[1:]),
    ],
    3,
)
def test_a_command_that_cannot_print_never_ends_as_a_failed_gate(words, redirection):
    shell = f'exec "$@" {redirection}'
    done = subprocess.run(["/bin/sh", "-c", shell, "sh", *COMMAND, *words], check=False)

    assert done.returncode in (0, 2, 8)


def test_nothing_is_published_by_the_process_that_evaluates(tmp_path):
    """The folder is held, and the stage made, by the one that watches."""
    with building(tmp_path) as (build, worker):
        worker.suspend()
        names = [path.name for path in (tmp_path / NAME).iterdir()]
        held = {file.path for file in psutil.Process(build.pid).open_files()}
        ours = {file.path for file in worker.open_files()}
        build.terminate()

    assert ".reportgen.lock" in names
    assert str(tmp_path / NAME / ".reportgen.lock") in held - ours


@pytest.mark.slow
def test_an_environment_with_nothing_in_it_is_enough(tmp_path):
    package = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        command(tmp_path), check=False, capture_output=True, env={"PYTHONPATH": package}
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("given", "threads"), [(None, "1"), ("3", "3")])
def test_a_worker_has_one_thread_of_blas_unless_the_environment_says_otherwise(
    given, threads, monkeypatch
):
    environments = []
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if given is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", given)
    monkeypatch.setattr(psutil, "Popen", lambda *_, env, **_options: environments.append(env))
    with tempfile.TemporaryFile() as errors:
        Supervisor(["check"], errors).connection.close()
    assert [env["OPENBLAS_NUM_THREADS"] for env in environments] == [threads]
