"""The command line in processes that are forked instead of started: each import is paid once.

As on the command line, one process watches and publishes, one evaluates and one draws; they end
with each other, and share no descriptor but those that they are given.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing.process import BaseProcess
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, ClassVar, NoReturn

import psutil

LIBRARIES = ("altair", "vl_convert", "weasyprint", "scipy.stats", "fastexcel")
STOPPED = 128
DRAWN = 4
"""A build is drawn again, under another name, where one of the same name differs."""


def preload() -> None:
    """Import whatever a build imports; nothing runs yet, so that there are no threads to lose."""
    import reportgen
    from reportgen.cli import unused_libraries

    unused_libraries.leave_out()
    clusters = ("dask", "spark", "tracking", "sources", "__main__")
    for module in walk_packages(reportgen.__path__, "reportgen."):
        if not module.name.endswith(clusters):
            import_module(module.name)
    for name in LIBRARIES:
        import_module(name)


def started(
    words: Sequence[str],
    errors: Path | None = None,
    output: Path | None = None,
    folder: Path | None = None,
    **environment: str | None,
) -> BaseProcess:
    """Start ``reportgen WORDS`` in a folder; what it writes may go to files."""
    streams = str(output or os.devnull), str(errors or os.devnull)
    process = CONTEXT.Process(target=_supervise, args=(list(words), streams, folder, environment))
    process.start()
    return process


def ran(words: Sequence[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``reportgen WORDS`` in a folder, with the variables of this process and these."""
    with tempfile.TemporaryDirectory() as place:
        output, errors = Path(place) / "output", Path(place) / "errors"
        process = started(words, errors, output, folder, **os.environ | environment)
        process.join()
        assert process.exitcode is not None
        texts = (path.read_text(encoding="utf-8") for path in (output, errors))
        return subprocess.CompletedProcess([*words], process.exitcode, *texts)


def _supervise(
    words: list[str],
    streams: tuple[str, str],
    folder: Path | None,
    environment: Mapping[str, str | None],
) -> NoReturn:
    """Be the process that watches."""
    _streams(*streams)
    if folder is not None:
        os.chdir(folder)
    _surroundings(environment)
    tempfile.tempdir = None
    psutil.Popen = _Worker
    sys.argv = ["reportgen", *words]
    from reportgen.cli import main

    main()


def _streams(out: str, errors: str) -> None:
    for number, path, how in (
        (0, os.devnull, os.O_RDONLY),
        (1, out, os.O_WRONLY),
        (2, errors, os.O_WRONLY),
    ):
        opened = os.open(path, how | os.O_CREAT | os.O_APPEND)
        os.dup2(opened, number)
        os.close(opened)


def _surroundings(changes: Mapping[str, str | None]) -> None:
    for name, value in changes.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


def _close_all_but(kept: Sequence[int]) -> None:
    first = 3
    for number in sorted(kept):
        os.closerange(first, number)
        first = number + 1
    os.closerange(first, os.sysconf("SC_OPEN_MAX"))


class _Forked(psutil.Process):
    """A process that was forked, with the methods of one that was started."""

    returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int | None:
        code = super().wait(timeout)
        self.returncode = code
        return code

    def poll(self) -> int | None:
        try:
            return self.wait(0)
        except psutil.TimeoutExpired:
            return None


class _Worker(_Forked):
    """The process that evaluates, which has one ready to draw."""

    def __init__(
        self, words: Sequence[str], *, pass_fds: Sequence[int], env: Mapping[str, str], **_: Any
    ) -> None:
        place, *rest = words[4:]
        parent = os.getpid()
        pid = os.fork()
        if not pid:
            os.setpgid(0, 0)
            _alone(_evaluate, pass_fds, parent, place, rest, env)
        super().__init__(pid)


class _Drawer(_Forked):
    """The process that draws, which waited for its order."""

    ready: ClassVar[list[tuple[int, int]]] = []
    """Processes that wait for an order, and the pipe that each reads it from."""

    def __init__(self, words: Sequence[str], *, env: Mapping[str, str], **_: Any) -> None:
        order = json.dumps({"words": list(words[4:]), "env": dict(env)})
        pid, pipe = _Drawer.ready.pop()
        with suppress(BrokenPipeError):  # it was killed while it waited
            os.write(pipe, order.encode())
        os.close(pipe)
        super().__init__(pid)


def _alone(work: Any, kept: Sequence[int], parent: int, *arguments: Any) -> NoReturn:
    """Do the work of a new process, which never returns to what its parent did."""
    from reportgen import interrupts

    code = 1
    try:
        interrupts._Requests.holding = 0
        interrupts._Requests.number = None
        interrupts.end_with_parent()
        if os.getppid() == parent:
            _close_all_but(kept)
            code = work(*arguments)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except interrupts.Stopped as stop:
        code = STOPPED + stop.number
    finally:
        os._exit(code)


def _evaluate(place: str, words: list[str], env: Mapping[str, str]) -> int:
    from reportgen.cli import worker

    os.environ.clear()
    os.environ.update(env)
    parent = os.getpid()
    for _ in range(DRAWN):
        read, write = os.pipe()
        pid = os.fork()
        if not pid:
            _alone(_draw, [read], parent, read)
        os.close(read)
        _Drawer.ready.append((pid, write))
    psutil.Popen = _Drawer
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, closefd=False)
    worker.main(place, words)


def _draw(read: int) -> int:
    from reportgen.render import __main__ as render

    with os.fdopen(read, "rb") as pipe:
        received = pipe.read()
    if not received:
        return 0
    order = json.loads(received)
    os.environ.clear()
    os.environ.update(order["env"])
    path, directory = map(Path, order["words"])
    sink = str(path.with_name("stderr.txt"))
    _streams(sink, sink)
    return render.main(path, directory)


CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.hostile.forked_ready"])
