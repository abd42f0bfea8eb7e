"""Run the child process that makes the report, and watch its time and memory.

Charts and pages are made by native code, which can hang, abort or grow; it
does so in a process of its own, which is always started afresh, never forked.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

import psutil

from reportgen import interrupts
from reportgen.errors import LimitError, Problem, RenderError, ReportgenError
from reportgen.exhaustion import processor_time, spent
from reportgen.own_processes import own_process
from reportgen.render.job import Job

INTERVAL = 0.05
"""Seconds between two looks at the child."""

PATIENCE = 10
"""How many times its CPU limit a child may last: on a busy machine it waits most of the time."""

UNWRITTEN = 100
"""Exit code of a child that could not write a file, less the number of the system's error."""

ERRORS: dict[str, type[ReportgenError]] = {"RenderError": RenderError, "LimitError": LimitError}


def run(job: Job, directory: Path, *, deadline: float, memory: int) -> list[Problem]:
    """Make the pages of a job in ``directory``; return what could not be made, and why.

    Raises RenderError when a page cannot be made or the child dies, LimitError
    when it takes more than ``deadline`` seconds of CPU time, ``PATIENCE`` times
    as long on the clock, or more than ``memory`` bytes, OSError when a file
    cannot be written. What it works with lies in ``directory`` for as long as
    it works.
    """
    with TemporaryDirectory(prefix=".work-", dir=directory) as scratch:
        order = Path(scratch) / "job.json"
        order.write_text(job.to_json(), encoding="utf-8")
        code, stderr = _watched(order, directory, deadline, memory)
        return _outcome(order.with_name("outcome.json"), code, stderr)


def _watched(order: Path, directory: Path, deadline: float, memory: int) -> tuple[int, str]:
    """Run the child to its end or its limits; return its exit code and its last words."""
    command = own_process("reportgen.render", str(order), str(directory))
    words = order.with_name("stderr.txt")
    surroundings = _surroundings(order)
    child: psutil.Popen | None = None
    try:
        with words.open("wb") as sink, interrupts.held():  # no child that nobody knows of
            child = psutil.Popen(
                command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, env=surroundings
            )
        _wait(child, deadline, memory)
    finally:
        if child is not None and child.poll() is None:
            child.kill()
            child.wait()
    return child.returncode, words.read_text(encoding="utf-8", errors="replace")


def _surroundings(order: Path) -> dict[str, str]:
    """Return an environment where no font but the bundled ones is seen, and threads are few."""
    config = order.with_name("fonts.conf")
    # A path is bytes: not every one has a text in the encoding of the file system.
    config.write_bytes(
        b'<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">'
        b"<fontconfig><cachedir>%s</cachedir></fontconfig>"
        % os.fsencode(escape(str(order.parent / "cache")))
    )
    path = [entry for entry in sys.path if entry]
    return {
        **os.environ,
        "FONTCONFIG_FILE": str(config),
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONUTF8": "1",
        "PYTHONWARNINGS": "",  # a warning of a library is no fault of a page
    }


def _wait(child: psutil.Popen, deadline: float, memory: int) -> None:
    end = time.monotonic() + PATIENCE * deadline
    while True:
        try:
            child.wait(INTERVAL)
            return
        except psutil.TimeoutExpired:
            pass
        used, resident = _used(child)
        if used > deadline:
            raise _beyond("deadline", f"{deadline:g} seconds of CPU time", "time")
        if time.monotonic() > end:
            lasted = f"{PATIENCE * deadline:g} seconds, of which it worked {used:.0f}"
            raise _beyond("deadline", lasted, "time, or build when the machine is less busy")
        if resident > memory:
            raise _beyond("memory", f"{memory / 2**20:,.0f} MiB of memory", "memory")


def _beyond(code: str, limit: str, more: str) -> LimitError:
    hint = f"leave out figures, formats or long tables, or allow more {more}"
    return LimitError(Problem(code, f"rendering the report took more than {limit}", hint=hint))


def _used(child: psutil.Popen) -> tuple[float, int]:
    """Return the CPU seconds and the bytes of memory that a child has taken."""
    try:
        times = child.cpu_times()
        return times.user + times.system, int(child.memory_info().rss)
    except psutil.Error:
        return 0.0, 0


def _outcome(path: Path, code: int, stderr: str) -> list[Problem]:
    """Read what the child left; a child that left nothing has crashed."""
    if code > UNWRITTEN:
        raise OSError(code - UNWRITTEN, os.strerror(code - UNWRITTEN))
    if not path.exists():
        lines = [line.strip() for line in stderr.splitlines() if line.strip()]
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        if limit := processor_time(code) or spent(stderr):
            raise limit
        reason = f": {lines[-1]}" if lines else ""
        raise RenderError(Problem("crash", f"rendering the report ended with {how}{reason}"))
    outcome = json.loads(path.read_text(encoding="utf-8"))
    problems = [Problem.from_dict(plain) for plain in outcome["problems"]]
    if outcome["error"] is not None:
        if limit := spent(stderr):  # a library tells the system's reason there alone
            raise limit
        raise ERRORS.get(outcome["error"], RenderError)(*problems)
    return problems
